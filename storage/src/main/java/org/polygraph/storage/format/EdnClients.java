package org.polygraph.storage.format;

import it.unimi.dsi.fastutil.bytes.ByteArrayList;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.Calls;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Translation;

/**
 * The processes of an EDN history: pairs what they invoke with how that ends. Of a piece of a history, what is invoked and does not
 * end, and what ends and was not invoked, are rows of their own, for {@link #add} to pair across pieces. Memory: of each process
 * its open invocation, 12 bytes an operation.
 */
final class EdnClients {
    /** Objects and map entry. */
    private static final int BYTES_PER_CLIENT = 200;

    // Parts of a piece's rows: what there is of a transaction, whether its operations are told, and its function.
    private static final int WHOLE = 0;
    private static final int END = 1;
    private static final int BEGINNING = 2;
    private static final int HALVES = 3;
    private static final int TOLD = 4;
    private static final int FUNCTION_SHIFT = 3;

    private final HistoryTableBuilder builder;
    /** By row of a piece. */
    private final @Nullable ByteArrayList parts;

    private final Long2ObjectOpenHashMap<Client> clients = new Long2ObjectOpenHashMap<>();
    /** Invocations and completions so far, of whatever process. */
    private long calls;

    private boolean isInvoking;
    /** As {@link Calls#numbering}. */
    private int numbering;

    /** Of the list that was last read. */
    private final LongArrayList elements = new LongArrayList();

    private EdnOperations operations;

    /** @param ofPiece whether there may be more of the history before it and behind it */
    EdnClients(HistoryTableBuilder builder, boolean ofPiece) {
        this.builder = builder;
        parts = ofPiece ? new ByteArrayList() : null;
        operations = new EdnOperations(builder, elements);
    }

    /** A process, and what it has invoked. */
    private static final class Client {
        EdnOperations operations;
        boolean isOpen;
        EdnCall.Function function = EdnCall.Function.TXN;
        long time;
        long index;
        long line;
        /** What is wrong with its operations. */
        @Nullable
        HistoryException failure;

        Client(EdnOperations operations) {
            this.operations = operations;
        }
    }

    /** Counts a call of a process that is no client. */
    void passOver() {
        calls++;
    }

    /** Takes account of a client's call. */
    void take(EdnCall call) throws HistoryException {
        int own = call.hasIndex() ? 1 : -1;
        if (numbering != 0 && numbering != own) {
            throw call.error(
                    "an operation " + (call.hasIndex() ? "with" : "without") + " :index", ":index in all or in none");
        }
        numbering = own;
        if (call.isInvocation()) {
            invoke(call);
        } else {
            complete(call);
        }
        calls++;
    }

    private void invoke(EdnCall call) throws HistoryException {
        Client client = client(call.process());
        if (client.isOpen) {
            throw call.error(
                    "process " + call.process() + " invoking an operation while that of line " + client.line
                            + " is open",
                    "a completion first");
        }
        HistoryException failure = null;
        try {
            operations.take(call);
        } catch (HistoryException e) {
            // Wrong only if its completion does not tell what was done.
            failure = e;
            operations.clear();
        }
        open(client, call.function(), call.time(), index(call), call.line(), failure);
    }

    private void complete(EdnCall call) throws HistoryException {
        Client client = clients.get(call.process());
        boolean isInvoked = client != null && client.isOpen;
        if (isInvoked && client.function != call.function()) {
            throw call.error(
                    call.function().keyword() + " completing " + client.function.keyword() + " of line " + client.line,
                    "the completion of what the process invoked");
        }
        if (!isInvoked && isInvoking && parts == null) {
            throw call.error(
                    "the completion of an operation that process " + call.process() + " has not open",
                    "its invocation first");
        }
        boolean isTold = call.isResult() || (!isInvoked && parts == null);
        if (isTold) {
            operations.take(call);
        } else {
            operations.clear();
        }
        if (isInvoked) {
            close(call.process(), client, call.outcome(), call.time(), call.line(), isTold ? operations : null);
            return;
        }
        row(
                call.process(),
                index(call),
                call.outcome(),
                HistoryTable.NO_TIME,
                call.time(),
                call.line(),
                operations,
                part(END, isTold, call.function()));
    }

    /** The index of what begins with that call, or of a completion that is all there is. */
    private long index(EdnCall call) {
        return call.hasIndex() ? call.index() : calls;
    }

    private Client client(long process) {
        Client client = clients.get(process);
        if (client == null) {
            client = new Client(new EdnOperations(builder, elements));
            clients.put(process, client);
            builder.reserve(BYTES_PER_CLIENT);
        }
        return client;
    }

    /** Opens what a client invokes, with the operations taken last. */
    private void open(
            Client client,
            EdnCall.Function function,
            long time,
            long index,
            long line,
            @Nullable HistoryException failure) {
        isInvoking = true;
        EdnOperations free = client.operations;
        client.operations = operations;
        operations = free;
        client.isOpen = true;
        client.function = function;
        client.time = time;
        client.index = index;
        client.line = line;
        client.failure = failure;
    }

    /** Adds what a client had open. @param told null if its completion does not tell what was done */
    private void close(
            long process, Client client, TransactionStatus outcome, long end, long line, @Nullable EdnOperations told)
            throws HistoryException {
        if (told == null && client.failure != null) {
            throw client.failure;
        }
        row(process, client.index, outcome, client.time, end, line, told == null ? client.operations : told, WHOLE);
        client.isOpen = false;
        if (outcome == TransactionStatus.INDETERMINATE) {
            builder.reserve(-BYTES_PER_CLIENT - client.operations.bytes());
            clients.remove(process); // Jepsen's go on under another number.
        }
    }

    private void row(
            long process,
            long index,
            TransactionStatus outcome,
            long start,
            long end,
            long line,
            EdnOperations what,
            int part) {
        builder.begin(process, index, outcome, line);
        long known = outcome == TransactionStatus.INDETERMINATE ? HistoryTable.NO_TIME : end;
        if (start != HistoryTable.NO_TIME || known != HistoryTable.NO_TIME) {
            builder.times(start, known);
        }
        what.addTo(builder);
        builder.end();
        if (parts != null) {
            parts.add((byte) part);
        }
    }

    /** Adds what has not ended. */
    void end() throws HistoryException {
        long[] processes = clients.keySet().toLongArray();
        LongArrays.quickSort(processes);
        for (long process : processes) {
            Client client = clients.get(process);
            if (client.isOpen && parts == null) {
                close(process, client, TransactionStatus.INDETERMINATE, HistoryTable.NO_TIME, client.line, null);
            } else if (client.isOpen) {
                row(
                        process,
                        client.index,
                        TransactionStatus.INDETERMINATE,
                        client.time,
                        HistoryTable.NO_TIME,
                        client.line,
                        client.operations,
                        part(BEGINNING, client.failure == null, client.function));
            }
        }
    }

    private static int part(int half, boolean isTold, EdnCall.Function function) {
        return half | (isTold ? TOLD : 0) | function.ordinal() << FUNCTION_SHIFT;
    }

    /** What a piece says of its rows. */
    Calls calls() {
        return new Calls(parts == null ? new byte[0] : parts.toByteArray(), calls, isInvoking, numbering);
    }

    /**
     * Adds the transactions of the next piece, and what it knows of those that began before it.
     *
     * @param lines how many lines there are before the piece
     * @throws HistoryException if only reading the whole tells what is wrong, or that nothing is
     */
    void add(HistoryRows rows, Calls piece, Translation translation, long lines) throws HistoryException {
        require(numbering * piece.numbering() >= 0);
        numbering |= piece.numbering();
        boolean mayBeAlone = !isInvoking && !piece.isInvoking();
        long numbers = numbering < 0 ? calls : 0;
        long[] starts = rows.starts();
        long[] ends = rows.ends();
        for (int t = 0; t < rows.transactions(); t++) {
            int part = piece.parts()[t];
            EdnCall.Function function = EdnCall.Function.of(part >> FUNCTION_SHIFT);
            boolean isTold = (part & TOLD) != 0;
            long process = rows.sessionLabels()[rows.sessionOf()[t]];
            long index = rows.indexes()[t] + numbers;
            long line = rows.positions()[t] + lines;
            TransactionStatus outcome = TransactionStatus.ofCode(rows.outcomes()[t]);
            long start = starts == null ? HistoryTable.NO_TIME : starts[t];
            long end = ends == null ? HistoryTable.NO_TIME : ends[t];
            Client client = clients.get(process);
            boolean isOpen = client != null && client.isOpen;
            operations.take(rows, t, translation);
            if ((part & HALVES) == END && isOpen) {
                require(client.function == function);
                close(process, client, outcome, end, line, isTold ? operations : null);
            } else if ((part & HALVES) == BEGINNING) {
                require(!isOpen);
                open(client(process), function, start, index, line, isTold ? null : unknown());
            } else {
                require((part & HALVES) == WHOLE ? !isOpen : mayBeAlone && isTold);
                row(process, index, outcome, start, end, line, operations, WHOLE);
            }
        }
        isInvoking |= piece.isInvoking();
        calls += piece.operations();
    }

    private static void require(boolean isRight) throws HistoryException {
        if (!isRight) {
            throw unknown();
        }
    }

    private static HistoryException unknown() {
        return new HistoryException("a piece", "what does not go with those before", "one history", "read the whole");
    }
}
