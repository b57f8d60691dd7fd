package org.polygraph.jobs.certificate.replay;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.ContentTree;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.RankReader;
import org.polygraph.jobs.certificate.format.TransactionBytes;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.RecordedTimes;

/**
 * Replays a range of (session, index): brings the transactions of all pieces and the rows of the certificate together,
 * checks which transactions count and that sessions ascend, hashes the contents, and deals operations to slices of keys
 * and events to windows of places. The conditions, their order and their messages are those of {@link Placement}.
 *
 * <p>Memory: the bytes of the range, 32 bytes per transaction, and {@value #MOST_WAITING} bytes of dealt rows.
 */
public final class RangeReplay implements RankReader.Sink {
    private static final int MOST_WAITING = 16 << 20;

    /** Receives what is dealt. */
    public interface Sink {
        /** Rows of {@link SliceReplay}. */
        void operations(int slice, int placeRange, byte[] rows);

        /** Rows of {@link PlaceReplay}. */
        void events(int placeRange, byte[] rows);
    }

    private final DealPlan plan;
    private final int range;
    private final byte[] initialValue;
    private final boolean mayHaveLoaders;
    private final Sink sink;
    private final int events;

    private final ByteBuffer[] blocks;
    private final int[] blockOf;
    private final int[] offset;
    private final long[] sessions;
    private final long[] indexes;
    private final int[] order;
    private int next;

    private final TransactionHash hash = new TransactionHash();
    private final byte[] leaf = new byte[TransactionHash.BYTES];
    private final ContentTree content = new ContentTree();
    private final Map<Long, ByteArrayOutputStream> waiting = new HashMap<>();
    private long waitingBytes;

    private final RecordedTimes times;
    private boolean refused;
    private long sessionCount;
    private long committed;
    private long indeterminate;
    private long counted;
    private long operations;
    private long dealt;
    private @Nullable Named firstCounted;
    private long firstSnapshot;
    private @Nullable Named lastCounted;
    private long lastCommit;
    private @Nullable Sentence mismatch;
    private @Nullable Sentence status;
    private @Nullable Sentence wrongOrder;
    private boolean isFirstWrong;

    /**
     * Sorts the transactions.
     *
     * @param bytes blocks of {@link PieceDealer}
     * @param initialValue as {@link TransactionBytes#value}
     * @param mayHaveLoaders whether transactions that load the initial rows are to be recognized; the range is then
     *     refused if a transaction may be one
     */
    public RangeReplay(
            DealPlan plan, int range, List<byte[]> bytes, byte[] initialValue, boolean mayHaveLoaders, Sink sink) {
        this.plan = plan;
        this.range = range;
        this.initialValue = initialValue;
        this.mayHaveLoaders = mayHaveLoaders;
        this.sink = sink;
        this.events = plan.terms().guarantee().events();
        this.times = new RecordedTimes(plan.terms().mayCount(TransactionStatus.INDETERMINATE.code()));
        int n = 0;
        blocks = new ByteBuffer[bytes.size()];
        for (int b = 0; b < blocks.length; b++) {
            blocks[b] = ByteBuffer.wrap(bytes.get(b));
            for (int at = 0; at < blocks[b].limit(); at = behind(b, at)) {
                n++;
            }
        }
        blockOf = new int[n];
        offset = new int[n];
        sessions = new long[n];
        indexes = new long[n];
        n = 0;
        for (int b = 0; b < blocks.length; b++) {
            for (int at = 0; at < blocks[b].limit(); at = behind(b, at)) {
                blockOf[n] = b;
                offset[n] = at;
                sessions[n] = TransactionBytes.session(blocks[b], at + PieceDealer.PREFIX);
                indexes[n++] = TransactionBytes.index(blocks[b], at + PieceDealer.PREFIX);
            }
        }
        order = StableSort.order(sessions, indexes, n);
    }

    private int behind(int block, int at) {
        return at + PieceDealer.PREFIX + length(blocks[block], at);
    }

    private static int length(ByteBuffer block, int at) {
        return block.getInt(at + Integer.BYTES + Long.BYTES);
    }

    /** The next row of the certificate. */
    @Override
    public void row(long session, long index, long snapshot, long commit) {
        while (next < order.length && isBefore(order[next], session, index)) {
            transaction(order[next++], false, 0, 0);
        }
        if (next == order.length || sessions[order[next]] != session || indexes[order[next]] != index) {
            mismatch = mismatch != null
                    ? mismatch
                    : new Sentence(
                            "the certificate orders " + Names.transaction(session, index)
                                    + ", which the history does not have",
                            null,
                            "",
                            null,
                            "");
            return;
        }
        int t = order[next++];
        if (mismatch == null && (snapshot < 0 || commit < 0)) {
            mismatch = Sentence.of(named(t), " has place " + Math.min(snapshot, commit) + "; places are 0 or more");
        }
        transaction(t, true, snapshot, commit);
    }

    private boolean isBefore(int t, long session, long index) {
        return sessions[t] < session || (sessions[t] == session && indexes[t] < index);
    }

    private Named named(int t) {
        ByteBuffer block = blocks[blockOf[t]];
        return new Named(sessions[t], indexes[t], block.getInt(offset[t]), block.getLong(offset[t] + Integer.BYTES));
    }

    private void transaction(int t, boolean counts, long snapshot, long commit) {
        ByteBuffer block = blocks[blockOf[t]];
        int at = offset[t] + PieceDealer.PREFIX;
        hash.whole(block.array(), at, length(block, offset[t]));
        hash.end(leaf, 0);
        content.add(leaf, 0);
        int place = next - 1;
        boolean isFirst = place == 0 || sessions[order[place - 1]] != sessions[t];
        sessionCount += isFirst ? 1 : 0;
        refused |= !isFirst && indexes[order[place - 1]] == indexes[t];
        byte code = TransactionBytes.status(block, at);
        refused |= mayHaveLoaders && isFirst && code == TransactionStatus.COMMITTED.code() && loads(block, at);
        operations += TransactionBytes.operations(block, at);
        committed += code == TransactionStatus.COMMITTED.code() ? 1 : 0;
        indeterminate += code == TransactionStatus.INDETERMINATE.code() ? 1 : 0;
        times.add(code, TransactionBytes.start(block, at), TransactionBytes.end(block, at));
        if (status == null) {
            String wrong = Placement.wrongStatus(plan.terms(), code, counts);
            status = wrong == null ? null : Sentence.of(named(t), wrong);
        }
        if (counts) {
            counted(t, block, at, snapshot, commit);
        }
    }

    /** Whether a transaction has operations, and all of them write the initial value. */
    private boolean loads(ByteBuffer block, int at) {
        int n = TransactionBytes.operations(block, at);
        int o = TransactionBytes.firstOperation(at);
        for (int i = 0; i < n; i++) {
            int value = TransactionBytes.value(block, o);
            int end = TransactionBytes.next(block, o);
            if (!TransactionBytes.isWrite(block, o) || !TransactionBytes.isValue(block, o, value, end, initialValue)) {
                return false;
            }
            o = end;
        }
        return n > 0;
    }

    private void counted(int t, ByteBuffer block, int at, long snapshot, long commit) {
        counted++;
        Named before = lastCounted;
        Named name = named(t);
        boolean first = before == null;
        if (first) {
            firstCounted = name;
            firstSnapshot = snapshot;
        }
        if (wrongOrder == null && events == 2 && snapshot >= commit) {
            wrongOrder = Sentence.of(name, Placement.REVERSED);
            isFirstWrong = first;
        } else if (wrongOrder == null
                && before != null
                && before.session() == name.session()
                && lastCommit >= snapshot) {
            wrongOrder = new Sentence("", name, Placement.EARLIER, before, Placement.RAN_EARLIER);
        }
        lastCounted = name;
        lastCommit = commit;
        int n = TransactionBytes.operations(block, at);
        dealt += n;
        if (mismatch != null) {
            return;
        }
        int o = TransactionBytes.firstOperation(at);
        int placeRange = plan.placeRange(snapshot);
        ByteBuffer row = ByteBuffer.allocate(SliceReplay.PREFIX);
        for (int i = 0; i < n; i++) {
            int end = TransactionBytes.next(block, o);
            row.clear().putLong(snapshot).putLong(commit).putInt(i);
            name.put(row);
            int slice = (int) Long.remainderUnsigned(TransactionBytes.hashOfKey(block, o), plan.slices());
            ByteArrayOutputStream out = waiting((long) slice << Integer.SIZE | placeRange);
            out.write(row.array(), 0, SliceReplay.PREFIX);
            out.write(block.array(), o, end - o);
            waitingBytes += SliceReplay.PREFIX + end - o;
            o = end;
        }
        boolean binds = TransactionBytes.status(block, at) == TransactionStatus.COMMITTED.code();
        long start = TransactionBytes.start(block, at);
        long end = TransactionBytes.end(block, at);
        for (int e = 0; e < events; e++) {
            boolean isSnapshot = e == 0;
            boolean isCommit = e == events - 1;
            long place = isSnapshot ? snapshot : commit;
            ByteBuffer event = ByteBuffer.allocate(PlaceReplay.ROW_BYTES);
            event.putLong(place)
                    .put(PlaceReplay.flags(isSnapshot, isCommit, binds))
                    .putLong(start)
                    .putLong(end);
            name.put(event);
            waiting(-1L - plan.placeRange(place)).writeBytes(event.array());
            waitingBytes += PlaceReplay.ROW_BYTES;
        }
        if (waitingBytes > MOST_WAITING) {
            flush();
        }
    }

    /** @param to slice and window of places; for events -1 minus the window */
    private ByteArrayOutputStream waiting(long to) {
        return waiting.computeIfAbsent(to, key -> new ByteArrayOutputStream());
    }

    private void flush() {
        waiting.forEach((to, rows) -> {
            if (to < 0) {
                sink.events((int) (-1L - to), rows.toByteArray());
            } else {
                sink.operations((int) (to >> Integer.SIZE), to.intValue(), rows.toByteArray());
            }
        });
        waiting.clear();
        waitingBytes = 0;
    }

    /** The result, for {@link DealtReplay}, behind the last row. */
    public Serializable end() {
        while (next < order.length) {
            transaction(order[next++], false, 0, 0);
        }
        flush();
        return new RangeFinding(
                range,
                refused,
                content,
                new RangeFinding.Counts(sessionCount, committed, indeterminate, counted, operations, dealt),
                times.counts(),
                order.length == 0 ? 0 : sessions[order[0]],
                order.length == 0 ? 0 : sessions[order[order.length - 1]],
                placed(firstCounted, firstSnapshot),
                placed(lastCounted, lastCommit),
                new RangeFinding.Faults(mismatch, status, wrongOrder, isFirstWrong));
    }

    private static RangeFinding.@Nullable Placed placed(@Nullable Named transaction, long place) {
        return transaction == null ? null : new RangeFinding.Placed(transaction, place);
    }
}
