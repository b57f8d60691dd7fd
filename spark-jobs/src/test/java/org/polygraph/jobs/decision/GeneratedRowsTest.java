package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.generate.GeneratedRows;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.Workloads;

/**
 * Generated histories in which a few rows are inserted and deleted hundreds of times: every level is decided in
 * seconds.
 */
class GeneratedRowsTest {
    private static final long NANOS = 20_000_000_000L;

    private static HistoryTable history(Workload.Level level, long seed, boolean timed) throws IOException {
        TransactionPlan plan = Workloads.of("transactions 2400 sessions 8 operations 1 4 keys 12 rows 0.4 0.4")
                .level(level)
                .timed(timed)
                .seed(seed)
                .plan();
        List<HistoryTable> tables = new ArrayList<>();
        GeneratedRows.all(plan, done -> {}).writeTo(0, plan.transactions(), tables::add);
        assertThat(tables).hasSize(1);
        return tables.get(0);
    }

    @Test
    void passesWhatTheStoreKeeps() throws IOException {
        passes(history(Workload.Level.SER, 1, true), 1, IsolationLevel.values());
        IsolationLevel[] levels =
                EnumSet.range(IsolationLevel.SSI, IsolationLevel.PL2).toArray(new IsolationLevel[0]);
        passes(history(Workload.Level.SI, 2, true), 2, levels);
        passes(history(Workload.Level.SI, 3, false), 3, levels);
    }

    private static void passes(HistoryTable history, long seed, IsolationLevel... levels) {
        assertThat(history.hasRows()).isTrue();
        for (IsolationLevel level : levels) {
            if (level == IsolationLevel.LIN || (level.realTime() && history.starts() == null)) {
                continue;
            }
            for (TimeMode time : new TimeMode[] {TimeMode.HINT, TimeMode.NONE}) {
                if (time == TimeMode.HINT || !level.realTime()) {
                    CheckRequest request = new CheckRequest(level, time, 0, IndeterminateMode.MAYBE);
                    Verdict verdict = new EmbeddedChecker()
                            .check(
                                    history,
                                    request,
                                    Progress.NONE,
                                    Budget.unlimited().atMost(NANOS));
                    assertThat(verdict.status())
                            .as("%s seed %d %s: %s", level, seed, time, verdict.reason())
                            .isEqualTo(Verdict.Status.PASS);
                }
            }
        }
    }

    @Test
    void findsWhatTheStoreBreaks() throws IOException {
        HistoryTable history = history(Workload.Level.SI, 1, false);
        Verdict verdict = Checks.check(history, IsolationLevel.SER);
        assertThat(verdict.status()).isEqualTo(Verdict.Status.VIOLATION);
        assertThat(verdict.violations().get(0).transactions()).hasSizeLessThan(8);
    }

    /**
     * A store in which inserts look for rows in the latest state, as databases do: snapshot isolation holds, although
     * transactions that write a row overlap, so the other levels hold too.
     */
    @Test
    void passesRowsInsertedAgainByOlderSnapshots() throws HistoryException {
        HistoryTable history = insertedAgain(new SplitMix(7), 1_500, 60, 8);
        passes(history, 7, EnumSet.range(IsolationLevel.SI, IsolationLevel.PL2).toArray(new IsolationLevel[0]));
    }

    /**
     * Each client reads two rows, inserts or deletes one of them, and commits unless a row changed after its snapshot.
     */
    private static HistoryTable insertedAgain(SplitMix random, int transactions, int keys, int clients)
            throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        builder.file("simulated");
        builder.initialValue(ValueDictionary.NULL);
        long[] latest = new long[keys];
        int[] writtenAt = new int[keys];
        long[][] snapshots = new long[clients][];
        int[] begun = new int[clients];
        int[] indexes = new int[clients];
        int commits = 0;
        for (long value = 1; commits < transactions; value++) {
            int c = random.nextInt(clients);
            if (snapshots[c] == null) {
                snapshots[c] = latest.clone();
                begun[c] = commits;
                continue;
            }
            long[] snapshot = snapshots[c];
            snapshots[c] = null;
            int read = random.nextInt(keys);
            int key = random.nextInt(keys);
            boolean inserts = latest[key] == 0;
            if (!inserts && (snapshot[key] == 0 || writtenAt[key] > begun[c])) {
                continue;
            }
            commits++;
            builder.begin(c, indexes[c]++, TransactionStatus.COMMITTED, c * (long) transactions + indexes[c]);
            builder.times(10 * begun[c], 10 * commits + random.nextInt(60));
            builder.read(builder.keys().id(read), code(builder, snapshot[read]));
            builder.read(builder.keys().id(key), code(builder, snapshot[key]));
            if (inserts) {
                builder.insert(builder.keys().id(key), code(builder, value));
            } else {
                builder.delete(builder.keys().id(key));
            }
            builder.end();
            latest[key] = inserts ? value : 0;
            writtenAt[key] = commits;
        }
        return builder.build();
    }

    private static long code(HistoryTableBuilder builder, long value) {
        return value == 0 ? ValueDictionary.NULL : builder.values().code(value);
    }
}
