package org.polygraph.partitioner.evidence;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Turns a cyclic graph into a counterexample: its shortest cycle, each edge named and justified. Searches are bounded by
 * work, so on huge cyclic regions the cycle is the shortest found, not always the shortest there is.
 */
public final class CycleEvidence {
    /** Events that searches for a shorter cycle may visit, about a second. */
    private static final long MOST_WORK = 20_000_000;
    /** Candidates of an impossible read that are explained before the shortest cycle is taken. */
    private static final int MOST_CANDIDATES = 16;

    private static final int ANY_LENGTH = Integer.MAX_VALUE - 1;

    private final HistoryTable table;
    private final VersionIndex index;
    private final Events events;
    private final KnownGraph known;
    private final Counting counting;
    private final WriterLookup lookup;
    private final EvidenceGraph graph;
    private final int[] everywhere;

    public CycleEvidence(IndexedHistory history, KnownGraph known) {
        this.table = history.table();
        this.index = history.versions();
        this.known = known;
        this.events = known.events();
        this.counting = history.counting();
        this.lookup = new WriterLookup(index, history.counting());
        this.graph = new EvidenceGraph(known, index, lookup);
        this.everywhere = new int[events.chains()];
    }

    /**
     * Explains a cyclic graph.
     *
     * @param done how many events of each chain precede the cycles, see ChainClocks
     */
    public Violation ofCycle(int[] done) {
        List<EvidenceGraph.Step> first = graph.anyCycle(done);
        if (first == null) {
            throw new IllegalStateException("the graph is cyclic but no chain waits for another");
        }
        return violation(named(shorter(first, done)), "");
    }

    /** Looks for a shorter cycle than the first one found: around its own edges, then around others, newest first. */
    private List<EvidenceGraph.Step> shorter(List<EvidenceGraph.Step> first, int[] done) {
        List<EvidenceGraph.Step> best = first;
        long start = graph.work();
        for (EvidenceGraph.Step step : first) {
            best = shorterThrough(step, best, done);
        }
        int round = known.currentRound();
        for (int e = graph.edges() - 1; e >= 0 && best.size() > 2 && graph.work() - start < MOST_WORK; e--) {
            EvidenceGraph.Step step = graph.step(e);
            if (step.round() >= round && graph.isBeyond(e, done)) {
                best = shorterThrough(step, best, done);
            }
        }
        return best;
    }

    private List<EvidenceGraph.Step> shorterThrough(
            EvidenceGraph.Step step, List<EvidenceGraph.Step> best, int[] done) {
        if (best.size() < 2) {
            return best;
        }
        List<EvidenceGraph.Step> back =
                graph.path(step.to(), step.from(), EvidenceGraph.ALL_ROUNDS, done, best.size() - 2);
        if (back == null) {
            return best;
        }
        List<EvidenceGraph.Step> cycle = new ArrayList<>();
        cycle.add(step);
        cycle.addAll(back);
        return cycle;
    }

    /**
     * Explains a read that has several candidate writers, none of which is possible: shows the cycle of one of them.
     *
     * @param below the round that found it: only edges of earlier rounds are used
     * @param clocks exact for those edges
     */
    public Violation ofImpossibleRead(int key, int reader, int below, ChainClocks clocks) {
        int begin = events.begin(reader);
        int valueClass = index.readerClasses()[lookup.read(key, reader)];
        int candidates = lookup.candidates(key, reader);
        List<Dependency> best = valueClass == VersionIndex.INITIAL
                ? impossibleCandidate(key, reader, begin, Dependency.INITIAL, below, clocks)
                : null;
        int explained = 0;
        for (int w = index.firstInClass(key, valueClass);
                w >= 0 && explained < MOST_CANDIDATES && (best == null || best.size() > 2);
                w = index.nextInClass(w)) {
            if (index.writerTransactions()[w] != reader) {
                explained++;
                List<Dependency> cycle =
                        impossibleCandidate(key, reader, begin, index.writerTransactions()[w], below, clocks);
                if (cycle != null && (best == null || cycle.size() < best.size())) {
                    best = cycle;
                }
            }
        }
        String detail = "the value that " + name(reader) + " read from key "
                + table.keys().label(key) + " has " + candidates
                + (candidates == 1
                        ? " possible writer, which closes a cycle"
                        : " possible writers and each closes a cycle")
                + (candidates == 1 ? "" : "; the shortest is shown");
        return best == null
                ? new Violation(Anomaly.NO_VALID_ORDER, List.of(reader), List.of(key), List.of(), detail)
                : violation(best, detail);
    }

    /**
     * Explains a history of which a search showed that no order exists.
     *
     * @param cycle events on which the last alternative broke, each before the next and the last before the first; may be
     *     empty
     * @param transactions those whose reads and writes the refutation used
     * @param keys their keys
     */
    public Violation ofRefutation(int[] cycle, List<Integer> transactions, List<Integer> keys) {
        String detail = "every order of " + transactions.size() + " transactions on " + keys.size()
                + (keys.size() == 1 ? " key" : " keys") + " closes a cycle; all were refuted";
        List<Dependency> dependencies = new ArrayList<>();
        for (int i = 0; i < cycle.length; i++) {
            int from = events.transaction(cycle[i]);
            int to = events.transaction(cycle[(i + 1) % cycle.length]);
            if (from != to) {
                dependencies.add(refuted(from, to));
            }
        }
        if (dependencies.isEmpty()) {
            return new Violation(Anomaly.NO_VALID_ORDER, transactions, keys, List.of(), detail);
        }
        Violation named = violation(merged(dependencies), detail + "; the last alternative broke on this one");
        return new Violation(Anomaly.NO_VALID_ORDER, named.transactions(), named.keys(), named.cycle(), named.detail());
    }

    /** Consecutive session steps as one. */
    private static List<Dependency> merged(List<Dependency> cycle) {
        List<Dependency> merged = new ArrayList<>();
        for (Dependency d : cycle) {
            Dependency last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && last.kind() == EdgeKind.SO && d.kind() == EdgeKind.SO) {
                merged.set(merged.size() - 1, new Dependency(last.from(), d.to(), EdgeKind.SO, d.key(), 0, d.reason()));
            } else {
                merged.add(d);
            }
        }
        return merged;
    }

    private Dependency refuted(int from, int to) {
        if (events.chainsByTransaction()[from] == events.chainsByTransaction()[to] && from < to) {
            return new Dependency(from, to, EdgeKind.SO, Dependency.NO_KEY, 0, "observed: the session ran it earlier");
        }
        Dependency found = readFrom(from, to);
        if (found == null) {
            found = overwritten(from, to, EvidenceGraph.ALL_ROUNDS, true);
        }
        if (found != null) {
            return found;
        }
        String why = "forced: the other order closes another cycle";
        for (int o = table.operationStarts()[to]; o < table.operationStarts()[to + 1]; o++) {
            int key = table.operationKeys()[o] >>> 1;
            boolean write = (table.operationKeys()[o] & 1) != 0;
            if (write && lookup.read(key, from) >= 0) {
                return new Dependency(from, to, EdgeKind.RW, key, valueRead(key, from), why);
            }
            if (write && lookup.writes(key, from)) {
                return new Dependency(from, to, EdgeKind.WW, key, lastWritten(key, from), why);
            }
            if (!write && lookup.writes(key, from)) {
                return new Dependency(from, to, EdgeKind.WR, key, lastWritten(key, from), why);
            }
        }
        return new Dependency(from, to, EdgeKind.WW, Dependency.NO_KEY, 0, "forced by other transactions");
    }

    private long lastWritten(int key, int transaction) {
        for (int o = table.operationStarts()[transaction + 1] - 1; o >= table.operationStarts()[transaction]; o--) {
            if (table.operationKeys()[o] == (key << 1 | 1)) {
                return table.operationValues()[o];
            }
        }
        throw new IllegalStateException(name(transaction) + " does not write key " + key);
    }

    private @Nullable List<Dependency> impossibleCandidate(
            int key, int reader, int begin, int candidate, int below, ChainClocks clocks) {
        long value = valueRead(key, reader);
        if (candidate != Dependency.INITIAL && clocks.reaches(begin, events.commit(candidate))) {
            List<EvidenceGraph.Step> forward =
                    graph.path(begin, events.commit(candidate), below, everywhere, ANY_LENGTH);
            if (forward != null) {
                List<Dependency> cycle = chain(reader, candidate, forward);
                cycle.add(new Dependency(
                        candidate,
                        reader,
                        EdgeKind.WR,
                        key,
                        value,
                        "if " + name(reader) + " read this writer's value"));
                return cycle;
            }
        }
        for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
            int other = index.writerTransactions()[w];
            if (other == candidate
                    || other == reader
                    || !counting.isCounted(other)
                    || !clocks.reaches(events.commit(other), begin)
                    || (candidate != Dependency.INITIAL
                            && !clocks.reaches(events.commit(candidate), events.begin(other)))) {
                continue;
            }
            List<EvidenceGraph.Step> toReader = graph.path(events.commit(other), begin, below, everywhere, ANY_LENGTH);
            if (toReader == null) {
                continue;
            }
            List<EvidenceGraph.Step> toOther = candidate == Dependency.INITIAL
                    ? List.of()
                    : graph.path(events.commit(candidate), events.begin(other), below, everywhere, ANY_LENGTH);
            if (toOther != null) {
                List<Dependency> cycle = chain(other, reader, toReader);
                String why = "if " + name(reader) + " read the value of "
                        + (candidate == Dependency.INITIAL ? "the initial state" : name(candidate)) + ", which "
                        + name(other) + " overwrote"
                        + (candidate == Dependency.INITIAL ? "" : " (" + describe(candidate, other, toOther) + ")");
                cycle.add(new Dependency(reader, other, EdgeKind.RW, key, value, why));
                return cycle;
            }
        }
        return null;
    }

    // --- naming ---

    /** The cycle starts at its first transaction by (session, index), so that the same history tells the same. */
    private Violation violation(List<Dependency> found, String detail) {
        int first = 0;
        for (int i = 1; i < found.size(); i++) {
            if (found.get(i).from() < found.get(first).from()) {
                first = i;
            }
        }
        List<Dependency> cycle = new ArrayList<>(found.subList(first, found.size()));
        cycle.addAll(found.subList(0, first));
        Set<Integer> transactions = new LinkedHashSet<>();
        Set<Integer> keys = new LinkedHashSet<>();
        for (Dependency d : cycle) {
            transactions.add(d.from());
            if (d.key() != Dependency.NO_KEY) {
                keys.add(d.key());
            }
        }
        return new Violation(
                CycleName.of(cycle, lookup), new ArrayList<>(transactions), new ArrayList<>(keys), cycle, detail);
    }

    /** The cycle with its session steps filled in and each edge justified. */
    private List<Dependency> named(List<EvidenceGraph.Step> cycle) {
        List<Dependency> dependencies = new ArrayList<>();
        for (int i = 0; i < cycle.size(); i++) {
            EvidenceGraph.Step step = cycle.get(i);
            EvidenceGraph.Step next = cycle.get((i + 1) % cycle.size());
            dependencies.add(dependency(step, true));
            session(dependencies, events.transaction(step.to()), events.transaction(next.from()));
        }
        return dependencies;
    }

    /** A path between two transactions as dependencies. */
    private List<Dependency> chain(int from, int to, List<EvidenceGraph.Step> steps) {
        List<Dependency> dependencies = new ArrayList<>();
        int at = from;
        for (EvidenceGraph.Step step : steps) {
            session(dependencies, at, events.transaction(step.from()));
            dependencies.add(dependency(step, true));
            at = events.transaction(step.to());
        }
        session(dependencies, at, to);
        return dependencies;
    }

    private static void session(List<Dependency> dependencies, int from, int to) {
        if (from != to) {
            dependencies.add(new Dependency(
                    from, to, EdgeKind.SO, Dependency.NO_KEY, 0, "observed: the session ran it earlier"));
        }
    }

    private Dependency dependency(EvidenceGraph.Step step, boolean justify) {
        int from = events.transaction(step.from());
        int to = events.transaction(step.to());
        // With two events a transaction the ends tell the kind: only RW leaves a snapshot, only RW enters a commit.
        boolean two = events.perTransaction() == 2;
        boolean fromSnapshot = two && step.from() == events.begin(from);
        Dependency found = fromSnapshot ? null : readFrom(from, to);
        if (found == null && (fromSnapshot || !two)) {
            found = overwritten(from, to, step.round(), justify);
        }
        if (found == null && !fromSnapshot) {
            found = versionOrder(from, to, step, justify);
        }
        return found == null
                ? new Dependency(
                        from,
                        to,
                        fromSnapshot ? EdgeKind.RW : EdgeKind.WW,
                        Dependency.NO_KEY,
                        0,
                        "forced by other transactions")
                : found;
    }

    private @Nullable Dependency readFrom(int from, int to) {
        for (int o = table.operationStarts()[to]; o < table.operationStarts()[to + 1]; o++) {
            int key = table.operationKeys()[o] >>> 1;
            if ((table.operationKeys()[o] & 1) == 0 && lookup.writerOf(key, to) == from) {
                int candidates = lookup.candidates(key, to);
                String why = candidates == 1
                        ? "observed: the only writer of the value read"
                        : "forced: of " + candidates + " writers of the value read every other closes a cycle";
                return new Dependency(from, to, EdgeKind.WR, key, valueRead(key, to), why);
            }
        }
        return null;
    }

    /** R2: {@code from} read a version that {@code to} overwrote. */
    private @Nullable Dependency overwritten(int from, int to, int round, boolean justify) {
        for (int o = table.operationStarts()[from]; o < table.operationStarts()[from + 1]; o++) {
            int key = table.operationKeys()[o] >>> 1;
            if ((table.operationKeys()[o] & 1) != 0 || !lookup.writes(key, to)) {
                continue;
            }
            int writer = lookup.writerOf(key, from);
            if (writer == to || writer == WriterLookup.UNDECIDED) {
                continue;
            }
            long value = valueRead(key, from);
            if (writer == WriterLookup.INITIAL_WRITER) {
                return new Dependency(
                        from, to, EdgeKind.RW, key, value, "observed: it read the initial value, before any write");
            }
            List<EvidenceGraph.Step> path =
                    graph.path(events.commit(writer), events.begin(to), Math.max(1, round), everywhere, ANY_LENGTH);
            if (path != null) {
                String why = justify
                        ? "forced: it read what " + name(writer) + " wrote, and " + name(to) + " wrote later ("
                                + describe(writer, to, path) + ")"
                        : "";
                return new Dependency(from, to, EdgeKind.RW, key, value, why);
            }
        }
        return null;
    }

    /** R1 and R0: both write a key and the other order contradicts a reader or a snapshot. */
    private @Nullable Dependency versionOrder(int from, int to, EvidenceGraph.Step step, boolean justify) {
        int below = Math.max(1, step.round());
        for (int o = table.operationStarts()[from]; o < table.operationStarts()[from + 1]; o++) {
            int key = table.operationKeys()[o] >>> 1;
            if ((table.operationKeys()[o] & 1) == 0 || !lookup.writes(key, from) || !lookup.writes(key, to)) {
                continue;
            }
            long value = table.operationValues()[o];
            int[] readers = lookup.readersOf(key, to);
            for (int r = readers == null ? 0 : readers[0]; readers != null && r < readers[1]; r++) {
                int reader = index.readerTransactions()[r];
                List<EvidenceGraph.Step> path = reader == from
                        ? null
                        : graph.path(events.commit(from), events.begin(reader), below, everywhere, ANY_LENGTH);
                if (path != null) {
                    String why = justify
                            ? "forced: " + name(reader) + " read what " + name(to) + " wrote although it follows "
                                    + name(from) + " (" + describe(from, reader, path) + ")"
                            : "";
                    return new Dependency(from, to, EdgeKind.WW, key, value, why);
                }
            }
            if (events.perTransaction() == 2) {
                List<EvidenceGraph.Step> path =
                        graph.path(events.begin(from), events.commit(to), below, everywhere, ANY_LENGTH);
                if (path != null) {
                    String why = justify
                            ? "forced: both write the key, so they cannot overlap, and the first began before the second"
                                    + " committed (" + describe(from, to, path) + ")"
                            : "";
                    return new Dependency(from, to, EdgeKind.WW, key, value, why);
                }
            }
        }
        return null;
    }

    private long valueRead(int key, int transaction) {
        for (int o = table.operationStarts()[transaction]; o < table.operationStarts()[transaction + 1]; o++) {
            if (table.operationKeys()[o] == key << 1) {
                return table.operationValues()[o];
            }
        }
        throw new IllegalStateException(name(transaction) + " does not read key " + key);
    }

    /** A path in short: {@code s0#1 -WR x-> s1#4 -SO-> s1#5}. */
    private String describe(int from, int to, List<EvidenceGraph.Step> path) {
        StringBuilder text = new StringBuilder(name(from));
        int at = from;
        for (EvidenceGraph.Step step : path) {
            at = appendSession(text, at, events.transaction(step.from()));
            Dependency d = dependency(step, false);
            text.append(" -").append(d.kind());
            if (d.key() != Dependency.NO_KEY) {
                text.append(' ').append(table.keys().label(d.key()));
            }
            at = d.to();
            text.append("-> ").append(name(at));
        }
        appendSession(text, at, to);
        return text.toString();
    }

    private int appendSession(StringBuilder text, int at, int to) {
        if (at != to) {
            text.append(" -SO-> ").append(name(to));
        }
        return to;
    }

    /** {@code s(session)#(index)}. */
    private String name(int transaction) {
        return "s" + table.sessionLabel(table.sessionOf(transaction)) + "#" + table.index(transaction);
    }
}
