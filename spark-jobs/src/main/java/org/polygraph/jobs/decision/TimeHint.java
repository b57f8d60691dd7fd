package org.polygraph.jobs.decision;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.closure.TimeBounds;
import org.polygraph.partitioner.closure.TopologicalOrder;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.order.KeyCheck;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.storage.table.HistoryTable;

/**
 * Accepts histories by client times, by the order of the input, by sessions in turn, or by the order of values; it
 * never refutes. An order that one of its two attempts finds is replayed. A failure has no meaning.
 *
 * <ol>
 *   <li>A first order, as far as sessions and reads allow, and real time where it is part of the level: by time, by
 *       lines, by sessions in turn as if they ran at one pace, or, where sessions are many and their order decides
 *       little, by values ({@link RecordedPlaces}). A sample of reads shows how many each of them breaks. On a correct
 *       database one of them breaks about one read in a hundred, which the solver repairs: no closure, no rules, no
 *       real-time edges. If each of them breaks too many, as by wrong clocks in a shuffled file, the attempt ends after
 *       the samples.
 *   <li>If values repeat, or there are many sessions: real-time order as if it were part of the level. It decides most
 *       reads with several candidates, and most pairs of writers. The attempt ends soon if real time contradicts the
 *       reads; otherwise it may take time in vain.
 * </ol>
 *
 * <p>Times do not exclude the other orders. 300,000 transactions of 1,000 sessions, zipf 0.9, run side by side and are
 * recorded in the order of commits: times alone break 500,000 reads. CPU-s of the process with times alone and with
 * lines too: SER 30.7 and 2.7, SI more than 28 and 3.4, SSER more than 26 and 3.3. 70,000 sessions of one transaction
 * without times, 1,000 keys, SER and SI, without and with the order of values: no answer after 60 and 2. 200,000
 * transactions of 50 sessions without times, listed session by session, 20,000 keys, without and with sessions in turn:
 * SER 4.9 and 3.8, SI 5.5 and 3.9.
 *
 * <p>Measured, 100,000 transactions of 8 operations, 50 sessions, thread CPU-ms without time, by the first attempt, by
 * the second: uniform 10,000 keys SER 475, 160, 230; SI 620, 190, 450; zipf 0.9 SER 740, 510, 690; SI 1085, 890, 880;
 * 100 keys SER 765, 690, 1770. So where values are unique and sessions are few only the first attempt is made.
 *
 * <p>Measured, CPU-s of the process without and with the second attempt: zipf 0.9, 100,000 keys, unique values, SER,
 * 300,000 transactions: 20 sessions 6.1 and 5.6, 50 sessions 8.5 and 6.4, 100 sessions 13.4 and 7.6, 500 sessions 21.6
 * and 8.3; SI with 500 sessions 26.5 and 12.4; 1M transactions, 1,000 sessions, SER 161 and 27. In vain: with 0.1 s of
 * clock skew 24.6 and 24.6; with a write skew 50 sessions 3.9 and 5.3, 500 sessions 7.2 and 10.2.
 */
final class TimeHint implements Strategy {
    /**
     * The first attempt ends if its order breaks reads at more than one event in this many, plus {@link #FEW}. At si a
     * transaction has two events, and its overlaps with other writers count too: 52,000 transactions, zipf 0.8, 200,000
     * keys, broke 4,377, which was too many by transactions: 4.4 CPU-s of the process, and 3.6 with repairs.
     *
     * <p>With clocks that are wrong by 0.1 s, 1M uniform transactions, repairs took 4.7 CPU-s, and the check 1.5 times
     * as long as the exact path alone. With 600,000 transactions one in ten was violated; the solver took about 40
     * microseconds for each, and the exact path 3 or 4 for each transaction.
     */
    private static final int MOST_VIOLATED = 16;

    private static final int FEW = 100;

    /** What a first order is made of. */
    private enum Source {
        TIMES,
        LINES,
        PACE,
        VALUES
    }

    /** An order that breaks at most this share of what may be repaired is taken without a look at the others. */
    private static final double FEW_ENOUGH = 0.25;

    /**
     * The check begins with the keys of this many reads, or of one read in {@link #SAMPLE}, and ends if too many of
     * them are broken.
     */
    private static final int MOST_DRAWN = 256;

    private static final int FEWEST_DRAWN = 8;
    /** From so many on, a sample may end where twice too many are broken. */
    private static final int SURELY_DRAWN = 32;

    private static final int SAMPLE = 8;
    private static final double GOLDEN = 0.618_033_988_749_895;
    /**
     * With more sessions, session order decides little, and the search after the exact path is hard; real time decides
     * much.
     */
    private static final int MANY_SESSIONS = 64;

    /**
     * If a read has more concurrent writers of its key, real time decides hardly more than session order does. CPU-s of
     * the process with and without the second attempt at SER, where all sessions overlap: 100,000 transactions in 5,000
     * sessions on 20,000 keys (one writer) 4 and more than 400, 200,000 in 1,000 (0.2) 3 and 11; zipf 0.9, 200,000 in
     * 100 (2.5) 7 and 8, in 400 (10) 16 and 14, in 1,000 (25) 34 and 22, 100,000 in 5,000 (150) 39 and 20.
     */
    private static final double MOST_CONCURRENT = 8;

    private static final double SURELY = 1.2;

    /**
     * The calls of the budget that repairs may take: this many for each transaction, and one for each violated read.
     * They took 0.15 to 0.3 a transaction and 0 to 3 a violated read; a call takes 4 to 20 microseconds.
     */
    private static final double LOOKS_A_TRANSACTION = 0.2;

    private static final long LOOKS = 2_000;
    private static final long MOST_REAL_TIME_NANOS = 20_000_000_000L;

    /**
     * The second attempt may also take this long for each event and session, because the exact path then takes about
     * twice as long: 1M transactions of 1,000 sessions, zipf 0.9, take 20 CPU-s by the attempt and 100 without it.
     */
    private static final long REAL_TIME_NANOS_A_CELL = 50;

    private final Decision state;
    private final Budget budget;
    private final PhaseClock phases;
    /**
     * Whether the solver refuted an attempt. The exact path then finds the evidence, and another attempt would be in
     * vain.
     */
    private boolean refuted;

    TimeHint(Decision state) {
        this.state = state;
        this.budget = state.check.budget();
        this.phases = state.phases;
    }

    /** @return null if no first order explains the reads after few repairs, and real time decides little */
    @Override
    public @Nullable Finding find() {
        if (!state.tuning.triesOrders()) {
            return null;
        }
        RealTime time = state.check.request().time() == TimeMode.NONE ? null : state.realTime();
        if (time != null && time.bound() == 0) {
            // The times order no two transactions.
            time = null;
        }
        Finding found = fromFirstOrders(time);
        if (found != null || time == null || refuted || state.needsRealTime() || budget.exhausted()) {
            return found;
        }
        boolean isAmbiguous =
                state.history().versions().ambiguous() > 0 || state.history().sums() != null;
        return isAmbiguous || decidesMuch(time) ? inRealTime(time) : null;
    }

    /**
     * Tries the order of each source. The first that breaks few reads of a sample is repaired at once, without looking
     * at the others; otherwise the one that breaks the fewest is. If real time is part of the level, each order is made
     * to keep it.
     */
    private @Nullable Finding fromFirstOrders(@Nullable RealTime time) {
        KnownGraph known = state.problem().graph();
        if (phases.phase().equals("graph")) {
            phases.end(known.edges());
        }
        phases.begin("order");
        known.indexPredecessors();
        int[] sequence = TopologicalOrder.fair(known);
        if (sequence == null) {
            return null;
        }
        TimeBounds required = null;
        if (state.needsRealTime()) {
            // The start of a transaction of unknown outcome binds it only if it commits, which an order does not know.
            if (time == null || !time.isComplete() || time.openStarts().length > 0) {
                return null;
            }
            required = new TimeBounds(known, time, sequence);
            if (required.isContradicted()) {
                return null;
            }
        }
        double most = mostViolated();
        int[] best = null;
        double fewest = SURELY * most;
        for (Source source : Source.values()) {
            phases.begin("order");
            int[] position = position(source, time, required, sequence);
            double violated = position == null ? most : sampledViolations(position, fewest);
            phases.end(position == null ? 0 : state.events.count());
            if (position == null) {
                continue;
            }
            if (violated <= most * FEW_ENOUGH) {
                Finding found = repaired(position);
                if (found != null || refuted) {
                    return found;
                }
            } else if (violated < fewest) {
                fewest = violated;
                best = position;
            }
        }
        return best == null ? null : repaired(best);
    }

    /**
     * The order of a source, as far as sessions and reads allow.
     *
     * @param required bounds by real time, if it is part of the level; each order keeps it then
     * @param sequence the events in a topological order
     * @return null if the history has no such order
     */
    private int @Nullable [] position(
            Source source, @Nullable RealTime time, @Nullable TimeBounds required, int[] sequence) {
        RealTime order =
                switch (source) {
                    case TIMES -> time;
                    case LINES -> ofLines();
                    case PACE -> ofPace();
                    case VALUES -> ofValues();
                };
        if (order == null) {
            return null;
        }
        KnownGraph known = state.problem().graph();
        if (required != null && source == Source.TIMES) {
            return EventOrder.byTime(known, order, required);
        }
        int[] position = EventOrder.byTime(known, order, new TimeBounds(known, order, sequence));
        return required == null ? position : EventOrder.keepingTime(known, required, position);
    }

    private @Nullable RealTime ofLines() {
        return RealTime.ofInput(state.check.table(), state.history().commitStatus());
    }

    /** Sessions in turn, as if all ran at one pace from the first transaction to the last. */
    private RealTime ofPace() {
        HistoryTable table = state.check.table();
        long[] instants = new long[table.transactions()];
        for (int s = 0; s < table.sessions(); s++) {
            int first = table.firstTransaction(s);
            int end = table.transactionsEnd(s);
            for (int t = first; t < end; t++) {
                instants[t] = (t - first) * (long) instants.length / (end - first) * table.sessions() + s;
            }
        }
        return RealTime.ofInstants(table, state.history().commitStatus(), instants);
    }

    /** Where sessions are few, their order decides much, and the order of values was not seen to be better. */
    private @Nullable RealTime ofValues() {
        long[] values = state.events.chains() > MANY_SESSIONS ? RecordedPlaces.byValue(state.check.table()) : null;
        return values == null
                ? null
                : RealTime.ofInstants(state.check.table(), state.history().commitStatus(), values);
    }

    /** The graph as the level requires it. The rules bind real time to the graph of the state, so it is not changed. */
    private Problem inRequiredTime(Problem known) {
        RealTime time = state.needsRealTime() ? state.realTime() : null;
        return time == null ? known : known.withOwnGraph().bind(time);
    }

    private long mostViolated() {
        return FEW + (long) state.check.table().transactions() * state.events.perTransaction() / MOST_VIOLATED;
    }

    /**
     * Lets the solver repair an order that extends the known graph and breaks few reads.
     *
     * @return null if it breaks many, or repairs take long
     */
    private @Nullable Finding repaired(int[] position) {
        Problem known = state.problem();
        phases.begin("check");
        ResidualCore core = ResidualCore.of(known, position, state.check.budget()::exhausted);
        phases.end(core.violated());
        if (core.violated() > mostViolated()) {
            return null;
        }
        if (core.isEmpty()) {
            return state.kept(new FoundOrder(position));
        }
        phases.begin("solve");
        long looks = LOOKS
                + core.violated()
                + (long) (LOOKS_A_TRANSACTION * state.check.table().transactions());
        Solved solved = CoreSolving.attempt(
                new ResidualProblem(inRequiredTime(known), null, position, core),
                budget.ofLooks(looks),
                state.tuning.solver(),
                state.freeBytes(state.heldBytes(known)));
        phases.end(solved.residual().conflicts());
        refuted = solved.isRefuted();
        return state.kept(solved);
    }

    /**
     * Estimates by a sample how many reads an order breaks; they are many if clocks are wrong. Reads are drawn evenly
     * and the whole key of each is checked: the mean of the violated shares of these keys is that of all reads.
     *
     * @param most the sample ends early where twice as many are broken
     * @return 0 if the keys are too few or too large for a sample
     */
    private double sampledViolations(int[] position, double most) {
        VersionIndex index = state.history().versions();
        int[] readers = index.readerStarts();
        int reads = index.readers();
        KeyCheck check = new KeyCheck(state.events, index, state.history().commitStatus(), position);
        double shares = 0;
        int drawn = 0;
        for (long looked = 0; drawn < MOST_DRAWN && looked < reads / SAMPLE; drawn++) {
            // Multiples of an irrational number modulo 1 are spread evenly from the first few on.
            double at = drawn * GOLDEN;
            int read = (int) ((at - Math.floor(at)) * reads);
            int key = Arrays.binarySearch(readers, read);
            key = key < 0 ? -key - 2 : key;
            while (readers[key + 1] <= read) {
                key++;
            }
            int count = readers[key + 1] - readers[key];
            shares += (double) check.violations(key) / count;
            looked += count;
            if (drawn >= SURELY_DRAWN && shares / drawn * reads > 2 * most) {
                break;
            }
        }
        return drawn >= FEWEST_DRAWN ? shares / drawn * reads : 0;
    }

    /** Whether there are many sessions, and real time orders most writers of a key. */
    private boolean decidesMuch(RealTime time) {
        return state.events.chains() > MANY_SESSIONS && concurrentWriters(time) <= MOST_CONCURRENT;
    }

    /** Estimates how many writers of its key run at the same time as a read, on average. */
    private double concurrentWriters(RealTime time) {
        VersionIndex index = state.history().versions();
        double pairs = 0;
        for (int key = 0; key < index.keys(); key++) {
            double readers = index.readerStarts()[key + 1] - index.readerStarts()[key];
            pairs += readers * (index.writerStarts()[key + 1] - index.writerStarts()[key]);
        }
        double writers = pairs / Math.max(1, index.readers());
        return writers * overlap(time) / state.check.table().transactions();
    }

    /** Returns the mean number of transactions that end while another one runs. */
    private static double overlap(RealTime time) {
        long sum = 0;
        for (int t = 0; t < time.places().length; t++) {
            if (time.places()[t] != RealTime.NEVER) {
                sum += time.places()[t] - time.ended()[t];
            }
        }
        return (double) sum / Math.max(1, time.ends());
    }

    private @Nullable Finding inRealTime(RealTime time) {
        // What real time decides must not reach the exact path, so the attempt works on a copy.
        phases.begin("graph");
        Problem copy = state.problem().copy().bind(time);
        phases.end(copy.graph().edges());
        long held = state.heldBytes(copy) + copy.versions().bytes();
        long cells = (long) state.events.count() * state.events.chains();
        Budget share = budget.atMost(Math.max(MOST_REAL_TIME_NANOS, REAL_TIME_NANOS_A_CELL * cells));
        return state.kept(
                Decision.attempt(copy, state.tuning, phases, share, state.closureBytes(held), state.freeBytes(held)));
    }
}
