package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.columnar.HistoryPart;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.Outcome;

/**
 * Linearizability (Herlihy and Wing, TOPLAS 12(3), 1990), which is local: a history has it iff each key has it, so keys are
 * decided one by one. Each operation takes effect at one point between its start and its end; one of unknown outcome may do so
 * at any time after its start. Sessions play no part: who overlaps is not ordered.
 *
 * <p>{@link KeyOrder} decides keys whose values are unique, in linear time but for sorting; {@link KeySearch} the others.
 */
public final class Linearizability {
    /** Steps of the search of one key. */
    private static final int MOST_STEPS = 4_000_000;
    /** The same for a part. */
    private static final int MOST_STEPS_OF_PART = 100_000;
    /** Beyond so many operations a part is told as it is. */
    private static final int MOST_SHRUNK = 240;

    private final Operations all;
    private final BooleanSupplier stop;
    private final int[] position;
    private final boolean[] counted;
    private final List<Violation> violations = new ArrayList<>();
    private int violated;
    private int placed;
    private boolean uniqueValues = true;
    private @Nullable String open;
    private long searched;

    private Linearizability(HistoryTable table, long skewNanos, boolean maybe, BooleanSupplier stop) {
        this.all = new Operations(table, skewNanos, maybe);
        this.stop = stop;
        this.position = new int[table.transactions()];
        this.counted = new boolean[table.transactions()];
    }

    /** What keeps a history from being judged: the first transaction that is no operation with times; null if nothing does. */
    public static @Nullable HistoryException problem(HistoryTable table) {
        return Operations.problem(table);
    }

    /**
     * Decides.
     *
     * @param table without a {@link #problem}
     * @param maybe whether unknown outcomes may have taken effect; else they did not
     * @param most violations to tell
     * @param stop asked now and then; true ends it
     */
    public static Linearizability of(
            HistoryTable table, long skewNanos, boolean maybe, int most, BooleanSupplier stop) {
        Linearizability result = new Linearizability(table, skewNanos, maybe, stop);
        for (int key = 0; key < table.keys().size(); key++) {
            if ((key & 1023) == 0 && stop.getAsBoolean()) {
                result.open = "time or memory ran out at key " + table.keys().label(key);
                return result;
            }
            result.key(key, most);
        }
        result.placeEmpty();
        return result;
    }

    /** One a key that has no order, as far as they are told. */
    public List<Violation> violations() {
        return violations;
    }

    /** How many keys have no order. */
    public int violated() {
        return violated;
    }

    /** Whether no key has a value that is written twice, or written and initial. */
    public boolean hasUniqueValues() {
        return uniqueValues;
    }

    /** Why some key was not decided; null if all were. */
    public @Nullable String open() {
        return open;
    }

    /** By transaction: its place, key after key; of those that are {@link #counted}. */
    public int[] position() {
        return position;
    }

    /** By transaction: whether it took effect. */
    public boolean[] counted() {
        return counted;
    }

    /** How many keys took a search. */
    public long searched() {
        return searched;
    }

    private void key(int key, int most) {
        int from = all.keyStarts[key];
        int count = all.keyStarts[key + 1] - from;
        if (count == 0) {
            return;
        }
        KeyOrder order = new KeyOrder(all, all.ids, from, count);
        KeyOrder.Result result = order.run();
        uniqueValues &= !order.repeats();
        if (result == KeyOrder.Result.ORDERED) {
            place(order.order());
        } else if (result == KeyOrder.Result.VIOLATED) {
            if (violated++ < most) {
                IntArrayList part = new IntArrayList();
                for (int i : order.offending()) {
                    part.add(all.ids[from + i]);
                }
                violations.add(
                        order.anomaly() == Anomaly.THIN_AIR_READ
                                ? impossible(key, part.getInt(0))
                                : violation(order.anomaly(), key, part, order.detail()));
            }
        } else {
            search(key, Arrays.copyOfRange(all.ids, from, from + count), most);
        }
    }

    private void search(int key, int[] ids, int most) {
        searched++;
        KeySearch search = new KeySearch(all, ids, MOST_STEPS, stop);
        switch (search.run()) {
            case ORDERED -> place(search.order());
            case GIVEN_UP ->
                open = "key " + all.table().keys().label(key) + ": too many of its " + ids.length
                        + " operations overlap, and their values repeat or a refused cas leaves several orders; level lin is"
                        + " linear where written values are unique";
            case VIOLATED -> {
                if (violated++ < most) {
                    int impossible = impossibleRead(ids);
                    if (impossible >= 0) {
                        violations.add(impossible(key, impossible));
                        return;
                    }
                    int failed = search.failed();
                    IntArrayList part = new IntArrayList();
                    for (int t : ids) {
                        if (all.starts[t] <= all.ends[failed]) {
                            part.add(t);
                        }
                    }
                    violations.add(violation(
                            Anomaly.NO_VALID_ORDER,
                            key,
                            part,
                            all.name(failed)
                                    + " returned what no order of the operations on its key up to its end gives"));
                }
            }
        }
    }

    private void place(IntArrayList order) {
        for (int i = 0; i < order.size(); i++) {
            int t = order.getInt(i);
            counted[t] = true;
            position[t] = placed++;
        }
    }

    /** Committed transactions without operations. */
    private void placeEmpty() {
        HistoryTable table = all.table();
        for (int t = 0; t < position.length; t++) {
            if (table.operationStarts()[t] == table.operationStarts()[t + 1] && table.outcome(t) == Outcome.COMMITTED) {
                counted[t] = true;
                position[t] = placed++;
            }
        }
    }

    /** A committed operation that read what none of the others wrote, or -1. */
    private int impossibleRead(int[] ids) {
        LongOpenHashSet written = new LongOpenHashSet();
        written.add(all.initialValue());
        for (int t : ids) {
            if (all.isWrite(t) && !(all.isRead(t) && all.read(t) == all.written(t))) {
                written.add(all.written(t));
            }
        }
        for (int t : ids) {
            if (all.isRead(t) && !all.isMaybe(t) && !written.contains(all.read(t))) {
                return t;
            }
        }
        return -1;
    }

    /** A read of what no operation wrote that may have taken effect. */
    private Violation impossible(int key, int reader) {
        IntArrayList part = IntArrayList.of(reader);
        int dropped = all.droppedWrite(reader);
        if (dropped < 0) {
            return violation(Anomaly.THIN_AIR_READ, key, part, all.name(reader) + ": nobody wrote that value");
        }
        HistoryTable table = all.table();
        int writer = HistoryPart.transactionOf(table, dropped);
        String detail = all.name(reader) + ": only a transaction wrote that value that is "
                + table.outcome(writer).label() + " and cannot have taken effect (session "
                + table.sessionLabel(table.sessionOf(writer)) + ", index " + table.index(writer) + ")";
        boolean first = writer < reader;
        IntArrayList operations = new IntArrayList();
        for (int o = table.operationStarts()[reader]; o < table.operationStarts()[reader + 1]; o++) {
            operations.add(o);
        }
        operations.add(first ? 0 : operations.size(), dropped);
        int[] transactions = first ? new int[] {writer, reader} : new int[] {reader, writer};
        return new Violation(Anomaly.ABORTED_READ, List.of(reader, writer), List.of(key), List.of(), detail)
                .shownBy(new SubHistory(transactions, operations.toIntArray(), true, SubHistory.Judge.CHECKER));
    }

    private Violation violation(Anomaly anomaly, int key, IntArrayList offending, String detail) {
        IntArrayList part = closed(key, offending);
        if (!isViolated(part)) {
            part = closed(
                    key, IntArrayList.wrap(Arrays.copyOfRange(all.ids, all.keyStarts[key], all.keyStarts[key + 1])));
        }
        boolean minimal = part.size() <= MOST_SHRUNK && shrink(part);
        int[] transactions = part.toIntArray();
        Arrays.sort(transactions);
        IntArrayList operations = new IntArrayList();
        List<Integer> named = new ArrayList<>();
        for (int t : transactions) {
            for (int o = all.table().operationStarts()[t]; o < all.table().operationStarts()[t + 1]; o++) {
                operations.add(o);
            }
            named.add(t);
        }
        return new Violation(anomaly, named, List.of(key), List.of(), detail)
                .shownBy(new SubHistory(transactions, operations.toIntArray(), minimal, SubHistory.Judge.CHECKER));
    }

    /**
     * With every write that one of them may have read, and so on; with all writes of the key where a refused compare-and-set is
     * among them. What such a part contradicts, the whole does: taking away a write that nobody of the rest may have read leaves
     * the rest in order.
     */
    private IntArrayList closed(int key, IntArrayList part) {
        IntOpenHashSet members = new IntOpenHashSet(part);
        IntArrayList closed = new IntArrayList(members.toIntArray());
        LongOpenHashSet read = new LongOpenHashSet();
        boolean refused = false;
        for (int done = 0, before = -1; before != closed.size(); ) {
            before = closed.size();
            for (; done < closed.size(); done++) {
                int t = closed.getInt(done);
                refused |= all.isRefused(t);
                if (all.isRead(t)) {
                    read.add(all.read(t));
                }
            }
            for (int i = all.keyStarts[key]; i < all.keyStarts[key + 1]; i++) {
                int t = all.ids[i];
                if (all.isWrite(t) && (refused || read.contains(all.written(t))) && members.add(t)) {
                    closed.add(t);
                }
            }
        }
        return closed;
    }

    private boolean isViolated(IntArrayList part) {
        int[] ids = part.toIntArray();
        Arrays.sort(ids);
        return switch (new KeyOrder(all, ids, 0, ids.length).run()) {
            case VIOLATED -> true;
            case ORDERED -> false;
            case OPEN -> new KeySearch(all, ids, MOST_STEPS_OF_PART, stop).run() == KeySearch.Result.VIOLATED;
        };
    }

    /** Leaves out what can be left out, one operation with what rests on it at a time; whether it got through. */
    private boolean shrink(IntArrayList part) {
        // What writes nothing goes first: without refused ones, writes may go too.
        for (int pass = 0; pass < 2; pass++) {
            for (int i = part.size() - 1; i >= 0; i--) {
                if (i >= part.size()) {
                    continue;
                }
                if (stop.getAsBoolean()) {
                    return false;
                }
                int t = part.getInt(i);
                if (pass == 0 ? all.isWrite(t) : !all.isWrite(t)) {
                    continue;
                }
                IntArrayList rest = without(part, t);
                if (rest != null && isViolated(rest)) {
                    part.clear();
                    part.addAll(rest);
                }
            }
        }
        // What rested on a write that stayed may go now.
        for (int i = part.size() - 1; i >= 0; i--) {
            IntArrayList rest = i < part.size() ? without(part, part.getInt(i)) : null;
            if (rest != null && isViolated(rest)) {
                part.clear();
                part.addAll(rest);
            }
        }
        return true;
    }

    /** Without an operation and all that may have read what it wrote; null if a refused one forbids that. */
    private @Nullable IntArrayList without(IntArrayList part, int out) {
        IntArrayList rest = new IntArrayList(part);
        LongOpenHashSet gone = new LongOpenHashSet();
        rest.rem(out);
        boolean writes = all.isWrite(out);
        if (writes) {
            gone.add(all.written(out));
        }
        for (boolean changed = writes; changed; ) {
            changed = false;
            for (int i = rest.size() - 1; i >= 0; i--) {
                int t = rest.getInt(i);
                if (all.isRead(t) && gone.contains(all.read(t))) {
                    rest.removeInt(i);
                    if (all.isWrite(t)) {
                        gone.add(all.written(t));
                        changed = true;
                    }
                }
            }
        }
        for (int i = 0; writes && i < rest.size(); i++) {
            if (all.isRefused(rest.getInt(i))) {
                return null;
            }
        }
        return rest;
    }
}
