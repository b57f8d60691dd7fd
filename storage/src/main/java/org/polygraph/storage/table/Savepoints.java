package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;
import org.polygraph.storage.model.HistoryException;

/**
 * Takes out of transactions what they undid by rollbacks to savepoints. Undone writes are no operations of the result.
 * A read that follows an undone write of its key, before the rollback, concerns the transaction alone: it has to return
 * this write, and then is no operation of the result either. Of a list the elements at the end that were undone are
 * left out. Where such a read is wrong, the result has the write and the read of a key of their own, which no order
 * explains. All other operations stay.
 *
 * <p>Linear in the operations.
 */
final class Savepoints {
    /** Instead of the number of the rollback that undid an operation. */
    private static final int NEVER = Integer.MAX_VALUE;

    private static final int NONE = -1;

    private final Operations all;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final @Nullable ListTree lists;
    private final IntFunction<String> places;
    private final OperationList judged;
    /** What refutes the current transaction, which comes last, because the rows of a result stand beside each other. */
    private final List<Runnable> refutation = new ArrayList<>();

    // The current transaction.
    private int from;
    /** By operation of the transaction: the rollback that undid it; and the write of its key before it, if it is one. */
    private int[] undoneAt = new int[16];

    private int[] before = new int[16];
    /** By key: the last write that was not undone. */
    private final Int2IntOpenHashMap last = new Int2IntOpenHashMap();

    private final IntArrayList open = new IntArrayList();
    private final IntArrayList openSizes = new IntArrayList();
    private final IntArrayList live = new IntArrayList();

    /**
     * Prepares the operations of a history.
     *
     * @param places by transaction: its place in the input
     */
    Savepoints(
            Operations all,
            KeyDictionary keys,
            ValueDictionary values,
            @Nullable ListTree lists,
            IntFunction<String> places) {
        this.all = all;
        this.keys = keys;
        this.values = values;
        this.lists = lists;
        this.places = places;
        judged = new OperationList(all.size());
        last.defaultReturnValue(NONE);
    }

    /**
     * Returns the operations that are judged.
     *
     * @param names by transaction: its name
     */
    Operations judged(IntFunction<String> names) throws HistoryException {
        int[] starts = new int[all.starts().length];
        for (int t = 0; t + 1 < starts.length; t++) {
            from = all.starts()[t];
            int to = all.starts()[t + 1];
            boolean undoes = mark(t, to);
            for (int o = from; o < to; o++) {
                if (all.kind(o) >= Operations.SAVEPOINT) {
                    continue;
                }
                boolean isWrite = Operations.isWrite(all.keys()[o]);
                int seen = undoes && !isWrite && !Predicates.isStandIn(all.values()[o]) ? seen(o) : NONE;
                if (seen != NONE && undoneAt[seen - from] != NEVER) {
                    readUndone(o, seen, names, t);
                } else if (!undoes || undoneAt[o - from] == NEVER || !(isWrite || Predicates.isRow(all.values()[o]))) {
                    judged.add(all.keys()[o], all.values()[o], all.kind(o));
                }
                if (undoes && isWrite) {
                    before[o - from] = seen(o);
                    last.put(key(o), o);
                }
            }
            refutation.forEach(Runnable::run);
            starts[t + 1] = judged.size();
        }
        return judged.build(starts);
    }

    /** Marks what a transaction undid. @return whether it rolled back to a savepoint */
    private boolean mark(int t, int to) throws HistoryException {
        if (to - from > undoneAt.length) {
            undoneAt = new int[Math.max(to - from, 2 * undoneAt.length)];
            before = new int[undoneAt.length];
        }
        open.clear();
        openSizes.clear();
        live.clear();
        last.clear();
        refutation.clear();
        boolean undoes = false;
        for (int o = from; o < to; o++) {
            undoneAt[o - from] = NEVER;
            byte kind = all.kind(o);
            if (kind == Operations.SAVEPOINT) {
                open.add(o);
                openSizes.add(live.size());
            } else if (kind < Operations.SAVEPOINT) {
                live.add(o);
            } else {
                int at = open.size() - 1;
                while (at >= 0 && all.values()[open.getInt(at)] != all.values()[o]) {
                    at--;
                }
                if (at < 0) {
                    throw new HistoryException(
                            places.apply(t),
                            "\"" + Operations.nameOf(kind) + "\" of the savepoint " + values.label(all.values()[o])
                                    + ", which is not set there",
                            "a \"savepoint\" of this name before it in the transaction, neither released nor dropped by a"
                                    + " rollback to an earlier one",
                            "record each savepoint at its place");
                }
                boolean isRollback = kind == Operations.ROLLBACK_TO;
                for (int i = openSizes.getInt(at); isRollback && i < live.size(); i++) {
                    undoneAt[live.getInt(i) - from] = o;
                }
                undoes |= isRollback;
                live.size(isRollback ? openSizes.getInt(at) : live.size());
                open.size(isRollback ? at + 1 : at);
                openSizes.size(open.size());
            }
        }
        return undoes;
    }

    private String label(int key) {
        return keys.isString(key) ? keys.string(key) : keys.label(key);
    }

    /** A key of its own for what an operation found wrong. */
    private int own(String label, int o, IntFunction<String> names, int t) {
        return keys.newId(label + " (undone, " + names.apply(t) + "." + (o - from) + ")");
    }

    private void refute(int keyAndKind, long value, byte kind) {
        refutation.add(() -> judged.add(keyAndKind, value, kind));
    }

    private int key(int o) {
        return Operations.key(all.keys()[o]);
    }

    /** The last write of the key of an operation that its transaction had not undone before this operation; or -1. */
    private int seen(int o) {
        int known = last.get(key(o));
        int write = since(known, o);
        if (write != known) {
            last.put(key(o), write);
        }
        return write;
    }

    /** A write, or the last one of the key before it that had not been undone at an operation; or -1. */
    private int since(int write, int o) {
        int w = write;
        while (w != NONE && undoneAt[w - from] < o) {
            w = before[w - from];
        }
        return w;
    }

    private void readUndone(int o, int seen, IntFunction<String> names, int t) {
        long value = all.values()[o];
        ListTree tree = lists;
        int right = 0;
        if (tree != null && all.isAppend(seen)) {
            int rest = ListCodes.isRead(value) ? ListCodes.list(value) : ListTree.EMPTY;
            int append = seen;
            while (append != NONE
                    && undoneAt[append - from] != NEVER
                    && rest != ListTree.EMPTY
                    && tree.last(rest) == all.values()[append]) {
                rest = tree.withoutLast(rest);
                right++;
                append = since(before[append - from], o);
            }
            if (append == NONE || undoneAt[append - from] == NEVER) {
                judged.add(all.keys()[o], ListCodes.read(rest), (byte) 0);
                return;
            }
        }
        boolean isRight = value == all.values()[seen] || values.isOther(value);
        if (isRight && all.kind(o) != Operations.REPEATED_ROW) {
            return;
        }
        int own = own(label(key(o)), o, names, t);
        IntArrayList writes = new IntArrayList(new int[] {seen});
        for (int w = seen; all.isAppend(seen) && w != NONE && undoneAt[w - from] != NEVER; ) {
            w = since(before[w - from], o);
            if (w != NONE && undoneAt[w - from] != NEVER) {
                writes.add(w);
            }
        }
        for (int i = writes.size() - 1; i >= 0; i--) {
            int w = writes.getInt(i);
            refute(Operations.pack(own, true), all.values()[w], all.isAppend(w) ? Operations.APPEND : 0);
        }
        if (tree != null && ListCodes.isRead(value)) {
            // Of the list only the elements at the end that the transaction appended are compared.
            long[] elements = tree.elements(ListCodes.list(value));
            value = ListCodes.read(tree.of(own, new LongArrayList(elements, elements.length - right, right)));
        }
        refute(Operations.pack(own, false), value, all.kind(o));
    }
}
