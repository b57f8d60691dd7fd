package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;
import org.polygraph.partitioner.isolation.Anomaly;

/**
 * Orders one key whose values are unique, in linear time apart from sorting.
 *
 * <p><b>Blocks.</b> A compare-and-set that read v comes immediately after v among the writers, so versions that
 * compare-and-sets made of one another are a block without any other writer in between: a write, then in turn the
 * reads of its version, the compare-and-set of it, the reads of that, and so on. Two compare-and-sets of one version
 * have no order. The block of the initial value is the first.
 *
 * <p><b>Order of blocks.</b> In an order that explains the key, blocks do not interleave. A must come before B if
 * some operation of A ended before some operation of B started, that is if first(A) &lt; last(B), where first is the
 * earliest end and last the latest start in a block (Gibbons and Korach, "Testing Shared Memories", SIAM J. Comput.
 * 26(4), 1997: zones; compare-and-set after MTC). Sort blocks by first + last. If some B is sorted before A although
 * A must come before B, then first(A) &lt; last(B) and first(B) + last(B) &lt;= first(A) + last(A), so first(B) &lt;
 * last(A): B must come before A too, and the key has no order. So the sorted order is right if any is, and if it
 * fails it gives two blocks that contradict each other.
 *
 * <p>Then each operation is checked: it must not have ended before an earlier one in the order started (a running
 * maximum).
 *
 * <p>An operation of unknown outcome counts iff an operation that counts read its value. An unread one can be left out
 * of any order, except that a refused compare-and-set may need it. Refused compare-and-sets are inserted last, each at
 * the first place that real time allows and at which the key has another value. If there is none, the key is left open,
 * because another order may have room.
 */
final class KeyOrder {
    private static final int NONE = -1;
    private static final int INITIAL = -2;

    private final LinearOperations all;
    private final int key;
    private final int from;
    private final int count;
    private final Long2IntOpenHashMap writers;

    // By operation of the key, 0 to count: the writer of the version it read, the compare-and-set of its version,
    // whether it counts.
    private int[] sources = new int[16];
    private int[] successors = new int[16];
    private boolean[] counts = new boolean[16];

    private final IntArrayList order = new IntArrayList();
    private final IntArrayList offending = new IntArrayList();
    private Anomaly anomaly = Anomaly.REAL_TIME_VIOLATION;
    private boolean repeats;

    KeyOrder(LinearOperations all, int key) {
        this.all = all;
        this.key = key;
        from = all.keyStarts[key];
        count = all.keyStarts[key + 1] - from;
        writers = new Long2IntOpenHashMap(Math.max(16, count / 2));
        writers.defaultReturnValue(NONE);
    }

    /**
     * After ORDERED: the operations that count, in order. If refused compare-and-sets leave the key open, an order in
     * which some of them found the value that they did not find.
     */
    IntArrayList order() {
        return order;
    }

    /** After VIOLATED: operations that contradict each other, as {@link KeyEvidence} describes them. */
    IntArrayList offending() {
        IntArrayList operations = new IntArrayList(offending.size());
        for (int i = 0; i < offending.size(); i++) {
            operations.add(id(offending.getInt(i)));
        }
        return operations;
    }

    /** Whether a value is written twice, or is the initial one. */
    boolean repeats() {
        return repeats;
    }

    Anomaly anomaly() {
        return anomaly;
    }

    private long initialValue() {
        return all.initialValue(key);
    }

    private int id(int i) {
        return from + i;
    }

    KeyResult run() {
        sources = new int[count];
        successors = new int[count];
        counts = new boolean[count];
        for (int i = 0; i < count; i++) {
            if (all.isWrite(id(i))) {
                if (all.written(id(i)) == initialValue() || writers.put(all.written(id(i)), i) != NONE) {
                    repeats = true;
                    return KeyResult.OPEN;
                }
            }
        }
        int unread = count();
        if (unread != NONE) {
            anomaly = Anomaly.THIN_AIR_READ;
            offending.add(unread);
            return KeyResult.VIOLATED;
        }
        Arrays.fill(successors, NONE);
        int initialSuccessor = NONE;
        for (int i = 0; i < count; i++) {
            if (!counts[i] || sources[i] == NONE || !all.isWrite(id(i))) {
                continue;
            }
            int other = sources[i] == INITIAL ? initialSuccessor : successors[sources[i]];
            if (other != NONE) {
                anomaly = Anomaly.LOST_UPDATE;
                offending.add(other);
                offending.add(i);
                return KeyResult.VIOLATED;
            }
            if (sources[i] == INITIAL) {
                initialSuccessor = i;
            } else {
                successors[sources[i]] = i;
            }
        }
        return blocks(initialSuccessor);
    }

    /**
     * Finds sources and the operations that count. @return one that counts and read a value that no operation wrote,
     * or NONE
     */
    private int count() {
        IntArrayList pending = new IntArrayList();
        for (int i = 0; i < count; i++) {
            sources[i] = NONE;
            if (all.isRead(id(i))) {
                long value = all.read(id(i));
                int writer = value == initialValue() ? INITIAL : writers.get(value);
                sources[i] = writer == i ? NONE : writer;
            }
            if (!all.isMaybe(id(i)) && !all.isRefused(id(i))) {
                counts[i] = true;
                pending.add(i);
            }
        }
        while (!pending.isEmpty()) {
            int i = pending.popInt();
            if (all.isRead(id(i)) && sources[i] == NONE) {
                return i;
            }
            if (sources[i] >= 0 && !counts[sources[i]]) {
                counts[sources[i]] = true;
                pending.add(sources[i]);
            }
        }
        return NONE;
    }

    private KeyResult blocks(int initialSuccessor) {
        // Reads by version, those of a version by start: real time allows this order if it allows any.
        int[] readers = new int[count];
        int reads = 0;
        int counted = 0;
        for (int i = 0; i < count; i++) {
            counted += counts[i] ? 1 : 0;
            if (counts[i] && !all.isWrite(id(i))) {
                readers[reads++] = i;
            }
        }
        readers = LinearOperations.sorted(Arrays.copyOf(readers, reads), i -> all.starts[id(i)]);
        int[] next = new int[count];
        int[] firstReader = new int[count + 1];
        Arrays.fill(firstReader, NONE);
        for (int r = reads - 1; r >= 0; r--) {
            int version = sources[readers[r]] == INITIAL ? count : sources[readers[r]];
            next[readers[r]] = firstReader[version];
            firstReader[version] = readers[r];
        }
        IntArrayList sequence = new IntArrayList(count);
        IntArrayList begins = new IntArrayList();
        append(NONE, initialSuccessor, firstReader, next, sequence);
        int initial = sequence.size();
        for (int i = 0; i < count; i++) {
            if (counts[i] && all.isWrite(id(i)) && sources[i] == NONE) {
                begins.add(sequence.size());
                append(i, successors[i], firstReader, next, sequence);
            }
        }
        if (sequence.size() < counted) {
            return cycle();
        }
        begins.add(sequence.size());
        return sorted(sequence, begins.toIntArray(), initial);
    }

    /**
     * Appends a block.
     *
     * @param writer of its first version, NONE for the initial one
     * @param first the compare-and-set that replaced it
     */
    private void append(int writer, int first, int[] firstReader, int[] next, IntArrayList sequence) {
        if (writer != NONE) {
            sequence.add(writer);
        }
        int version = writer == NONE ? count : writer;
        for (int successor = first; ; successor = successors[version]) {
            for (int r = firstReader[version]; r != NONE; r = next[r]) {
                sequence.add(r);
            }
            if (successor == NONE) {
                return;
            }
            sequence.add(successor);
            version = successor;
        }
    }

    /** Operations in no block: compare-and-sets that read from each other in a cycle. */
    private KeyResult cycle() {
        int[] seenFrom = new int[count];
        Arrays.fill(seenFrom, NONE);
        int at = NONE;
        for (int i = 0; i < count && at == NONE; i++) {
            int j = i;
            while (counts[j] && sources[j] >= 0 && seenFrom[j] == NONE) {
                seenFrom[j] = i;
                j = sources[j];
            }
            if (counts[j] && sources[j] >= 0 && seenFrom[j] == i) {
                at = j;
            }
        }
        if (at == NONE) {
            throw new IllegalStateException("operations of a key are in no block and in no cycle");
        }
        for (int j = at; offending.isEmpty() || j != at; j = sources[j]) {
            offending.add(j);
        }
        anomaly = Anomaly.CIRCULAR_INFORMATION_FLOW;
        return KeyResult.VIOLATED;
    }

    private KeyResult sorted(IntArrayList sequence, int[] begins, int initial) {
        int blocks = begins.length - 1;
        long[] sums = new long[blocks];
        byte[] odd = new byte[blocks];
        for (int b = 0; b < blocks; b++) {
            long first = LinearOperations.NEVER;
            long last = Long.MIN_VALUE;
            for (int i = begins[b]; i < begins[b + 1]; i++) {
                int t = id(sequence.getInt(i));
                first = Math.min(first, all.ends[t]);
                last = Math.max(last, all.starts[t]);
            }
            // Half of first + last, which itself may not fit, and its last bit.
            long bits = (first & 1) + (last & 1);
            sums[b] = (first >> 1) + (last >> 1) + (bits >> 1);
            odd[b] = (byte) (bits & 1);
        }
        int[] turn = LinearOperations.sorted(LinearOperations.numbers(blocks), b -> odd[b]);
        turn = LinearOperations.sorted(turn, b -> sums[b]);
        IntArrayList placed = new IntArrayList(sequence.size());
        int[] blockOf = new int[count];
        placed.addElements(0, sequence.elements(), 0, initial);
        for (int i = 0; i < initial; i++) {
            blockOf[sequence.getInt(i)] = NONE;
        }
        for (int b : turn) {
            placed.addElements(placed.size(), sequence.elements(), begins[b], begins[b + 1] - begins[b]);
            for (int i = begins[b]; i < begins[b + 1]; i++) {
                blockOf[sequence.getInt(i)] = b;
            }
        }
        int latest = NONE;
        for (int i = 0; i < placed.size(); i++) {
            int o = placed.getInt(i);
            if (latest != NONE && all.ends[id(o)] < all.starts[id(latest)]) {
                contradiction(placed, o, latest, blockOf);
                return KeyResult.VIOLATED;
            }
            if (latest == NONE || all.starts[id(o)] > all.starts[id(latest)]) {
                latest = o;
            }
        }
        return refusals(placed);
    }

    /**
     * Records that o ended before p started but must come after it, because of its version, or because each of the two
     * blocks must precede the other.
     */
    private void contradiction(IntArrayList placed, int o, int p, int[] blockOf) {
        offending.add(o);
        offending.add(p);
        if (blockOf[o] == blockOf[p]) {
            return;
        }
        int ended = NONE;
        int started = NONE;
        for (int i = 0; i < placed.size(); i++) {
            int each = placed.getInt(i);
            if (blockOf[each] == blockOf[p] && (ended == NONE || all.ends[id(each)] < all.ends[id(ended)])) {
                ended = each;
            }
            if (blockOf[each] == blockOf[o] && (started == NONE || all.starts[id(each)] > all.starts[id(started)])) {
                started = each;
            }
        }
        if (all.ends[id(ended)] < all.starts[id(started)]) {
            offending.add(ended);
            offending.add(started);
        }
    }

    /** Inserts the refused compare-and-sets, by start, each at the first place at which the key has another value. */
    private KeyResult refusals(IntArrayList placed) {
        IntArrayList refused = new IntArrayList();
        for (int i = 0; i < count; i++) {
            if (all.isRefused(id(i))) {
                refused.add(i);
            }
        }
        if (refused.isEmpty()) {
            for (int i = 0; i < placed.size(); i++) {
                order.add(id(placed.getInt(i)));
            }
            return KeyResult.ORDERED;
        }
        int[] byStart = LinearOperations.sorted(refused.toIntArray(), i -> all.starts[id(i)]);
        int n = placed.size();
        // Place g is before operation g. By place: the value there, the next place with another one, the latest start
        // before.
        long[] values = new long[n + 1];
        long[] latest = new long[n + 1];
        values[0] = initialValue();
        latest[0] = Long.MIN_VALUE;
        for (int i = 0; i < n; i++) {
            int t = id(placed.getInt(i));
            values[i + 1] = all.isWrite(t) ? all.written(t) : values[i];
            latest[i + 1] = Math.max(latest[i], all.starts[t]);
        }
        int[] changes = new int[n + 1];
        changes[n] = n + 1;
        for (int g = n - 1; g >= 0; g--) {
            changes[g] = values[g + 1] == values[g] ? changes[g + 1] : g + 1;
        }
        int[] byEnd = LinearOperations.sorted(LinearOperations.numbers(n), x -> all.ends[id(placed.getInt(x))]);
        int[] refusedByEnd =
                LinearOperations.sorted(LinearOperations.numbers(byStart.length), r -> all.ends[id(byStart[r])]);
        int[] places = new int[byStart.length];
        int ended = 0;
        int refusedEnded = 0;
        int lowest = 0;
        boolean fits = true;
        for (int r = 0; r < byStart.length; r++) {
            int t = id(byStart[r]);
            // An operation that ended before this one started stays before it. If it is a refused compare-and-set, it
            // also started earlier, so it has a place already.
            while (ended < n && all.ends[id(placed.getInt(byEnd[ended]))] < all.starts[t]) {
                lowest = Math.max(lowest, byEnd[ended++] + 1);
            }
            while (refusedEnded < r && all.ends[id(byStart[refusedByEnd[refusedEnded]])] < all.starts[t]) {
                lowest = Math.max(lowest, places[refusedByEnd[refusedEnded++]]);
            }
            int g = values[lowest] == all.excluded(t) ? changes[lowest] : lowest;
            // No operation before that place may have started after this one ended.
            fits &= g <= n && all.ends[t] >= latest[g];
            places[r] = g <= n && all.ends[t] >= latest[g] ? g : lowest;
        }
        merge(placed, byStart, places);
        return fits ? KeyResult.ORDERED : KeyResult.OPEN;
    }

    private void merge(IntArrayList placed, int[] byStart, int[] places) {
        // The sort is stable, so operations of one place stay ordered by start.
        int[] turn = LinearOperations.sorted(LinearOperations.numbers(byStart.length), r -> places[r]);
        int at = 0;
        for (int g = 0; g <= placed.size(); g++) {
            while (at < turn.length && places[turn[at]] == g) {
                order.add(id(byStart[turn[at++]]));
            }
            if (g < placed.size()) {
                order.add(id(placed.getInt(g)));
            }
        }
    }
}
