package org.polygraph.jobs.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbc.JdbcLockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.IsolationCheck;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Programs of other authors, several nodes of each, as their manuals say that they are used. */
class OtherProgramsTest {
    private static final int NODES = 3;
    private static final AtomicInteger JOBS = new AtomicInteger();

    @TempDir
    private Path folder;

    private interface Program {
        void run(DataSource source) throws Exception;
    }

    @Test
    void shedLockIsRecorded() throws Exception {
        check(OtherProgramsTest::shedLock, Connection.TRANSACTION_SERIALIZABLE, 100, IsolationLevel.SER);
    }

    @Test
    void dbSchedulerIsRecorded() throws Exception {
        check(OtherProgramsTest::dbScheduler, Connection.TRANSACTION_READ_COMMITTED, 100, IsolationLevel.SER);
    }

    /** A node reads a trigger without the lock and acquires it by its state, so ser may be violated. */
    @Test
    @Tag("process")
    void quartzIsRecorded() throws Exception {
        check(OtherProgramsTest::quartz, Connection.TRANSACTION_READ_COMMITTED, 90, IsolationLevel.RC);
    }

    /** @param share of the statements that are recorded, at least, in percent */
    private void check(Program program, int level, int share, IsolationLevel kept) throws Exception {
        String url = "jdbc:h2:mem:other" + share + level;
        try (Connection keeping = DriverManager.getConnection(url)) {
            DataSource plain = Applications.of(() -> {
                Connection connection = DriverManager.getConnection(url);
                connection.setTransactionIsolation(level);
                return connection;
            });
            Path file = folder.resolve("run.jsonl");
            try (RecordingDataSource recorded = RecordingDataSource.toFile(plain, file, RecordingOptions.READ_BACK)) {
                program.run(recorded);
                assertThat(recorded.executions(false)).isGreaterThan(20);
                assertThat(recorded.executions(true) * 100).isGreaterThanOrEqualTo(recorded.executions(false) * share);
            }
            IsolationCheck.Result result =
                    IsolationCheck.of(file).within(Duration.ofSeconds(10)).at(kept);
            assertThat(result.status()).as(result.text()).isNotEqualTo(Verdict.Status.VIOLATION);
        }
    }

    private static void execute(DataSource source, String script) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(true);
            for (String each : script.split(";")) {
                if (!each.isBlank()) {
                    statement.execute(each.strip());
                }
            }
        }
    }

    /** One-time tasks, each of which one node picks and runs. */
    static void dbScheduler(DataSource source) throws Exception {
        execute(
                source,
                "CREATE TABLE scheduled_tasks (task_name VARCHAR(100), task_instance VARCHAR(100), task_data BYTEA,"
                        + " execution_time TIMESTAMP WITH TIME ZONE, picked BOOLEAN, picked_by VARCHAR(50),"
                        + " last_success TIMESTAMP WITH TIME ZONE, last_failure TIMESTAMP WITH TIME ZONE,"
                        + " consecutive_failures INT, last_heartbeat TIMESTAMP WITH TIME ZONE, version BIGINT,"
                        + " priority SMALLINT, PRIMARY KEY (task_name, task_instance))");
        int tasks = 20;
        CountDownLatch running = new CountDownLatch(tasks);
        OneTimeTask<Void> task = Tasks.oneTime("task").execute((instance, context) -> running.countDown());
        List<Scheduler> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            nodes.add(Scheduler.create(source, task)
                    .threads(2)
                    .pollingInterval(Duration.ofMillis(50))
                    .schedulerName(new SchedulerName.Fixed("node" + i))
                    .build());
        }
        nodes.forEach(Scheduler::start);
        for (int i = 0; i < tasks; i++) {
            nodes.get(0).schedule(task.instance("" + i), Instant.now());
        }
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
        nodes.forEach(Scheduler::stop);
    }

    /** A lock for which nodes compete. */
    static void shedLock(DataSource source) throws Exception {
        execute(
                source,
                "CREATE TABLE shedlock (name VARCHAR(64) NOT NULL, lock_until TIMESTAMP NOT NULL,"
                        + " locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))");
        List<Thread> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            JdbcLockProvider locks = new JdbcLockProvider(source);
            nodes.add(new Thread(() -> {
                for (int n = 0; n < 20; n++) {
                    try {
                        Optional<SimpleLock> lock = locks.lock(new LockConfiguration(
                                Instant.now(), "job" + n % 2, Duration.ofSeconds(5), Duration.ZERO));
                        Thread.yield();
                        lock.ifPresent(SimpleLock::unlock);
                    } catch (RuntimeException e) {
                        // Another node was faster.
                    }
                }
            }));
        }
        nodes.forEach(Thread::start);
        for (Thread each : nodes) {
            each.join();
        }
    }

    /** A job of Quartz. */
    public static final class Counting implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            JOBS.incrementAndGet();
        }
    }

    /** Triggers that fire several times, in a cluster. */
    static void quartz(DataSource source) throws Exception {
        try (InputStream in = StdSchedulerFactory.class.getResourceAsStream("jdbcjobstore/tables_h2.sql")) {
            String script = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            execute(source, script.replaceAll("(?m)^--.*|(?i)commit;", ""));
        }
        DBConnectionManager.getInstance().addConnectionProvider("source", new ConnectionProvider() {
            @Override
            public Connection getConnection() throws SQLException {
                return source.getConnection();
            }

            @Override
            public void shutdown() {}

            @Override
            public void initialize() {}
        });
        List<org.quartz.Scheduler> nodes = new ArrayList<>();
        JOBS.set(0);
        for (int i = 0; i < NODES; i++) {
            Properties properties = new Properties();
            properties.setProperty("org.quartz.scheduler.instanceName", "cluster");
            properties.setProperty("org.quartz.scheduler.instanceId", "node" + i);
            properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
            properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
            properties.setProperty("org.quartz.threadPool.threadCount", "2");
            properties.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
            properties.setProperty("org.quartz.jobStore.dataSource", "source");
            properties.setProperty("org.quartz.jobStore.isClustered", "true");
            nodes.add(
                    new StdSchedulerFactory(properties) {
                        @Override
                        public org.quartz.Scheduler getScheduler() throws org.quartz.SchedulerException {
                            // One of each instance, also in one process.
                            org.quartz.impl.SchedulerRepository.getInstance().remove("cluster");
                            return super.getScheduler();
                        }
                    }.getScheduler());
        }
        for (int i = 0; i < 4; i++) {
            nodes.get(0)
                    .scheduleJob(
                            JobBuilder.newJob(Counting.class)
                                    .withIdentity("job" + i)
                                    .build(),
                            TriggerBuilder.newTrigger()
                                    .withSchedule(SimpleScheduleBuilder.simpleSchedule()
                                            .withIntervalInMilliseconds(100)
                                            .withRepeatCount(4))
                                    .build());
        }
        for (org.quartz.Scheduler each : nodes) {
            each.start();
        }
        for (int i = 0; i < 400 && JOBS.get() < 20; i++) {
            Thread.sleep(50);
        }
        for (org.quartz.Scheduler each : nodes) {
            each.shutdown(true);
        }
    }
}
