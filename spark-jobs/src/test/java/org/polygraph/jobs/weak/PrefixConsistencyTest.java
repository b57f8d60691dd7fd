package org.polygraph.jobs.weak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.SplitTransactions;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.Interpreter;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** Prefix consistency as the serializability of split transactions, and what follows from it for RC, RA and CC. */
class PrefixConsistencyTest {
    /**
     * A database with snapshots that loses updates. It has so few values that hardly any read has only one possible
     * writer.
     */
    @Test
    void decidesRepeatedValuesOfSnapshotsThatLoseUpdates() {
        for (long seed = 0x9e0; seed < 0x9e6; seed++) {
            HistoryTable history = HistoryGenerator.withSeed(seed)
                    .sessions(10)
                    .transactions(2_000)
                    .operations(2, 6)
                    .keys(20)
                    .repeatedValues(1, 2 + (int) seed % 3, 1.0)
                    .withTimestamps()
                    .isolation(HistoryGenerator.Isolation.PREFIX)
                    .generate();
            assertThat(ReadsFrom.of(history, IndexedHistory.Indeterminate.ABORT, IsolationLevel.CC, () -> false)
                            .open())
                    .as("seed %d", seed)
                    .hasSizeGreaterThan(2_000);
            for (IsolationLevel level :
                    new IsolationLevel[] {IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC}) {
                Verdict verdict = check(history, level);
                assertThat(verdict.status()).as("seed %d %s", seed, level).isEqualTo(Verdict.Status.PASS);
                assertThat(verdict.certificate())
                        .as("seed %d %s", seed, level)
                        .matches(certificate -> certificate != null && certificate.verified());
            }
        }
    }

    @Test
    void splitTransactionsAreSerializableIffOneOrderOfSnapshotsAndCommitsExplainsTheReads() {
        long seed = 0x9ef;
        TinyHistories stream = new TinyHistories(seed);
        int histories = SuiteScale.of(20_000);
        int judged = 0;
        int accepted = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = stream.at(i);
            if (!hasKnownOutcomes(history) || !explainsOwnReads(history)) {
                continue;
            }
            boolean truth = Interpreter.accepts(history, Definitions.Level.PC);
            Verdict verdict = check(SplitTransactions.of(history).table(), IsolationLevel.SER);
            assertThat(verdict.status())
                    .as("%s seed %d", HistoryDsl.print(history), stream.seedOf(i))
                    .isEqualTo(truth ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
            judged++;
            accepted += truth ? 1 : 0;
        }
        System.out.println(judged + " histories from seed " + seed + ": " + accepted + " with prefix consistency");
        assertThat(accepted).isBetween(judged / 4, judged / 10 * 9);
    }

    private static boolean hasKnownOutcomes(HistoryTable history) {
        for (int t = 0; t < history.transactions(); t++) {
            if (history.status(t) == TransactionStatus.INDETERMINATE) {
                return false;
            }
        }
        return true;
    }

    private static Verdict check(HistoryTable history, IsolationLevel level) {
        return Checks.check(history, new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE));
    }

    /** Whether each read after a write of its own transaction to the key returns that. */
    private static boolean explainsOwnReads(HistoryTable history) {
        for (int t = 0; t < history.transactions(); t++) {
            Long[] own = new Long[history.keys().size()];
            for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                int key = history.key(o);
                if (history.isWrite(o)) {
                    own[key] = history.value(o);
                } else if (own[key] != null && own[key] != history.value(o)) {
                    return false;
                }
            }
        }
        return true;
    }
}
