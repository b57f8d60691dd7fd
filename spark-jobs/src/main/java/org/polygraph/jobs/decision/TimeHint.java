package org.polygraph.jobs.decision;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.closure.TimeBounds;
import org.polygraph.partitioner.closure.TopologicalOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.order.KeyCheck;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Client times as a help to accept, never to condemn. Two attempts; whatever they find is replayed, and what they do not find
 * says nothing.
 *
 * <ol>
 *   <li>The order by time, as far as sessions and reads allow. On a database that does what it says it breaks a read in a
 *       hundred, and the solver repairs those from there: no closure, no rules, no real-time edges. Where clocks are wrong it
 *       breaks so many that this ends after the check, a tenth of what the exact path takes.
 *   <li>Where values repeat, or sessions are thousands: real-time order as if it were part of the level, for it decides most
 *       reads with several candidates. Cheap if it contradicts what was read; otherwise it may take some time for nothing.
 * </ol>
 *
 * <p>Measured, 100,000 transactions of 8 operations, 50 sessions, thread CPU-ms without time, by the first attempt, by the
 * second: uniform 10,000 keys SER 475, 160, 230; SI 620, 190, 450; zipf 0.9 SER 740, 510, 690; SI 1085, 890, 880; 100 keys SER
 * 765, 690, 1770. So where values are unique only the first is made.
 */
final class TimeHint {
    /**
     * The first attempt is given up if more than a transaction in so many, and {@link #FEW}, read what it does not explain. With
     * clocks off by 0.1 s, 1M uniform transactions, repairs took 4.7 CPU-s and all of it 1.5 times of the exact path; at 600,000
     * one in ten did, and each took the solver some 40 microseconds, where the exact path takes 3 or 4 a transaction.
     */
    private static final int MOST_VIOLATED = 16;

    private static final int FEW = 100;

    /** The check begins with so many reads' keys, or one read in {@link #SAMPLE}, and ends there if they break too much. */
    private static final int MOST_DRAWN = 256;

    private static final int FEWEST_DRAWN = 8;
    private static final int SAMPLE = 8;
    private static final double GOLDEN = 0.618_033_988_749_895;
    /** Beyond, session order says little and what the exact path leaves to search is hard; real time says much. */
    private static final int MANY_SESSIONS = 1_000;

    private static final double SURELY = 1.2;

    /**
     * Looks at the budget a transaction, and a violated read, that repairs get: they took 0.15 to 0.3 and 0 to 3, a look being
     * some 4 to 20 microseconds.
     */
    private static final double LOOKS_A_TRANSACTION = 0.2;

    private static final long LOOKS = 2_000;
    private static final long MOST_REAL_TIME_NANOS = 20_000_000_000L;

    private final HistoryTable table;
    private final Budget budget;
    private final PhaseClock phases;
    private final Kernels stages;
    private final IndexedHistory history;
    private final Events events;
    private final Tuning tuning;
    private @Nullable KnownGraph graph;

    TimeHint(
            HistoryTable table,
            Budget budget,
            PhaseClock phases,
            Kernels stages,
            IndexedHistory history,
            Events events,
            Tuning tuning) {
        this.table = table;
        this.budget = budget;
        this.phases = phases;
        this.stages = stages;
        this.history = history;
        this.events = events;
        this.tuning = tuning;
    }

    /** What the history says without its times, untouched: for the exact path. */
    KnownGraph graph() {
        KnownGraph made = graph;
        return made == null ? KnownGraph.of(events, history.versions()) : made;
    }

    /** Looks for one. @return null if there is none with these times, or none was found with little work */
    @Nullable
    FoundOrder order(RealTime time) {
        if (time.bound() == 0) {
            return null;
        }
        FoundOrder found = fromTimeOrder(time);
        boolean again = history.versions().ambiguous() > 0 || events.chains() > MANY_SESSIONS;
        return found == null && again && !budget.exhausted() ? inRealTime(time) : found;
    }

    private @Nullable FoundOrder fromTimeOrder(RealTime time) {
        KnownGraph known = KnownGraph.of(events, history.versions());
        graph = known;
        phases.end(known.edges());
        phases.begin("order");
        known.indexPredecessors();
        int[] sequence = TopologicalOrder.fair(known);
        if (sequence == null) {
            return null;
        }
        int[] position = EventOrder.byTime(known, time, new TimeBounds(known, time, sequence));
        phases.end(events.count());
        phases.begin("check");
        long most = FEW + (long) table.transactions() / MOST_VIOLATED;
        if (isHopeless(position, most)) {
            phases.end(0);
            return null;
        }
        ResidualCore core = stages.check(history, known, history.commitStatus(), position);
        phases.end(core == null ? 0 : core.violated());
        if (core == null || core.violated() > most) {
            return null;
        }
        if (core.isEmpty()) {
            return new FoundOrder(position, null, ResidualSize.NONE);
        }
        phases.begin("solve");
        long looks = LOOKS + core.violated() + (long) (LOOKS_A_TRANSACTION * table.transactions());
        CoreSolving.Solved solved = CoreSolving.attempt(
                history,
                known,
                null,
                position,
                core,
                budget.ofLooks(looks),
                tuning.solver(),
                Math.max(0, budget.bytes() - held(history, known)));
        return found(solved, core, history);
    }

    /**
     * Whether a sample is enough to tell that an order breaks far too much, as by wrong clocks. Reads are drawn evenly and the
     * whole key of each is checked: the mean of these keys' violated shares is that of all reads.
     */
    private boolean isHopeless(int[] position, long most) {
        VersionIndex index = history.versions();
        int[] readers = index.readerStarts();
        int reads = index.readers();
        KeyCheck check = new KeyCheck(events, index, history.commitStatus(), position);
        double shares = 0;
        int drawn = 0;
        for (long looked = 0; drawn < MOST_DRAWN && looked < reads / SAMPLE; drawn++) {
            // Multiples of an irrational number, modulo 1: even from the first few on.
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
        }
        return drawn >= FEWEST_DRAWN && shares / drawn * reads > SURELY * most;
    }

    private @Nullable FoundOrder inRealTime(RealTime time) {
        // What real time decides must not reach the exact path.
        IndexedHistory copy = history.copy();
        phases.begin("graph");
        KnownGraph graph = KnownGraph.of(events, copy.versions());
        graph.bind(time);
        phases.end(graph.edges());
        long held = held(copy, graph) + copy.versions().bytes();
        Budget part = budget.part(MOST_REAL_TIME_NANOS);
        try (PruneLoop loop = new PruneLoop(
                copy,
                graph,
                phases,
                part::exhausted,
                stages::rules,
                position -> stages.check(copy, graph, copy.commitStatus(), position),
                tuning,
                PruneLoop.Listener.NONE)) {
            if (!loop.run((long) (Decision.CLOCK_SHARE * (budget.bytes() - held))) || loop.isRefuted()) {
                return null;
            }
            ResidualCore core = loop.core();
            if (core.isEmpty()) {
                return new FoundOrder(loop.position(), null, ResidualSize.NONE);
            }
            phases.begin("solve");
            CoreSolving.Solved solved = CoreSolving.attempt(
                    copy,
                    graph,
                    loop.reachability(),
                    loop.position(),
                    core,
                    part,
                    tuning.solver(),
                    Math.max(0, budget.bytes() - held - loop.heapBytes()));
            return found(solved, core, copy);
        }
    }

    private long held(IndexedHistory of, KnownGraph graph) {
        return table.arrayBytes() + of.versions().bytes() + 13L * graph.edges();
    }

    private @Nullable FoundOrder found(CoreSolving.Solved solved, ResidualCore core, IndexedHistory of) {
        Outcome outcome = solved.outcome();
        phases.end(outcome.statistics().conflicts());
        return outcome instanceof Outcome.Satisfiable satisfiable
                ? new FoundOrder(
                        solved.position(satisfiable),
                        solved.committed(satisfiable),
                        CoreSolving.size(core, of, outcome.statistics()))
                : null;
    }
}
