package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;

/**
 * The events of a store in their order, and the definition of R(M) of a window in it, by which all orders of the events
 * that may move are tried. For tiny histories.
 */
final class EventOrder {
    private static final long NEVER = -1;

    /** A transaction. */
    record Name(int session, long index) {}

    /**
     * An operation.
     *
     * @param event the label of its event
     */
    record Operation(Name name, String event, int number, boolean isWrite) {}

    final Cell all = new Cell();
    private final WindowStore store;
    private final Terms terms;
    private final long initial;
    private final boolean[] counted;
    private final Name[] names;

    EventOrder(WindowStore store) throws IOException {
        this.store = store;
        this.terms = store.terms();
        Cells cells = store.cells(0, store.cellCount());
        for (int c = 0; c < cells.count(); c++) {
            cells.read(c, all);
        }
        initial = new BlockReader(store.layout().initialValue()).value(all.values());
        counted = new boolean[all.size()];
        names = new Name[all.size()];
        for (int e = 0; e < all.size(); e++) {
            counted[e] = all.isCounted(e);
            names[e] = new Name(all.session(e), all.index(e));
        }
    }

    int size() {
        return names.length;
    }

    Name name(int event) {
        return names[event];
    }

    /** The identity of an event. */
    String label(int event) {
        return "s" + names[event].session + "#" + names[event].index
                + (all.isCommit(event) ? " commit" : all.isSnapshot(event) ? " snapshot" : "");
    }

    /** The violated operations of the present order. */
    Set<Operation> violated() {
        State state = new State();
        Set<Operation> violated = new HashSet<>();
        for (int e = 0; e < size(); e++) {
            if (counted[e]) {
                violated.addAll(state.run(e));
            }
        }
        return violated;
    }

    /** Whether an event has to come before another one. */
    boolean precedes(int a, int b) {
        if (names[a].equals(names[b])) {
            return all.isSnapshot(a) && all.isCommit(b);
        }
        if (terms.guarantee() != Guarantee.LIN && all.session(a) == all.session(b)) {
            return all.index(a) < all.index(b);
        }
        return terms.guarantee().realTime()
                && all.status(b) != TransactionStatus.ABORTED
                && terms.precedes(
                        all.status(a) == TransactionStatus.COMMITTED ? all.end(a) : HistoryTable.NO_TIME, all.start(b));
    }

    /** How many transactions and how many operations U(M) of a set has by its definition. */
    List<Integer> sizeOf(PlaceSet set) {
        BitSet places = new BitSet();
        for (int r = 0; r < set.ranges(); r++) {
            places.set((int) set.from()[r], (int) set.to()[r]);
        }
        BitSet members = new BitSet();
        for (int e = 0; e < size(); e++) {
            Name name = names[e];
            boolean isIn =
                    IntStream.range(0, size()).allMatch(other -> !names[other].equals(name) || places.get(other));
            members.set(e, isIn && (counted[e] || all.isOptional(e)));
        }
        Set<Name> transactions = new HashSet<>();
        int operations = 0;
        for (int e = members.nextSetBit(0); e >= 0; e = members.nextSetBit(e + 1)) {
            transactions.add(names[e]);
            Set<Integer> seen = new HashSet<>();
            Set<Integer> written = new HashSet<>();
            for (int o = all.firstOperation(e); o < all.operationsEnd(e); o++) {
                if (all.isWrite(o)) {
                    written.add(all.key(o));
                } else if (all.kind(o) == Cell.READ && !seen.contains(all.key(o)) && !isWrittenOutside(members, o)) {
                    operations++;
                }
                seen.add(all.key(o));
            }
            operations += written.size();
        }
        return List.of(transactions.size(), operations);
    }

    /** Whether a transaction that may count and is no member writes the value of a read, at last or before. */
    private boolean isWrittenOutside(BitSet members, int read) {
        boolean ignoresUnknown = terms.indeterminate() == IndeterminateMode.ABORT;
        for (int e = members.nextClearBit(0); e < size(); e = members.nextClearBit(e + 1)) {
            boolean mayCount = all.status(e) == TransactionStatus.COMMITTED
                    || (all.status(e) == TransactionStatus.INDETERMINATE && !ignoresUnknown);
            for (int o = all.firstOperation(e); mayCount && o < all.operationsEnd(e); o++) {
                if (all.isWrite(o) && all.key(o) == all.key(read) && all.code(o) == all.code(read)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Puts all events in a random order that keeps every pair of {@link #precedes}, if there is such an order. */
    void shuffle(SplitMix random) throws IOException {
        List<Integer> order = new ArrayList<>();
        BitSet left = new BitSet();
        left.set(0, size());
        while (!left.isEmpty()) {
            int[] next = left.stream()
                    .filter(e -> left.stream().noneMatch(other -> precedes(other, e)))
                    .toArray();
            if (next.length == 0) {
                return;
            }
            int chosen = next[random.nextInt(next.length)];
            left.clear(chosen);
            order.add(chosen);
        }
        Section.Output out = new Section.Output(0, store.cellCount());
        for (int c = 0; c < store.cellCount(); c++) {
            EventWriter cell = new EventWriter(out.block(c));
            for (long place = store.firsts()[c]; place < store.firsts()[c + 1]; place++) {
                all.write(order.get((int) place), cell);
            }
        }
        Section section = out.write(store.next("cells"), 0);
        for (int c = 0; c < store.cellCount(); c++) {
            store.replace(c, section);
        }
        store.deal();
    }

    /** The values of keys, the places of their last writes, and the places of snapshots, while events run. */
    private final class State {
        private final Map<Integer, Long> values = new HashMap<>();
        private final Map<Integer, Integer> lastWrites = new HashMap<>();
        private final Map<Name, Integer> snapshots = new HashMap<>();
        private int place;

        State() {}

        State(State other) {
            values.putAll(other.values);
            lastWrites.putAll(other.lastWrites);
            snapshots.putAll(other.snapshots);
            place = other.place;
        }

        long value(int key) {
            return values.getOrDefault(key, initial);
        }

        /** Runs an event that counts; returns its violated operations. */
        List<Operation> run(int event) {
            List<Operation> violated = new ArrayList<>();
            Set<Integer> touched = new HashSet<>();
            place++;
            if (all.isSnapshot(event)) {
                snapshots.put(names[event], place);
            }
            for (int o = all.firstOperation(event); o < all.operationsEnd(event); o++) {
                int key = all.key(o);
                if (all.kind(o) == Cell.INTENT) {
                    continue;
                }
                boolean isFirst = touched.add(key);
                boolean isViolated = all.isWrite(o)
                        ? all.kind(o) == Cell.INTENDED
                                && lastWrites.getOrDefault(key, 0) > snapshots.getOrDefault(names[event], 0)
                        : value(key) != all.code(o);
                if (isFirst && isViolated) {
                    violated.add(operation(event, o));
                }
                if (all.isWrite(o)) {
                    values.put(key, all.code(o));
                    lastWrites.put(key, place);
                }
            }
            return violated;
        }
    }

    private Operation operation(int event, int o) {
        return new Operation(names[event], label(event), o - all.firstOperation(event), all.isWrite(o));
    }

    /** A window and its members. */
    final class Window {
        private final int from;
        private final int to;
        private final BitSet members = new BitSet();
        private final BitSet lone = new BitSet();
        private final Set<Operation> before = violated();
        private final State left = new State();
        /** Reads of members that nothing in the window explains. */
        private final Set<Operation> unexplained = new HashSet<>();

        Window(WindowStore.Range range) {
            from = (int) range.from();
            to = (int) range.to();
            boolean isOne = terms.guarantee().events() == 1;
            Map<Name, Integer> events = new HashMap<>();
            for (int e = from; e < to; e++) {
                events.merge(names[e], 1, Integer::sum);
            }
            for (int e = from; e < to; e++) {
                if (!counted[e] && !all.isOptional(e)) {
                    continue;
                }
                if (isOne || events.get(names[e]) == 2) {
                    members.set(e);
                } else if (counted[e]) {
                    lone.set(e);
                }
            }
            for (int e = 0; e < from; e++) {
                if (counted[e]) {
                    left.run(e);
                }
            }
            findUnexplained();
        }

        private void findUnexplained() {
            for (int e = from; e < to; e++) {
                for (int o = all.firstOperation(e); members.get(e) && o < all.operationsEnd(e); o++) {
                    if (all.kind(o) == Cell.READ && left.value(all.key(o)) != all.code(o) && !isWritten(e, o)) {
                        unexplained.add(operation(e, o));
                    }
                }
            }
        }

        /** Whether the last write of the key of another transaction in the window has the value. */
        private boolean isWritten(int reader, int read) {
            for (int e = from; e < to; e++) {
                long last = NEVER;
                boolean isFound = false;
                boolean isOther = !names[e].equals(names[reader]) && isMoving(e);
                for (int o = all.firstOperation(e); isOther && o < all.operationsEnd(e); o++) {
                    if (all.isWrite(o) && all.key(o) == all.key(read)) {
                        last = all.code(o);
                        isFound = true;
                    }
                }
                if (isFound && last == all.code(read)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isMoving(int event) {
            return members.get(event) || lone.get(event);
        }

        /** Whether an event that has a label is one of a member. */
        boolean isMember(String label) {
            return members.stream().anyMatch(e -> label(e).equals(label));
        }

        /** Whether some transaction that counts has only one of its events in the window. */
        boolean hasLone() {
            return !lone.isEmpty();
        }

        /** Whether an operation may be violated once the window has an order. */
        boolean mayBeViolated(Operation operation) {
            if (isMember(operation.event)) {
                return unexplained.contains(operation);
            }
            // A writer that overlaps another one is left to a window with both of its events.
            return before.contains(operation)
                    || (operation.isWrite
                            && before.stream().anyMatch(other -> other.isWrite && other.name.equals(operation.name)));
        }

        /** Whether an order of members explains their reads and violates no other; for windows without lone events. */
        boolean hasOrder() {
            List<Name> open = new ArrayList<>();
            for (int e = from; e < to; e++) {
                if (members.get(e) && all.isOptional(e) && !open.contains(names[e])) {
                    open.add(names[e]);
                }
            }
            for (int choice = 0; choice < 1 << open.size(); choice++) {
                List<Integer> moving = new ArrayList<>();
                for (int e = from; e < to; e++) {
                    int i = open.indexOf(names[e]);
                    if (members.get(e) && (i < 0 || (choice >> i & 1) == 1)) {
                        moving.add(e);
                    }
                }
                if (hasOrder(moving, new State(left))) {
                    return true;
                }
            }
            return false;
        }

        private boolean hasOrder(List<Integer> moving, State state) {
            if (moving.isEmpty()) {
                State end = new State(state);
                for (int e = to; e < size(); e++) {
                    if (counted[e] && !before.containsAll(end.run(e))) {
                        return false;
                    }
                }
                return true;
            }
            for (int event : moving) {
                if (moving.stream().anyMatch(other -> precedes(other, event))) {
                    continue;
                }
                State next = new State(state);
                if (unexplained.containsAll(next.run(event))) {
                    List<Integer> rest = new ArrayList<>(moving);
                    rest.remove((Integer) event);
                    if (hasOrder(rest, next)) {
                        return true;
                    }
                }
            }
            return false;
        }
    }

    /** The labels of all events in their order. */
    List<String> labels() {
        return IntStream.range(0, size()).mapToObj(this::label).toList();
    }

    /** The labels of some events, sorted. */
    List<String> labels(WindowStore.Range range) {
        return labels().subList((int) range.from(), (int) range.to()).stream()
                .sorted()
                .toList();
    }
}
