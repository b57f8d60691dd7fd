package org.polygraph.partitioner.isolation;

import java.util.Arrays;

/**
 * Operations of a history that violate the level without the others. They include, for each of their reads, all writes
 * whose value the read may have returned in the whole history. Therefore the whole history violates the level too.
 *
 * @param transactions ids in the whole history, ascending
 * @param operations ids in the whole history, ascending
 * @param minimal whether, without any one of its transactions or operations, the rest keeps the weakest level that it
 *     violates, or lacks a write that one of its reads may have returned; false if the budget for shrinking ended before that was known
 * @param judge what found that these operations violate the level without the rest of the history
 * @param recorded whether the operations violate the level as they were recorded too, with predicates in place of the
 *     reads of rows that express them
 * @param ofWrites whether inserts and deletes count as other writes, so that none of them lacks one that was left out
 */
@SuppressWarnings("ArrayRecordComponent") // compared by their content, below
public record SubHistory(
        int[] transactions, int[] operations, boolean minimal, Judge judge, boolean recorded, boolean ofWrites) {
    /** Operations that express predicates, or a history without predicates; inserts and deletes have their own meaning. */
    public SubHistory(int[] transactions, int[] operations, boolean minimal, Judge judge) {
        this(transactions, operations, minimal, judge, false, false);
    }

    /** The judge of a sub-history. */
    public enum Judge {
        /** The check itself, on these operations alone. */
        CHECKER("checker"),
        /** Every order of its transactions was tried, by code that uses no graph. */
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
        return other instanceof SubHistory that
                && Arrays.equals(transactions, that.transactions)
                && Arrays.equals(operations, that.operations)
                && minimal == that.minimal
                && recorded == that.recorded
                && ofWrites == that.ofWrites
                && judge == that.judge;
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(operations) + judge.hashCode();
    }

    @Override
    public String toString() {
        return "operations " + Arrays.toString(operations) + (minimal ? ", minimal, by " : ", by ") + judge.label();
    }

    /** The same operations with another judge. */
    public SubHistory judgedBy(Judge other) {
        return new SubHistory(transactions, operations, minimal, other, recorded, ofWrites);
    }

    /** The same operations, of which some may be left out. */
    public SubHistory notMinimal() {
        return new SubHistory(transactions, operations, false, judge, recorded, ofWrites);
    }

    /** The same operations, in which inserts and deletes count as other writes. */
    public SubHistory asWrites() {
        return new SubHistory(transactions, operations, minimal, judge, recorded, true);
    }

    /** The same operations, which violate the level as they were recorded too. */
    public SubHistory asRecorded() {
        return new SubHistory(transactions, operations, minimal, judge, true, ofWrites);
    }
}
