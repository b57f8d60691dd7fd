package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Rules;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/** Rules as jobs: the ways in which they end. */
@Tag("spark")
class SparkRulesTest {
    private static final SparkChecker.TaskSizes CUT =
            new SparkChecker.TaskSizes(500, 4, 1, 0, 3, 16 << 10, new WindowPlan.Granularity(100, 0), Long.MAX_VALUE);
    private static final HistoryTable TABLE = HistoryGenerator.withSeed(0x5a1e)
            .sessions(7)
            .transactions(1_200)
            .operations(1, 6)
            .keys(600)
            .hotspot(1.0 / 600, 0.3)
            .withTimestamps()
            .isolation(HistoryGenerator.Isolation.SERIAL)
            .generate();

    @SuppressWarnings("NullAway.Init")
    private static SparkSession spark;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        spark = new LazySession("local[2]").get();
    }

    /** An attempt may have less time than the check. */
    @Test
    void theyEndWithTheStopConditionOfTheCaller() throws IOException {
        for (String after : List.of("index", "close the graph", "force edges, round 1", "put writers of a hot key")) {
            assertEnds(false, after);
        }
        assertEnds(true, "index");
        assertEnds(true, "close the graph");
        assertThat(folder).isEmptyDirectory();
    }

    /** @param after the job with whose end the budget ends */
    private void assertEnds(boolean isTimed, String after) throws IOException {
        AtomicBoolean isOver = new AtomicBoolean();
        Progress progress = new Progress() {
            private String job = "";

            @Override
            public void phase(String name) {}

            @Override
            public void items(long done, long total) {}

            @Override
            public void job(String name) {
                if (name.isEmpty() && job.startsWith(after)) {
                    isOver.set(true);
                }
                job = name;
            }
        };
        SparkKernels.Layout layout = SparkKernels.Layout.of(TABLE, 500, 4, 1);
        org.apache.hadoop.fs.Path where = new org.apache.hadoop.fs.Path(folder.toUri());
        try (SparkKernels stages = new SparkKernels(spark, where, TABLE, layout, CUT, Budget.unlimited(), progress)) {
            IndexedHistory history = Objects.requireNonNull(stages.index(IndexedHistory.Indeterminate.MAYBE));
            Events events = new Events(1, TABLE.sessionStarts(), history.sessionOf());
            KnownGraph graph = KnownGraph.of(events, history.versions());
            if (isTimed) {
                graph.bind(Objects.requireNonNull(RealTime.of(TABLE, history.commitStatus(), 0)));
            }
            Tuning tuning = Tuning.DEFAULT.withRows(Tuning.RealTimeRows.WINDOW);
            try (Rules rules = Objects.requireNonNull(stages.rules(history, graph, Long.MAX_VALUE, tuning))) {
                if (after.equals("index")) {
                    assertThatThrownBy(() -> rules.close(isOver::get))
                            .as("%s %s", isTimed, after)
                            .isInstanceOf(StoppedException.class);
                } else {
                    assertThat(rules.close(isOver::get)).isTrue();
                    assertThatThrownBy(() -> rules.round(isOver::get))
                            .as("%s %s", isTimed, after)
                            .isInstanceOf(StoppedException.class);
                }
            }
        }
    }
}
