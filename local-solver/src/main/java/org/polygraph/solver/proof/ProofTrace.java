package org.polygraph.solver.proof;

import java.util.Arrays;
import org.polygraph.solver.sat.ProofSink;

/**
 * The steps of a solver, from which {@link ProofChecker} can verify its refutation.
 *
 * <p>States: <i>empty</i>, <i>recording</i> (after {@link #begin}), <i>ended</i> (a refutation is complete; further
 * steps are ignored), <i>overflowed</i> (the bound on memory was reached and the steps were discarded; further steps
 * are ignored). A trace belongs to one solve at a time; the next one starts over.
 *
 * <p>Literals are {@code 2 * variable}, plus one when negated; variables count up from 0 in order of declaration.
 * Memory: 4 bytes for each number of a step and 4 more a step, in blocks of 16 KB.
 */
public final class ProofTrace implements ProofSink {
    // Kinds of steps: the letters of the text.
    static final int EDGE = 'e';
    static final int BRACKET = 'b';
    static final int COMMIT = 'c';
    static final int READ = 'r';
    static final int OVERLAP = 'o';
    static final int DEFINITION = 'd';
    static final int LEMMA = 't';
    static final int LEARNT = 'l';
    static final int DELETED = 'x';
    static final int END = 'q';

    private static final int KIND_BITS = 7;
    static final int MAX_STEP = Integer.MAX_VALUE >>> KIND_BITS;
    private static final int BLOCK_BITS = 12;
    private static final int BLOCK = 1 << BLOCK_BITS;

    private final long maxBytes;
    private int[][] blocks = new int[0][];
    private int used;
    private long end;
    private long steps;
    private boolean ended;
    private boolean overflowed;

    private ProofShape shape = new ProofShape(0, 0, 0, 0, 0);

    /** @param maxBytes bound on the memory of the trace, in bytes */
    public ProofTrace(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Discards all steps and starts to record for a problem. */
    public void begin(ProofShape problem) {
        shape = problem;
        blocks = new int[0][];
        used = 0;
        end = 0;
        steps = 0;
        ended = false;
        overflowed = false;
    }

    /** Whether a whole refutation is recorded. */
    public boolean isEnded() {
        return ended && !overflowed;
    }

    /** Whether the bound on memory was reached, so that no steps are recorded. */
    public boolean isOverflowed() {
        return overflowed;
    }

    /** Number of steps recorded. */
    public long steps() {
        return steps;
    }

    /** The bytes in use. */
    public long bytes() {
        return 4L * BLOCK * used;
    }

    ProofShape shape() {
        return shape;
    }

    // ---------------------------------------------------------------- declarations

    /** Declares a variable: event {@code a} comes before event {@code b}; false, after it. */
    public void edge(int variable, int a, int b) {
        if (open(EDGE, 3)) {
            put(variable);
            put(a);
            put(b);
        }
    }

    /**
     * Declares a variable: the candidate's transaction committed, its commit comes before {@code reader}, and this event
     * of it after {@code writer}.
     *
     * @param writer an event, or -1 for none
     * @param candidate an event of the candidate's transaction
     */
    public void bracket(int variable, int writer, int candidate, int reader) {
        if (open(BRACKET, 4)) {
            put(variable);
            put(writer);
            put(candidate);
            put(reader);
        }
    }

    /** Declares a variable: an optional transaction commits. */
    public void commit(int variable, int txn) {
        if (open(COMMIT, 2)) {
            put(variable);
            put(txn);
        }
    }

    // ---------------------------------------------------------------- clauses

    /**
     * Records a clause of the problem: a read does not have this last writer.
     *
     * @param writer index of the writer, or -1 for "no writer at all"
     */
    public void read(int reader, int writer, int[] literals, int size) {
        about(READ, reader, writer, literals, size);
    }

    /** Records a clause of the problem: two writers of a key, by index, do not overlap. */
    public void overlap(int writer, int other, int[] literals, int size) {
        about(OVERLAP, writer, other, literals, size);
    }

    private void about(int kind, int first, int second, int[] literals, int size) {
        if (open(kind, 2L + size)) {
            put(first);
            put(second);
            put(literals, 0, size);
        }
    }

    /** Records that a bracket implies one of its parts. */
    public void definition(int[] literals, int size) {
        if (open(DEFINITION, size)) {
            put(literals, 0, size);
        }
    }

    /**
     * Records a cycle: at least one of these edge literals is true, because their negations and known edges close it.
     *
     * @param cycle its events, the last before the first
     */
    public void lemma(int[] literals, int size, int[] cycle, int length) {
        if (open(LEMMA, 1L + size + length)) {
            put(size);
            put(literals, 0, size);
            put(cycle, 0, length);
        }
    }

    @Override
    public void learnt(int[] literals, int size, int[] parents, int count) {
        if (open(LEARNT, 1L + size + count)) {
            put(size);
            put(literals, 0, size);
            putReversed(parents, count);
        }
    }

    @Override
    public void deleted(int clause) {
        if (open(DELETED, 1)) {
            put(clause);
        }
    }

    @Override
    public void refuted(int[] parents, int count) {
        if (open(END, count)) {
            putReversed(parents, count);
            ended = true;
        }
    }

    // ---------------------------------------------------------------- storage

    /** Records a step that was read from text; {@code numbers} have the layout that the recording methods give them. */
    void step(int kind, int[] numbers, int size) {
        if (open(kind, size)) {
            put(numbers, 0, size);
            ended = kind == END;
        }
    }

    private boolean open(int kind, long size) {
        if (ended || overflowed) {
            return false;
        }
        long newEnd = end + 1 + size;
        if (size > MAX_STEP || 4 * (newEnd + BLOCK) > maxBytes) {
            overflow();
            return false;
        }
        while ((long) used * BLOCK < newEnd) {
            if (used == blocks.length) {
                blocks = Arrays.copyOf(blocks, Math.max(4, 2 * used));
            }
            blocks[used++] = new int[BLOCK];
        }
        put((int) size << KIND_BITS | kind);
        steps++;
        return true;
    }

    private void overflow() {
        blocks = new int[0][];
        used = 0;
        end = 0;
        overflowed = true;
    }

    private void put(int[] numbers, int from, int to) {
        for (int i = from; i < to; i++) {
            put(numbers[i]);
        }
    }

    private void putReversed(int[] numbers, int count) {
        for (int i = count - 1; i >= 0; i--) {
            put(numbers[i]);
        }
    }

    private void put(int number) {
        blocks[(int) (end >>> BLOCK_BITS)][(int) end & (BLOCK - 1)] = number;
        end++;
    }

    private int get(long at) {
        return blocks[(int) (at >>> BLOCK_BITS)][(int) at & (BLOCK - 1)];
    }

    /** Reads the steps one after the other. */
    static final class Cursor {
        private final ProofTrace trace;
        private long at;
        private int kind;
        private int[] numbers = new int[16];
        private int size;

        Cursor(ProofTrace trace) {
            this.trace = trace;
        }

        /** Goes to the next step; false after the last. */
        boolean next() {
            if (at >= trace.end) {
                return false;
            }
            int head = trace.get(at++);
            kind = head & (1 << KIND_BITS) - 1;
            size = head >>> KIND_BITS;
            if (size > numbers.length) {
                numbers = new int[Math.max(size, (int) Math.min(MAX_STEP, 2L * numbers.length))];
            }
            for (int i = 0; i < size; i++) {
                numbers[i] = trace.get(at++);
            }
            return true;
        }

        int kind() {
            return kind;
        }

        /** The step's numbers, {@link #size} of them; valid until the next step. */
        int[] numbers() {
            return numbers;
        }

        int size() {
            return size;
        }
    }
}
