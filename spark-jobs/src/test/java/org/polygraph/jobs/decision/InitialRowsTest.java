package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Histories with a transaction that loads the initial rows: they keep a level iff they do without it, because it writes
 * what the initial transaction writes.
 */
class InitialRowsTest {
    private static final long SEED = 0x1417;

    private static final List<IsolationLevel> LEVELS =
            List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);

    @Test
    void aLoaderIsFirst() throws HistoryException {
        int differ = 0;
        for (int i = 0; i < SuiteScale.of(4_000); i++) {
            long seed = SplitMix.seedOf(SEED, i);
            SplitMix random = new SplitMix(seed);
            boolean timed = random.nextInt(2) == 0;
            String[] others = workload(random);
            String loader = "w(x,0) w(y,0)";
            boolean isRowByRow = random.nextInt(2) == 0;
            InitialChoice named =
                    InitialChoice.ofLabel(isRowByRow ? "9#1" : "9#0").orElseThrow();
            HistoryTable history = history(isRowByRow ? "w(x,0) | w(y,0)" : loader, others, timed);
            HistoryTable without = history("", others, false);
            for (IsolationLevel level : LEVELS) {
                boolean holds = Definitions.accepts(without, level.name());
                if (status(history, level, InitialChoice.AUTO) != status(holds)) {
                    throw new AssertionError(HistoryDsl.print(history) + " " + level + " seed " + seed);
                }
                boolean isTenth = i % 10 == 0;
                // The same loader makes the same table, so a tenth of these verdicts is enough.
                if (isTenth
                        || loaders(history, level, named).length
                                != loaders(history, level, InitialChoice.AUTO).length) {
                    assertThat(status(history, level, named)).isEqualTo(status(holds));
                }
                if (isTenth) {
                    differ += status(history, level, InitialChoice.IMPLICIT) == status(holds) ? 0 : 1;
                }
            }
        }
        System.out.println(differ + " verdicts differ from those with --initial implicit, seed " + SEED);
        assertThat(differ).isPositive();
    }

    /**
     * Values repeat, the initial one among them, but every transaction reads: there is no loader, and nothing changes.
     */
    @Test
    void withoutLoaderNothingChanges() throws HistoryException {
        IsolationLevel[] levels = IsolationLevel.values();
        int initial = 0;
        for (int i = 0; i < SuiteScale.of(1_200, 250); i++) {
            long seed = SplitMix.seedOf(SEED + 2, i);
            SplitMix random = new SplitMix(seed);
            String[] transactions = workload(random);
            for (int t = 0; t < transactions.length; t++) {
                String key = random.nextInt(2) == 0 ? "x," : "y,";
                transactions[t] = transactions[t].replaceAll("w\\((.),[2-9]\\)", "w($1,0)") + " r(" + key
                        + random.nextInt(2) + ") w(" + key + "0)";
            }
            HistoryTable history = history("", transactions, random.nextInt(2) == 0);
            IsolationLevel level = levels[i % levels.length];
            if (level == IsolationLevel.LIN || (level.realTime() && history.starts() == null)) {
                level = IsolationLevel.SER;
            }
            Verdict.Status status = status(history, level, InitialChoice.AUTO);
            assertThat(status)
                    .as("%s %s seed %d", HistoryDsl.print(history), level, seed)
                    .isEqualTo(status(history, level, InitialChoice.IMPLICIT));
            initial += status == Verdict.Status.PASS ? 1 : 0;
        }
        assertThat(initial).as("histories that hold").isPositive();
    }

    @Test
    void strictLevelsToo() throws HistoryException {
        for (int i = 0; i < SuiteScale.of(2_500); i++) {
            long seed = SplitMix.seedOf(SEED + 1, i);
            String[] others = workload(new SplitMix(seed));
            HistoryTable history = history("w(x,0) w(y,0)", others, true);
            IsolationLevel level = i % 2 == 0 ? IsolationLevel.SSER : IsolationLevel.SSI;
            assertThat(status(history, level, InitialChoice.AUTO))
                    .as("%s %s seed %d", HistoryDsl.print(history), level, seed)
                    .isEqualTo(status(Definitions.accepts(history, level.name())));
        }
    }

    /** Transactions of three sessions, written once: s0 has two. Values are unique, as is usual with loaders. */
    private static String[] workload(SplitMix random) {
        String[] transactions = new String[4];
        int next = 1;
        for (int t = 0; t < transactions.length; t++) {
            StringBuilder text = new StringBuilder(random.nextInt(10) == 0 ? "?" : random.nextInt(12) == 0 ? "!" : "");
            int operations = random.between(1, 3);
            for (int o = 0; o < operations; o++) {
                text.append(o == 0 ? "" : " ");
                String key = random.nextInt(2) == 0 ? "x," : "y,";
                boolean write = random.nextInt(5) < 2;
                int value = write ? (random.nextInt(4) == 0 ? 1 : next++) : random.nextInt(next + 1);
                text.append(write ? "w(" : "r(").append(key).append(value).append(')');
            }
            transactions[t] = text.toString();
        }
        // Some initial value has to be read, because otherwise there is nothing to recognize.
        transactions[3] = transactions[3] + " r(y,0)";
        transactions[2] = transactions[2] + " r(x,0)";
        return transactions;
    }

    /** The loader is the last session, so that the numbers of the other sessions stay the same. */
    private static HistoryTable history(String loader, String[] others, boolean timed) {
        StringBuilder text = new StringBuilder("init 0; ");
        for (int t = 0; t < others.length; t++) {
            text.append(t == 0 ? "s0: " : t == 1 ? " | " : "; s" + (t - 1) + ": ");
            text.append(timed ? "@" + (10 + 2 * (t ^ 1)) + ".." + (13 + 2 * t) + " " : "")
                    .append(others[t]);
        }
        if (!loader.isEmpty()) {
            text.append("; s9: ").append(timed ? "@1..2 " : "").append(loader.replace("| ", timed ? "| @3..4 " : "| "));
        }
        return HistoryDsl.parse(text.toString());
    }

    private static Verdict.Status status(boolean holds) {
        return holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION;
    }

    private static Verdict.Status status(HistoryTable history, IsolationLevel level, InitialChoice initial)
            throws HistoryException {
        CheckRequest request = request(level, initial);
        return new EmbeddedChecker()
                .check(request.loaders(history).applied(), request, Progress.NONE, Budget.unlimited())
                .status();
    }

    private static int[] loaders(HistoryTable history, IsolationLevel level, InitialChoice initial)
            throws HistoryException {
        return request(level, initial).loaders(history).transactions();
    }

    private static CheckRequest request(IsolationLevel level, InitialChoice initial) {
        TimeMode time = level.realTime() ? TimeMode.STRICT : TimeMode.HINT;
        return new CheckRequest(level, time, 0, IndeterminateMode.MAYBE, initial, true, 1);
    }
}
