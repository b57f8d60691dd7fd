package org.polygraph.storage.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrayFileTest {
    private static final long SEED = 0xa11a;

    @TempDir
    Path folder;

    private Location file() throws IOException {
        return Location.of(folder.resolve("stage").toString());
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        Random random = new Random(SEED);
        int[] ints = random.ints(40_000).toArray();
        long[] longs = random.longs(9_001).toArray();
        byte[] bytes = new byte[100_003];
        random.nextBytes(bytes);
        file().write(new ArrayFile()
                .put("ints", ints)
                .put("none", new int[0])
                .put("bytes", bytes)
                .put("longs", longs)::writeTo);
        ArrayFile read = ArrayFile.read(file());
        assertThat(read.ints("ints")).isEqualTo(ints);
        assertThat(read.ints("none")).isEmpty();
        assertThat(read.bytes("bytes")).isEqualTo(bytes);
        assertThat(read.longs("longs")).isEqualTo(longs);
        assertThat(read.intsOrNull("other")).isNull();
        assertThatThrownBy(() -> read.longs("ints")).isInstanceOf(ArrayFile.DamagedException.class);
    }

    @Test
    void damageIsFoundWhereverItIs() throws IOException {
        file().write(new ArrayFile().put("a", new int[] {1, 2, 3}).put("b", new byte[] {4})::writeTo);
        Path path = folder.resolve("stage");
        byte[] whole = Files.readAllBytes(path);
        for (int length = 0; length < whole.length; length++) {
            Files.write(path, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> ArrayFile.read(file()))
                    .as("%d bytes", length)
                    .isInstanceOf(ArrayFile.DamagedException.class);
        }
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] changed = whole.clone();
            changed[bit >> 3] ^= (byte) (1 << (bit & 7));
            Files.write(path, changed);
            assertThatThrownBy(() -> ArrayFile.read(file()))
                    .as("bit %d", bit)
                    .isInstanceOf(ArrayFile.DamagedException.class);
        }
        Files.write(path, Arrays.copyOf(whole, whole.length + 1));
        assertThatThrownBy(() -> ArrayFile.read(file())).isInstanceOf(ArrayFile.DamagedException.class);
    }
}
