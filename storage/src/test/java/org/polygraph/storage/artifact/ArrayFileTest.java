package org.polygraph.storage.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
        assertThat(read.has("other")).isFalse();
        assertThatThrownBy(() -> read.longs("ints")).isInstanceOf(ArrayFile.DamagedException.class);
    }

    @Test
    void damageIsFoundWhereverItIs() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArrayFile()
                .put("a", new int[] {1, 2, 3})
                .put("b", new byte[] {4})
                .put("c", new long[] {5})
                .writeTo(out);
        byte[] whole = out.toByteArray();
        assertThat(read(whole).ints("a")).containsExactly(1, 2, 3);
        for (int length = 0; length < whole.length; length++) {
            damaged(Arrays.copyOf(whole, length), length + " bytes");
        }
        damaged(Arrays.copyOf(whole, whole.length + 1), "one byte more");
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] changed = whole.clone();
            changed[bit >> 3] ^= (byte) (1 << (bit & 7));
            damaged(changed, "bit " + bit);
        }
        Random random = new Random(SEED);
        for (int round = 0; round < 20_000; round++) {
            byte[] changed = whole.clone();
            for (int i = random.nextInt(8); i >= 0; i--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            if (!Arrays.equals(changed, whole)) {
                damaged(changed, "round " + round + " of seed " + SEED);
            }
        }
    }

    private static ArrayFile read(byte[] bytes) throws IOException {
        return ArrayFile.read(new ByteArrayInputStream(bytes), bytes.length);
    }

    private static void damaged(byte[] bytes, String what) {
        assertThatThrownBy(() -> read(bytes)).as(what).isInstanceOf(ArrayFile.DamagedException.class);
    }
}
