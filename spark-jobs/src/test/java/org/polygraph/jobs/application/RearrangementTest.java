package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** A search for an order of a few events agrees with trying all orders of them by replaying the whole history. */
class RearrangementTest {
    private static final long SEED = 0x4ea2;
    private static final int MOST_EVENTS = 6;

    private Witness witness;
    private int[] order;

    @Test
    void findsAnOrderIfThereIsOne() throws Exception {
        int found = 0;
        int none = 0;
        for (int i = 0; i < SuiteScale.of(3000); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED, i));
            HistoryTable history = ChainLaw.blindWrites(random);
            witness = Checks.check(history, RollingTest.request(IsolationLevel.SER))
                    .witness();
            if (witness == null) {
                continue;
            }
            order = IntStream.range(0, witness.position().length)
                    .filter(e -> witness.counted()[e])
                    .boxed()
                    .sorted((a, b) -> witness.position()[a] - witness.position()[b])
                    .mapToInt(Integer::intValue)
                    .toArray();
            int from = random.nextInt(order.length);
            int to = Math.min(order.length, from + random.between(2, MOST_EVENTS));
            int write = random.nextInt(history.operations());
            int key = history.key(write);
            if (!history.isWrite(write) || !isCommittedWithin(write, from, to) || isReadBehind(key, to)) {
                continue;
            }
            long value = history.value(write);
            int[] result = Rearrangement.of(witness, order, from, to, key, value, 1L << 28);
            String name = "#" + i + " " + HistoryDsl.print(history) + " order " + Arrays.toString(order)
                    + " " + from + " to " + to + " key " + history.keys().label(key) + " value "
                    + history.values().label(value) + ": " + Arrays.toString(result);
            Predicate<int[]> leads = permutation -> leadsTo(permutation, from, to, key, value);
            if (result != null) {
                assertThat(leads.test(result)).as(name).isTrue();
                found++;
            } else {
                assertThat(any(new ArrayList<>(), to - from, leads)).as(name).isFalse();
                none++;
            }
        }
        System.out.println("rearrangements: " + found + " found, " + none + " impossible, seed " + SEED);
        assertThat(found).isGreaterThan(SuiteScale.of(2000) / 100);
        assertThat(none).isGreaterThan(SuiteScale.of(2000) / 100);
    }

    private boolean isCommittedWithin(int operation, int from, int to) {
        int t = HistorySelection.transactionOf(witness.table(), operation);
        return Arrays.stream(order, from, to).anyMatch(event -> event == t);
    }

    private boolean isReadBehind(int key, int to) {
        HistoryTable table = witness.table();
        return IntStream.range(to, order.length).map(place -> order[place]).anyMatch(t -> IntStream.range(
                        table.firstOperation(t), table.operationsEnd(t))
                .anyMatch(o -> table.isReadOf(o, key)));
    }

    /** Whether some permutation that begins with these places is accepted. */
    private static boolean any(List<Integer> begin, int size, Predicate<int[]> accepts) {
        if (begin.size() == size) {
            return accepts.test(begin.stream().mapToInt(Integer::intValue).toArray());
        }
        for (int i = 0; i < size; i++) {
            if (!begin.contains(i)) {
                begin.add(i);
                boolean isFound = any(begin, size, accepts);
                begin.remove(begin.size() - 1);
                if (isFound) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Whether a permutation of the transactions between two places explains the history, and leads to the same values
     * but for one key.
     */
    private boolean leadsTo(int[] permutation, int from, int to, int key, long value) {
        int[] changed = order.clone();
        for (int i = 0; i < permutation.length; i++) {
            changed[from + i] = order[from + permutation[i]];
        }
        int[] position = witness.position().clone();
        for (int place = 0; place < changed.length; place++) {
            position[changed[place]] = witness.position()[order[place]];
        }
        long[] expected = values(order, to);
        expected[key] = value;
        return Arrays.equals(values(changed, to), expected)
                && Replay.of(new Witness(witness.table(), witness.terms(), witness.counted(), position))
                        .holds();
    }

    private long[] values(int[] transactions, int to) {
        HistoryTable table = witness.table();
        long[] values = table.initialValues().clone();
        for (int place = 0; place < to; place++) {
            int t = transactions[place];
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    values[table.key(o)] = table.value(o);
                }
            }
        }
        return values;
    }
}
