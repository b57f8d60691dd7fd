package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.ReadSources;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Replays a history in the order that is claimed to explain it. This is the last check before a PASS and the only code
 * that a PASS depends on: it uses raw operations, and no index, graph or solver. The order is accepted iff
 *
 * <ul>
 *   <li>every committed transaction counts and no aborted one does; indeterminate ones may, unless the terms ignore
 *       them;
 *   <li>the events of a transaction, and the transactions of a session, ascend;
 *   <li>SSER, SSI: a transaction that had ended before another started comes before it, unless it is indeterminate;
 *   <li>every read returns the transaction's own latest write of the key, or if there is none the last value committed
 *       before the snapshot, or if there is none the initial value;
 *   <li>an addition leaves the sum of what it finds, as a read would, and of its amount;
 *   <li>an insert finds no row when its transaction commits, and a delete finds one;
 *   <li>SI, SSI: of two transactions that write a key, one commits before the other's snapshot, unless the row was
 *       deleted between their writes;
 *   <li>CC, RA, RC: a read may return what a source left that the certificate names ({@link ReadSources}). Then the
 *       sources of all reads obey the axiom of the level ({@link AxiomReplay}). Without such a read they obey it in any
 *       case, also at PC: a transaction sees only what committed before its snapshot, and of the writers of a key among
 *       these it read the last one;
 *   <li>LIN: places order the operations of each key. Each transaction uses one key, sessions do not matter, real time is
 *       that of the transactions of a key, and a refused compare-and-set finds another value than the expected one;
 *   <li>each list is a state of the order of its appends, see {@link ListStates}, and the one of the version that its
 *       transaction reads.
 * </ul>
 *
 * <p>Counting an indeterminate transaction that no other one read from is harmless: without it the order explains the
 * rest.
 *
 * <p>Linear time: events are ordered by a counting sort, real time is a running maximum. Memory: 4 bytes per event, 20
 * bytes per key (24 with SI, one more with inserts or deletes).
 */
public final class Replay {
    private static final int NONE = Placement.NONE;
    /** More misreads than this, plus one in {@link #SHARE} operations, are many. */
    private static final int FEW = 1_000;

    private static final int SHARE = 64;
    /** With two events, of which each has a place, a rank and an entry of the order. The dictionary has a share of the bytes of a key. */
    private static final long BYTES_PER_TRANSACTION = 48;

    private static final long BYTES_PER_KEY = 48;

    /** The places between two polls of a stop. */
    static final int PLACES = 1 << 14;

    /**
     * The result of a replay. All numbers of a rejected order are 0.
     *
     * @param discrepancy the first thing that the order does not explain, one sentence; null if it explains everything
     * @param transactions number of counted transactions
     * @param reads number of their reads
     * @param ownReads number of the reads that follow an own write of the key
     * @param writes number of their writes
     */
    public record Result(@Nullable String discrepancy, long transactions, long reads, long ownReads, long writes) {
        /** Whether the order explains the history. */
        public boolean holds() {
            return discrepancy == null;
        }

        static Result rejected(String discrepancy) {
            return new Result(discrepancy, 0, 0, 0, 0);
        }
    }

    private final HistoryTable table;
    private final Placement placement;
    private final int[] position;
    private final int events;
    /** Whether writers of a key may not overlap. */
    private final boolean ordersWriters;

    private final int[] operationStarts;
    private final int[] operationKeys;
    private final long[] operationValues;
    /** By key: the last committed value. */
    private final long[] current;
    /** By key: the last transaction that wrote it, with the value; valid while that transaction is replayed. */
    private final int[] ownWriter;

    private final long[] ownValue;
    /** By key: the last transaction that committed a write of it; null if each read returns the last write. */
    private final int @Nullable [] writers;
    /** The sources of reads; null if each read returns the last write. */
    private final @Nullable NamedSources sources;
    /** SI, by key: the place of the last commit that wrote it. */
    private final int[] lastCommit;
    /** By key: whether there is a row; null if there are neither inserts nor deletes, so that a key always has one. */
    private final boolean @Nullable [] exists;

    private long reads;
    private long ownReads;
    private long writes;

    private Replay(Witness witness, Placement placement) {
        this.placement = placement;
        position = witness.position();
        table = witness.table();
        events = witness.terms().guarantee().events();
        operationStarts = table.operationStarts();
        operationKeys = table.operationKeys();
        operationValues = table.operationValues();
        int keys = table.keys().size();
        current = table.initialValues();
        ownWriter = new int[keys];
        Arrays.fill(ownWriter, NONE);
        ownValue = new long[keys];
        ReadSources named = witness.sources();
        sources = named == null ? null : new NamedSources(witness, named);
        writers = named == null ? null : new int[keys];
        if (writers != null) {
            Arrays.fill(writers, ReadSources.INITIAL);
        }
        ordersWriters = events == 2 && witness.terms().guarantee() != Guarantee.PC;
        lastCommit = new int[ordersWriters ? keys : 0];
        Arrays.fill(lastCommit, NONE);
        exists = table.hasRows() ? new boolean[keys] : null;
        for (int key = 0; exists != null && key < keys; key++) {
            exists[key] = table.existsAtFirst(key);
        }
    }

    /** Returns the memory that reading a certificate and replaying its order take beside the table, at most. */
    public static long bytes(HistoryTable table) {
        return BYTES_PER_TRANSACTION * table.transactions()
                + BYTES_PER_KEY * table.keys().size();
    }

    /** Does the same as {@link #of(Witness, BooleanSupplier)} without a time limit. */
    public static Result of(Witness witness) {
        return of(witness, () -> false);
    }

    /**
     * Replays an order.
     *
     * @param stop whether to stop; called every {@value #PLACES} places of the order
     * @throws StoppedException if {@code stop} returned true
     */
    public static Result of(Witness witness, BooleanSupplier stop) {
        Placement placement = new Placement(witness);
        String wrong = placement.discrepancy();
        if (wrong != null) {
            return Result.rejected(wrong);
        }
        boolean hasPlainWrites = witness.terms().guarantee().hasPlainWrites();
        ListStates lists = hasPlainWrites || witness.table().hasLists() ? lists(witness, placement) : null;
        wrong = lists == null ? null : lists.discrepancy();
        if (wrong != null) {
            return Result.rejected(wrong);
        }
        if (lists != null && witness.table().hasLists()) {
            return of(versions(witness, lists), stop);
        }
        Replay replay = new Replay(witness, placement);
        wrong = replay.run(stop);
        if (wrong == null && replay.sources != null) {
            wrong = new AxiomReplay(witness, replay.sources).run(placement.eventAt());
        }
        return wrong == null
                ? new Result(null, placement.transactions(), replay.reads, replay.ownReads, replay.writes)
                : Result.rejected(wrong);
    }

    /** The same order of a history with reads and writes in place of operations on lists. */
    private static Witness versions(Witness witness, ListStates lists) {
        HistoryTable table = lists.versions(witness.terms().guarantee().isOfCommits(), false);
        return witness.with(table);
    }

    /** The states of the lists in the order of commits; null if no lists were recorded. */
    private static @Nullable ListStates lists(Witness witness, Placement placement) {
        int[] commits = new int[placement.transactions()];
        int n = 0;
        for (int event : placement.eventAt()) {
            if (event != NONE && placement.isCommit(event)) {
                commits[n++] = placement.transactionOf(event);
            }
        }
        return ListStates.of(witness.table(), witness.counted(), commits);
    }

    /**
     * The reads of an order that do not return the last write. An order without any obeys RC, RA and CC; one with some
     * may obey them too.
     *
     * @return operations; null if there are many, or the order contradicts sessions or counts the wrong transactions
     */
    public static int @Nullable [] misreads(Witness witness) {
        Placement placement = new Placement(witness);
        if (placement.discrepancy() != null) {
            return null;
        }
        int most = FEW + witness.table().operations() / SHARE;
        int[] misreads = new SerialReplay(witness.table()).misreads(placement.eventAt(), most, () -> false);
        return misreads.length == most ? null : misreads;
    }

    private @Nullable String run(BooleanSupplier stop) {
        int[] eventAt = placement.eventAt();
        for (int place = 0; place < eventAt.length; place++) {
            if ((place + 1) % PLACES == 0) {
                StoppedException.check(stop);
            }
            int e = eventAt[place];
            if (e == NONE) {
                continue;
            }
            int t = placement.transactionOf(e);
            String wrong = placement.isSnapshot(e) ? read(t) : null;
            if (wrong == null && placement.isCommit(e)) {
                wrong = commit(t, position[events * t], place);
            }
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private @Nullable String read(int t) {
        for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
            int key = Operations.key(operationKeys[o]);
            long value = operationValues[o];
            if (Operations.isWrite(operationKeys[o])) {
                ownValue[key] = after(o, ownWriter[key] == t ? ownValue[key] : current[key]);
                ownWriter[key] = t;
                continue;
            }
            boolean own = ownWriter[key] == t;
            reads++;
            ownReads += own ? 1 : 0;
            long expected = own ? ownValue[key] : current[key];
            boolean isRight = own || sources == null || writers == null
                    ? isResult(value, expected)
                    : sources.find(t, o, writers[key], expected);
            if (!isRight) {
                return Names.misread(table, t, o, own, expected);
            }
        }
        return null;
    }

    /** Whether a read returns this where the key has that: a refused compare-and-set found any value but one. */
    private boolean isResult(long value, long found) {
        return value == found
                || (table.values().isOther(value) && table.values().excluded(value) != found);
    }

    /** The value that a write leaves. */
    private long after(int write, long before) {
        ValueDictionary values = table.values();
        return table.isAddition(write)
                ? values.code(values.integer(before) + values.integer(operationValues[write]))
                : operationValues[write];
    }

    private @Nullable String commit(int t, int snapshot, int commit) {
        for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
            if (!Operations.isWrite(operationKeys[o])) {
                continue;
            }
            int key = Operations.key(operationKeys[o]);
            if (exists != null && (table.isInsert(o) ? exists[key] : table.isDelete(o) && !exists[key])) {
                return Names.transaction(table, t) + (table.isInsert(o) ? " inserts" : " deletes") + " key "
                        + Names.key(table, key)
                        + (table.isInsert(o)
                                ? ", which exists when it commits"
                                : ", which does not exist when it commits");
            }
            if (ordersWriters) {
                int last = lastCommit[key];
                if (last > snapshot && last != commit && (exists == null || exists[key])) {
                    return Names.overlap(
                            table, t, placement.transactionOf(placement.eventAt()[last]), key);
                }
                lastCommit[key] = commit;
            }
            if (exists != null) {
                exists[key] = !table.isDelete(o);
            }
            if (writers != null) {
                writers[key] = t;
            }
            current[key] = after(o, current[key]);
            writes++;
        }
        return null;
    }
}
