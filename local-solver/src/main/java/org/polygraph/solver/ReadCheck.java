package org.polygraph.solver;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.SearchBudget;
import org.polygraph.solver.theory.DynamicOrder;

/**
 * Finds the items that the current order violates, and rechecks only where events moved.
 *
 * <p>Each key has an array of items sorted by the order. When events move, their items are sorted again and the items
 * behind them are rechecked up to the next writer, so the recorded last writer of each item is always right. The array
 * of a key without violations is discarded until one of its events moves; it is then sorted again and kept.
 *
 * <p>Invariant between calls: every violated item is queued or lies in a window of a key that awaits a refresh.
 */
final class ReadCheck {
    /**
     * How many reads of a version are examined on either side. Versions with more reads are rare, and any of their
     * reads serves.
     */
    private static final int MOST_READS = 64;

    private final Polygraph p;
    private final int[] position;
    /** Whether each transaction counts as committed; null if all do. */
    private final boolean @Nullable [] counted;

    private final Ranks ranks;
    private final Reinsertion reinsertion;
    private final DynamicOrder order;
    private final SearchBudget budget;
    private final @Nullable KeyItems[] keyItems;
    private final boolean[] stale;
    private final IntStack staleKeys;
    private @Nullable TransactionItems transactionItems;
    private final @Nullable SumCheck sums;

    /** Violated items, by their rank when queued. */
    private final ViolatedQueue queue;

    private long checks;
    private long[] sortKeys = new long[0];

    // The current violated item.
    private int key;
    private int reader;
    private int writer;
    private int otherWriter;

    /**
     * @param counted whether each transaction counts as committed at first, or null if all do; shared, and changed here
     *     only
     */
    ReadCheck(Polygraph p, DynamicOrder order, boolean @Nullable [] counted, SearchBudget budget) {
        this.p = p;
        this.order = order;
        position = order.position();
        this.counted = counted;
        this.budget = budget;
        ranks = new Ranks(p, position);
        reinsertion = new Reinsertion(ranks, budget);
        budget.reserve(5L * p.keys());
        keyItems = new KeyItems[p.keys()];
        stale = new boolean[p.keys()];
        staleKeys = new IntStack(budget);
        queue = new ViolatedQueue(budget);
        SumItems items = p.sums;
        sums = items == null ? null : new SumCheck(p, items, position, this::counts, budget);
        if (p.dirtyKeys != null) {
            for (int k : p.dirtyKeys) {
                markStale(k);
            }
        } else {
            for (int k = 0; k < p.keys(); k++) {
                markStale(k);
            }
        }
    }

    /** Key of the violated item. */
    int key() {
        return key;
    }

    /** Reader (global index) of the violated item, or -1 for an overlap of {@link #writer} and {@link #otherWriter}. */
    int reader() {
        return reader;
    }

    /** Last writer (global index) before the reader, or -1. */
    int writer() {
        return writer;
    }

    int otherWriter() {
        return otherWriter;
    }

    /** Times a key, or a window of one, was checked. */
    long checks() {
        return checks;
    }

    /** Items that wait to be looked at. */
    int waiting() {
        return queue.size();
    }

    /** Rechecks where events moved; every violated item is then among the {@link #waiting} ones. */
    void refreshAll() {
        while (!staleKeys.isEmpty()) {
            refresh(staleKeys.pop());
        }
    }

    /** Whether a transaction counts as committed. */
    boolean counts(int txn) {
        return counted == null || counted[txn];
    }

    /** Lets an optional transaction begin or cease to count. */
    void setCounted(int txn, boolean counts) {
        if (counted != null && counted[txn] != counts) {
            counted[txn] = counts;
            touchTransaction(txn, true);
        }
    }

    /** The check of sums; null if there are none. Its turn is after that of the other items. */
    @Nullable
    SumCheck sums() {
        return sums;
    }

    /** Finds a violated item of the current order; false when there is none. */
    boolean next() {
        IntStack moved = order.moved();
        for (int i = 0; i < moved.size(); i++) {
            int event = moved.get(i);
            touchTransaction(p.transaction(event), event == p.snapshot(p.transaction(event)));
            budget.tick();
        }
        moved.clear();
        while (true) {
            if (queue.isEmpty()) {
                if (staleKeys.isEmpty()) {
                    return false;
                }
                refreshAll();
                continue;
            }
            int k = queue.firstKey();
            int item = queue.firstItem();
            if (stale[k]) {
                refresh(k);
                if (queue.firstKey() != k || queue.firstItem() != item) {
                    continue;
                }
            }
            KeyItems items = itemsOf(k);
            if (isViolated(items, item)) {
                int rank = ranks.of(items, item);
                if (rank <= queue.firstRank()) {
                    return true;
                }
                // It moved since it was queued; other items may precede it now.
                queue.removeFirst();
                queue.add(rank, k, item);
                continue;
            }
            items.queued[item] = false;
            queue.removeFirst();
        }
    }

    /**
     * Replaces the current violated read by the last read of the same version, if its value has only one writer. Either
     * all reads of the version precede the current writer, or the writer precedes the version. A writer that is moved
     * behind the first read only would violate the next one.
     */
    void takeLastOfVersion() {
        if (reader < 0 || writer < 0 || p.readsAtCommit(key)) {
            return;
        }
        int end = Math.min(p.readerStart[key + 1], reader + MOST_READS);
        int last = reader;
        for (int r = reader + 1; r < end && p.readerClass[r] == p.readerClass[reader]; r++) {
            last = later(last, r);
        }
        int start = Math.max(p.readerStart[key], reader - MOST_READS);
        for (int r = reader - 1; r >= start && p.readerClass[r] == p.readerClass[reader]; r--) {
            last = later(last, r);
        }
        if (last == reader) {
            return;
        }
        int source = candidates().only(p.readerClass[reader]);
        if (source != Candidates.NONE
                && source != p.readerTxn[last]
                && position[p.commit(source)] < position[p.snapshot(p.readerTxn[reader])]) {
            reader = last;
        }
    }

    private int later(int last, int r) {
        int txn = p.readerTxn[r];
        boolean isLater = position[p.snapshot(txn)] > position[p.snapshot(p.readerTxn[last])];
        return isLater && txn != p.writerTxn[writer] && counts(txn) ? r : last;
    }

    private KeyItems itemsOf(int k) {
        KeyItems items = keyItems[k];
        if (items == null) {
            throw new IllegalStateException("an item of key " + k + " without its key");
        }
        return items;
    }

    private TransactionItems transactionItems() {
        TransactionItems built = transactionItems;
        if (built == null) {
            built = new TransactionItems(p, budget);
            transactionItems = built;
        }
        return built;
    }

    private void enqueue(KeyItems items, int item) {
        if (items.queued[item]) {
            return;
        }
        items.queued[item] = true;
        queue.add(ranks.of(items, item), items.key, item);
    }

    // ---------------------------------------------------------------- what changed

    private void markStale(int k) {
        if (!stale[k]) {
            stale[k] = true;
            staleKeys.push(k);
        }
    }

    private void touchTransaction(int txn, boolean readsToo) {
        if (sums != null) {
            sums.touch(txn);
        }
        TransactionItems ofTransactions = transactionItems();
        for (int i = ofTransactions.from(txn); i < ofTransactions.to(txn); i++) {
            int item = ofTransactions.item(i);
            int k = ofTransactions.key(i);
            if (item >= 0 && !readsToo && !p.readsAtCommit(k)) {
                continue;
            }
            markStale(k);
            KeyItems items = keyItems[k];
            if (items != null) {
                items.touch(item >= 0 ? items.itemOfReader(item) : items.itemOfWriter(~item), budget);
            }
        }
    }

    // ---------------------------------------------------------------- checking a key

    private void refresh(int k) {
        if (!stale[k]) {
            return;
        }
        stale[k] = false;
        checks++;
        KeyItems items = keyItems[k];
        if (items == null) {
            long bytes = KeyItems.bytes(p, k);
            budget.reserve(bytes);
            items = new KeyItems(p, k);
            sort(items);
            keyItems[k] = items;
            int before = queue.size();
            sweep(items, 0, items.size - 1);
            if (queue.size() == before && transactionItems == null) {
                // Most keys have no violation at the first check and never get one.
                keyItems[k] = null;
                budget.reserve(-bytes);
            }
            return;
        }
        if (items.touchedCount() > 0) {
            reinsertion.run(items);
            recheck(items);
        }
    }

    private void recheck(KeyItems items) {
        int checkedTo = 0;
        for (int i = 0; i < reinsertion.starts(); i++) {
            int slot = reinsertion.startSlot(i);
            switch (reinsertion.startKind(i)) {
                case Reinsertion.READER -> {
                    if (slot >= checkedTo) {
                        checkReader(items, items.items[slot], writerBefore(items, slot));
                    }
                }
                case Reinsertion.VACATED -> {
                    if (slot >= checkedTo) {
                        checkedTo = sweep(items, slot, slot - 1);
                    }
                }
                default -> checkedTo = sweep(items, slot, slot);
            }
        }
    }

    private void sort(KeyItems items) {
        int n = items.size;
        if (n > sortKeys.length) {
            budget.reserve(8L * (n - sortKeys.length));
            sortKeys = new long[n];
        }
        for (int item = 0; item < n; item++) {
            sortKeys[item] = (long) ranks.of(items, item) << 32 | item;
            budget.tick();
        }
        Arrays.sort(sortKeys, 0, n);
        for (int i = 0; i < n; i++) {
            int item = (int) sortKeys[i];
            items.items[i] = item;
            items.slots[item] = i;
        }
    }

    /**
     * Queues the violated items from slot {@code low} to the first counted writer after {@code high}.
     *
     * @return the slot after the last one checked
     */
    private int sweep(KeyItems items, int low, int high) {
        int last = writerBefore(items, low);
        for (int i = low; i < items.size; i++) {
            budget.tick();
            int item = items.items[i];
            if (items.isReader(item)) {
                checkReader(items, item, last);
                continue;
            }
            items.lastWriters[item] = last;
            int w = items.writer(item);
            if (counts(p.writerTxn[w])) {
                if (last >= 0 && overlap(items.key, last, w)) {
                    enqueue(items, item);
                }
                last = w;
                if (i > high) {
                    return i + 1;
                }
            }
        }
        return items.size;
    }

    private void checkReader(KeyItems items, int item, int last) {
        items.lastWriters[item] = last;
        int r = items.reader(item);
        if (counts(p.readerTxn[r]) && classOf(last) != p.readerClass[r]) {
            enqueue(items, item);
        }
    }

    /**
     * The last counted writer (global index) in the slots before {@code slot}, or -1. The item just before is outside
     * the window, so its recorded last writer is still right.
     */
    private int writerBefore(KeyItems items, int slot) {
        if (slot == 0) {
            return -1;
        }
        int item = items.items[slot - 1];
        if (!items.isReader(item) && counts(p.writerTxn[items.writer(item)])) {
            return items.writer(item);
        }
        return items.lastWriters[item];
    }

    private int classOf(int w) {
        return w < 0 ? Polygraph.INITIAL : p.writerClass[w];
    }

    /**
     * Whether {@code second}, the next to commit after {@code first}, took its snapshot before that commit, and must
     * not.
     */
    private boolean overlap(int ofKey, int first, int second) {
        return p.bindsNext(ofKey, p.writerClass[first])
                && position[p.snapshot(p.writerTxn[second])] < position[p.commit(p.writerTxn[first])];
    }

    private boolean isViolated(KeyItems items, int item) {
        if (items.isReader(item)) {
            int r = items.reader(item);
            if (!counts(p.readerTxn[r])) {
                return false;
            }
            int last = items.lastWriters[item];
            if (classOf(last) == p.readerClass[r]) {
                return false;
            }
            key = items.key;
            reader = r;
            writer = last;
            otherWriter = -1;
            return true;
        }
        int w = items.writer(item);
        if (!counts(p.writerTxn[w])) {
            return false;
        }
        int last = items.lastWriters[item];
        if (last < 0 || !overlap(items.key, last, w)) {
            return false;
        }
        key = items.key;
        reader = -1;
        writer = last;
        otherWriter = w;
        return true;
    }

    /** The candidate writers of the reads of the current key. */
    Candidates candidates() {
        KeyItems items = itemsOf(key);
        Candidates made = items.candidates;
        if (made == null) {
            made = new Candidates(p, key, budget);
            items.candidates = made;
        }
        return made;
    }
}
