package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.application.WindowedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Workloads;

/**
 * A cluster that is lost during a job, for example with all its masters: Spark stops the context. This is a failure of
 * the cluster and not a bug.
 */
@Tag("spark")
class LostContextTest {
    @TempDir
    private Path folder;

    /** Stops the context when a job has begun. The job ends after the context has stopped completely. */
    private static final class Stopping implements Progress {
        private final SparkContext context;
        private final String job;
        private boolean isOrdered;

        Stopping(SparkContext context, String job) {
            this.context = context;
            this.job = job;
        }

        @Override
        public void phase(String name) {}

        @Override
        public void items(long done, long total) {}

        @Override
        public void job(String name) {
            if (name.startsWith(job)) {
                isOrdered = true;
                CountDownLatch begun = new CountDownLatch(1);
                context.addSparkListener(new SparkListener() {
                    @Override
                    public void onJobStart(SparkListenerJobStart start) {
                        begun.countDown();
                    }
                });
                // Neither a listener nor a thread that it has made may stop the context.
                new Thread(() -> {
                            try {
                                begun.await();
                                context.stop();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .start();
            }
            while (isOrdered && name.isEmpty() && SparkEnv.get() != null) {
                try {
                    Thread.sleep(5);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    @Test
    @Timeout(180)
    void theClusterIsBlamed() throws IOException {
        HistoryTable table = Workloads.of(
                        0x105e, "timed false sessions 7 transactions 1200 operations 1 6 keys 600 distribution HOTSPOT")
                .hot(1.0 / 600, 0.3)
                .table();
        Path file = folder.resolve("h.jsonl");
        HistoryWriter.write(table, file.toString(), HistoryFormat.JSONL);
        for (String job : List.of("read the input", "check reads", "replay keys")) {
            try (SparkEngine checker = new SparkEngine("local[2]")) {
                Stopping stopping = new Stopping(checker.session().sparkContext(), job);
                assertThatThrownBy(() -> new WindowedChecker(checker, Estimate.WINDOW)
                                .decide(
                                        file.toString(),
                                        HistoryFormat.AUTO,
                                        CheckRequest.of(IsolationLevel.SER),
                                        null,
                                        null,
                                        stopping,
                                        Budget.unlimited()))
                        .as(job)
                        .isInstanceOf(EngineException.class)
                        .hasMessageContaining("Spark has stopped");
                assertThat(stopping.isOrdered).as(job).isTrue();
            }
        }
    }
}
