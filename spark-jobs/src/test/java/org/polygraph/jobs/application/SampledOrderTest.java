package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.generate.PredicateStore;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.Workloads;

/** A sample finds the order of what a correct store did, whatever the workload, and none where there is none. */
class SampledOrderTest {
    private static Workload workload(int seed) {
        return Workloads.of("transactions 200 sessions 8 operations 1 4 keys 80")
                .predicates(0.8, 12)
                .seed(seed);
    }

    @Test
    void findsOrdersInRealTime() throws Exception {
        for (int seed = 0; seed < SuiteScale.of(4, 1); seed++) {
            finds(workload(seed), TimeMode.HINT, 0);
            finds(workload(seed).rows(0.2, 0.2), TimeMode.HINT, 0);
            finds(workload(seed).indeterminate(0.1).aborted(0.1), TimeMode.HINT, 0);
            finds(workload(seed).skew(50_000), TimeMode.HINT, 50_000);
            finds(workload(seed).values(7), TimeMode.STRICT, 0);
        }
    }

    @Test
    void findsOrdersWithoutTimes() throws Exception {
        for (int seed = 0; seed < SuiteScale.of(4, 1); seed++) {
            finds(workload(seed).timed(false), TimeMode.NONE, 0);
            finds(workload(seed), TimeMode.NONE, 0);
        }
    }

    /** The order of a sample is right for the whole history, or there is none. */
    @Test
    void findsNoOrderOfWriteSkews() throws Exception {
        for (int seed = 0; seed < SuiteScale.of(4, 1); seed++) {
            HistoryTable table =
                    PredicateStore.all(workload(seed).level(Workload.Level.SI).plan(), done -> {});
            assertThat(found(table, IsolationLevel.SER, TimeMode.HINT, 0)).isNull();
        }
    }

    /** A history that a sample refutes is decided by the pairs of the sample, and others if these have an order. */
    @Test
    void theVerdictIsThatOfAllPairs() throws Exception {
        for (int seed = 0; seed < SuiteScale.of(2, 1); seed++) {
            HistoryTable table =
                    PredicateStore.all(workload(seed).level(Workload.Level.SI).plan(), done -> {});
            for (TimeMode time : new TimeMode[] {TimeMode.HINT, TimeMode.NONE}) {
                assertThat(status(unread(table), time)).isEqualTo(status(table, time));
            }
        }
    }

    /** The sample has no order, so there are several rounds. */
    @Test
    void theVerdictHasThePhasesOfAllRounds() throws Exception {
        HistoryTable table =
                PredicateStore.all(workload(0).level(Workload.Level.SI).plan(), done -> {});
        List<Integer> operations = new ArrayList<>();
        Checker counting = Checker.EMBEDDED.finding(check -> {
            operations.add(check.table().operations());
            return Checker.EMBEDDED.find(check);
        });
        Verdict verdict = LevelCheck.of(check(unread(table), IsolationLevel.SER, TimeMode.HINT, 0), counting)
                .build();
        assertThat(operations).hasSizeGreaterThan(1);
        Phase index = verdict.phases().get(0);
        assertThat(index.name()).isEqualTo("index");
        assertThat(index.items())
                .isEqualTo(operations.stream().mapToLong(count -> count).sum());
    }

    private static Verdict.Status status(HistoryTable table, TimeMode time) {
        return LevelCheck.of(check(table, IsolationLevel.SER, time, 0), Checker.EMBEDDED)
                .build()
                .status();
    }

    private static void finds(Workload workload, TimeMode time, long skew) throws Exception {
        for (Workload.Level level : List.of(Workload.Level.SER, Workload.Level.SI)) {
            HistoryTable table = PredicateStore.all(workload.level(level).plan(), done -> {});
            IsolationLevel claimed = level == Workload.Level.SER ? IsolationLevel.SER : IsolationLevel.SI;
            assertThat(found(table, claimed, time, skew))
                    .as("%s at %s, %s", workload.predicates(), level, time)
                    .isInstanceOf(Finding.Order.class);
        }
    }

    private static @Nullable Finding found(HistoryTable table, IsolationLevel level, TimeMode time, long skew) {
        HistoryTable unread = unread(table);
        return new SampledOrder(check(unread, level, time, skew), Checker.EMBEDDED, unread.predicates()).find();
    }

    private static HistoryTable unread(HistoryTable table) {
        PredicateReads predicates = table.predicates();
        assertThat(predicates).isNotNull();
        return predicates.unread(table);
    }

    private static Check check(HistoryTable table, IsolationLevel level, TimeMode time, long skew) {
        return new Check(table, new CheckRequest(level, time, skew, IndeterminateMode.MAYBE), Budget.unlimited());
    }
}
