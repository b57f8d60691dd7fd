package org.polygraph.partitioner.residual;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The connected components of a residual core: two transactions belong together when they read or write the same
 * violated key. Only the report uses them. Union by size with path halving: nearly linear in the readers and writers of
 * the violated keys; 16 bytes a transaction among them.
 */
public final class CoreComponents {
    private final Int2IntOpenHashMap ids = new Int2IntOpenHashMap();
    private final IntArrayList parents = new IntArrayList();
    private final IntArrayList sizes = new IntArrayList();
    private int count;
    private int largest;

    private CoreComponents() {
        ids.defaultReturnValue(-1);
    }

    /** Joins the transactions of each violated key. */
    public static CoreComponents of(ResidualCore core, VersionIndex index) {
        CoreComponents components = new CoreComponents();
        for (int key : core.keys()) {
            int first = -1;
            for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
                first = components.join(first, index.writerTransactions()[w]);
            }
            for (int r = index.readerStarts()[key]; r < index.readerStarts()[key + 1]; r++) {
                first = components.join(first, index.readerTransactions()[r]);
            }
        }
        return components;
    }

    public int count() {
        return count;
    }

    /** Transactions in the largest of them. */
    public int largest() {
        return largest;
    }

    private int join(int with, int transaction) {
        int id = ids.get(transaction);
        if (id < 0) {
            id = parents.size();
            ids.put(transaction, id);
            parents.add(id);
            sizes.add(1);
            count++;
            largest = Math.max(largest, 1);
        }
        int a = root(id);
        int b = with < 0 ? a : root(with);
        if (a != b) {
            int big = sizes.getInt(a) >= sizes.getInt(b) ? a : b;
            int small = big == a ? b : a;
            parents.set(small, big);
            sizes.set(big, sizes.getInt(a) + sizes.getInt(b));
            largest = Math.max(largest, sizes.getInt(big));
            count--;
        }
        return id;
    }

    private int root(int id) {
        int at = id;
        while (parents.getInt(at) != at) {
            parents.set(at, parents.getInt(parents.getInt(at)));
            at = parents.getInt(at);
        }
        return at;
    }
}
