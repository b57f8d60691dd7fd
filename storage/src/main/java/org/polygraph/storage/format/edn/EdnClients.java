package org.polygraph.storage.format.edn;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Pairs each invocation of a process with its completion. Memory: the open invocation of each process, 12 bytes an
 * operation.
 */
final class EdnClients {
    /** The bytes of the objects and of the map entry. */
    private static final int BYTES_PER_CLIENT = 200;

    private static final long NONE = -1;

    private final HistoryTableBuilder builder;
    private final EdnWorkload workload;
    private final Long2ObjectOpenHashMap<Client> clients = new Long2ObjectOpenHashMap<>();
    /** The number of invocations and completions of all processes so far. */
    private long calls;

    private boolean hasInvocations;
    /**
     * The time of the first call, as long as all calls have the same time; {@link HistoryTable#NO_TIME} if they have
     * none.
     */
    private long onlyTime;
    /**
     * Whether all calls so far have the same time or none. In this case the order of calls, which Jepsen guarantees,
     * serves as their time, and the unit is a call.
     */
    private boolean isByCalls = true;
    /** Whether calls have an {@code :index}; null before the first call. */
    private @Nullable Boolean isNumbered;
    /** Whether calls have a {@code :process}; null before the first call. */
    private @Nullable Boolean hasProcesses;
    /** The session of the open invocation without a process; {@link #NONE} if none is open. */
    private long openSession = NONE;

    private EdnOperations operations;
    /** The error of the last completion; empty if it has none. */
    private String failure = "";

    EdnClients(HistoryTableBuilder builder, EdnWorkload workload) {
        this.builder = builder;
        this.workload = workload;
        operations = new EdnOperations(builder);
    }

    /** A process and its open invocation. */
    private static final class Client {
        EdnOperations operations;
        boolean isOpen;
        EdnCall.Function function = EdnCall.Function.TXN;
        /** The name of the function, in which the completion has to agree if it has one. */
        @Nullable
        Object name;

        long time;
        /** The number of its invocation among all calls. */
        long event;

        long index;
        long line;
        /** The error in its operations. It is reported only if the completion has no result. */
        @Nullable
        HistoryException failure;

        Client(EdnOperations operations) {
            this.operations = operations;
        }
    }

    /** Counts a call of a process that is not a client. */
    void passOver() {
        calls++;
    }

    /** Adds a call of a client. */
    void take(EdnCall call) throws HistoryException {
        if (isNumbered != null && isNumbered != call.hasIndex()) {
            throw call.error(
                    "an operation " + (call.hasIndex() ? "with" : "without") + " :index", ":index in all or in none");
        }
        if (isNumbered == null) {
            onlyTime = call.time();
        } else if (isByCalls && call.time() != onlyTime) {
            isByCalls = false;
            builder.replaceTimes(onlyTime);
        }
        isNumbered = call.hasIndex();
        if (hasProcesses == null && !call.hasProcess()) {
            builder.metadata(HistoryTable.OWN_SESSIONS, "true");
        } else if (hasProcesses != null && hasProcesses != call.hasProcess()) {
            throw call.error(
                    "an operation " + (call.hasProcess() ? "with" : "without") + " :process",
                    ":process in all or in none");
        }
        hasProcesses = call.hasProcess();
        long session = call.hasProcess() ? call.process() : openSession == NONE ? calls : openSession;
        if (call.isInvocation()) {
            invoke(call, session);
        } else {
            complete(call, session);
        }
        calls++;
    }

    private void invoke(EdnCall call, long session) throws HistoryException {
        Client client = client(session);
        if (client.isOpen) {
            throw call.error(
                    (call.hasProcess() ? "process " + session + " invoking an operation" : "an invocation")
                            + " while that of line " + client.line + " is open",
                    call.hasProcess()
                            ? "a completion first"
                            : "its completion first, because operations without :process follow one another");
        }
        openSession = call.hasProcess() ? NONE : session;
        client.failure = null;
        try {
            operations.take(call);
        } catch (HistoryException e) {
            client.failure = e;
            operations.clear();
        }
        hasInvocations = true;
        EdnOperations free = client.operations;
        client.operations = operations;
        operations = free;
        client.isOpen = true;
        client.function = call.function();
        client.name = call.name();
        client.time = call.time();
        client.event = calls;
        client.index = index(call);
        client.line = call.line();
    }

    private void complete(EdnCall call, long session) throws HistoryException {
        Client client = clients.get(session);
        boolean isInvoked = client != null && client.isOpen;
        if (isInvoked
                && call.name() != null
                && client.name != null
                && !call.name().equals(client.name)) {
            throw call.error(
                    EdnCall.keyword(call.name()) + " completing " + EdnCall.keyword(client.name) + " of line "
                            + client.line,
                    "the completion of what the process invoked");
        }
        if (!isInvoked && hasInvocations) {
            throw call.error(
                    "the completion of an operation that "
                            + (call.hasProcess() ? "process " + session + " has not open" : "is not open"),
                    "its invocation first");
        }
        call.complete(isInvoked ? client.function : null);
        if (call.function() == EdnCall.Function.INIT) {
            initialize(call, session, client);
            return;
        }
        boolean hasResult = call.isResult() || !isInvoked;
        if (hasResult) {
            operations.take(call);
        }
        failure = call.isOk() ? "" : call.failure();
        if (isInvoked) {
            close(session, client, call.outcome(), call.time(), call.line(), hasResult ? operations : null);
        } else {
            transaction(session, index(call), call.outcome(), call.line(), operations);
            // Without invocations the order of calls is only that of the completions, which does not order transactions
            // in real time.
            times(call.outcome(), HistoryTable.NO_TIME, isByCalls ? onlyTime : call.time());
            builder.end();
        }
    }

    /** Reads what the database contains before the first transaction, which is the value of a successful {@code :init}. */
    private void initialize(EdnCall call, long session, @Nullable Client client) throws HistoryException {
        boolean isLate = builder.transactions() > 0;
        for (Client other : clients.values()) {
            isLate |= other.isOpen && other != client;
        }
        if (!call.isOk() || isLate) {
            throw call.error(
                    isLate ? ":init after other operations" : ":init that is not :ok",
                    "an :init that succeeds before all other operations, because its rows are the initial state");
        }
        operations.take(call);
        operations.initialize(builder);
        if (client != null) {
            clients.remove(session);
            builder.reserve(-BYTES_PER_CLIENT - client.operations.bytes());
        }
        openSession = NONE;
    }

    /** Returns the index of the transaction that begins with the call, or consists of it. */
    private long index(EdnCall call) {
        return call.hasIndex() ? call.index() : calls;
    }

    private Client client(long process) {
        Client client = clients.get(process);
        if (client == null) {
            client = new Client(new EdnOperations(builder));
            clients.put(process, client);
            builder.reserve(BYTES_PER_CLIENT);
        }
        return client;
    }

    /** Adds the open transaction of a client. @param result null if the completion has none */
    private void close(
            long process, Client client, TransactionStatus outcome, long end, long line, @Nullable EdnOperations result)
            throws HistoryException {
        if (result == null && client.failure != null) {
            throw client.failure;
        }
        transaction(process, client.index, outcome, line, result == null ? client.operations : result);
        times(outcome, isByCalls ? client.event : client.time, isByCalls ? calls : end);
        builder.end();
        client.isOpen = false;
        if (outcome == TransactionStatus.INDETERMINATE || openSession != NONE) {
            builder.reserve(-BYTES_PER_CLIENT - client.operations.bytes());
            clients.remove(process); // A client of Jepsen continues under another number after an unknown outcome.
        }
        openSession = NONE;
    }

    private void transaction(long process, long index, TransactionStatus outcome, long line, EdnOperations content)
            throws HistoryException {
        for (int i = 0;
                outcome != TransactionStatus.ABORTED && i < content.added().size();
                i++) {
            int key = content.added().getInt(i);
            workload.added(key, builder.keys().label(key), line);
        }
        builder.begin(process, index, outcome, line);
        content.addTo(builder);
        if (!failure.isEmpty()) {
            builder.error(failure);
        }
    }

    private void times(TransactionStatus outcome, long start, long end) {
        long known = outcome == TransactionStatus.INDETERMINATE ? HistoryTable.NO_TIME : end;
        if (start != HistoryTable.NO_TIME || known != HistoryTable.NO_TIME) {
            builder.times(start, known);
        }
    }

    /** Adds the invocations without a completion, which are indeterminate, by ascending process. */
    void end() throws HistoryException {
        long[] processes = clients.keySet().toLongArray();
        LongArrays.quickSort(processes);
        failure = "";
        for (long process : processes) {
            Client client = clients.get(process);
            if (client.isOpen && client.function == EdnCall.Function.INIT) {
                throw workload.openInit(client.line);
            }
            if (client.isOpen) {
                close(process, client, TransactionStatus.INDETERMINATE, HistoryTable.NO_TIME, client.line, null);
            }
        }
    }
}
