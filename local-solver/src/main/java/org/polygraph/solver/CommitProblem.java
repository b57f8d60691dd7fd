package org.polygraph.solver;

import java.util.Arrays;

/**
 * Which writer did each read read from, and in which order did the transactions commit? A choice and an order are
 * wanted under which
 *
 * <ul>
 *   <li>each read of a counted transaction reads from one of its candidates, which is counted, or the initial version;
 *   <li>the order extends the known edges, and puts each reader behind its source, and each optional transaction that is
 *       counted behind its predecessors;
 *   <li>if t3 reads a key from t1 and {@linkplain Sees sees} another counted writer t2 of the key, then t2 is before
 *       t1; if t3 reads the initial version, it sees no writer of the key.
 * </ul>
 *
 * <p>Transactions are numbered by session and within a session in its order. They are counted unless they are optional;
 * the commit of an optional transaction is a choice.
 */
public final class CommitProblem {
    /** The candidate that stands for the initial version. */
    public static final int INITIAL = -1;

    /** The transactions that a transaction sees (Biswas and Enea, OOPSLA 2019, figure 2). */
    public enum Sees {
        /** Nothing: Adya's PL-2. */
        NOTHING,
        /** A read sees the sources of earlier statements of its transaction: read committed. */
        EARLIER_READS,
        /** The sources of all reads, and earlier transactions of the session: read atomicity. */
        NEIGHBOURS,
        /** All from which there is a path of sessions and reads: causal consistency. */
        CAUSES
    }

    /**
     * The reads.
     *
     * @param starts by transaction, and one more: where its reads begin; they are in the order of the transaction
     * @param keys by read
     * @param statements by read: the first read of its statement
     * @param candidateStarts by read, and one more
     * @param candidates transactions or {@link #INITIAL}, each once for a read; never the reader
     */
    @SuppressWarnings("ArrayRecordComponent") // columns, never compared
    public record Reads(int[] starts, int[] keys, int[] statements, int[] candidateStarts, int[] candidates) {}

    /**
     * The keys that each transaction writes.
     *
     * @param starts by transaction, and one more
     * @param keys ascending within a transaction, each once
     */
    @SuppressWarnings("ArrayRecordComponent") // columns, never compared
    public record Writes(int[] starts, int[] keys) {}

    /**
     * Edges that every order has. Those of sessions are among them, and those of reads with one candidate, unless it or
     * the reader is optional.
     *
     * @param starts by transaction, and one more: where its predecessors begin
     */
    @SuppressWarnings("ArrayRecordComponent") // columns, never compared
    public record Predecessors(int[] starts, int[] transactions) {}

    final Sees sees;
    final int transactions;
    final int[] sessionOf;
    final int[] readStarts;
    final int[] readKeys;
    final int[] statements;
    final int[] candidateStarts;
    final int[] candidates;
    final int[] writeStarts;
    final int[] writtenKeys;
    /** The writers of key k, ascending: [writerStarts[k], writerStarts[k + 1]). */
    final int[] writerStarts;

    final int[] writers;
    final Predecessors known;
    final boolean[] optional;
    /** Predecessors that optional transactions have if they are counted; these count whatever is chosen. */
    final Predecessors ofOptional;

    final int[] position;
    private final int[] readers;

    /**
     * @param sessionOf by transaction, ascending
     * @param keys all keys are below
     * @param ofOptional the predecessors that optional transactions have if they are counted; none of them is optional
     * @param position by transaction: its place in an order that extends the known edges
     */
    public CommitProblem(
            Sees sees,
            int[] sessionOf,
            int keys,
            Reads reads,
            Writes writes,
            Predecessors known,
            boolean[] optional,
            Predecessors ofOptional,
            int[] position) {
        this.sees = sees;
        this.transactions = sessionOf.length;
        this.sessionOf = sessionOf;
        this.readStarts = reads.starts;
        this.readKeys = reads.keys;
        this.statements = reads.statements;
        this.candidateStarts = reads.candidateStarts;
        this.candidates = reads.candidates;
        this.writeStarts = writes.starts;
        this.writtenKeys = writes.keys;
        this.known = known;
        this.optional = optional;
        this.ofOptional = ofOptional;
        this.position = position;
        readers = new int[readKeys.length];
        for (int t = 0; t < transactions; t++) {
            Arrays.fill(readers, readStarts[t], readStarts[t + 1], t);
        }
        writerStarts = new int[keys + 1];
        writers = new int[writtenKeys.length];
        for (int key : writtenKeys) {
            writerStarts[key + 1]++;
        }
        for (int key = 0; key < keys; key++) {
            writerStarts[key + 1] += writerStarts[key];
        }
        int[] next = writerStarts.clone();
        for (int t = 0; t < transactions; t++) {
            for (int w = writeStarts[t]; w < writeStarts[t + 1]; w++) {
                writers[next[writtenKeys[w]]++] = t;
            }
        }
    }

    int reads() {
        return readKeys.length;
    }

    int reader(int read) {
        return readers[read];
    }

    /** Whether the source of a read is a choice. */
    boolean isOpen(int read) {
        int first = candidateStarts[read];
        return candidateStarts[read + 1] - first != 1
                || optional[readers[read]]
                || (candidates[first] != INITIAL && optional[candidates[first]]);
    }

    boolean writes(int transaction, int key) {
        return Arrays.binarySearch(writtenKeys, writeStarts[transaction], writeStarts[transaction + 1], key) >= 0;
    }

    /** Whether the first is an earlier transaction of the session of the second. */
    boolean isEarlier(int first, int second) {
        return first < second && sessionOf[first] == sessionOf[second];
    }
}
