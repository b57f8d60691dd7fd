package org.polygraph.partitioner.isolation;

import java.util.Arrays;

/**
 * A part of a history that violates the level on its own, and from which it follows that the whole does: for every read
 * in it, all writes are in it that the read may have returned in the whole history.
 *
 * @param transactions ids in the whole history, ascending
 * @param operations ids in the whole history, ascending: all that is kept of these transactions
 * @param minimal whether it is known that without any one of its transactions or operations it would pass, or would miss
 *     a write that one of its reads may have returned; false where the budget for shrinking ended before
 * @param judge who found again that it violates
 */
@SuppressWarnings("ArrayRecordComponent") // compared by their content, below
public record SubHistory(int[] transactions, int[] operations, boolean minimal, Judge judge) {
    /** Who judged it. */
    public enum Judge {
        /** The check itself, on these operations alone. */
        CHECKER("checker"),
        /** Every order of its transactions was tried, by code that knows no graph. */
        BRUTE_FORCE("brute force");

        private final String label;

        Judge(String label) {
            this.label = label;
        }

        /** The name in results. */
        public String label() {
            return label;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SubHistory part
                && Arrays.equals(transactions, part.transactions)
                && Arrays.equals(operations, part.operations)
                && minimal == part.minimal
                && judge == part.judge;
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(operations) + judge.hashCode();
    }

    @Override
    public String toString() {
        return "operations " + Arrays.toString(operations) + (minimal ? ", minimal, by " : ", by ") + judge.label();
    }

    /** The same, judged by somebody else. */
    public SubHistory judgedBy(Judge other) {
        return new SubHistory(transactions, operations, minimal, other);
    }
}
