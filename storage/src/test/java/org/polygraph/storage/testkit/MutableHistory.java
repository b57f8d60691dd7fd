package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** A tiny history that can be changed. Each operation is an object. */
final class MutableHistory implements TransactionSink {
    private static final class Operation {
        private final boolean write;
        private final int key;
        private long value;

        Operation(boolean write, int key, long value) {
            this.write = write;
            this.key = key;
            this.value = value;
        }
    }

    private record Transaction(
            int session, long index, TransactionStatus outcome, long start, long end, List<Operation> operations) {}

    private final List<Transaction> transactions = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();

    @Override
    public void begin(int session, long index, TransactionStatus outcome, long start, long end) {
        transactions.add(new Transaction(session, index, outcome, start, end, new ArrayList<>()));
    }

    @Override
    public void operation(boolean write, int key, long value) {
        Operation operation = new Operation(write, key, value);
        transactions.get(transactions.size() - 1).operations.add(operation);
        operations.add(operation);
    }

    @Override
    public void end() {}

    /** Replaces the value of every read by one that some transaction writes to its key, or by the initial value. */
    void scrambleReads(SplitMix random) {
        for (Operation operation : operations) {
            if (!operation.write) {
                operation.value = anyValueOf(operation.key, random);
            }
        }
    }

    /** Replaces the value of one read, if there is one. */
    void scrambleOneRead(SplitMix random) {
        List<Operation> reads = new ArrayList<>();
        for (Operation operation : operations) {
            if (!operation.write) {
                reads.add(operation);
            }
        }
        if (!reads.isEmpty()) {
            Operation read = reads.get(random.nextInt(reads.size()));
            read.value = anyValueOf(read.key, random);
        }
    }

    private long anyValueOf(int key, SplitMix random) {
        long chosen = 0;
        int candidates = 1;
        for (Operation operation : operations) {
            if (operation.write && operation.key == key && random.nextInt(++candidates) == 0) {
                chosen = operation.value;
            }
        }
        return chosen;
    }

    void replay(TransactionSink sink) {
        for (Transaction transaction : transactions) {
            sink.begin(transaction.session, transaction.index, transaction.outcome, transaction.start, transaction.end);
            for (Operation operation : transaction.operations) {
                sink.operation(operation.write, operation.key, operation.value);
            }
            sink.end();
        }
    }

    HistoryTable table(String name, boolean timed) {
        TableSink sink = new TableSink(name, timed);
        replay(sink);
        return sink.table();
    }
}
