package org.polygraph.storage.dictionary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import net.openhft.chronicle.map.ExternalMapQueryContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PersistedStringsTest {
    private static final long SEED = 0x9e45;

    @TempDir
    private Path folder;

    @Test
    void stringsOfOneHashAreDistinct() throws IOException {
        PersistedStrings strings = PersistedStrings.open(folder, 1000);
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < 300; i++) {
                // Long chains in which other chains begin, across the end of the table.
                assertThat(strings.id(Long.MAX_VALUE - 20 + i % 7, "text " + i / 2, i % 2 == 0))
                        .isEqualTo(i);
            }
        }
        for (int i = 0; i < 300; i++) {
            assertThat(strings.string(i)).isEqualTo("text " + i / 2);
            assertThat(strings.isMarked(i)).isEqualTo(i % 2 == 0);
        }
    }

    @Test
    void hasAllCharactersAndLengths() throws IOException {
        Random random = new Random(SEED);
        PersistedStrings strings = PersistedStrings.open(folder, 3000);
        String[] expected = new String[1000];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = i + StringTableTest.string(random, random.nextInt(1 + i * 3), 1 + i % 4);
            assertThat(id(strings, expected[i])).isEqualTo(i);
        }
        for (int i = 0; i < expected.length; i++) {
            assertThat(strings.string(i)).as("seed %d, %d", SEED, i).isEqualTo(expected[i]);
            assertThat(id(strings, expected[i])).isEqualTo(i);
        }
    }

    @Test
    void longTextsHaveChunksOfTheirOwn() throws IOException {
        PersistedStrings strings = PersistedStrings.open(folder, 10);
        String narrow = "n".repeat(1 << 20);
        String wide = "\u1234".repeat(1 << 20);
        assertThat(id(strings, "before")).isZero();
        assertThat(id(strings, narrow)).isEqualTo(1);
        assertThat(id(strings, wide)).isEqualTo(2);
        assertThat(id(strings, "after")).isEqualTo(3);
        assertThat(id(strings, wide)).isEqualTo(2);
        assertThat(strings.string(1).equals(narrow)).isTrue();
        assertThat(strings.string(2).equals(wide)).isTrue();
        assertThat(strings.string(3)).isEqualTo("after");
    }

    @Test
    void keepsWhatItHasWhenThereIsNoMoreRoom() throws IOException {
        int capacity = 20_000;
        PersistedStrings strings = PersistedStrings.open(folder, capacity);
        for (int i = 0; i < capacity; i++) {
            assertThat(id(strings, "text " + i)).isEqualTo(i);
        }
        assertThat(id(strings, "one more")).isEqualTo(StringStore.NO_ROOM);
        for (int i = 0; i < capacity; i++) {
            assertThat(id(strings, "text " + i)).isEqualTo(i);
        }
        assertThat(strings.size()).isEqualTo(capacity);
    }

    /** The map relies on entries being spread over segments. An overfull segment would require that the file grows. */
    @Test
    void anOverfullSegmentIsTheEndOfItsRoom() throws IOException {
        int capacity = 20_000;
        PersistedStrings strings = PersistedStrings.open(folder, capacity);
        LongArrayList hashes = new LongArrayList();
        try (ChronicleMap<Long, Integer> map = ChronicleMapBuilder.of(Long.class, Integer.class)
                .entries(capacity)
                .create()) {
            for (long hash = 0; hashes.size() < capacity; hash++) {
                try (ExternalMapQueryContext<Long, Integer, ?> context = map.queryContext(hash)) {
                    if (context.segmentIndex() == 0) {
                        hashes.add(hash);
                    }
                }
            }
        }
        int size = 0;
        while (strings.id(hashes.getLong(size), "text " + size, false) != StringStore.NO_ROOM) {
            size++;
        }
        assertThat(size).isEqualTo(strings.size()).isBetween(1000, capacity - 1);
        for (int i = 0; i < size; i++) {
            assertThat(strings.id(hashes.getLong(i), "text " + i, false)).isEqualTo(i);
        }
        assertThat(strings.id(hashes.getLong(size), "text " + size, false)).isEqualTo(StringStore.NO_ROOM);
    }

    /** So no file is left, however the process ends. */
    @Test
    void filesHaveNoNames() throws IOException {
        PersistedStrings strings = PersistedStrings.open(folder, 1000);
        assertThat(id(strings, "a")).isZero();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
        assertThat(strings.string(0)).isEqualTo("a");
    }

    @Test
    void aDiskWithoutRoomIsReported() throws IOException {
        PersistedStrings.checkRoom(1L << 30, 1L << 30);
        assertThatThrownBy(() -> PersistedStrings.checkRoom((1L << 30) - 1, 1L << 30))
                .isInstanceOf(IOException.class)
                .hasMessage("there are 1023 MiB left, and 1024 are needed");
    }

    /** The class that reports usage over the network is neither called nor on the class path. */
    @Test
    void makesNoCalls() throws IOException {
        System.clearProperty("chronicle.analytics.disable");
        PersistedStrings.open(folder, 1000);
        assertThat(System.getProperty("chronicle.analytics.disable")).isEqualTo("true");
        assertThatThrownBy(() -> Class.forName("net.openhft.chronicle.analytics.Analytics"))
                .isInstanceOf(ClassNotFoundException.class);
    }

    private static int id(StringStore strings, String text) {
        return strings.id(StringTable.hash(text, false), text, false);
    }
}
