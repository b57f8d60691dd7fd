package org.polygraph.solver.theory;

import org.polygraph.solver.sat.Budget;
import org.polygraph.solver.sat.Literals;

/**
 * What each variable means: an edge between two events (true: from the lower id to the higher), a bracket (implies two
 * edges), or the commit of an optional transaction.
 */
public final class Atoms {
    /** Kinds of variables. */
    public static final int EDGE = 0;

    public static final int BRACKET = 1;
    public static final int COMMIT = 2;

    private final Budget budget;
    private final PairTable edges;
    private final PairTable commits;
    private byte[] kinds = new byte[0];
    private int[] first = new int[0];
    private int[] second = new int[0];
    private int size;

    public Atoms(Budget budget) {
        this.budget = budget;
        edges = new PairTable(budget);
        commits = new PairTable(budget);
    }

    /** Number of variables registered; the next one registered must have this number. */
    public int size() {
        return size;
    }

    /** Number of pairs of events among the variables. */
    public int edges() {
        return edges.size();
    }

    /** The variable of the pair {a, b}, or {@link PairTable#ABSENT}. */
    public int edge(int a, int b) {
        return edges.get(pair(a, b));
    }

    /** The literal, given its variable, that says {@code from -> to}. */
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

    /** A bracket that implies two edge literals; the second may be {@link Literals#NONE}. */
    public void addBracket(int firstLiteral, int secondLiteral) {
        add(BRACKET, firstLiteral, secondLiteral);
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

    /** Source of the edge that an edge literal says. */
    public int from(int literal) {
        return Literals.isNegative(literal) ? second[literal >> 1] : first[literal >> 1];
    }

    /** Target of the edge that an edge literal says. */
    public int to(int literal) {
        return Literals.isNegative(literal) ? first[literal >> 1] : second[literal >> 1];
    }

    /** First literal a bracket implies; transaction of a commit. */
    public int first(int variable) {
        return first[variable];
    }

    /** Second literal a bracket implies, or {@link Literals#NONE}. */
    public int second(int variable) {
        return second[variable];
    }

    private static long pair(int a, int b) {
        return (long) Math.min(a, b) << 32 | Math.max(a, b);
    }
}
