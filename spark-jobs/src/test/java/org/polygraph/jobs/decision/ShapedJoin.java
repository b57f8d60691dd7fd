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
import org.polygraph.storage.testkit.SplitMix;

/**
 * Tiny histories of {@link ShapedGenerator} put together to one that is large enough to be cut, of which a level holds
 * iff it holds in each part, as {@link Definitions} say of the part alone. Why, by {@link Manner}:
 *
 * <ul>
 *   <li>{@link Manner#APART}: no key and no session is of two parts. Without real time nothing relates transactions of
 *       different parts, so choices, orders and commit orders of the parts are together those of the whole, and the
 *       other way round. Real time relates them: who ended before another one starts. Take an order of each part, which
 *       has the part's real time in it, and a shortest cycle of these orders and real time. It has a before b in real
 *       time, b before c in the order of their part, c before d in real time. So c did not end before b starts (that
 *       would be in the order), and start(b) <= end(c): a ended before start(b), hence before end(c), hence before d
 *       starts, a shorter cycle; and the shortest of all would be one that ended before it started. With events: real
 *       time leads from commits to snapshots, b is a snapshot and c a commit. It is the locality of linearizability
 *       (Herlihy and Wing, TOPLAS 12(3), 1990, theorem 1), parts being the objects. Clocks' skew moves all ends alike;
 *       one of unknown outcome has no end that counts, so it is no c.
 *   <li>{@link Manner#IN_TURN}: no key is of two parts, but sessions go on from part to part, and each part is over
 *       when the next begins. Sessions and real time lead to later parts only, so nothing that begins and ends in a
 *       part, cycle or path, leaves it.
 *   <li>{@link Manner#CHAINED}: keys too are the same. Between two parts each session writes that it is done, then a
 *       transaction reads all that and writes every key, then each session reads a key of that transaction. All this is
 *       shown by sessions and by values that are written once: so that transaction follows all of the one part,
 *       precedes all of the other, and stands for the initial value there. What it overwrote no order of the next part
 *       can show; as RC and RA have no order to hold that against, a part's values are its own at these levels.
 * </ul>
 */
public final class ShapedJoin {
    /** What parts share. */
    private enum Manner {
        APART,
        IN_TURN,
        CHAINED
    }

    private static final long NONE = ShapedHistory.NONE;
    private static final int MOST_TRIES = 20_000;
    /** Of the index, for parts that share sessions; more than any has. */
    private static final int INDEXES = 1_000;
    /** No part has as many different values. */
    private static final int VALUES = 1_000;
    /** Beyond the values of parts. */
    private static final long FIRST_BETWEEN = 10_000_000;
    /** Of clocks that are not at the ends of what they can show. */
    private static final long USUAL_TIME = 10_000;

    private final long seed;
    private final IsolationLevel aim;
    private final SplitMix random;
    private final Manner manner;
    private final IndeterminateMode mode;
    private final long skew;
    /** Whether parts have values of their own. */
    private final boolean ownValues;

    private final List<ShapedHistory> parts = new ArrayList<>();
    private final ShapedHistory whole = new ShapedHistory();
    /** By session and index. */
    private final Map<List<Long>, Integer> partOf = new HashMap<>();

    private int sessions;
    private int keys;
    private boolean hasLists;
    private boolean isStretched;

    private ShapedJoin(long seed, IsolationLevel aim, int count) {
        this.seed = seed;
        this.aim = aim;
        random = new SplitMix(seed);
        mode = random.chance(0.75) ? IndeterminateMode.MAYBE : IndeterminateMode.ABORT;
        skew = random.chance(0.6) ? 0 : random.chance(0.05) ? Long.MAX_VALUE / 16 : random.between(1, 15);
        Manner[] manners = Manner.values();
        // At lin a transaction is one operation, and one of unknown outcome may take effect in any later part.
        int most = count == 1 ? 1 : aim == IsolationLevel.LIN ? 2 : manners.length;
        manner = manners[random.nextInt(most)];
        ownValues = random.chance(0.4);
        whole.drawStyle(random);
    }

    /**
     * The one of a seed.
     *
     * @param aim the level at which parts are chosen
     * @param count how many parts it has; 1: that one as it is
     * @param violating how many of these violate the level, if so many are found
     */
    public static ShapedJoin of(long seed, IsolationLevel aim, int count, int violating) {
        ShapedJoin join = new ShapedJoin(seed, aim, count);
        join.choose(count, violating);
        join.put();
        return join;
    }

    /** As a file. */
    public String json() {
        return whole.json();
    }

    /** What to ask. */
    public CheckRequest request(IsolationLevel level, TimeMode time) {
        return new CheckRequest(level, time, skew, mode);
    }

    /**
     * Whether a level holds.
     *
     * @return null if it is not for such histories, or too much would have to be tried
     */
    public @Nullable Boolean holds(IsolationLevel level) {
        if (!isFor(level)) {
            return null;
        }
        boolean all = true;
        for (ShapedHistory part : parts) {
            Boolean one = holds(part, level);
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
            case SER, SI -> true;
            case CC -> !hasLists;
            case RA, RC -> !hasLists && (manner != Manner.CHAINED || hasOwnValues());
            case LIN -> aim == level;
        };
    }

    /**
     * Whether a violation is one of a part that violates the level, and of no other. Where parts are chained, others
     * may be in it too: what stands for initial values, and writers of a value that more than one part has.
     */
    public boolean isIn(Violation violation, IsolationLevel level, HistoryTable table) {
        IntStream transactions = violation.transactions().stream().mapToInt(Integer::intValue);
        SubHistory minimal = violation.minimal();
        if (minimal != null) {
            transactions = IntStream.concat(transactions, IntStream.of(minimal.transactions()));
        }
        int[] of = transactions
                .map(t -> partOf(table.sessionLabel(table.sessionOf(t)), table.index(t)))
                .distinct()
                .toArray();
        boolean isOfViolating =
                IntStream.of(of).anyMatch(part -> part >= 0 && Boolean.FALSE.equals(holds(parts.get(part), level)));
        return isOfViolating && (of.length == 1 || manner == Manner.CHAINED);
    }

    /** The part of a transaction; -1 for those between parts. */
    private int partOf(long session, long index) {
        return partOf.getOrDefault(List.of(session, index), -1);
    }

    /** Whether some transaction has times. */
    public boolean isTimed() {
        return isTimed(whole);
    }

    @Override
    public String toString() {
        return "seed " + seed + " for " + aim + ", " + parts.size() + " parts " + manner + ", " + mode + " skew "
                + skew;
    }

    private boolean hasOwnValues() {
        return ownValues || aim == IsolationLevel.RC || aim == IsolationLevel.RA;
    }

    private static boolean isTimed(ShapedHistory history) {
        return history.txns.stream().anyMatch(t -> t.start != NONE || t.end != NONE);
    }

    private @Nullable Boolean holds(ShapedHistory part, IsolationLevel level) {
        return part.definitions(level == IsolationLevel.LIN)
                .holds(Definitions.Level.valueOf(level.name()), skew, mode == IndeterminateMode.MAYBE);
    }

    private void choose(int count, int violating) {
        int held = 0;
        int broken = 0;
        for (int i = 0; i < MOST_TRIES && parts.size() < count; i++) {
            long candidate = SplitMix.seedOf(seed, i);
            if (!suits(ShapedGenerator.shapeOf(candidate))) {
                continue;
            }
            ShapedHistory part = ShapedGenerator.of(candidate, whole);
            if ((parts.isEmpty() && !suitsAlone(part)) || !suits(part)) {
                continue;
            }
            Boolean holds = holds(part, aim);
            if (holds == null || (holds ? held >= count - violating : broken >= violating)) {
                continue;
            }
            held += holds ? 1 : 0;
            broken += holds ? 0 : 1;
            int place = random.nextInt(parts.size() + 1);
            parts.add(place, part);
            hasLists |= ShapedGenerator.shapeOf(candidate) == ShapedGenerator.Shape.LISTS;
        }
        if (parts.size() < count) {
            throw new IllegalStateException(
                    this + ": found no more for " + count + " of which " + violating + " violate");
        }
    }

    private boolean suits(ShapedGenerator.Shape shape) {
        boolean isOfLists = shape == ShapedGenerator.Shape.LISTS;
        return aim == IsolationLevel.LIN
                ? shape == ShapedGenerator.Shape.REGISTERS
                : !isOfLists || !(aim.isAxiom() || manner == Manner.CHAINED);
    }

    /** One such part will do for the whole to have something to judge. */
    private boolean suitsAlone(ShapedHistory part) {
        return !part.definitions(false).vacuous() && (!aim.realTime() || isTimed(part));
    }

    private boolean suits(ShapedHistory part) {
        if (manner != Manner.APART && !isMovable(part)) {
            return false;
        }
        return aim != IsolationLevel.LIN
                || part.txns.stream()
                        .allMatch(t -> t.status == Definitions.ABORTED
                                || (t.start != NONE && (t.status != Definitions.COMMITTED || t.end != NONE)));
    }

    private static boolean isMovable(ShapedHistory part) {
        return earliest(part) > -USUAL_TIME && latest(part, 0) < USUAL_TIME;
    }

    /** Of the times that there are; 0 if there are none. */
    private static long earliest(ShapedHistory part) {
        long earliest = Long.MAX_VALUE;
        for (Txn t : part.txns) {
            earliest = t.start == NONE ? earliest : Math.min(earliest, t.start);
            earliest = t.end == NONE ? earliest : Math.min(earliest, t.end);
        }
        return earliest == Long.MAX_VALUE ? 0 : earliest;
    }

    private static long latest(ShapedHistory part, long otherwise) {
        long latest = Long.MIN_VALUE;
        for (Txn t : part.txns) {
            latest = Math.max(latest, Math.max(t.start, t.end));
        }
        return latest == Long.MIN_VALUE ? otherwise : latest;
    }

    private void put() {
        for (ShapedHistory part : parts) {
            for (Txn t : part.txns) {
                sessions = Math.max(sessions, t.session + 1);
                t.ops.forEach(op -> keys = Math.max(keys, op.key + 1));
            }
        }
        boolean sharesSessions = manner == Manner.CHAINED || (manner == Manner.IN_TURN && random.chance(0.6));
        boolean interleaves = random.chance(0.5);
        boolean moves = random.chance(0.5);
        boolean isTimedBetween = random.chance(0.5) && parts.stream().anyMatch(ShapedJoin::isTimed);
        long now = random.between(-50, 50);
        for (int p = 0; p < parts.size(); p++) {
            if (manner == Manner.CHAINED && p > 0) {
                now = between(p, isTimedBetween ? now : NONE, now);
            }
            ShapedHistory part = parts.get(p);
            long by = 0;
            if (manner != Manner.APART) {
                by = now - earliest(part);
            } else if (moves && isMovable(part)) {
                by = random.between(-40, 40);
            }
            for (Txn t : part.txns) {
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
                now = Math.max(now, latest(part, NONE) == NONE ? now : latest(part, 0) + by) + random.nextInt(30);
            }
        }
        if (random.chance(0.4)) {
            stretch(0.02 + 0.2 * random.nextDouble());
        }
        arrange();
    }

    /**
     * Some last longer, over those of many other parts. Real time then orders less, so what held holds, and no part
     * that violates a level with real time is touched.
     */
    private void stretch(double share) {
        isStretched = true;
        boolean[] mayBe = new boolean[parts.size()];
        for (int p = 0; p < mayBe.length; p++) {
            mayBe[p] = !aim.realTime() || Boolean.TRUE.equals(holds(parts.get(p), aim));
        }
        for (Txn t : whole.txns) {
            int part = partOf(t.session, t.index);
            long far = USUAL_TIME * parts.size();
            boolean isUsual = t.start > -far && t.end > -far && t.start < far && t.end < far;
            if (isUsual && (part < 0 || mayBe[part]) && random.chance(share)) {
                t.start -= random.nextInt(50 * parts.size());
                t.end += random.nextInt(50 * parts.size());
            }
        }
    }

    private void add(Txn t, int part) {
        whole.txns.add(t);
        partOf.put(List.of((long) t.session, t.index), part);
    }

    private int number(int part, int local, int most, boolean interleaves) {
        return interleaves ? local * parts.size() + part : part * most + local;
    }

    /** Its values are those of the part, the initial one what {@link #between} wrote last. */
    private Op chained(Op op, int part) {
        Op copy = op.of(op.key);
        copy.value = value(op.value, part);
        copy.expected = value(op.expected, part);
        return copy;
    }

    private long value(long value, int part) {
        if (part == 0 || value == ShapedHistory.NOT_KNOWN) {
            return value;
        }
        return value == whole.initial ? FIRST_BETWEEN + part : value + (hasOwnValues() ? (long) VALUES * part : 0);
    }

    /**
     * What stands between a part and the one before it.
     *
     * @param start NONE: it has no times
     * @return when it is over
     */
    private long between(int part, long start, long now) {
        int done = keys;
        int begun = keys + sessions;
        long index = (long) INDEXES * part;
        Txn turn = new Txn();
        // A session of its own, or at the end of another one's part.
        turn.session = random.chance(0.5) ? sessions : random.nextInt(sessions);
        turn.index = index - 150;
        for (int s = 0; s < sessions; s++) {
            Txn closing = single(s, index - 200, Kind.WRITE, done + s, FIRST_BETWEEN + part);
            Txn opening = single(s, index - 100, Kind.READ, begun, FIRST_BETWEEN + part);
            turn.ops.add(new Op(Kind.READ, done + s, FIRST_BETWEEN + part));
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
                turn.ops.add(new Op(Kind.WRITE, key, FIRST_BETWEEN + part));
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

    /** In the order of the file: part after part, taken from all of them at once, sorted, or at random. */
    private void arrange() {
        List<Txn> txns = whole.txns;
        switch (parts.size() == 1 ? 0 : random.nextInt(4)) {
            case 1 -> {
                List<List<Txn>> queues = new ArrayList<>();
                for (int p = -1; p < parts.size(); p++) {
                    queues.add(new ArrayList<>());
                }
                txns.forEach(t -> queues.get(1 + partOf(t.session, t.index)).add(t));
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
