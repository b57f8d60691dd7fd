package org.polygraph.jobs.record;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records a history from clients of a database that run side by side. The file is whole at any moment, also after
 * {@link #stop} or a failure of a client.
 */
public final class Recording {
    /** With a replica, one of this many sessions reads there. */
    public static final int READERS_ONE_OF = 3;

    private static final long REPLICA_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long TICK_MILLIS = 200;

    private final RecordSettings settings;
    private final TableDefinition table;
    private final DriverSource drivers;
    private final Login login;
    private final RecordCounts counts = new RecordCounts();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopped;
    private volatile @Nullable HistoryRecorder recorder;
    private volatile long deadline = Long.MAX_VALUE;
    private String silent = "";

    public Recording(RecordSettings settings, DriverSource drivers, Login login) {
        this.settings = settings;
        this.table = TableDefinition.of(settings);
        this.drivers = drivers;
        this.login = login;
    }

    public RecordCounts counts() {
        return counts;
    }

    public boolean isStopped() {
        return stopped;
    }

    /** Returns a database that committed no transaction, although its clients began some; empty if there is none. */
    public String silent() {
        return silent;
    }

    /**
     * Lets every client finish its transaction, and returns when the file is closed. A transaction that has not ended
     * after the given time is recorded as indeterminate.
     */
    public void stop(long millis) {
        stopped = true;
        try {
            HistoryRecorder open = recorder;
            if (!ended.await(millis, TimeUnit.MILLISECONDS) && open != null) {
                for (int unended = open.end(); unended > 0; unended--) {
                    counts.unknown();
                }
                open.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            failure.compareAndSet(null, e);
        }
    }

    /**
     * Records until the end of the workload or of the time.
     *
     * @param progress called now and then
     * @return the first failure of a client; null if there was none
     * @throws IOException if there is no driver, no database or no file; its message is for people
     */
    public @Nullable Throwable run(Consumer<RecordCounts> progress) throws IOException {
        HistoryLines.requireWritable(settings.file());
        List<Target> targets = new ArrayList<>();
        RecordSettings.Databases databases = settings.databases();
        for (String url : databases.urls()) {
            targets.add(new Target(url, drivers.of(url), login, databases.isolation()));
        }
        String replicaUrl = databases.replica();
        Target replica = replicaUrl == null
                ? null
                : new Target(replicaUrl, drivers.of(replicaUrl), login, databases.replicaIsolation());
        // This connection keeps a database in memory open.
        try (Connection open = targets.get(0).connect()) {
            try {
                table.create(open, targets.get(0).dialect());
                requireShared(targets.get(0));
                for (Target other : targets.subList(1, targets.size())) {
                    await(other, "another --url");
                }
                if (replica != null) {
                    await(replica, "the replica");
                }
                try (HistoryRecorder opened = HistoryRecorder.toFile(settings.file(), header(open, targets.get(0)))) {
                    recorder = opened;
                    record(opened, targets, replica, progress);
                } finally {
                    ended.countDown();
                }
            } finally {
                drop(open);
            }
        } catch (SQLException e) {
            throw new IOException("the database: " + targets.get(0).safe(e).getMessage(), e);
        }
        return failure.get();
    }

    private void drop(Connection connection) {
        try {
            if (!connection.getAutoCommit()) {
                // The rows of the table were not all inserted.
                connection.rollback();
                connection.setAutoCommit(true);
            }
            table.drop(connection);
        } catch (SQLException e) {
            // The table was not made, or it is left in the database.
        }
    }

    private Map<String, Object> header(Connection connection, Target target) throws SQLException {
        Map<String, Object> header = new LinkedHashMap<>();
        if (!settings.kind().hasLists()) {
            header.put("initial", Map.of("value", settings.kind().initial()));
        }
        header.put("database", Target.product(connection));
        header.put("isolation", target.isolation().label());
        settings.databases()
                .promise(settings.kind())
                .ifPresent(promise -> header.put("level", promise.level().label()));
        header.put("workload", settings.kind().label());
        header.put("seed", settings.workload().seed());
        return header;
    }

    private void record(
            HistoryRecorder recorder, List<Target> targets, @Nullable Target replica, Consumer<RecordCounts> progress) {
        AtomicLong written = new AtomicLong();
        List<Client> clients = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        if (settings.nanos() != Long.MAX_VALUE) {
            deadline = System.nanoTime() + settings.nanos();
        }
        for (int c = 0; c < settings.workload().sessions(); c++) {
            boolean isReader = replica != null && c % READERS_ONE_OF == READERS_ONE_OF - 1;
            Random random = new Random(settings.workload().seed() * 1_000_003 + c);
            Client client = new Client(
                    settings,
                    table,
                    isReader ? Objects.requireNonNull(replica) : targets.get(c % targets.size()),
                    new ClientWorkload(settings, random, written, isReader),
                    random,
                    recorder.session(),
                    counts,
                    turns(c));
            clients.add(client);
            threads.add(new Thread(client, "client-" + c));
        }
        for (Thread thread : threads) {
            thread.setUncaughtExceptionHandler((failed, e) -> failure.compareAndSet(null, e));
            thread.start();
        }
        Random random = new Random(~settings.workload().seed());
        long lastKill = System.nanoTime();
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                progress.accept(counts);
                long wait = settings.killNanos() == 0
                        ? TICK_MILLIS
                        : Math.min(TICK_MILLIS, 1 + TimeUnit.NANOSECONDS.toMillis(settings.killNanos()) / 4);
                try {
                    thread.join(wait);
                } catch (InterruptedException e) {
                    stopped = true;
                }
                if (settings.killNanos() > 0 && System.nanoTime() - lastKill >= settings.killNanos()) {
                    lastKill = System.nanoTime();
                    kill(clients.get(random.nextInt(clients.size())));
                }
            }
        }
        progress.accept(counts);
        for (Target target : targets) {
            findSilent(clients, target, "--url " + Login.scheme(target.url()));
        }
        if (replica != null) {
            findSilent(clients, replica, "the replica");
        }
    }

    private void findSilent(List<Client> clients, Target target, String name) {
        List<Client> own =
                clients.stream().filter(client -> client.target() == target).toList();
        if (own.stream().anyMatch(Client::hasBegun) && own.stream().noneMatch(Client::hasCommitted)) {
            silent = name;
        }
    }

    private void kill(Client client) {
        try {
            if (client.kill()) {
                counts.killed();
            }
        } catch (SQLException e) {
            // The connection was closed already.
        }
    }

    /**
     * Returns whether a client may begin another transaction. The first transaction of each client is reserved for it,
     * if there are enough, so that every session has one.
     */
    private BooleanSupplier turns(int client) {
        AtomicBoolean isOwn = new AtomicBoolean(client < settings.workload().transactions());
        begun.addAndGet(isOwn.get() ? 1 : 0);
        return () -> !stopped
                && failure.get() == null
                && System.nanoTime() < deadline
                && (isOwn.getAndSet(false)
                        || begun.getAndIncrement() < settings.workload().transactions());
    }

    /** Fails if each connection has a database in memory of its own. */
    private void requireShared(Target target) throws SQLException {
        try (Connection connection = target.client()) {
            boolean isShared;
            try {
                isShared = table.isNew(connection);
            } catch (SQLException e) {
                isShared = false;
            }
            connection.rollback();
            if (!isShared) {
                throw new SQLException(
                        "a second connection does not have the table of the first: each connection to this"
                                + " URL has a database of its own; give the URL of a file or of a server");
            }
        }
    }

    /** Waits until another server has the new table, with which the history begins. */
    private void await(Target other, String name) throws SQLException {
        long until = System.nanoTime() + REPLICA_NANOS;
        while (true) {
            try (Connection connection = other.connect()) {
                if (table.isNew(connection)) {
                    return;
                }
            } catch (SQLException e) {
                if (System.nanoTime() > until) {
                    throw e;
                }
            }
            if (System.nanoTime() > until) {
                throw new SQLException(name + " does not show the new table after 30 s");
            }
            try {
                Thread.sleep(TICK_MILLIS / 10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SQLException("interrupted while waiting for the replica", e);
            }
        }
    }
}
