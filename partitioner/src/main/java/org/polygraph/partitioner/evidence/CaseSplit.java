package org.polygraph.partitioner.evidence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.RowKeys;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * Refutes a small history that the rules do not decide, by cases: which indeterminate transactions committed, from
 * which writer a read read, which of two writers of a key came first. Every case ends in a cycle. The next split is the
 * one of which the rules refute the most alternatives at once.
 */
final class CaseSplit {
    /** Work of the rules, in runs on a few transactions, some 50 microseconds each. */
    private static final int MOST_WORK = 5_000;

    private static final int FEW_TRANSACTIONS = 32;

    private static final int MOST_DEPTH = 6;
    private static final int MOST_CANDIDATES = 8;

    private final Explanation rules;
    private final IndexedHistory history;
    private final HistoryTable table;
    private final Events events;
    private final int workOfRun;
    private int work;

    CaseSplit(Explanation rules, IndexedHistory history, IsolationLevel level) {
        this.rules = rules;
        this.history = history;
        this.table = history.table();
        this.events = Events.of(level, history.table().sessionStarts(), history.sessionOf());
        this.workOfRun = 1 + history.table().transactions() / FEW_TRANSACTIONS;
    }

    /**
     * A case and its assumptions. An index is large, so it is made when the case is tried, and not kept.
     *
     * @param history makes an index of its own, in which the case is decided
     */
    private record Case(
            String statement, @Nullable Dependency assumed, Supplier<IndexedHistory> history, Branch branch) {
        /** This case, which fails by a cycle, or by further cases. */
        Alternative failing(List<Dependency> cycle, List<Alternative> cases) {
            return new Alternative(statement, assumed, cycle, cases);
        }
    }

    /** @return without cases if it needs too many of them */
    Violation explain() {
        List<Alternative> cases = split(history, new Branch(), 0);
        String detail = cases == null
                ? "no order of " + table.transactions() + " transactions explains them"
                        + (table.hasRows() ? "" : "; the cases are too many to show")
                : "one of " + cases.size() + " alternatives would have to hold, and each of them closes a cycle";
        return new Violation(
                Anomaly.NO_VALID_ORDER,
                Anomaly.NO_VALID_ORDER.aliases(),
                all(table.transactions()),
                all(table.keys().size()),
                List.of(),
                cases == null ? List.of() : cases,
                detail,
                null);
    }

    private static List<Integer> all(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private @Nullable List<Alternative> split(IndexedHistory of, Branch branch, int depth) {
        Split split = new Split();
        return depth <= MOST_DEPTH && choices(of, branch, split) ? refuteAll(split, depth) : null;
    }

    /** Tries choices and keeps the one with the fewest open cases. */
    private final class Split {
        private List<Case> best = List.of();
        /** What refutes them; null for the open ones. */
        private List<@Nullable Violation> refuted = List.of();

        private int bestOpen = Integer.MAX_VALUE;

        /** Whether no further choice has to be tried. */
        boolean isClosed() {
            return bestOpen == 0;
        }

        /** @return false if the work or the time is used up */
        boolean tries(List<Case> cases) {
            List<@Nullable Violation> found = new ArrayList<>();
            for (Case c : cases) {
                if (!takes(workOfRun)) {
                    return false;
                }
                found.add(rules.refute(c.history.get(), c.branch));
            }
            int open = Collections.frequency(found, null);
            if (open < bestOpen) {
                best = cases;
                refuted = found;
                bestOpen = open;
            }
            return true;
        }
    }

    /** @return false if there is no work or no time left for it */
    private boolean takes(int more) {
        work += more;
        return work <= MOST_WORK && !rules.stop().getAsBoolean();
    }

    /** @return null if a case is left open, or there is none */
    private @Nullable List<Alternative> refuteAll(Split split, int depth) {
        List<Alternative> alternatives = new ArrayList<>();
        for (int i = 0; i < split.best.size(); i++) {
            Case c = split.best.get(i);
            Violation refuted = split.refuted.get(i);
            if (refuted == null) {
                List<Alternative> further = split(c.history.get(), c.branch, depth + 1);
                if (further == null) {
                    return null;
                }
                alternatives.add(c.failing(List.of(), further));
            } else if (refuted.cycle().isEmpty()) {
                // Without a cycle some read has no writer left, which only a sentence can express.
                alternatives.add(new Alternative(
                        c.statement + ": then " + refuted.detail(), c.assumed, List.of(), refuted.cases()));
            } else {
                alternatives.add(c.failing(refuted.cycle(), refuted.cases()));
            }
        }
        return alternatives.isEmpty() ? null : alternatives;
    }

    /**
     * Tries the choices one after the other. They are made one by one, because a large history has millions of them
     * and the work suffices for a few.
     *
     * @return false if the work or the time ended
     */
    private boolean choices(IndexedHistory of, Branch branch, Split split) {
        return outcomes(of, branch, split) && sources(of, branch, split) && orders(of, branch, split);
    }

    private boolean outcomes(IndexedHistory of, Branch branch, Split split) {
        for (int t = 0; t < table.transactions() && !split.isClosed(); t++) {
            if (of.commitStatus().of(t) == CommitStatus.OPTIONAL) {
                int open = t;
                List<Case> cases = List.of(
                        new Case(table.name(t) + " committed", null, () -> of.deciding(open, true), branch),
                        new Case(table.name(t) + " did not commit", null, () -> of.deciding(open, false), branch));
                if (!split.tries(cases)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean sources(IndexedHistory of, Branch branch, Split split) {
        VersionIndex index = of.versions();
        for (int key = 0; key < table.keys().size() && !split.isClosed(); key++) {
            int open = index.ambiguousSlot(key);
            for (int r = index.slotStarts()[open]; r < index.slotStarts()[open + 1] && !split.isClosed(); r++) {
                List<Case> candidates = candidates(of, branch, key, r);
                if (candidates.isEmpty() ? rules.stop().getAsBoolean() : !split.tries(candidates)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean orders(IndexedHistory of, Branch branch, Split split) {
        VersionIndex index = of.versions();
        RowKeys rows = index.rows();
        for (int key = 0; key < table.keys().size() && !split.isClosed(); key++) {
            if (rows != null && rows.isRow(key) && events.perTransaction() == 2) {
                // Its writers may overlap.
                continue;
            }
            for (int a = index.writerStarts()[key]; a < index.writerStarts()[key + 1]; a++) {
                if (rules.stop().getAsBoolean()) {
                    return false;
                }
                for (int b = a + 1; b < index.writerStarts()[key + 1] && !split.isClosed(); b++) {
                    int first = index.writerTransactions()[a];
                    int second = index.writerTransactions()[b];
                    if (of.commitStatus().isCounted(first)
                            && of.commitStatus().isCounted(second)
                            && of.sessionOf()[first] != of.sessionOf()[second]
                            && !isOrdered(branch, first, second)
                            && !split.tries(List.of(
                                    ordered(of, branch, key, first, second),
                                    ordered(of, branch, key, second, first)))) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /** Whether an enclosing case assumes the same. To assume it again would not help. */
    private boolean isOrdered(Branch branch, int first, int second) {
        return branch.edge(events.commit(first), events.overwrites(second)) != null
                || branch.edge(events.commit(second), events.overwrites(first)) != null;
    }

    /** The case that the first writer of a key came before the second one. */
    private Case ordered(IndexedHistory of, Branch branch, int key, int first, int second) {
        Dependency assumed = new Dependency(
                first,
                second,
                EdgeKind.WW,
                key,
                table.value(table.lastWrite(first, key)),
                new Reason(Basis.ASSUMED, "if " + table.name(first) + " wrote before " + table.name(second)));
        Branch assuming = new Branch(branch);
        assuming.edges().put(Branch.pair(events.commit(first), events.overwrites(second)), assumed);
        return new Case(table.name(first) + " before " + table.name(second), assumed, of::copy, assuming);
    }

    /**
     * The cases of what a read returned: the initial value if that is possible, or the value of one of its
     * candidates. There are none before it is decided whether the candidates and the reader committed, or if they are
     * too many.
     */
    private List<Case> candidates(IndexedHistory of, Branch branch, int key, int r) {
        VersionIndex index = of.versions();
        int reader = index.readerTransactions()[r];
        int valueClass = index.readerClasses()[r];
        int first = index.slotStarts()[index.ambiguousSlot(key)];
        int count = index.slotStarts()[index.ambiguousSlot(key) + 1] - first;
        List<Case> cases = new ArrayList<>();
        if (!of.commitStatus().isCounted(reader)) {
            return cases;
        }
        if (valueClass == VersionIndex.INITIAL) {
            cases.add(reads(of, branch, key, reader, Dependency.INITIAL, slots(count, r - first, 0)));
        }
        for (int w = index.firstInClass(key, valueClass); w >= 0; w = index.nextInClass(w)) {
            int t = index.writerTransactions()[w];
            if (t != reader && of.commitStatus().of(t) == CommitStatus.OPTIONAL) {
                return List.of();
            }
            if (t != reader && of.commitStatus().isCounted(t)) {
                if (cases.size() == MOST_CANDIDATES) {
                    return List.of();
                }
                int[] slots = slots(count, r - first, 1 + w - index.writerStarts()[key]);
                cases.add(reads(of, branch, key, reader, t, slots));
            }
        }
        return cases;
    }

    /** The sources of the open reads of a key, of which one is decided. */
    private static int[] slots(int count, int read, int source) {
        int[] slots = new int[count];
        Arrays.fill(slots, -1);
        slots[read] = source;
        return slots;
    }

    private Case reads(IndexedHistory of, Branch branch, int key, int reader, int writer, int[] slots) {
        Supplier<IndexedHistory> decided = () -> {
            IndexedHistory own = of.copy();
            own.versions().resolve(key, slots);
            return own;
        };
        String source = writer == Dependency.INITIAL ? "the initial state" : table.name(writer);
        Dependency assumed = new Dependency(
                writer,
                reader,
                EdgeKind.WR,
                key,
                table.value(table.firstRead(reader, key)),
                new Reason(Basis.ASSUMED, "if " + table.name(reader) + " read the value of " + source));
        Branch assuming = new Branch(branch);
        assuming.reads().add(Branch.pair(key, reader));
        if (writer != Dependency.INITIAL) {
            assuming.edges().put(Branch.pair(events.commit(writer), events.begin(reader)), assumed);
        }
        return new Case(table.name(reader) + " reads from " + source, assumed, decided, assuming);
    }
}
