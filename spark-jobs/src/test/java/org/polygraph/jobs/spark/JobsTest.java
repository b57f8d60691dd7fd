package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.ReduceFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.storage.model.BudgetException;

@Tag("spark")
class JobsTest {
    /** A lock that the last task waits for. It is static, because tasks are serialized. */
    private static CountDownLatch counted = new CountDownLatch(1);

    @SuppressWarnings("NullAway.Init")
    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = new LazySession("local[2]").get();
        // Tasks wait for objects of this process.
        assertThat(spark.sparkContext().isLocal()).isTrue();
    }

    /**
     * An action is planned before it has a job, and may have several jobs. A job that begins after the end is
     * cancelled.
     */
    @Test
    @Timeout(60)
    void aJobThatBeginsAfterTheEndIsCancelled() {
        Jobs jobs = new Jobs(spark.sparkContext(), Budget.starting(100_000_000L, Long.MAX_VALUE));
        MapFunction<Long, Long> sleeps = x -> {
            Thread.sleep(600_000);
            return x;
        };
        assertThatThrownBy(() -> jobs.run("sleep late", () -> {
                    Thread.sleep(500);
                    return spark.range(4).map(sleeps, Encoders.LONG()).collectAsList();
                }))
                .isInstanceOf(BudgetException.class);
    }

    /**
     * Progress of a long job has the number of its tasks that have ended, and nothing before it begins or after it
     * ends.
     */
    @Test
    @Timeout(120)
    void tasksOfAJobAreCounted() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        Progress progress = new Progress() {
            @Override
            public void phase(String name) {
                throw new AssertionError(name);
            }

            @Override
            public void job(String name) {
                heard.add("job " + name);
            }

            @Override
            public void items(long done, long total) {
                heard.add(done + " of " + total);
                if (done == 2 && total == 3) {
                    counted.countDown();
                }
            }
        };
        MapFunction<Long, Long> task = number -> {
            if (number == 2) {
                assertThat(counted.await(60, TimeUnit.SECONDS)).isTrue();
            }
            return number;
        };
        counted = new CountDownLatch(1);
        Long sum = new Jobs(spark.sparkContext(), Budget.unlimited(), progress, "")
                .run("count", () -> spark.range(0, 3, 1, 3)
                        .map(task, Encoders.LONG())
                        .reduce((ReduceFunction<Long>) Long::sum));
        assertThat(sum).isEqualTo(3);
        assertThat(heard).startsWith("job count").contains("2 of 3").endsWith("job ");
    }
}
