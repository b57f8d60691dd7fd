package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.WindowProblem;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/** Neighbouring cells in memory while windows in them are repaired. The work for a window is proportional to the window. */
final class CellRun {
    private static final long BYTES_PER_TRANSACTION = 300;
    private static final long BYTES_PER_OPERATION = 80;
    /** How many bytes of memory a byte of a block takes. */
    private static final long BYTES_PER_BYTE = 6;

    private final Cells cells;
    private final Cell all = new Cell();
    private final VisibleOperations visible;
    private final long initial;
    private final Terms terms;
    /** The events of a transaction: 1, or 2 for its snapshot and its commit. At RC, RA and CC the problem has the two events as two transactions of a session. */
    private final int events;

    /** The events in their present order. */
    private final int[] order;
    /** By key: its number in the window that is repaired plus 1; 0 if it has none. */
    private final int[] numberOfKey;

    CellRun(Cells cells, byte[] initial, Terms terms) throws IOException {
        this.cells = cells;
        this.terms = terms;
        this.events = terms.guarantee().events();
        for (int c = cells.from(); c < cells.to(); c++) {
            cells.read(c, all);
        }
        this.initial = new BlockReader(initial).value(all.values());
        this.visible = new VisibleOperations(all);
        this.order = new int[all.size()];
        Arrays.setAll(order, t -> t);
        this.numberOfKey = new int[all.keys().size()];
    }

    /** Estimates the memory for some cells without reading them. */
    static long bytes(Cells cells) throws IOException {
        return BYTES_PER_BYTE * cells.bytes();
    }

    /** Writes the cells with the events in the present order. */
    void write(Section.Output out) {
        int next = 0;
        for (int c = cells.from(); c < cells.to(); c++) {
            EventWriter cell = new EventWriter(out.block(c));
            for (long end = cells.first(c + 1) - cells.first(cells.from()); next < end; next++) {
                all.write(order[next], cell);
            }
        }
    }

    /** A window. */
    final class Window {
        private final int from;
        /** Its events in their present order. */
        private final int[] present;
        /**
         * By session and index, the transactions that count, or may count, with all their events in the window: the indexes of their
         * first and of their last event in {@link #present}.
         */
        private final IntArrayList firsts = new IntArrayList();

        private final IntArrayList lasts = new IntArrayList();
        /** By index in {@link #present}: whether it is an event of a transaction that counts and has its other event elsewhere. */
        private final boolean[] isLone;
        /** By index in {@link #present}: whether it is in the problem. */
        private final boolean[] isMoving;

        private final BorderValues borders = new BorderValues(all);
        /** The number of its keys. */
        private int keys;

        private @Nullable LoneEvents lone;

        Window(WindowStore.Range range) {
            long first = cells.first(cells.from());
            from = (int) (range.from() - first);
            present = Arrays.copyOfRange(order, from, (int) (range.to() - first));
            isLone = new boolean[present.length];
            isMoving = new boolean[present.length];
            IntArrayList some = new IntArrayList(present.length);
            for (int i = 0; i < present.length; i++) {
                if (all.isCounted(present[i]) || all.isOptional(present[i])) {
                    some.add(i);
                }
            }
            int[] sorted = some.toIntArray();
            IntArrays.mergeSort(sorted, (i, j) -> all.compareTransactions(present[i], present[j]));
            for (int i = 0; i < sorted.length; i++) {
                int event = present[sorted[i]];
                boolean isWhole = events == 1 || (!all.isSnapshot(event) && !all.isCommit(event));
                boolean isPair =
                        !isWhole && i + 1 < sorted.length && all.isSameTransaction(event, present[sorted[i + 1]]);
                if (isWhole || isPair) {
                    firsts.add(sorted[i]);
                    isMoving[sorted[i]] = true;
                    i += isPair ? 1 : 0;
                    lasts.add(sorted[i]);
                    isMoving[sorted[i]] = true;
                } else if (all.isCounted(event)) {
                    isLone[sorted[i]] = true;
                    isMoving[sorted[i]] = true;
                }
            }
        }

        /** Takes the values at the borders that {@link BorderTask} found in a slice. */
        void border(byte[] block) {
            borders.add(block);
        }

        int members() {
            return firsts.size();
        }

        /** The first event of a member. */
        private int member(int m) {
            return present[firsts.getInt(m)];
        }

        /** Estimates the memory for the solution of the window. */
        long bytes() {
            long operations = 0;
            for (int event : present) {
                operations += all.operationsEnd(event) - all.firstOperation(event);
            }
            return BYTES_PER_TRANSACTION * members() + BYTES_PER_OPERATION * operations;
        }

        /** Brings the members into an order in which their reads return the last write. @return whether there is one */
        boolean repair(WindowTask.Extent extent, Budget budget) {
            boolean isWhole = extent == WindowTask.Extent.WHOLE;
            boolean mayExplain = extent == WindowTask.Extent.AROUND && borders.hasViolated();
            WindowProblem.Answer answer =
                    extent == WindowTask.Extent.CELLS && borders.hasViolated() ? near(budget) : null;
            if (answer == null) {
                answer = problem(isWhole, mayExplain).solve(budget);
            }
            if (!answer.holds() && mayExplain) {
                answer = problem(isWhole, false).solve(budget);
            }
            if (!answer.holds()) {
                return false;
            }
            int next = 0;
            for (int event : answer.order()) {
                int index = index(event);
                if (index >= 0) {
                    // Events that are not in the problem keep their places.
                    while (!isMoving[next]) {
                        next++;
                    }
                    order[from + next++] = present[index];
                }
            }
            for (int m = 0; m < members(); m++) {
                if (all.isOptional(member(m))) {
                    all.count(member(m), answer.counted()[m]);
                    all.count(present[lasts.getInt(m)], answer.counted()[m]);
                }
            }
            return true;
        }

        /**
         * Decides by an order near the present one; null if that does not suffice. Violated reads behind the right border need not
         * be explained. But often they show the last writes of the window, so an order that explains them is tried
         * before the rules.
         */
        private WindowProblem.@Nullable Answer near(Budget budget) {
            WindowProblem.Answer answer = problem(false, false).near(budget);
            if (answer == null) {
                answer = problem(false, true).near(budget);
                // There may still be an order that does not explain these reads.
                answer = answer == null || answer.holds() ? answer : null;
            }
            return answer;
        }

        /** The index of an event of the problem; negative if it stands for none of the window. */
        private int index(int event) {
            int t = event / events;
            if (t < members()) {
                return event % events == 0 ? firsts.getInt(t) : lasts.getInt(t);
            }
            int number = t - members();
            if (lone == null || number >= lone.size()) {
                return -1;
            }
            int index = lone.index(number);
            return all.isCommit(present[index]) == (event % events == 1) ? index : -1;
        }

        private int number(int operation) {
            return numberOfKey[all.key(operation)] - 1;
        }

        /**
         * The problem.
         *
         * @param isWhole whether all reads count; else those that no write in the window can explain do not
         * @param withViolated whether it has to explain violated reads behind the right border
         */
        private WindowProblem problem(boolean isWhole, boolean withViolated) {
            numberKeys();
            int[] byKey = borders.byKey();
            long[] left = left(byKey);
            LoneEvents outer = new LoneEvents(all, visible, present, isLone, this::number, left);
            lone = outer;
            UnexplainedReads unexplained =
                    isWhole ? null : new UnexplainedReads(all, visible, present, isMoving, this::number, left);
            int transactions = members() + outer.size() + 1;
            int[] starts = new int[transactions + 1];
            IntArrayList operations = new IntArrayList();
            LongArrayList codes = new LongArrayList();
            IntArrayList sessionStarts = new IntArrayList();
            boolean[] optional = new boolean[members()];
            for (int m = 0; m < members(); m++) {
                optional[m] = all.isOptional(member(m));
                if (m == 0 || !isInSessionAfter(m)) {
                    sessionStarts.add(m);
                }
                addOperations(present[firsts.getInt(m)], unexplained, operations, codes);
                if (events == 2) {
                    addOperations(present[lasts.getInt(m)], unexplained, operations, codes);
                }
                starts[m + 1] = operations.size();
            }
            sessionStarts.add(members());
            for (int number = 0; number < outer.size(); number++) {
                outer.addOperations(number, operations, codes);
                starts[members() + number + 1] = operations.size();
            }
            for (int i : byKey) {
                int kind = borders.kind(i);
                if (kind == BorderTask.RIGHT || (withViolated && kind == BorderTask.VIOLATED)) {
                    operations.add(Operations.pack(numberOfKey[borders.key(i)] - 1, false));
                    codes.add(borders.code(i));
                }
            }
            starts[transactions] = operations.size();
            forgetKeys();
            int before = 0;
            for (int number = 0; number < outer.size(); number++) {
                before += isAtLeft(outer, number) ? 1 : 0;
            }
            return new WindowProblem(
                    events,
                    sessionStarts.toIntArray(),
                    optional,
                    times(),
                    new Operations(starts, operations.toIntArray(), codes.toLongArray(), null),
                    left,
                    presentOrder(outer),
                    before,
                    edges(outer, sessionStarts));
        }

        /** Whether a member follows the one before it in its session. At LIN that counts only where real time implies it. */
        private boolean isInSessionAfter(int m) {
            return all.session(member(m - 1)) == all.session(member(m))
                    && (terms.guarantee() != Guarantee.LIN || terms.precedes(end(member(m - 1)), all.start(member(m))));
        }

        private WindowProblem.@Nullable Times times() {
            if (!terms.guarantee().realTime()) {
                return null;
            }
            long[] starts = new long[members()];
            long[] ends = new long[members()];
            for (int m = 0; m < members(); m++) {
                starts[m] = all.start(member(m));
                ends[m] = end(member(m));
            }
            return new WindowProblem.Times(starts, ends, terms.clockSkewNanos());
        }

        /** The end of a transaction if others have to come after it. A transaction of unknown outcome has no such end. */
        private long end(int event) {
            return all.status(event) == TransactionStatus.COMMITTED ? all.end(event) : HistoryTable.NO_TIME;
        }

        private void addOperations(
                int event, @Nullable UnexplainedReads unexplained, IntArrayList operations, LongArrayList codes) {
            for (int o = all.firstOperation(event); o < all.operationsEnd(event); o++) {
                if (visible.isVisible(o) && (all.isWrite(o) || unexplained == null || !unexplained.has(o, event))) {
                    operations.add(Operations.pack(number(o), all.isWrite(o)));
                    codes.add(all.code(o));
                }
            }
        }

        /** Whether a lone event is a commit with its snapshot at the left border. */
        private boolean isAtLeft(LoneEvents outer, int number) {
            return all.isCommit(present[outer.index(number)]) && !outer.isSplit(number);
        }

        /** The events of the problem in the order of their places. */
        private int[] presentOrder(LoneEvents outer) {
            int[] atIndex = new int[present.length];
            Arrays.fill(atIndex, -1);
            for (int m = 0; m < members(); m++) {
                atIndex[lasts.getInt(m)] = m * events + events - 1;
                atIndex[firsts.getInt(m)] = m * events;
            }
            IntArrayList order = new IntArrayList();
            for (int number = 0; number < outer.size(); number++) {
                int snapshot = 2 * (members() + number);
                boolean isCommit = all.isCommit(present[outer.index(number)]);
                atIndex[outer.index(number)] = isCommit ? snapshot + 1 : snapshot;
                if (isAtLeft(outer, number)) {
                    order.add(snapshot);
                }
            }
            for (int event : atIndex) {
                if (event >= 0) {
                    int number = event / events - members();
                    if (number >= 0 && outer.isSplit(number)) {
                        order.add(event - 1);
                    }
                    order.add(event);
                }
            }
            for (int i = 0; i < events; i++) {
                order.add((members() + outer.size()) * events + i);
            }
            for (int number = 0; number < outer.size(); number++) {
                if (all.isSnapshot(present[outer.index(number)])) {
                    order.add(2 * (members() + number) + 1);
                }
            }
            return order.toIntArray();
        }

        /** The order of sessions and real time between members and lone events, as pairs of events. */
        private int[] edges(LoneEvents outer, IntArrayList sessionStarts) {
            Int2IntOpenHashMap numbers = new Int2IntOpenHashMap();
            numbers.defaultReturnValue(-1);
            for (int s = 0; outer.size() > 0 && s + 1 < sessionStarts.size(); s++) {
                numbers.put(all.session(member(sessionStarts.getInt(s))), s);
            }
            IntArrayList edges = new IntArrayList();
            for (int number = 0; number < outer.size(); number++) {
                int event = present[outer.index(number)];
                int s = numbers.get(all.session(event));
                int snapshot = 2 * (members() + number);
                if (s >= 0 && all.isCommit(event)) {
                    edges.add(snapshot + 1);
                    edges.add(2 * sessionStarts.getInt(s));
                } else if (s >= 0) {
                    edges.add(2 * sessionStarts.getInt(s + 1) - 1);
                    edges.add(snapshot);
                }
            }
            if (terms.guarantee().realTime()) {
                addRealTime(outer, edges);
            }
            return edges.toIntArray();
        }

        /**
         * Adds edges of real time: from the last lone commit that precedes a member to the member, and from the member
         * to the first lone snapshot that it precedes.
         */
        private void addRealTime(LoneEvents outer, IntArrayList edges) {
            long[] starts = new long[outer.size()];
            long[] ends = new long[outer.size()];
            for (int number = 0; number < outer.size(); number++) {
                int event = present[outer.index(number)];
                starts[number] = all.isCommit(event) ? HistoryTable.NO_TIME : all.start(event);
                ends[number] = all.isCommit(event) ? end(event) : HistoryTable.NO_TIME;
            }
            RealTimeBounds bounds = new RealTimeBounds(starts, ends, terms);
            for (int m = 0; m < members(); m++) {
                int before = bounds.lastBefore(all.start(member(m)));
                int behind = bounds.firstBehind(end(member(m)));
                if (before >= 0) {
                    edges.add(2 * (members() + before) + 1);
                    edges.add(2 * m);
                }
                if (behind < outer.size()) {
                    edges.add(2 * m + 1);
                    edges.add(2 * (members() + behind));
                }
            }
        }

        /** By number of a key: the value at the left border. */
        private long[] left(int[] byKey) {
            long[] left = new long[keys];
            Arrays.fill(left, initial);
            for (int i : byKey) {
                if (borders.kind(i) == BorderTask.LEFT) {
                    left[numberOfKey[borders.key(i)] - 1] = borders.code(i);
                }
            }
            return left;
        }

        /** Numbers the keys of the transactions, and so those at the borders. */
        private void numberKeys() {
            keys = 0;
            for (int t : present) {
                for (int o = all.firstOperation(t); o < all.operationsEnd(t); o++) {
                    if (numberOfKey[all.key(o)] == 0) {
                        numberOfKey[all.key(o)] = ++keys;
                    }
                }
            }
        }

        private void forgetKeys() {
            for (int t : present) {
                for (int o = all.firstOperation(t); o < all.operationsEnd(t); o++) {
                    numberOfKey[all.key(o)] = 0;
                }
            }
        }
    }
}
