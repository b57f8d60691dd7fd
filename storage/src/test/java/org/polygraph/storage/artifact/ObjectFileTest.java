package org.polygraph.storage.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written is read, and damage is found wherever it is. */
class ObjectFileTest {
    @TempDir
    Path folder;

    @Test
    void damageIsFoundWhereverItIs() throws IOException {
        Path path = folder.resolve("stage");
        ArrayList<Object> object = new ArrayList<>(List.of("a", 4, 5L));
        ObjectFile.write(Location.of(path.toString()), object);
        byte[] whole = Files.readAllBytes(path);
        assertThat(read(path, whole, ArrayList.class)).isEqualTo(object);
        assertThatThrownBy(() -> read(path, whole, String.class)).isInstanceOf(ObjectFile.DamagedException.class);
        for (int length = 0; length <= whole.length + 1; length++) {
            if (length != whole.length) {
                damaged(path, Arrays.copyOf(whole, length), length + " bytes");
            }
        }
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] changed = whole.clone();
            changed[bit >> 3] ^= (byte) (1 << (bit & 7));
            damaged(path, changed, "bit " + bit);
        }
    }

    /** A file that somebody else made. */
    @Test
    void onlyClassesOfCheckpointsAreMade() throws IOException {
        Path path = folder.resolve("stage");
        ObjectFile.write(Location.of(path.toString()), new ArrayList<>(List.of(path.toFile())));
        damaged(path, Files.readAllBytes(path), "a file");
    }

    private static Object read(Path path, byte[] bytes, Class<? extends Serializable> type) throws IOException {
        Files.write(path, bytes);
        return ObjectFile.read(Location.of(path.toString()), type);
    }

    private static void damaged(Path path, byte[] bytes, String what) {
        assertThatThrownBy(() -> read(path, bytes, ArrayList.class))
                .as(what)
                .isInstanceOf(ObjectFile.DamagedException.class);
    }
}
