package org.polygraph.storage.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

class LoadersTest {
    private static final long SEED = 0x10ad;

    /** The loaders as s0#0 s1#0 ..., and a substring of the doubt. */
    @ParameterizedTest
    @CsvFileSource(resources = "/loaders.txt", delimiter = '/')
    void recognizes(String history, String expected, String doubt) {
        HistoryTable table = HistoryDsl.parse(history.replace("!@0..9 ", "@0..9 !"));
        Loaders loaders = Loaders.recognized(table, true, 0);
        assertThat(names(table, loaders.transactions())).isEqualTo(expected == null ? "" : expected);
        if (doubt == null) {
            assertThat(loaders.doubt()).isEmpty();
            assertThat(loaders.doubtful()).isNegative();
        } else {
            assertThat(loaders.doubt()).contains(doubt);
            assertThat(loaders.doubtful()).isNotNegative();
        }
        HistoryTable applied = loaders.applied();
        for (int t = 0; t < table.transactions(); t++) {
            boolean isLoader =
                    List.of(names(table, loaders.transactions()).split(" ")).contains(table.name(t));
            assertThat(applied.status(t)).isEqualTo(isLoader ? TransactionStatus.INITIAL : table.status(t));
        }
    }

    @Test
    void clockSkewCounts() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: @1..2 w(x,0); s1: @5..9 r(x,0)");
        assertThat(Loaders.recognized(table, true, 2).transactions()).hasSize(1);
        assertThat(Loaders.recognized(table, true, 3).transactions()).isEmpty();
        // Without times, it is alone in its session.
        assertThat(Loaders.recognized(table, false, 3).transactions()).hasSize(1);
    }

    @Test
    void oneCanBeNamed() throws HistoryException {
        HistoryTable table = HistoryDsl.parse("init 0; s0: r(x,0); s7: w(y,1) | w(x,0) | !w(x,0)");
        Loaders named = Loaders.of(table, InitialChoice.ofLabel("7#1").orElseThrow(), true, 0);
        assertThat(named.transactions()).containsExactly(2);
        assertThat(Loaders.of(table, InitialChoice.IMPLICIT, true, 0).applied()).isSameAs(table);
        for (String[] wrong : new String[][] {
            {"7#0", "with value 1"}, {"0#0", "a read of key"}, {"7#2", "aborted"}, {"1#0", "no transaction"}
        }) {
            assertThatThrownBy(() ->
                            Loaders.of(table, InitialChoice.ofLabel(wrong[0]).orElseThrow(), true, 0))
                    .isInstanceOf(HistoryException.class)
                    .hasMessageContainingAll(wrong[1], "--initial " + wrong[0], "the initial value 0");
        }
    }

    @Test
    void labels() {
        for (String label : List.of("auto", "implicit", "0#0", "-3#12")) {
            assertThat(InitialChoice.ofLabel(label).orElseThrow().label()).isEqualTo(label);
        }
        assertThat(InitialChoice.ofLabel("s4#2").orElseThrow().label()).isEqualTo("4#2");
        for (String none :
                List.of("", "s#1", "ss1#1", "#", "1", "1#", "#1", "Auto", "1#2#3", "99999999999999999999#0")) {
            assertThat(InitialChoice.ofLabel(none)).as(none).isEmpty();
        }
    }

    /** The recognized loaders fulfil the definition, which is applied to the history directly. */
    @Test
    void randomHistories() {
        int recognized = 0;
        for (int i = 0; i < SuiteScale.of(50_000); i++) {
            long seed = SplitMix.seedOf(SEED, i);
            String text = random(new SplitMix(seed));
            HistoryTable table = HistoryDsl.parse(text);
            Loaders loaders = Loaders.recognized(table, true, 0);
            assertThat(names(table, loaders.transactions()))
                    .as("%s, seed %d", text, seed)
                    .isEqualTo(definition(table));
            recognized += loaders.transactions().length > 0 ? 1 : 0;
        }
        assertThat(recognized).isPositive();
    }

    private static String random(SplitMix random) {
        boolean timed = random.nextInt(2) == 0;
        StringBuilder text = new StringBuilder("init 0");
        int sessions = random.between(2, 4);
        long clock = 0;
        for (int s = 0; s < sessions; s++) {
            text.append("; s").append(s).append(": ");
            int transactions = random.between(1, 3);
            for (int t = 0; t < transactions; t++) {
                text.append(t == 0 ? "" : " | ");
                if (timed) {
                    long start = random.nextInt(3) == 0 ? random.nextInt(10) : clock++;
                    text.append("@%d..%d ".formatted(start, start + random.nextInt(3)));
                }
                text.append(random.nextInt(8) == 0 ? "!" : random.nextInt(12) == 0 ? "?" : "");
                boolean loads = random.nextInt(4) == 0;
                int operations = random.between(1, 3);
                for (int o = 0; o < operations; o++) {
                    text.append(loads || random.nextInt(2) == 0 ? "w(" : "r(")
                            .append(random.nextInt(2) == 0 ? "x," : "y,")
                            .append(loads ? 0 : random.nextInt(3))
                            .append(") ");
                }
            }
        }
        return text.toString();
    }

    private static String definition(HistoryTable table) {
        List<Integer> loaders = new ArrayList<>();
        for (int t = 0; t < table.transactions(); t++) {
            boolean loads = table.status(t) == TransactionStatus.COMMITTED
                    && (t == table.firstTransaction(table.sessionOf(t)) || loaders.contains(t - 1))
                    && table.firstOperation(t) < table.operationsEnd(t);
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                loads &= table.isWrite(o) && table.value(o) == table.initialValue();
            }
            if (loads) {
                loaders.add(t);
            }
        }
        while (loaders.removeIf(t -> !isEarly(table, t, loaders))) {
            // A removed candidate is one more transaction that the others must precede.
        }
        Map<Integer, Integer> keys = new HashMap<>();
        boolean repeats = false;
        for (int t : loaders) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                Integer other = keys.put(table.key(o), t);
                repeats |= other != null && other != t;
            }
        }
        boolean isRead = false;
        for (int t = 0; t < table.transactions(); t++) {
            if (loaders.contains(t) || table.status(t) == TransactionStatus.ABORTED) {
                continue;
            }
            List<Integer> own = new ArrayList<>();
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                boolean initial = table.value(o) == table.initialValue();
                if (table.isWrite(o)) {
                    repeats |= initial;
                    own.add(table.key(o));
                } else if (initial && keys.containsKey(table.key(o))) {
                    isRead = true;
                } else if (initial && !own.contains(table.key(o))) {
                    return "";
                }
            }
        }
        boolean repeatsMatter = table.starts() == null;
        return isRead && !(repeats && repeatsMatter)
                ? names(table, loaders.stream().mapToInt(Integer::intValue).toArray())
                : "";
    }

    private static boolean isEarly(HistoryTable table, int t, List<Integer> loaders) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        int session = table.sessionOf(t);
        boolean all = true;
        for (int other = 0; other < table.transactions(); other++) {
            if (!loaders.contains(other)) {
                all &= starts == null || ends == null
                        ? table.sourcePosition(t) < table.sourcePosition(other)
                        : ends[t] != HistoryTable.NO_TIME && ends[t] < starts[other];
            }
        }
        boolean isWhole = true;
        for (int other = table.firstTransaction(session); other < table.transactionsEnd(session); other++) {
            isWhole &= loaders.contains(other);
            all &= other > t || loaders.contains(other);
        }
        return all || (starts == null && isWhole);
    }

    private static String names(HistoryTable table, int[] transactions) {
        StringBuilder names = new StringBuilder();
        for (int t : transactions) {
            names.append(names.isEmpty() ? "s" : " s")
                    .append(table.sessionLabel(table.sessionOf(t)))
                    .append('#')
                    .append(table.index(t));
        }
        return names.toString();
    }
}
