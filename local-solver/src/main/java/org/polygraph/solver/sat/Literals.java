package org.polygraph.solver.sat;

/** A literal is {@code 2 * variable}, plus one when negated. */
public final class Literals {
    /** No literal. */
    public static final int NONE = -1;

    private Literals() {}

    /** The positive literal of {@code variable}. */
    public static int positive(int variable) {
        return variable << 1;
    }

    /** The negated literal of {@code variable}. */
    public static int negative(int variable) {
        return variable << 1 | 1;
    }

    public static int not(int literal) {
        return literal ^ 1;
    }

    public static int variable(int literal) {
        return literal >> 1;
    }

    public static boolean isNegative(int literal) {
        return (literal & 1) != 0;
    }
}
