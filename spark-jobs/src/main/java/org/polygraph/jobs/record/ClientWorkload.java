package org.polygraph.jobs.record;

import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.polygraph.storage.generate.KeyChoice;
import org.polygraph.storage.generate.Workload;

/** The transactions of one client. */
final class ClientWorkload {
    private static final int BLIND_ONE_OF = 4;
    private static final int INSERT_ONE_OF = 4;
    private static final int CLASSES = 10;
    private static final long CLASS_SIZE = 1_000_000_000L;
    private static final int MOST_TRANSFERRED = 10;

    private final RecordSettings settings;
    private final Workload numbers;
    private final Random random;
    private final KeyChoice choice;
    private final AtomicLong written;
    private final boolean isReader;
    /** Whether the operations will be undone. Then none is by a condition. */
    private boolean isUndone;

    /**
     * Creates the workload of one client.
     *
     * @param written counts the values of all clients
     * @param isReader whether the client writes nothing
     */
    ClientWorkload(RecordSettings settings, Random random, AtomicLong written, boolean isReader) {
        this.settings = settings;
        this.numbers = settings.workload();
        this.choice = numbers.keyChoice();
        this.random = random;
        this.written = written;
        this.isReader = isReader;
    }

    /** Executes the operations of one transaction, in a share of them after others that are undone. */
    void run(ClientTransaction transaction) throws SQLException {
        if (!isReader && numbers.savepoints() > 0 && random.nextDouble() < numbers.savepoints()) {
            isUndone = true;
            try {
                transaction.undone(() -> operations(transaction));
            } finally {
                isUndone = false;
            }
        }
        operations(transaction);
    }

    private void operations(ClientTransaction transaction) throws SQLException {
        switch (settings.kind()) {
            case MINI -> mini(transaction);
            case REGISTERS -> registers(transaction);
            case APPEND -> append(transaction);
            case ROWS -> rows(transaction);
            case BANK -> bank(transaction);
        }
    }

    private int key() {
        return choice.of(random.nextLong());
    }

    private int otherThan(int key) {
        int other = key();
        return other == key ? (key + 1) % numbers.keys() : other;
    }

    private int operations() {
        return numbers.leastOperations() + random.nextInt(numbers.operations() - numbers.leastOperations() + 1);
    }

    private boolean reads() {
        return isReader || random.nextDouble() < numbers.reads();
    }

    private boolean modifies() {
        return !isReader && random.nextDouble() < numbers.modifies();
    }

    private long value() {
        return numbers.values() == 0 ? written.incrementAndGet() : 1 + random.nextInt(numbers.values());
    }

    /** Mini-transactions. */
    private void mini(ClientTransaction transaction) throws SQLException {
        int first = key();
        int second = otherThan(first);
        boolean isOfTwo = second != first && random.nextBoolean();
        boolean readsAllFirst = random.nextBoolean();
        transaction.read(first);
        if (isOfTwo && readsAllFirst) {
            transaction.read(second);
        }
        if (!reads()) {
            transaction.write(first, value());
        }
        if (isOfTwo && !readsAllFirst) {
            transaction.read(second);
        }
        if (isOfTwo && !reads()) {
            transaction.write(second, value());
        }
    }

    /** Reads, writes, and reads with a write of the same key, of values that are written whole. */
    private void registers(ClientTransaction transaction) throws SQLException {
        int n = operations();
        for (int i = 0; i < n; i++) {
            int key = key();
            if (i + 1 < n && modifies()) {
                transaction.read(key);
                transaction.write(key, value());
                i++;
            } else if (reads()) {
                transaction.read(key);
            } else {
                transaction.write(key, value());
            }
        }
    }

    /** Reads of lists and appends to them. */
    private void append(ClientTransaction transaction) throws SQLException {
        int n = operations();
        for (int i = 0; i < n; i++) {
            if (reads()) {
                transaction.readList(key());
            } else {
                transaction.append(key(), value());
            }
        }
    }

    /**
     * Rows: most changes read the key before, and insert it if it has no row, and otherwise update or delete it. If
     * some operations select rows by their values, each value belongs to a class, and a condition selects a class.
     */
    private void rows(ClientTransaction transaction) throws SQLException {
        int n = operations();
        for (int i = 0; i < n; i++) {
            int key = key();
            if (settings.predicates() > 0 && !isUndone && random.nextDouble() < settings.predicates()) {
                select(transaction);
            } else if (reads()) {
                transaction.readRow(key);
            } else if (i + 1 == n || random.nextInt(BLIND_ONE_OF) == 0) {
                change(transaction, key, random.nextInt(INSERT_ONE_OF) == 0);
            } else {
                boolean isThere = transaction.readRow(key);
                change(transaction, key, !isThere);
                i++;
            }
        }
    }

    private void change(ClientTransaction transaction, int key, boolean isInsert) throws SQLException {
        if (isInsert) {
            transaction.insert(key, rowValue());
        } else if (random.nextBoolean()) {
            transaction.writeRow(key, rowValue());
        } else {
            transaction.delete(key);
        }
    }

    private void select(ClientTransaction transaction) throws SQLException {
        long size = numbers.values() == 0 ? CLASS_SIZE : Math.max(1, numbers.values() / CLASSES);
        long classes = numbers.values() == 0 ? CLASSES : numbers.values() / size + 1;
        long lo = size * random.nextInt((int) classes);
        if (reads() || !transaction.canWriteBetween()) {
            transaction.readBetween(lo, lo + size - 1);
        } else if (random.nextBoolean() || !transaction.canDeleteBetween()) {
            transaction.writeBetween(lo, lo + size - 1, rowValue());
        } else {
            transaction.deleteBetween(lo, lo + size - 1);
        }
    }

    private long rowValue() {
        long value = value();
        boolean isOfClass = settings.predicates() > 0 && numbers.values() == 0;
        return isOfClass ? random.nextInt(CLASSES) * CLASS_SIZE + value : value;
    }

    /** Transfers between accounts. The share of reads is the share of transactions that read all balances. */
    private void bank(ClientTransaction transaction) throws SQLException {
        if (reads()) {
            for (int account = 0; account < numbers.keys(); account++) {
                transaction.read(account);
            }
            return;
        }
        int from = key();
        int to = otherThan(from);
        long amount = 1 + random.nextInt(MOST_TRANSFERRED);
        long source = transaction.read(from);
        long destination = transaction.read(to);
        if (from != to && source >= amount) {
            transaction.write(from, source - amount);
            transaction.write(to, destination + amount);
        }
    }
}
