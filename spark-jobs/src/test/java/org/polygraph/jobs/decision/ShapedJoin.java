package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.ShapedHistory.Kind;
import org.polygraph.jobs.decision.ShapedHistory.Op;
import org.polygraph.jobs.decision.ShapedHistory.Txn;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Joins tiny histories of {@link ShapedGenerator}, the pieces, to one that is large enough to be divided. It keeps a
 * level iff each piece does according to {@link Definitions}. The reason depends on the {@link Manner}:
 *
 * <ul>
 *   <li>{@link Manner#APART}: pieces share neither keys nor sessions. Without real time nothing relates transactions of
 *   different pieces, so the choices and orders of the pieces together are those of the whole, and the reverse. Real
 *   time relates them. Take an order of each piece, which contains the real time of the piece, and a shortest cycle of
 *   these orders and real time. The cycle has a before b in real time, b before c in the order of their piece, and c
 *   before d in real time. Then c did not end before b started, because real time would put c before b, so start(b) <=
 *   end(c). As a ended before start(b), it ended before end(c), and so before d started, which gives a shorter cycle.
 *   The shortest cycle would be a transaction that ended before it started. With two events, real time leads from
 *   commits to snapshots: b is a snapshot and c a commit. This is the locality of linearizability (Herlihy and Wing,
 *   TOPLAS 12(3), 1990, theorem 1), with pieces as objects. Clock skew moves all ends by the same amount. A transaction
 *   of unknown outcome has no end that counts, so it is not c.
 *   <li>{@link Manner#IN_TURN}: pieces share sessions and no keys, and each piece ends before the next begins. Sessions
 *       and real time lead to later pieces only, so no cycle or path that begins and ends in a piece leaves it.
 *   <li>{@link Manner#CHAINED}: pieces share keys too. Between two pieces each session writes that it has finished,
 *   then a transaction reads all these writes and writes every key, then each session reads a key of that transaction.
 *   The values are unique, so that transaction follows all of one piece, precedes all of the other, and represents the
 *   initial value there. No order of the next piece can show what it overwrote. As RC and RA have no order that would
 *   forbid this, each piece has values of its own at these levels.
 * </ul>
 */
public final class ShapedJoin {
    /** What pieces share. */
    private enum Manner {
        APART,
        IN_TURN,
        CHAINED
    }

    private static final long NONE = ShapedHistory.NONE;
    private static final int MOST_TRIES = 20_000;
    /** The distance of indexes of pieces that share sessions. No piece has as many transactions. */
    private static final int INDEXES = 1_000;
    /** No piece has as many different values. */
    private static final int VALUES = 1_000;
    /** Above the values of pieces. */
    private static final long FIRST_BETWEEN = 10_000_000;
    /** Times of clocks that are not near the ends of their range are below it. */
    private static final long ORDINARY_TIME = 10_000;

    private final long seed;
    private final IsolationLevel aim;
    private final SplitMix random;
    private final Manner manner;
    private final IndeterminateMode mode;
    private final long skew;
    /** Whether pieces have values of their own. */
    private final boolean ownValues;

    private final List<ShapedHistory> pieces = new ArrayList<>();
    private final ShapedHistory whole = new ShapedHistory();
    /** The number of the piece by session and index. */
    private final Map<List<Long>, Integer> pieceOf = new HashMap<>();

    private int sessions;
    private int keys;
    private boolean isStretched;

    private ShapedJoin(long seed, IsolationLevel aim, int count) {
        this.seed = seed;
        this.aim = aim;
        random = new SplitMix(seed);
        mode = random.chance(0.75) ? IndeterminateMode.MAYBE : IndeterminateMode.ABORT;
        skew = random.chance(0.6) ? 0 : random.chance(0.05) ? Long.MAX_VALUE / 16 : random.between(1, 15);
        Manner[] manners = Manner.values();
        // At lin a transaction is one operation, and one of unknown outcome may take effect in any later piece.
        int most = count == 1 ? 1 : aim == IsolationLevel.LIN ? 2 : manners.length;
        manner = manners[random.nextInt(most)];
        ownValues = random.chance(0.4);
        whole.drawStyle(random);
    }

    /**
     * Returns the history of a seed.
     *
     * @param aim the level at which pieces are chosen
     * @param count the number of pieces; a single piece is not changed
     * @param violating how many pieces violate the level, if as many are found
     */
    public static ShapedJoin of(long seed, IsolationLevel aim, int count, int violating) {
        ShapedJoin join = new ShapedJoin(seed, aim, count);
        join.choose(count, violating);
        join.put();
        return join;
    }

    /** Returns the history as JSON Lines. */
    public String json() {
        return whole.json();
    }

    /** Returns the request for a level. */
    public CheckRequest request(IsolationLevel level, TimeMode time) {
        return new CheckRequest(level, time, skew, mode);
    }

    /**
     * Whether a level holds.
     *
     * @return null if the level does not suit the history, or if there are too many choices to try
     */
    public @Nullable Boolean holds(IsolationLevel level) {
        if (!isFor(level)) {
            return null;
        }
        boolean all = true;
        for (ShapedHistory piece : pieces) {
            Boolean one = holds(piece, level);
            if (one == null) {
                return null;
            }
            all &= one;
        }
        return all;
    }

    private boolean isFor(IsolationLevel level) {
        return switch (level) {
            case SSER, SSI -> isTimed() && (aim == level || !isStretched);
            case SER, SI, CC -> true;
            case RA, RC -> manner != Manner.CHAINED || hasOwnValues();
            case LIN -> aim == level;
        };
    }

    /**
     * Whether a violation is within a piece that violates the level. If pieces are chained, it may have further
     * transactions: those that represent initial values, and writers of a value that more than one piece has.
     */
    public boolean isIn(Violation violation, IsolationLevel level, HistoryTable table) {
        IntStream transactions = violation.transactions().stream().mapToInt(Integer::intValue);
        SubHistory minimal = violation.minimal();
        if (minimal != null) {
            transactions = IntStream.concat(transactions, IntStream.of(minimal.transactions()));
        }
        int[] of = transactions
                .map(t -> pieceOf(table.sessionLabel(table.sessionOf(t)), table.index(t)))
                .distinct()
                .toArray();
        boolean isOfViolating =
                IntStream.of(of).anyMatch(piece -> piece >= 0 && Boolean.FALSE.equals(holds(pieces.get(piece), level)));
        return isOfViolating && (of.length == 1 || manner == Manner.CHAINED);
    }

    /** The piece of a transaction; -1 for those between pieces. */
    private int pieceOf(long session, long index) {
        return pieceOf.getOrDefault(List.of(session, index), -1);
    }

    /** Whether some transaction has times. */
    public boolean isTimed() {
        return isTimed(whole);
    }

    @Override
    public String toString() {
        return "seed " + seed + " for " + aim + ", " + pieces.size() + " parts " + manner + ", " + mode + " skew "
                + skew;
    }

    private boolean hasOwnValues() {
        return ownValues || aim == IsolationLevel.RC || aim == IsolationLevel.RA;
    }

    private static boolean isTimed(ShapedHistory history) {
        return history.txns.stream().anyMatch(t -> t.start != NONE || t.end != NONE);
    }

    private @Nullable Boolean holds(ShapedHistory piece, IsolationLevel level) {
        return piece.definitions(level == IsolationLevel.LIN)
                .holds(Definitions.Level.valueOf(level.name()), skew, mode == IndeterminateMode.MAYBE);
    }

    private void choose(int count, int violating) {
        int held = 0;
        int broken = 0;
        for (int i = 0; i < MOST_TRIES && pieces.size() < count; i++) {
            long candidate = SplitMix.seedOf(seed, i);
            if (!suits(ShapedGenerator.shapeOf(candidate))) {
                continue;
            }
            ShapedHistory piece = ShapedGenerator.of(candidate, whole);
            if ((pieces.isEmpty() && !suitsAlone(piece)) || !suits(piece)) {
                continue;
            }
            Boolean holds = holds(piece, aim);
            if (holds == null || (holds ? held >= count - violating : broken >= violating)) {
                continue;
            }
            held += holds ? 1 : 0;
            broken += holds ? 0 : 1;
            int place = random.nextInt(pieces.size() + 1);
            pieces.add(place, piece);
        }
        if (pieces.size() < count) {
            throw new IllegalStateException(
                    this + ": found no more for " + count + " of which " + violating + " violate");
        }
    }

    private boolean suits(ShapedGenerator.Shape shape) {
        boolean isOfLists = shape == ShapedGenerator.Shape.LISTS;
        return aim == IsolationLevel.LIN
                ? shape == ShapedGenerator.Shape.REGISTERS
                : !isOfLists || manner != Manner.CHAINED;
    }

    /** Whether the whole has something to judge if it has this piece. */
    private boolean suitsAlone(ShapedHistory piece) {
        return !piece.definitions(false).vacuous() && (!aim.realTime() || isTimed(piece));
    }

    private boolean suits(ShapedHistory piece) {
        if (manner != Manner.APART && !isMovable(piece)) {
            return false;
        }
        return aim != IsolationLevel.LIN
                || piece.txns.stream()
                        .allMatch(t -> t.status == Definitions.ABORTED
                                || (t.start != NONE && (t.status != Definitions.COMMITTED || t.end != NONE)));
    }

    private static boolean isMovable(ShapedHistory piece) {
        return earliest(piece) > -ORDINARY_TIME && latest(piece, 0) < ORDINARY_TIME;
    }

    /** The least of the known times; 0 if there are none. */
    private static long earliest(ShapedHistory piece) {
        long earliest = Long.MAX_VALUE;
        for (Txn t : piece.txns) {
            earliest = t.start == NONE ? earliest : Math.min(earliest, t.start);
            earliest = t.end == NONE ? earliest : Math.min(earliest, t.end);
        }
        return earliest == Long.MAX_VALUE ? 0 : earliest;
    }

    private static long latest(ShapedHistory piece, long otherwise) {
        long latest = Long.MIN_VALUE;
        for (Txn t : piece.txns) {
            latest = Math.max(latest, Math.max(t.start, t.end));
        }
        return latest == Long.MIN_VALUE ? otherwise : latest;
    }

    private void put() {
        for (ShapedHistory piece : pieces) {
            for (Txn t : piece.txns) {
                sessions = Math.max(sessions, t.session + 1);
                t.ops.forEach(op -> keys = Math.max(keys, op.key + 1));
            }
        }
        boolean sharesSessions = manner == Manner.CHAINED || (manner == Manner.IN_TURN && random.chance(0.6));
        boolean interleaves = random.chance(0.5);
        boolean moves = random.chance(0.5);
        boolean isTimedBetween = random.chance(0.5) && pieces.stream().anyMatch(ShapedJoin::isTimed);
        long now = random.between(-50, 50);
        for (int p = 0; p < pieces.size(); p++) {
            if (manner == Manner.CHAINED && p > 0) {
                now = between(p, isTimedBetween ? now : NONE, now);
            }
            ShapedHistory piece = pieces.get(p);
            long by = 0;
            if (manner != Manner.APART) {
                by = now - earliest(piece);
            } else if (moves && isMovable(piece)) {
                by = random.between(-40, 40);
            }
            for (Txn t : piece.txns) {
                Txn copy = new Txn();
                copy.status = t.status;
                copy.session = sharesSessions ? t.session : number(p, t.session, sessions, interleaves);
                copy.index = t.index + (sharesSessions ? (long) INDEXES * p : 0);
                copy.start = t.start == NONE ? NONE : t.start + by;
                copy.end = t.end == NONE ? NONE : t.end + by;
                for (Op op : t.ops) {
                    copy.ops.add(
                            manner == Manner.CHAINED ? chained(op, p) : op.of(number(p, op.key, keys, interleaves)));
                }
                add(copy, p);
            }
            if (manner != Manner.APART) {
                now = Math.max(now, latest(piece, NONE) == NONE ? now : latest(piece, 0) + by) + random.nextInt(30);
            }
        }
        if (random.chance(0.4)) {
            stretch(0.02 + 0.2 * random.nextDouble());
        }
        arrange();
    }

    /**
     * Makes some transactions last longer, across many other pieces. Real time then orders less, so a level that held
     * still holds. Pieces that violate a level with real time are not changed.
     */
    private void stretch(double share) {
        isStretched = true;
        boolean[] mayBe = new boolean[pieces.size()];
        for (int p = 0; p < mayBe.length; p++) {
            mayBe[p] = !aim.realTime() || Boolean.TRUE.equals(holds(pieces.get(p), aim));
        }
        for (Txn t : whole.txns) {
            int piece = pieceOf(t.session, t.index);
            long far = ORDINARY_TIME * pieces.size();
            boolean isOrdinary = t.start > -far && t.end > -far && t.start < far && t.end < far;
            if (isOrdinary && (piece < 0 || mayBe[piece]) && random.chance(share)) {
                t.start -= random.nextInt(50 * pieces.size());
                t.end += random.nextInt(50 * pieces.size());
            }
        }
    }

    private void add(Txn t, int piece) {
        whole.txns.add(t);
        pieceOf.put(List.of((long) t.session, t.index), piece);
    }

    private int number(int piece, int local, int most, boolean interleaves) {
        return interleaves ? local * pieces.size() + piece : piece * most + local;
    }

    /**
     * Copies an operation with the values of its piece. The initial value becomes the one that {@link #between} wrote
     * last.
     */
    private Op chained(Op op, int piece) {
        Op copy = op.of(op.key);
        copy.value = value(op.value, piece);
        copy.expected = value(op.expected, piece);
        return copy;
    }

    private long value(long value, int piece) {
        if (piece == 0 || value == ShapedHistory.NOT_KNOWN) {
            return value;
        }
        return value == whole.initial ? FIRST_BETWEEN + piece : value + (hasOwnValues() ? (long) VALUES * piece : 0);
    }

    /**
     * Adds the transactions between a piece and the one before it.
     *
     * @param start NONE if there are no times @return the time when they have ended
     */
    private long between(int piece, long start, long now) {
        int done = keys;
        int begun = keys + sessions;
        long index = (long) INDEXES * piece;
        Txn turn = new Txn();
        // The transaction is in a session of its own, or at the end of a session of the piece.
        turn.session = random.chance(0.5) ? sessions : random.nextInt(sessions);
        turn.index = index - 150;
        for (int s = 0; s < sessions; s++) {
            Txn closing = single(s, index - 200, Kind.WRITE, done + s, FIRST_BETWEEN + piece);
            Txn opening = single(s, index - 100, Kind.READ, begun, FIRST_BETWEEN + piece);
            turn.ops.add(new Op(Kind.READ, done + s, FIRST_BETWEEN + piece));
            if (start != NONE) {
                closing.start = start + random.nextInt(3);
                closing.end = closing.start + random.nextInt(3);
                opening.start = start + 10 + random.nextInt(3);
                opening.end = opening.start + random.nextInt(3);
            }
            add(closing, -1);
            add(opening, -1);
        }
        for (int key = 0; key <= begun; key++) {
            if (key < keys || key == begun) {
                turn.ops.add(new Op(Kind.WRITE, key, FIRST_BETWEEN + piece));
            }
        }
        if (start != NONE) {
            turn.start = start + 5 + random.nextInt(3);
            turn.end = turn.start + random.nextInt(3);
        }
        add(turn, -1);
        return now + 15;
    }

    private static Txn single(int session, long index, Kind kind, int key, long value) {
        Txn t = new Txn();
        t.session = session;
        t.index = index;
        t.ops.add(new Op(kind, key, value));
        return t;
    }

    /** Puts transactions in the order of the file: piece after piece, interleaved, sorted, or at random. */
    private void arrange() {
        List<Txn> txns = whole.txns;
        switch (pieces.size() == 1 ? 0 : random.nextInt(4)) {
            case 1 -> {
                List<List<Txn>> queues = new ArrayList<>();
                for (int p = -1; p < pieces.size(); p++) {
                    queues.add(new ArrayList<>());
                }
                txns.forEach(t -> queues.get(1 + pieceOf(t.session, t.index)).add(t));
                txns.clear();
                queues.removeIf(List::isEmpty);
                while (!queues.isEmpty()) {
                    int q = random.nextInt(queues.size());
                    txns.add(queues.get(q).remove(0));
                    if (queues.get(q).isEmpty()) {
                        queues.remove(q);
                    }
                }
            }
            case 2 ->
                txns.sort((a, b) -> a.session != b.session ? a.session - b.session : Long.compare(a.index, b.index));
            case 3 -> {
                for (int i = txns.size() - 1; i > 0; i--) {
                    txns.set(i, txns.set(random.nextInt(i + 1), txns.get(i)));
                }
            }
            default -> {}
        }
    }
}
