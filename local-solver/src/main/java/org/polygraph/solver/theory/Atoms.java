package org.polygraph.solver.theory;

import org.polygraph.solver.sat.Literals;
import org.polygraph.solver.sat.SearchBudget;

/**
 * The meaning of each variable: an edge between two events (true: from the lower id to the higher), a bracket (a
 * candidate between a writer and a reader), the commit of an optional transaction, or the choice of a candidate for a
 * read. Variables are added in the order of their numbers.
 *
 * <p>A bracket costs one variable until it is chosen: only then is it <i>defined</i>, by clauses that imply its edges.
 * With 30 candidates a read, definitions made at once took three quarters of the memory.
 */
public final class Atoms {
    /** Kinds of variables. */
    public static final int EDGE = 0;

    /** A bracket whose edges are not implied yet. */
    public static final int BRACKET = 1;

    public static final int DEFINED_BRACKET = 2;
    public static final int COMMIT = 3;

    /** A read from a candidate whose consequences are not implied yet. */
    public static final int CHOICE = 4;

    public static final int DEFINED_CHOICE = 5;
    /** No event. */
    public static final int NONE = -1;

    private final SearchBudget budget;
    private final PairTable edges;
    private final PairTable commits;
    private byte[] kinds = new byte[0];
    private int[] first = new int[0];
    private int[] second = new int[0];
    private int[] third = new int[0];
    private int size;

    public Atoms(SearchBudget budget) {
        this.budget = budget;
        edges = new PairTable(budget);
        commits = new PairTable(budget);
    }

    /** The variable of the pair {a, b}, or {@link PairTable#ABSENT}. */
    public int edge(int a, int b) {
        return edges.get(pair(a, b));
    }

    /** The literal of the edge {@code from -> to}, given its variable. */
    public static int edgeLiteral(int variable, int from, int to) {
        return from < to ? Literals.positive(variable) : Literals.negative(variable);
    }

    /** The variable of an optional transaction's commit, or {@link PairTable#ABSENT}. */
    public int commit(int txn) {
        return commits.get(txn);
    }

    public void addEdge(int a, int b) {
        edges.put(pair(a, b), size);
        add(EDGE, Math.min(a, b), Math.max(a, b));
    }

    /**
     * A bracket, not defined yet.
     *
     * @param writer commit of the writer that must come before the candidate, or {@link #NONE}
     * @param candidate event of the candidate that must come after the writer
     * @param reader event of the reader that must come after the candidate
     */
    public void addBracket(int writer, int candidate, int reader) {
        third = budget.grow(third, size + 1L);
        third[size] = candidate;
        add(BRACKET, writer, reader);
    }

    /** Records that clauses imply the consequences of a bracket or a choice from now on. */
    public void define(int variable) {
        kinds[variable]++;
    }

    /** A choice, not defined yet; both numbers are the caller's. */
    public void addChoice(int read, int candidate) {
        add(CHOICE, read, candidate);
    }

    public int read(int choice) {
        return first[choice];
    }

    public int candidateOf(int choice) {
        return second[choice];
    }

    public void addCommit(int txn) {
        commits.put(txn, size);
        add(COMMIT, txn, txn);
    }

    private void add(int kind, int a, int b) {
        kinds = budget.grow(kinds, size + 1L);
        first = budget.grow(first, size + 1L);
        second = budget.grow(second, size + 1L);
        kinds[size] = (byte) kind;
        first[size] = a;
        second[size] = b;
        size++;
    }

    public int kind(int variable) {
        return kinds[variable];
    }

    /** The source of the edge of an edge literal. */
    public int from(int literal) {
        return Literals.isNegative(literal) ? second[literal >> 1] : first[literal >> 1];
    }

    /** The target of the edge of an edge literal. */
    public int to(int literal) {
        return Literals.isNegative(literal) ? first[literal >> 1] : second[literal >> 1];
    }

    /** Commit event of a bracket's writer, or {@link #NONE}. */
    public int writer(int bracket) {
        return first[bracket];
    }

    /** Event of a bracket's reader. */
    public int reader(int bracket) {
        return second[bracket];
    }

    /** Event of a bracket's candidate that comes after its writer. */
    public int candidate(int bracket) {
        return third[bracket];
    }

    public int transaction(int commit) {
        return first[commit];
    }

    private static long pair(int a, int b) {
        return (long) Math.min(a, b) << 32 | Math.max(a, b);
    }
}
