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
 */
final class JoinedExample implements Example {
    private static final int KEYS = 20;
    private static final int SESSIONS = 10;
    private static final long NONE = Definitions.NONE;
    private static final long ORDINARY_TIME = 100_000;
    private static final int MOST_TRIES = 20_000;

    private final long seed;
    private final IsolationLevel aim;
    /** Whether pieces are one after another, or at any times. */
    private final boolean isInTurn;

    private final boolean sharesSessions;
    /** Whether each piece has lists. */
    private final boolean hasLists;

    private final List<SimulatedHistory> pieces;
    private final List<Transaction> all = new ArrayList<>();
    /** By session: the piece of each of its transactions. */
    private final Map<Integer, List<Integer>> pieceOf = new HashMap<>();

    private JoinedExample(long seed, @Nullable List<SimulatedHistory> some) {
        this.seed = seed;
        SplitMix random = new SplitMix(seed);
        aim = IsolationLevel.values()[random.nextInt(IsolationLevel.values().length)];
        isInTurn = random.chance(0.5);
        sharesSessions = isInTurn && random.chance(0.6);
        hasLists = aim != IsolationLevel.LIN && random.chance(0.25);
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
            if (isInTurn && !isMovable(piece)) {
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
        long now = random.between(-50, 50);
        for (int p = 0; p < pieces.size(); p++) {
            SimulatedHistory piece = pieces.get(p);
            long by = isInTurn ? now - earliest(piece) : 0;
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
            if (isInTurn) {
                now = Math.max(now, latest(piece) + by) + 1 + random.nextInt(30);
            }
        }
    }

    private void add(Transaction t, int piece) {
        all.add(t);
        pieceOf.computeIfAbsent(t.session(), session -> new ArrayList<>()).add(piece);
    }

    /** An operation with the keys of its piece. */
    private static Op moved(Op op, int piece) {
        return new Op(op.kind(), op.key() + KEYS * piece, op.row().value(), op.list());
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
        if (other != IsolationLevel.LIN && !isStrict) {
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

    /** It is within one piece, which violates the level. */
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
        return shown.size() == 1
                && Boolean.FALSE.equals(
                        holds(pieces.get(shown.iterator().next()), request.level(), request.clockSkewNanos(), maybe));
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
        return pieces.size() + " pieces for " + aim;
    }
}
