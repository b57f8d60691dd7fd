package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntAVLTreeSet;
import it.unimi.dsi.fastutil.ints.IntSortedSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * Finds the reason why each edge was forced. An edge of round i follows from edges of earlier rounds by one of the
 * rules of KeyRules, so its reason is a path of such edges, each of which has a reason too. Every edge is explained
 * once. Cycles share its reason.
 */
final class EdgeReasons {
    /** The most edges that are explained in full; the others have one sentence each. */
    private static final int MOST_EXPLAINED = 5_000;

    private final HistoryTable table;
    private final VersionIndex index;
    private final Events events;
    private final WriterLookup lookup;
    private final EvidenceGraph graph;
    private final Branch branch;
    private final Int2ObjectOpenHashMap<Dependency> explained = new Int2ObjectOpenHashMap<>();
    private final ReadReasons reads;
    private final @Nullable ListPairs lists;

    EdgeReasons(IndexedHistory history, EvidenceGraph graph, WriterLookup lookup, Branch branch) {
        this.table = history.table();
        this.index = history.versions();
        this.events = graph.events();
        this.lookup = lookup;
        this.graph = graph;
        this.branch = branch;
        this.lists = events.mayOverlap() ? new ListPairs(table) : null;
        this.reads = new ReadReasons(history, graph, lookup, branch, this);
    }

    /** The reasons of reads with several possible writers. */
    ReadReasons reads() {
        return reads;
    }

    /** Returns a cycle with its session steps. */
    List<Dependency> cycle(List<EvidenceGraph.Step> steps) {
        int first = events.transaction(steps.get(0).from());
        return chain(first, first, steps);
    }

    /** Returns a path between two transactions as dependencies. */
    List<Dependency> chain(int from, int to, List<EvidenceGraph.Step> steps) {
        return chain(from, to, steps, events, this::of);
    }

    /** Returns a path with its session steps, where each other step has the given reason. */
    static List<Dependency> chain(
            int from,
            int to,
            List<EvidenceGraph.Step> steps,
            Events events,
            Function<EvidenceGraph.Step, Dependency> reason) {
        List<Dependency> dependencies = new ArrayList<>();
        int at = from;
        for (EvidenceGraph.Step step : steps) {
            session(dependencies, at, events.transaction(step.from()));
            dependencies.add(reason.apply(step));
            at = events.transaction(step.to());
        }
        session(dependencies, at, to);
        return dependencies;
    }

    /** Adds the session step between two transactions, unless they are the same. */
    static void session(List<Dependency> dependencies, int from, int to) {
        if (from != to) {
            dependencies.add(new Dependency(
                    from, to, EdgeKind.SO, Dependency.NO_KEY, 0, "observed: the session ran it earlier"));
        }
    }

    private Dependency of(EvidenceGraph.Step step) {
        Dependency known = explained.get(step.edge());
        if (known == null) {
            known = explain(step);
            explained.put(step.edge(), known);
        }
        return known;
    }

    private Dependency explain(EvidenceGraph.Step step) {
        int from = events.transaction(step.from());
        int to = events.transaction(step.to());
        Dependency assumed = branch.edge(step.from(), step.to());
        if (assumed != null) {
            return assumed;
        }
        if (graph.isRealTime(step)) {
            return new Dependency(
                    from, to, EdgeKind.RT, Dependency.NO_KEY, 0, "real time: it had ended when the other started");
        }
        // With two events per transaction the ends show the kind: only RW leaves a snapshot, and only RW enters a
        // commit, and at PC the order of two writers.
        boolean two = events.perTransaction() == 2;
        boolean fromSnapshot = two && step.from() == events.begin(from);
        Dependency shown =
                lists == null || fromSnapshot || step.to() == events.begin(to) ? null : lists.between(from, to);
        if (shown != null) {
            return shown;
        }
        int below = step.round();
        Dependency found = fromSnapshot ? null : readFrom(from, to, below);
        if (found == null && (fromSnapshot || !two)) {
            found = overwritten(from, to, below);
        }
        if (found == null && !fromSnapshot) {
            found = versionOrder(from, to, below);
        }
        if (found == null) {
            found = row(from, to, fromSnapshot ? EdgeKind.RW : EdgeKind.WW);
        }
        return found == null
                ? new Dependency(
                        from,
                        to,
                        fromSnapshot ? EdgeKind.RW : EdgeKind.WW,
                        Dependency.NO_KEY,
                        0,
                        new Reason(Basis.FORCED, "forced by other transactions"))
                : found;
    }

    /**
     * An edge that was forced by inserts and deletes of a row, with its key but without the alternatives that were
     * refuted.
     */
    private @Nullable Dependency row(int from, int to, EdgeKind kind) {
        for (int o = table.firstOperation(from); o < table.operationsEnd(from); o++) {
            int key = table.key(o);
            if (lookup.isRow(key) && lookup.writes(key, to)) {
                return new Dependency(
                        from,
                        to,
                        kind,
                        key,
                        table.value(o),
                        new Reason(Basis.FORCED, "forced by the inserts and deletes of the row"));
            }
        }
        return null;
    }

    /** An insert or a delete of a row that no order allows. */
    Violation ofImpossibleRow(int key, int transaction) {
        int o = table.firstOperation(transaction);
        while (!table.isWriteOf(o, key)) {
            o++;
        }
        boolean delete = table.isDelete(o);
        return new Violation(
                delete ? Anomaly.MISSING_ROW : Anomaly.DUPLICATE_INSERT,
                List.of(transaction),
                List.of(key),
                List.of(),
                table.name(transaction) + (delete ? " deleted" : " inserted") + " the row of key "
                        + table.keys().label(key)
                        + (delete
                                ? ", which existed before it in no order"
                                : ", which existed before it in every order"));
    }

    static Reason forced(String why, List<Alternative> because) {
        return new Reason(Basis.FORCED, why, because);
    }

    private @Nullable Dependency readFrom(int from, int to, int below) {
        Dependency appended = null;
        for (int o = table.firstOperation(to); o < table.operationsEnd(to); o++) {
            int key = table.key(o);
            if (!table.isWrite(o) && lookup.writerOf(key, to) == from) {
                if (!reads(to, key)) {
                    appended =
                            new Dependency(from, to, EdgeKind.WW, shown(key), valueRead(key, to), directlyBehind(key));
                    continue;
                }
                List<Alternative> others = reads.others(key, to, below);
                if (others != null) {
                    int candidates = lookup.candidates(key, to);
                    Reason reason = candidates == 1
                            ? new Reason(Basis.OBSERVED, "observed: the only writer of the value read")
                            : forced(
                                    "forced: " + candidates
                                            + " transactions wrote the value read, and every other one closes a cycle",
                                    others);
                    return new Dependency(from, to, EdgeKind.WR, key, valueRead(key, to), reason);
                }
            }
        }
        return appended;
    }

    /**
     * R2: {@code from} read a version that {@code to} overwrote. Keys are tried in this order: those of which both read
     * one version and both overwrote it (a lost update), others that both write, those that {@code from} only reads,
     * those that {@code from} appends to.
     */
    private @Nullable Dependency overwritten(int from, int to, int below) {
        IntSortedSet lost = new IntAVLTreeSet();
        IntSortedSet updated = new IntAVLTreeSet();
        IntSortedSet onlyRead = new IntAVLTreeSet();
        IntSortedSet appended = new IntAVLTreeSet();
        for (int o = table.firstOperation(from); o < table.operationsEnd(from); o++) {
            int key = table.key(o);
            if (!table.isWrite(o) && lookup.writes(key, to)) {
                boolean isUpdate = lookup.writes(key, from);
                (!reads(from, key)
                                ? appended
                                : !isUpdate ? onlyRead : lookup.readOneVersion(key, from, to) ? lost : updated)
                        .add(key);
            }
        }
        for (IntSortedSet keys : List.of(lost, updated, onlyRead, appended)) {
            for (int key : keys) {
                Dependency found = overwritten(from, to, key, below);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private @Nullable Dependency overwritten(int from, int to, int key, int below) {
        int writer = lookup.writerOf(key, from);
        if (writer == to || writer == WriterLookup.UNDECIDED) {
            return null;
        }
        List<Alternative> others = reads.others(key, from, below);
        if (others == null) {
            return null;
        }
        boolean isRead = reads(from, key);
        Reason reason;
        if (writer == WriterLookup.INITIAL_WRITER && !isRead) {
            reason = new Reason(
                    Basis.OBSERVED,
                    isList(key)
                            ? "observed: lists begin with its append"
                            : "observed: the database gave its write the first version");
        } else if (writer == WriterLookup.INITIAL_WRITER) {
            reason = others.isEmpty()
                    ? new Reason(Basis.OBSERVED, "observed: it read the initial value, before any write")
                    : forced("forced: it read the initial value, because no writer of that value is possible", others);
        } else {
            List<EvidenceGraph.Step> path = graph.path(events.commit(writer), events.overwrites(to), below);
            if (path == null) {
                return null;
            }
            List<Dependency> later = chain(writer, to, path);
            String behind = isRead
                    ? "forced: it read what " + table.name(writer) + " wrote, and "
                    : "forced: " + behind(key, "its", table.name(writer)) + ", and ";
            Dependency assumed = assumed(to, writer, key);
            reason = forced(
                    behind + table.name(to) + " wrote later (" + describe(later) + ")",
                    alternatives(assumed, assumed, later, others));
        }
        // An append comes before what follows the version that it was appended to.
        return new Dependency(
                from,
                to,
                isRead ? EdgeKind.RW : EdgeKind.WW,
                shown(key),
                isRead ? valueRead(key, from) : lastWritten(key, from),
                reason);
    }

    /** R1 and R0: both write a key and the other order contradicts a reader or a snapshot. */
    private @Nullable Dependency versionOrder(int from, int to, int below) {
        for (int o = table.firstOperation(from); o < table.operationsEnd(from); o++) {
            int key = table.key(o);
            if (!table.isWrite(o)
                    || !lookup.writes(key, from)
                    || !lookup.writes(key, to)
                    || (lookup.isRow(key) && events.perTransaction() == 2)) {
                continue;
            }
            Reason reason = readAlthough(from, to, key, below);
            if (reason == null && events.perTransaction() == 2 && !events.mayOverlap()) {
                List<EvidenceGraph.Step> path = graph.path(events.begin(from), events.commit(to), below);
                if (path != null) {
                    List<Dependency> overlap = chain(from, to, path);
                    Dependency assumed = assumed(to, from, key);
                    reason = forced(
                            "forced: both write the key, so they cannot overlap, and the first began before the"
                                    + " second committed (" + describe(overlap) + ")",
                            alternatives(assumed, assumed, overlap, List.of()));
                }
            }
            if (reason != null) {
                return new Dependency(from, to, EdgeKind.WW, shown(key), lastWritten(key, from), reason);
            }
        }
        return null;
    }

    /** R1: a transaction read what {@code to} wrote although it follows {@code from}. */
    private @Nullable Reason readAlthough(int from, int to, int key, int below) {
        for (int reader : lookup.readersOf(key, to)) {
            List<EvidenceGraph.Step> path =
                    reader == from ? null : graph.path(events.commit(from), events.begin(reader), below);
            List<Alternative> others = path == null ? null : reads.others(key, reader, below);
            if (path != null && others != null) {
                List<Dependency> earlier = chain(from, reader, path);
                boolean isRead = reads(reader, key);
                String alternative = "if " + table.name(from) + " came after " + table.name(to);
                Dependency follows = isRead
                        ? new Dependency(
                                reader,
                                from,
                                EdgeKind.RW,
                                key,
                                valueRead(key, reader),
                                new Reason(
                                        Basis.ASSUMED,
                                        alternative + ", it overwrote what " + table.name(reader) + " read"))
                        : new Dependency(
                                reader,
                                from,
                                EdgeKind.WW,
                                shown(key),
                                lastWritten(key, reader),
                                new Reason(
                                        Basis.ASSUMED, alternative + ", it came after " + table.name(reader) + " too"));
                String why = isRead
                        ? "forced: " + table.name(reader) + " read what " + table.name(to) + " wrote"
                        : "forced: " + behind(key, table.name(reader), table.name(to));
                return forced(
                        why + " although it follows " + table.name(from) + " (" + describe(earlier) + ")",
                        alternatives(assumed(to, from, key), follows, earlier, others));
            }
        }
        return null;
    }

    /** The other version order of a key. */
    Dependency assumed(int from, int to, int key) {
        return new Dependency(
                from,
                to,
                EdgeKind.WW,
                shown(key),
                lastWritten(key, from),
                new Reason(Basis.ASSUMED, "if " + table.name(from) + " wrote before " + table.name(to)));
    }

    /**
     * The alternative whose consequence closes a cycle with a path, and the alternatives of the reads that were
     * decided for it.
     */
    List<Alternative> alternatives(
            Dependency assumed, Dependency consequence, List<Dependency> path, List<Alternative> others) {
        if (explained.size() > MOST_EXPLAINED) {
            return List.of();
        }
        List<Alternative> all = new ArrayList<>();
        all.add(new Alternative(before(assumed), assumed, closed(consequence, path)));
        all.addAll(others);
        return all;
    }

    static List<Dependency> closed(Dependency consequence, List<Dependency> path) {
        List<Dependency> cycle = new ArrayList<>();
        cycle.add(consequence);
        cycle.addAll(path);
        return cycle;
    }

    private String before(Dependency assumed) {
        return table.name(assumed.from()) + " before " + table.name(assumed.to());
    }

    /**
     * Whether the transaction itself reads the key. Otherwise its read is implied: it expresses the place of its
     * append.
     */
    private boolean reads(int transaction, int key) {
        return table.readsItself(transaction, key) || !lookup.writes(key, transaction);
    }

    /** The key of the history that a key is about: another one if it stands for the order of the versions of that. */
    private int shown(int key) {
        return table.recordedKey(key);
    }

    private boolean isList(int key) {
        return !table.hasGivenVersions(shown(key));
    }

    private String directlyBehind(int key) {
        return isList(key)
                ? "observed: lists show its append directly behind"
                : "observed: the database gave its write the next version";
    }

    /** @param second {@code its}, or the name of a transaction */
    private String behind(int key, String second, String first) {
        boolean isIts = second.equals("its");
        if (isList(key)) {
            return "lists show " + (isIts ? "its append" : "the append of " + second) + " directly behind that of "
                    + first;
        }
        return "the database gave " + (isIts ? "its write" : "the write of " + second) + " the version behind that of "
                + first;
    }

    /** The value that a transaction reads first from a key. */
    private long valueRead(int key, int transaction) {
        return table.value(table.firstRead(transaction, key));
    }

    private long lastWritten(int key, int transaction) {
        return table.value(table.lastWrite(transaction, key));
    }

    /** A path in short form: {@code s0#1 -WR x-> s1#4 -SO-> s1#5}. */
    String describe(List<Dependency> path) {
        StringBuilder text = new StringBuilder();
        for (Dependency d : path) {
            if (text.length() == 0) {
                text.append(table.name(d.from()));
            }
            text.append(" -").append(d.kind());
            if (d.key() != Dependency.NO_KEY) {
                text.append(' ').append(table.keys().label(d.key()));
            }
            text.append("-> ").append(table.name(d.to()));
        }
        return text.toString();
    }
}
