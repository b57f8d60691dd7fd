package org.polygraph.jobs.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** Recordings of H2 behind a driver that fails. */
class RecordingTest {
    @TempDir
    private Path folder;

    /** The ways in which commits fail. */
    private enum Fault {
        NONE,
        /** The server has committed, and the connection is lost. */
        LOST_AFTER,
        /** The connection is lost before the server has committed. */
        LOST_BEFORE,
        /** The server refuses the transaction. */
        REFUSED,
        /** The client has a bug. */
        BUG,
        /** The server never answers. */
        FROZEN
    }

    /** A driver whose connections commit with faults; counts the outcomes of commits. */
    private static final class FailingDriver {
        private final Driver driver;
        private final Random random;
        private final double share;
        private final Set<Fault> faults;
        private final AtomicInteger[] seen = new AtomicInteger[Fault.values().length];
        private boolean isCreated;

        FailingDriver(long seed, double share, Set<Fault> faults) throws Exception {
            this.driver = h2();
            this.random = new Random(seed);
            this.share = share;
            this.faults = faults;
            Arrays.setAll(seen, i -> new AtomicInteger());
        }

        int seen(Fault fault) {
            return seen[fault.ordinal()].get();
        }

        private synchronized Fault draw() {
            Fault[] all = faults.toArray(new Fault[0]);
            return all.length > 0 && random.nextDouble() < share ? all[random.nextInt(all.length)] : Fault.NONE;
        }

        /** A recording with this driver. */
        Recording of(RecordSettings settings) throws IOException {
            Driver failing = connecting(url -> {
                Connection real = driver.connect(url.replace("jdbc:other:", "jdbc:h2:mem:"), new Properties());
                synchronized (this) {
                    // The first commit creates the table.
                    if (!isCreated) {
                        isCreated = true;
                        return real;
                    }
                }
                return with(real, "commit", () -> commit(real));
            });
            return recording(settings, failing);
        }

        private void commit(Connection real) throws SQLException {
            Fault fault = draw();
            switch (fault) {
                case NONE -> real.commit();
                case LOST_AFTER -> {
                    real.commit();
                    real.close();
                }
                case LOST_BEFORE -> real.close();
                case REFUSED -> real.rollback();
                case BUG -> {}
                case FROZEN -> frozen();
            }
            // H2 may refuse the transaction earlier.
            seen[fault.ordinal()].incrementAndGet();
            switch (fault) {
                case NONE -> {}
                case REFUSED -> throw new SQLException("refused", "40001");
                case BUG -> throw new IllegalStateException("a bug");
                default -> throw new SQLException("lost", "08006");
            }
        }

        private static void frozen() {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                throw new IllegalStateException("the end of the test", e);
            }
        }
    }

    private static Recording recording(RecordSettings settings, Driver driver) throws IOException {
        return new Recording(settings, url -> driver, Login.of(Map.of(), null));
    }

    @FunctionalInterface
    private interface Connecting {
        Connection to(String url) throws Exception;
    }

    private static Driver connecting(Connecting connecting) {
        return (Driver) Proxy.newProxyInstance(
                Driver.class.getClassLoader(),
                new Class<?>[] {Driver.class},
                (proxy, method, args) -> connecting.to((String) args[0]));
    }

    @FunctionalInterface
    private interface Action {
        void run() throws SQLException;
    }

    /** A connection that does something else when a method is called. */
    private static Connection with(Connection real, String name, Action action) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals(name)) {
                        action.run();
                        return null;
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private RecordSettings settings(WorkloadKind kind, long transactions, long seed, long killNanos) {
        return settings("jdbc:h2:mem:failing" + seed, kind, transactions, seed, killNanos);
    }

    private RecordSettings settings(String url, WorkloadKind kind, long transactions, long seed, long killNanos) {
        return new RecordSettings(
                new RecordSettings.Databases(List.of(url), Isolation.SERIALIZABLE, null, Isolation.SERIALIZABLE),
                kind,
                new Workload()
                        .transactions(transactions)
                        .sessions(4)
                        .keys(20)
                        .operations(4)
                        .seed(seed),
                0,
                Long.MAX_VALUE,
                0,
                killNanos,
                folder.resolve("run" + seed + ".jsonl"));
    }

    private static Driver h2() throws Exception {
        return new Drivers(List.of(), message -> {}).of("jdbc:h2:mem:x");
    }

    private static int count(HistoryTable table, TransactionStatus status) {
        int n = 0;
        for (int t = 0; t < table.transactions(); t++) {
            n += table.status(t) == status ? 1 : 0;
        }
        return n;
    }

    private static HistoryTable read(RecordSettings settings) throws Exception {
        return HistoryReader.read(settings.file().toString(), HistoryFormat.JSONL);
    }

    private static void assertKept(HistoryTable table) throws Exception {
        assertThat(new EmbeddedChecker()
                        .check(table, CheckRequest.of(IsolationLevel.SI), Progress.NONE, Budget.unlimited())
                        .status())
                .isEqualTo(Verdict.Status.PASS);
    }

    @Test
    void noTransactionIsLostWhereCommitsFail() throws Exception {
        for (long seed = 1; seed <= 2; seed++) {
            for (WorkloadKind kind : List.of(WorkloadKind.REGISTERS, WorkloadKind.APPEND)) {
                FailingDriver driver =
                        new FailingDriver(seed, 0.1, Set.of(Fault.LOST_AFTER, Fault.LOST_BEFORE, Fault.REFUSED));
                RecordSettings settings = settings(kind, 200, seed, 1);
                Recording recording = driver.of(settings);
                assertThat(recording.run(counts -> {})).isNull();
                HistoryTable table = read(settings);
                assertThat(table.transactions()).isEqualTo(200);
                int lost = driver.seen(Fault.LOST_AFTER) + driver.seen(Fault.LOST_BEFORE);
                assertThat(lost).as("seed " + seed).isPositive();
                assertThat(count(table, TransactionStatus.COMMITTED)).isEqualTo(driver.seen(Fault.NONE));
                assertThat(recording.counts().commits()).isEqualTo(driver.seen(Fault.NONE));
                assertThat(count(table, TransactionStatus.INDETERMINATE)).isGreaterThanOrEqualTo(lost);
                assertThat(count(table, TransactionStatus.ABORTED)).isGreaterThanOrEqualTo(driver.seen(Fault.REFUSED));
                assertKept(table);
            }
        }
    }

    /** The URL belongs to no dialect. */
    @Test
    void recordingsOfOneDatabaseDoNotDisturbEachOther() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<RecordSettings> all = new ArrayList<>();
        for (WorkloadKind kind : List.of(WorkloadKind.ROWS, WorkloadKind.APPEND, WorkloadKind.MINI)) {
            RecordSettings settings = settings("jdbc:other:shared;DB_CLOSE_DELAY=-1", kind, 200, 20 + all.size(), 0);
            FailingDriver driver = new FailingDriver(1, 0, Set.of());
            all.add(settings);
            Recording recording = driver.of(settings);
            threads.add(new Thread(() -> assertThatNoException().isThrownBy(() -> recording.run(counts -> {}))));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        for (RecordSettings settings : all) {
            HistoryTable table = read(settings);
            assertThat(table.transactions()).isEqualTo(200);
            assertKept(table);
        }
    }

    @Test
    void aClientThatFailsLosesNothing() throws Exception {
        FailingDriver driver = new FailingDriver(7, 0.01, Set.of(Fault.BUG));
        RecordSettings settings = settings(WorkloadKind.REGISTERS, 2000, 7, 0);
        Recording recording = driver.of(settings);
        assertThat(recording.run(counts -> {})).hasMessage("a bug");
        HistoryTable table = read(settings);
        assertThat(count(table, TransactionStatus.COMMITTED)).isEqualTo(driver.seen(Fault.NONE));
        assertThat(count(table, TransactionStatus.INDETERMINATE))
                .isEqualTo(driver.seen(Fault.BUG))
                .isPositive();
        assertKept(table);
    }

    /** The database refuses what the clients ask for after the table was made. */
    @Test
    void noFailureLeavesTheTable() throws Exception {
        String url = "jdbc:h2:mem:refused;DB_CLOSE_DELAY=-1";
        RecordSettings settings = settings(url, WorkloadKind.MINI, 20, 11, 0);
        Driver refusing =
                connecting(each -> with(h2().connect(each, new Properties()), "setTransactionIsolation", () -> {
                    throw new SQLException("no such isolation");
                }));
        Recording recording = recording(settings, refusing);
        assertThatIOException()
                .isThrownBy(() -> recording.run(counts -> {}))
                .withMessageContaining("it refuses isolation serializable");
        try (Connection connection = h2().connect(url, new Properties());
                ResultSet tables = connection.getMetaData().getTables(null, null, "POLYGRAPH%", null)) {
            assertThat(tables.next()).isFalse();
        }
        assertThat(settings.file()).doesNotExist();
    }

    @Test
    void aRecordingThatIsStoppedIsWhole() throws Exception {
        RecordSettings settings = settings(WorkloadKind.BANK, 1L << 38, 8, 0);
        Recording recording = recording(settings, h2());
        Thread stopper = new Thread(() -> {
            while (recording.counts().transactions() < 200) {
                Thread.onSpinWait();
            }
            recording.stop(10_000);
        });
        stopper.start();
        assertThat(recording.run(counts -> {})).isNull();
        stopper.join();
        HistoryTable table = read(settings);
        assertThat((long) table.transactions()).isEqualTo(recording.counts().transactions());
        assertKept(table);
    }

    @Test
    void transactionsWhoseServerNeverAnswersAreRecorded() throws Exception {
        FailingDriver driver = new FailingDriver(9, 1, Set.of(Fault.FROZEN));
        RecordSettings settings = settings(WorkloadKind.REGISTERS, 2000, 9, 0);
        Recording recording = driver.of(settings);
        Thread run = new Thread(() -> assertThatNoException().isThrownBy(() -> recording.run(counts -> {})));
        run.setDaemon(true);
        run.start();
        Thread.sleep(500);
        recording.stop(500);
        HistoryTable table = read(settings);
        assertThat(count(table, TransactionStatus.INDETERMINATE)).isPositive().isEqualTo((int)
                recording.counts().unknowns());
    }

    @Test
    void noPasswordIsShown() throws Exception {
        for (String url : List.of(
                "jdbc:oracle:thin:scott/s3cret@//db",
                "jdbc:x://h;password={a;s3cret}",
                "jdbc:x://h;password=abc,s3cret",
                "jdbc:x://u:a/s3cret@h",
                "jdbc:x://h?pass=s3cret",
                "jdbc:x://h?api_key=s3cret")) {
            assertThat(Login.scheme(url)).startsWith("jdbc:").doesNotContain("s3cret");
            if (!url.startsWith("jdbc:oracle")) {
                assertThat(Login.hidden(url)).doesNotContain("s3cret");
            }
        }
        Path file = Files.writeString(folder.resolve("login"), "user = me\n\n# one\npassword=a\\b=1\n");
        assertThat(Login.of(Map.of(), file).properties())
                .containsEntry("user", "me")
                .containsEntry("password", "a\\b=1");
    }
}
