package org.polygraph.jobs.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.polygraph.jobs.record.Clients;
import org.polygraph.jobs.record.HistoryRecorder;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** A toy store with a lost update fails its test with the explanation, and passes after the fix. */
class IsolationExtensionTest {
    /** A store of numbers whose increments read and write in two steps unless it locks. */
    private static final class ToyStore {
        private final Map<String, Long> values = new HashMap<>();
        private final boolean isFixed;
        private final CyclicBarrier between = new CyclicBarrier(2);

        ToyStore(boolean isFixed) {
            this.isFixed = isFixed;
        }

        private synchronized long get(String key) {
            return values.getOrDefault(key, 0L);
        }

        private synchronized void put(String key, long value) {
            values.put(key, value);
        }

        void increment(String key, long add, HistoryRecorder.Transaction tx) throws Exception {
            if (isFixed) {
                synchronized (this) {
                    step(key, add, tx);
                }
            } else {
                step(key, add, tx);
            }
        }

        private void step(String key, long add, HistoryRecorder.Transaction tx) throws Exception {
            long value = get(key);
            tx.read(key, value);
            if (!isFixed) {
                between.await();
            }
            put(key, value + add);
            tx.write(key, value + add);
            tx.commit();
        }
    }

    /** The tests that the launcher runs. */
    static class Increments {
        @RegisterExtension
        final IsolationExtension isolation =
                IsolationExtension.keeps(IsolationLevel.SER).initially(0);

        @Test
        void lost() throws Exception {
            twice(isolation.recorder(), new ToyStore(false));
        }

        @Test
        void fixed() throws Exception {
            twice(isolation.recorder(), new ToyStore(true));
        }

        @Test
        void nothing() {}

        @Test
        void failsItself() {
            throw new IllegalStateException("its own failure");
        }
    }

    /** A test that goes on for two minutes after a lost update, unless it is judged while it runs. */
    static class Endless {
        @RegisterExtension
        final IsolationExtension isolation =
                IsolationExtension.keeps(IsolationLevel.SER).initially(0).whileItRuns();

        private void goOn() throws InterruptedException {
            HistoryRecorder.Session session = isolation.recorder().session();
            for (long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2); System.nanoTime() < end; ) {
                session.begin().commit();
                Thread.sleep(1);
            }
        }

        @Test
        void lost() throws Exception {
            twice(isolation.recorder(), new ToyStore(false));
            goOn();
        }
    }

    /** A test that goes on after a lost update that is allowed, longer than it takes to find it. */
    static class Allowing {
        @RegisterExtension
        final IsolationExtension isolation = IsolationExtension.keeps(IsolationLevel.SER)
                .initially(0)
                .mayShow(Anomaly.LOST_UPDATE)
                .whileItRuns();

        @Test
        void lost() throws Exception {
            twice(isolation.recorder(), new ToyStore(false));
            HistoryRecorder.Session session = isolation.recorder().session();
            for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4); System.nanoTime() < end; ) {
                session.begin().commit();
                Thread.sleep(1);
            }
        }
    }

    private static void twice(HistoryRecorder recorder, ToyStore store) throws Exception {
        AtomicLong add = new AtomicLong(1);
        Clients.run(recorder, 2, 1, 1, (session, random) -> {
            try (HistoryRecorder.Transaction tx = session.begin()) {
                store.increment("x", add.getAndAdd(9), tx);
            }
        });
    }

    private static TestExecutionSummary run(String method) {
        return run(Increments.class, method);
    }

    private static TestExecutionSummary run(Class<?> tests, String method) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(tests, method))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary);
        return summary.getSummary();
    }

    private static String failure(String method) {
        return failure(run(method));
    }

    private static String failure(TestExecutionSummary summary) {
        assertThat(summary.getTestsFailedCount()).isEqualTo(1);
        return summary.getFailures().get(0).getException().toString();
    }

    @Test
    void aLostUpdateFailsTheTestWithItsExplanation() {
        String failure = failure("lost");
        assertThat(failure).contains("VIOLATION  ser", "LostUpdate", "both read 0 from key \"x\" and overwrote it");
        Matcher report = Pattern.compile("\nReport: (.*)$").matcher(failure);
        assertThat(report.find()).isTrue();
        assertThat(Path.of(report.group(1))).exists();
    }

    @Test
    void aTestThatIsJudgedWhileItRunsEndsAtTheViolation() {
        assertThat(failure(run(Endless.class, "lost")))
                .containsPattern("after [1-9]\\d* transactions: VIOLATION  ser")
                .contains("both read 0 from key \"x\" and overwrote it");
    }

    @Test
    void aTestThatIsJudgedWhileItRunsGoesOnAfterAnAllowedViolation() {
        assertThat(run(Allowing.class, "lost").getTestsSucceededCount()).isEqualTo(1);
    }

    @Test
    void itPassesAfterTheFix() {
        assertThat(run("fixed").getTestsSucceededCount()).isEqualTo(1);
    }

    @Test
    void nothingRecordedIsNoPass() {
        assertThat(failure("nothing")).contains("INVALID");
    }

    @Test
    void aFailureOfTheTestComesFirst() {
        assertThat(failure("failsItself")).contains("its own failure");
    }
}
