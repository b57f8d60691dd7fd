package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntComparator;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.jobs.decision.Budget;

/** The transactions of a range of a certificate, by (session, index), from what {@link RankDealTask}s dealt to it. Memory: 40 bytes an event, and 40 a
 * transaction. */
final class RankRows {
    /** Flags of an event: its transaction counts; it is a snapshot, and the commit is another event. */
    static final int COUNTED = 1;

    static final int SNAPSHOT = 2;

    private final LongArrayList sessions = new LongArrayList();
    private final LongArrayList indexes = new LongArrayList();
    private final LongArrayList places = new LongArrayList();
    private final IntArrayList flags = new IntArrayList();
    /** Where the hash of the event is in its block. */
    private final IntArrayList hashes = new IntArrayList();

    private final List<byte[]> blocks = new ArrayList<>();
    /** By block: its first event. */
    private final IntArrayList firsts = new IntArrayList();

    private final int[] order;
    /** The events of the transaction; they are the same if there is one. */
    private int commit;

    private int snapshot;
    private int next;

    RankRows(List<Section> sections, int range, Budget budget) throws IOException {
        for (Section section : sections) {
            budget.require();
            byte[] block = section.block(range);
            firsts.add(sessions.size());
            blocks.add(block);
            BlockReader in = new BlockReader(block);
            while (in.hasMore()) {
                sessions.add(in.signed());
                indexes.add(in.signed());
                flags.add(in.count());
                places.add(in.signed());
                hashes.add(in.at());
                if ((flags.getInt(flags.size() - 1) & SNAPSHOT) == 0) {
                    in.moveTo(in.at() + TransactionHash.BYTES);
                }
            }
        }
        order = new int[sessions.size()];
        Arrays.setAll(order, i -> i);
        IntComparator byTransaction = (a, b) -> {
            int bySession = Long.compare(sessions.getLong(a), sessions.getLong(b));
            return bySession != 0 ? bySession : Long.compare(indexes.getLong(a), indexes.getLong(b));
        };
        IntArrays.mergeSort(order, byTransaction);
    }

    /** Moves to the next transaction. @return false if there is none */
    boolean next() {
        if (next == order.length) {
            return false;
        }
        snapshot = order[next++];
        commit = snapshot;
        while (next < order.length
                && sessions.getLong(order[next]) == session()
                && indexes.getLong(order[next]) == index()) {
            int other = order[next++];
            if ((flags.getInt(other) & SNAPSHOT) == 0) {
                commit = other;
            } else {
                snapshot = other;
            }
        }
        return true;
    }

    long session() {
        return sessions.getLong(snapshot);
    }

    long index() {
        return indexes.getLong(snapshot);
    }

    boolean isCounted() {
        return (flags.getInt(commit) & COUNTED) != 0;
    }

    /** The place of its snapshot; that of its commit if it is one event. */
    long snapshot() {
        return places.getLong(snapshot);
    }

    long commit() {
        return places.getLong(commit);
    }

    /** The array that has the hash of the transaction at {@link #hashAt}. */
    byte[] hashes() {
        int low = 0;
        int high = blocks.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (firsts.getInt(middle) <= commit) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return blocks.get(low);
    }

    int hashAt() {
        return hashes.getInt(commit);
    }
}
