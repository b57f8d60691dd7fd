package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.Definitions.Op;
import org.polygraph.storage.testkit.Definitions.Transaction;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Tiny histories joined to one of up to hundreds of transactions, which keeps a level iff each piece does. It has more
 * sessions, keys and writers of a key than the definitions can try at once.
 *
 * <p>Pieces without a common key: an order of the whole is one of each piece. Conversely, take an order of each piece
 * and real time between pieces, and suppose a cycle. Its steps of real time end(a1) &lt; start(b1) and end(b2) &lt;
 * start(a2), where b1 is b2 or before it in the order of its piece, so start(b1) &lt;= end(b2), give end(a1) &lt;
 * start(a2), so the cycle is also one without b1 and b2. Sessions are those of one piece, or pieces that share sessions
 * are one after another in time and in every session.
 *
 * <p>Chained pieces have the same keys. Between two of them, the last transaction of each session writes a key of its
 * own, one transaction reads all of these and writes the initial value of the next piece to all keys and to one more, and
 * the first transaction of each session reads that one.
 */
final class JoinedExample implements Example {
    private enum Manner {
        /** Without a common key or session, at any times. */
        APART,
        /** Without a common key, one after another. */
        IN_TURN,
        CHAINED
    }

    private static final int KEYS = 20;
    private static final int SESSIONS = 10;
    private static final int VALUES = 1_000;
    private static final long FIRST_BETWEEN = 500_000;
    private static final long NONE = Definitions.NONE;
    private static final long ORDINARY_TIME = 100_000;
    private static final int MOST_TRIES = 20_000;

    private final long seed;
    private final IsolationLevel aim;
    private final Manner manner;
    private final boolean sharesSessions;
    private final boolean hasOwnValues;
    /** Whether each piece has lists. */
    private final boolean hasLists;

    private final List<SimulatedHistory> pieces;
    private final List<Transaction> all = new ArrayList<>();
    /** By session: the piece of each of its transactions; -1 for those between pieces. */
    private final Map<Integer, List<Integer>> pieceOf = new HashMap<>();

    private JoinedExample(long seed, @Nullable List<SimulatedHistory> some) {
        this.seed = seed;
        SplitMix random = new SplitMix(seed);
        aim = IsolationLevel.values()[random.nextInt(IsolationLevel.values().length)];
        // At lin a transaction is one operation.
        manner = Manner.values()[random.nextInt(aim == IsolationLevel.LIN ? 2 : 3)];
        sharesSessions = manner == Manner.CHAINED || (manner == Manner.IN_TURN && random.chance(0.6));
        hasLists = manner != Manner.CHAINED && aim != IsolationLevel.LIN && random.chance(0.25);
        hasOwnValues = aim.readsAlone() || aim == IsolationLevel.RA || random.chance(0.4);
        int count = random.between(2, random.chance(0.5) ? 6 : 40);
        int violating = random.chance(0.5) ? 0 : random.chance(0.7) ? 1 : random.between(1, Math.min(count, 5));
        pieces = some == null ? chosen(count, violating, random) : some;
        put(random);
    }

    static JoinedExample of(long seed) {
        return new JoinedExample(seed, null);
    }

    private List<SimulatedHistory> chosen(int count, int violating, SplitMix random) {
        List<SimulatedHistory> chosen = new ArrayList<>();
        int broken = 0;
        for (int i = 0; i < MOST_TRIES && chosen.size() < count; i++) {
            SimulatedHistory piece = candidate(random);
            boolean isFirst = chosen.isEmpty();
            if (isFirst && (piece.definitions(false).vacuous() || (aim.realTime() && !piece.isTimed()))) {
                continue;
            }
            if (manner != Manner.APART && !isMovable(piece)) {
                continue;
            }
            Boolean holds = holds(piece, aim, 0, true);
            if (holds != null && (holds ? chosen.size() - broken < count - violating : broken < violating)) {
                broken += holds ? 0 : 1;
                chosen.add(random.nextInt(chosen.size() + 1), piece);
            }
        }
        return chosen;
    }

    private SimulatedHistory candidate(SplitMix random) {
        long each = random.nextLong();
        if (aim == IsolationLevel.LIN) {
            return Simulator.with(
                    EnumSet.of(Feature.SINGLE), each, Feature.COMPARE_AND_SET, Feature.REPEATED, Feature.UNKNOWN);
        }
        Feature[] features = {
            Feature.COMPARE_AND_SET,
            Feature.REPEATED,
            Feature.ABORTED,
            Feature.UNKNOWN,
            Feature.TIMES,
            Feature.ODD_TIMES,
            Feature.UPDATES
        };
        return Simulator.with(hasLists ? EnumSet.of(Feature.LISTS) : EnumSet.noneOf(Feature.class), each, features);
    }

    private static boolean isMovable(SimulatedHistory piece) {
        return earliest(piece) > -ORDINARY_TIME && latest(piece) < ORDINARY_TIME;
    }

    private static long earliest(SimulatedHistory piece) {
        return piece.transactions().stream()
                .flatMap(t -> List.of(t.start(), t.end()).stream())
                .filter(time -> time != NONE)
                .min(Long::compare)
                .orElse(0L);
    }

    private static long latest(SimulatedHistory piece) {
        return piece.transactions().stream()
                .mapToLong(t -> Math.max(t.start(), t.end()))
                .filter(time -> time != NONE)
                .max()
                .orElse(0);
    }

    private void put(SplitMix random) {
        boolean isTimedBetween = random.chance(0.5) && pieces.stream().anyMatch(SimulatedHistory::isTimed);
        long now = random.between(-50, 50);
        for (int p = 0; p < pieces.size(); p++) {
            SimulatedHistory piece = pieces.get(p);
            if (manner == Manner.CHAINED && p > 0) {
                between(p, isTimedBetween ? now : NONE, random);
                now += 15;
            }
            long by = manner == Manner.APART ? 0 : now - earliest(piece);
            for (Transaction t : piece.transactions()) {
                int number = p;
                add(
                        new Transaction(
                                sharesSessions ? t.session() : t.session() + SESSIONS * p,
                                t.status(),
                                t.start() == NONE ? NONE : t.start() + by,
                                t.end() == NONE ? NONE : t.end() + by,
                                t.ops().stream().map(op -> moved(op, number)).toList()),
                        p);
            }
            if (manner != Manner.APART) {
                now = Math.max(now, latest(piece) + by) + 1 + random.nextInt(30);
            }
        }
    }

    private void add(Transaction t, int piece) {
        all.add(t);
        pieceOf.computeIfAbsent(t.session(), session -> new ArrayList<>()).add(piece);
    }

    /** An operation with the keys or the values of its piece. */
    private Op moved(Op op, int piece) {
        boolean isChained = manner == Manner.CHAINED;
        int key = isChained ? op.key() : op.key() + KEYS * piece;
        long value = op.row().value();
        if (isChained && piece > 0) {
            // The initial value is the one that was written between the pieces.
            value = value == 0 ? FIRST_BETWEEN + piece : value + (hasOwnValues ? VALUES * piece : 0);
        }
        return new Op(op.kind(), key, value, op.list());
    }

    /** Adds the transactions between a piece and the one before it. */
    private void between(int piece, long start, SplitMix random) {
        long value = FIRST_BETWEEN + piece;
        int done = KEYS;
        int begun = KEYS + SESSIONS;
        List<Op> turn = new ArrayList<>();
        for (int s = 0; s < SESSIONS; s++) {
            add(single(s, Op.write(done + s, value), start, random), -1);
            turn.add(Op.read(done + s, value));
        }
        for (int key = 0; key < KEYS; key++) {
            turn.add(Op.write(key, value));
        }
        turn.add(Op.write(begun, value));
        long from = start == NONE ? NONE : start + 5 + random.nextInt(3);
        long to = start == NONE ? NONE : from + random.nextInt(3);
        // It is in a session of its own, or in one of the pieces.
        int session = random.chance(0.5) ? SESSIONS : random.nextInt(SESSIONS);
        add(new Transaction(session, Definitions.COMMITTED, from, to, turn), -1);
        for (int s = 0; s < SESSIONS; s++) {
            add(single(s, Op.read(begun, value), start == NONE ? NONE : start + 10, random), -1);
        }
    }

    private static Transaction single(int session, Op op, long start, SplitMix random) {
        long from = start == NONE ? NONE : start + random.nextInt(3);
        long to = start == NONE ? NONE : from + random.nextInt(3);
        return new Transaction(session, Definitions.COMMITTED, from, to, List.of(op));
    }

    /** The whole, in the notation that the seed draws. */
    private SimulatedHistory whole() {
        return SimulatedHistory.of(all, new SplitMix(~seed));
    }

    @Override
    public HistoryTable table() throws HistoryException {
        return SimulatedHistory.read(text());
    }

    @Override
    public String text() {
        return whole().json();
    }

    @Override
    public Definitions definitions(IsolationLevel level) {
        return whole().definitions(level == IsolationLevel.LIN);
    }

    /** The level at which pieces were chosen, and another one. */
    @Override
    public Set<IsolationLevel> levels() {
        Set<IsolationLevel> levels = EnumSet.of(aim);
        IsolationLevel other = IsolationLevel.values()[(int) Math.floorMod(seed, 7L)];
        boolean isStrict = other.realTime() && pieces.stream().noneMatch(SimulatedHistory::isTimed);
        boolean isOfValues = other == IsolationLevel.RA || other.readsAlone();
        if (other != IsolationLevel.LIN && !isStrict && (!isOfValues || manner != Manner.CHAINED || hasOwnValues)) {
            levels.add(other);
        }
        return levels;
    }

    @Override
    public @Nullable Boolean holds(IsolationLevel level, long skew, boolean maybe) {
        boolean holds = true;
        for (SimulatedHistory piece : pieces) {
            Boolean one = holds(piece, level, skew, maybe);
            if (one == null) {
                return null;
            }
            holds &= one;
        }
        return holds;
    }

    private static @Nullable Boolean holds(SimulatedHistory piece, IsolationLevel level, long skew, boolean maybe) {
        return piece.definitions(level == IsolationLevel.LIN)
                .holds(Definitions.Level.valueOf(level.name()), skew, maybe);
    }

    /**
     * It is within one piece, which violates the level. Where pieces are chained, it may have transactions between them,
     * and writers of a value that several pieces have.
     */
    @Override
    public boolean mayShow(Violation violation, CheckRequest request, HistoryTable table) {
        Set<Integer> transactions = new HashSet<>(violation.transactions());
        if (violation.minimal() != null) {
            Arrays.stream(violation.minimal().transactions()).forEach(transactions::add);
        }
        Set<Integer> shown = new HashSet<>();
        for (int t : transactions) {
            int session = table.sessionOf(t);
            shown.add(pieceOf.get((int) table.sessionLabel(session)).get(t - table.firstTransaction(session)));
        }
        boolean maybe = request.indeterminate() == IndeterminateMode.MAYBE;
        boolean isViolated = shown.stream()
                .anyMatch(piece -> piece >= 0
                        && Boolean.FALSE.equals(
                                holds(pieces.get(piece), request.level(), request.clockSkewNanos(), maybe)));
        return isViolated && (manner == Manner.CHAINED || shown.size() == 1);
    }

    /** Reads with several candidates in many pieces give more choices at weak levels than are tried. */
    @Override
    public boolean mayBeOpen(IsolationLevel level) {
        return level.isAxiom();
    }

    @Override
    public List<Example> smaller() {
        List<Example> less = new ArrayList<>();
        for (int p = 0; p < pieces.size() && pieces.size() > 1; p++) {
            List<SimulatedHistory> some = new ArrayList<>(pieces);
            some.remove(p);
            less.add(new JoinedExample(seed, some));
        }
        return less;
    }

    @Override
    public String toString() {
        return pieces.size() + " pieces " + manner + " for " + aim;
    }
}
