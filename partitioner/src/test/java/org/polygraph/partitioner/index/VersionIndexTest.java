package org.polygraph.partitioner.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;

/**
 * Compares the index with maps of maps, on histories with many keys, hot keys, long transactions and repeated values.
 */
class VersionIndexTest {
    @Test
    void agreesWithMaps() {
        int ambiguous = 0;
        for (long seed = 0; seed < 40; seed++) {
            Workload generator = new Workload()
                    .seed(seed)
                    .timed(false)
                    .sessions(1 + (int) (seed % 9))
                    .transactions(400)
                    .operations(1, seed % 5 == 0 ? 60 : 8)
                    .keys(seed % 3 == 0 ? 3000 : seed % 3 == 1 ? 40 : 3)
                    .modifies(0.3)
                    .aborted(0.1);
            if (seed % 2 == 1) {
                generator.values(7).repeats(0.5);
            }
            HistoryTable table = generator.table();
            IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
            assertThat(history.violations()).as("seed %d", seed).isEmpty();
            ambiguous += compare(table, history, seed);
        }
        assertThat(ambiguous).isGreaterThan(100);
    }

    private static int compare(HistoryTable table, IndexedHistory history, long seed) {
        VersionIndex index = history.versions();
        int ambiguous = 0;
        for (int key = 0; key < table.keys().size(); key++) {
            Map<Integer, Long> writes = new TreeMap<>();
            Map<Integer, Long> reads = new TreeMap<>();
            for (int t = 0; t < table.transactions(); t++) {
                for (int o = table.firstOperation(t);
                        history.commitStatus().isCounted(t) && o < table.operationsEnd(t);
                        o++) {
                    if (table.isWriteOf(o, key)) {
                        writes.put(t, table.value(o));
                    } else if (table.isReadOf(o, key) && !writes.containsKey(t)) {
                        reads.put(t, table.value(o));
                    }
                }
            }
            int first = index.writerStarts()[key];
            List<Integer> writers = new ArrayList<>();
            for (int w = first; w < index.writerStarts()[key + 1]; w++) {
                int t = index.writerTransactions()[w];
                writers.add(t);
                long value = writes.get(t);
                int expectedClass = VersionIndex.INITIAL;
                if (value != table.initialValue()) {
                    expectedClass = first;
                    while (writes.get(index.writerTransactions()[expectedClass]) != value) {
                        expectedClass++;
                    }
                }
                assertThat(index.writerClasses()[w])
                        .as("seed %d key %d", seed, key)
                        .isEqualTo(expectedClass);
            }
            assertThat(writers).as("seed %d key %d", seed, key).containsExactlyElementsOf(writes.keySet());
            SortedSet<Integer> seen = new TreeSet<>();
            for (int slot = index.slot(key); slot <= index.ambiguousSlot(key); slot++) {
                for (int r = index.slotStarts()[slot]; r < index.slotStarts()[slot + 1]; r++) {
                    int reader = index.readerTransactions()[r];
                    seen.add(reader);
                    List<Integer> candidates = new ArrayList<>();
                    if (reads.get(reader) == table.initialValue()) {
                        candidates.add(index.slot(key));
                    }
                    for (int i = 0; i < writers.size(); i++) {
                        if (writers.get(i) != reader
                                && writes.get(writers.get(i)).equals(reads.get(reader))) {
                            candidates.add(index.slot(key) + 1 + i);
                        }
                    }
                    if (candidates.size() > 1) {
                        ambiguous++;
                        assertThat(slot).as("seed %d key %d", seed, key).isEqualTo(index.ambiguousSlot(key));
                    } else {
                        assertThat(candidates).as("seed %d key %d", seed, key).containsExactly(slot);
                    }
                }
            }
            onlyMiddleReadersAreLeftOut(history, reads, seen, seed);
        }
        assertThat(index.ambiguous()).isEqualTo(ambiguous);
        return ambiguous;
    }

    private static void onlyMiddleReadersAreLeftOut(
            IndexedHistory history, Map<Integer, Long> reads, SortedSet<Integer> seen, long seed) {
        for (Map.Entry<Integer, Long> read : reads.entrySet()) {
            if (!seen.contains(read.getKey())) {
                assertThat(seen.headSet(read.getKey()))
                        .as("seed %d: transaction %d", seed, read.getKey())
                        .anyMatch(t -> history.sessionOf()[t] == history.sessionOf()[read.getKey()]
                                && reads.get(t).equals(read.getValue()));
                assertThat(seen.tailSet(read.getKey()))
                        .anyMatch(t -> history.sessionOf()[t] == history.sessionOf()[read.getKey()]
                                && reads.get(t).equals(read.getValue()));
            }
        }
    }
}
