package org.polygraph.storage.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;

class StringDictionaryTest {
    private static final long SEED = 0xd1c7;

    @TempDir
    private Path folder;

    /** Strings in the heap, in one set of files, and in several. */
    @Test
    void numbersAreThoseOfAMapWhereverTextsAre() {
        Random random = new Random(SEED);
        for (int round = 0; round < 20; round++) {
            StringDictionary dictionary =
                    new StringDictionary(folder.toString(), random.nextInt(40_000), 1 + random.nextInt(200));
            Map<String, Integer> expected = new HashMap<>();
            List<String> strings = new ArrayList<>();
            for (int i = random.nextInt(8000); i >= 0; i--) {
                boolean marked = random.nextInt(4) == 0;
                String text = StringTableTest.string(random, random.nextInt(12), 1 + round % 4);
                String identity = marked + text;
                Integer known = expected.putIfAbsent(identity, strings.size());
                int id = dictionary.id(text, marked);
                assertThat(id).as("seed %d, round %d", SEED, round).isEqualTo(known == null ? strings.size() : known);
                if (known == null) {
                    strings.add(text);
                }
                assertThat(dictionary.size()).isEqualTo(strings.size());
                assertThat(dictionary.isMarked(id)).isEqualTo(marked);
                assertThat(dictionary.string(id)).isEqualTo(text);
            }
            assertThat(dictionary.strings())
                    .as("seed %d, round %d", SEED, round)
                    .isEqualTo(strings);
            assertThat(dictionary.whyNoFiles()).isEmpty();
        }
    }

    @Test
    void aTableIsTheSameWhereverItsTextsAre() throws HistoryException {
        for (int round = 0; round < 5; round++) {
            HistoryTable expected = table(round, new StringDictionary(), new StringDictionary());
            HistoryTable table = table(round, inFiles(), inFiles());
            assertThat(table.operationKeys())
                    .as("seed %d, round %d", SEED, round)
                    .isEqualTo(expected.operationKeys());
            assertThat(table.operationValues()).isEqualTo(expected.operationValues());
            assertThat(table.keys().size()).isEqualTo(expected.keys().size());
            for (int key = 0; key < table.keys().size(); key++) {
                assertThat(table.keys().label(key)).isEqualTo(expected.keys().label(key));
            }
            for (long value : table.operationValues()) {
                assertThat(table.values().label(value))
                        .isEqualTo(expected.values().label(value));
                assertThat(table.values().isString(value))
                        .isEqualTo(expected.values().isString(value));
            }
            assertThat(table.keys().labels().strings())
                    .isEqualTo(expected.keys().labels().strings());
        }
    }

    private StringDictionary inFiles() {
        return new StringDictionary(folder.toString(), 2000, 100);
    }

    private static HistoryTable table(int round, StringDictionary keys, StringDictionary values)
            throws HistoryException {
        Random random = new Random(SEED + round);
        HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.LINE, keys, values);
        for (int i = 0; i < 1000; i++) {
            builder.begin(random.nextInt(5), i, TransactionStatus.COMMITTED, i + 1);
            for (int o = random.nextInt(6); o >= 0; o--) {
                int number = random.nextInt(3000);
                int key = random.nextInt(4) == 0
                        ? builder.keys().id(number)
                        : builder.keys().id("key " + number);
                String value = "value " + random.nextInt(3000);
                long code =
                        switch (random.nextInt(3)) {
                            case 0 -> builder.values().code(number);
                            case 1 -> builder.values().code(value);
                            default -> builder.values().opaque(value);
                        };
                if (random.nextBoolean()) {
                    builder.read(key, code);
                } else {
                    builder.write(key, code);
                }
            }
            builder.end();
        }
        return builder.build();
    }

    @Test
    void whereThereCanBeNoFilesStringsAreInTheHeap() {
        Path nowhere = folder.resolve("nowhere");
        StringDictionary dictionary = new StringDictionary(nowhere.toString(), 1000, 1);
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < 10_000; i++) {
                assertThat(dictionary.id("text " + i, false)).isEqualTo(i);
            }
        }
        assertThat(dictionary.strings()).hasSize(10_000).endsWith("text 9999");
        assertThat(dictionary.bytes()).isGreaterThan(200_000);
        assertThat(dictionary.whyNoFiles())
                .isEqualTo("strings are kept in memory, as they could not be in files in " + nowhere
                        + ": there is no such folder");
    }
}
