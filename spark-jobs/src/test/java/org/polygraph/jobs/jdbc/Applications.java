package org.polygraph.jobs.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.polygraph.jobs.application.IsolationCheck;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** Runs applications, which know nothing of the recorder, with several clients. */
public final class Applications {
    private static final int CLIENTS = 4;

    private Applications() {}

    interface Client {
        void run(Random random) throws SQLException;
    }

    /** A data source that opens a connection each time. */
    static DataSource of(String url) {
        return of(() -> DriverManager.getConnection(url));
    }

    /** Opens a connection. */
    public interface Opening {
        Connection open() throws SQLException;
    }

    public static DataSource of(Opening opening) {
        return (DataSource) Proxy.newProxyInstance(
                Applications.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, given) -> {
                    if (method.getName().equals("getConnection")) {
                        return opening.open();
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    /** Each client calls the application several times, also after an error of the database. */
    static void run(int times, Client client) throws InterruptedException, ExecutionException {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(i);
                running.add(clients.submit(() -> {
                    for (int n = 0; n < times; n++) {
                        try {
                            client.run(random);
                        } catch (SQLException e) {
                            if (!String.valueOf(e.getSQLState()).startsWith("40")
                                    && !e.toString().contains("imeout")) {
                                throw new IllegalStateException(e);
                            }
                        }
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            clients.shutdown();
        }
    }

    interface Application {
        void run(DataSource source, boolean locks) throws Exception;
    }

    /** Faults of applications are violations of ser, also of a real server, and what locks has none. */
    public static void checkAll(DataSource source, Path folder) throws Exception {
        for (Application each : List.<Application>of(Applications::bank, Applications::stock, Applications::outbox)) {
            for (boolean locks : new boolean[] {false, true}) {
                Path file = folder.resolve("application.jsonl");
                try (RecordingDataSource recorded =
                        RecordingDataSource.toFile(source, file, RecordingOptions.READ_BACK)) {
                    each.run(recorded, locks);
                    assertThat(recorded.executions(true))
                            .isEqualTo(recorded.executions(false))
                            .isPositive();
                }
                IsolationCheck.Result result = IsolationCheck.of(file).at(IsolationLevel.SER);
                assertThat(result.status())
                        .as(result.text())
                        .isEqualTo(locks ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                // Balances repeat, so a search at RC may need longer than a test has.
                IsolationCheck.Result weak =
                        IsolationCheck.of(file).within(Duration.ofSeconds(5)).at(IsolationLevel.RC);
                assertThat(weak.status()).as(weak.text()).isNotEqualTo(Verdict.Status.VIOLATION);
            }
        }
    }

    private static void drop(DataSource source, String table) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS " + table);
        }
    }

    static void bank(DataSource source, boolean locks) throws Exception {
        drop(source, "accounts");
        Bank.create(source, 3);
        Bank bank = new Bank(source, locks);
        run(40, random -> {
            int from = random.nextInt(3);
            bank.transfer(from, (from + 1 + random.nextInt(2)) % 3, 1 + random.nextInt(9));
        });
    }

    static void stock(DataSource source, boolean locks) throws Exception {
        drop(source, "product");
        drop(source, "shelf");
        Stock.create(source, 8);
        Stock stock = new Stock(source, locks);
        run(30, random -> stock.reserve(random.nextInt(8), random.nextBoolean() ? "A" : "B", 1 + random.nextInt(5)));
    }

    static void outbox(DataSource source, boolean locks) throws Exception {
        drop(source, "outbox");
        Outbox.create(source);
        Outbox outbox = new Outbox(source, locks);
        run(40, random -> {
            if (random.nextBoolean()) {
                outbox.send("message " + random.nextInt(1000));
            } else {
                outbox.take();
            }
        });
    }
}
