package org.polygraph.storage.table;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * The condition that a predicate requires of a row: a conjunction of terms.
 *
 * @param label such as {@code between 5 and 9}; equal conditions may have different labels, but different conditions
 *     never have the same
 */
public record Condition(List<Term> terms, String label) {
    /** The column that stands for the value of a row. */
    public static final int VALUE = -1;

    /**
     * The condition on one column: an integer within bounds, an integer whose remainder is within bounds, or one of some
     * codes of values.
     *
     * @param column its number in {@link RowColumns}, or {@link #VALUE}
     * @param modulus by which an integer is divided, 1 or more, so that its remainder is 0 or more; 0 if the bounds are
     *     those of the integer itself. A column that is not {@link #VALUE} has none.
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Term(int column, long modulus, long low, long high, long @Nullable [] codes) {
        /** A term without a modulus. */
        public Term(int column, long low, long high, long @Nullable [] codes) {
            this(column, 0, low, high, codes);
        }

        /** Whether it states bounds of the integer itself. */
        boolean isRange() {
            return codes == null && modulus == 0;
        }

        /** Whether an integer is within the bounds, or its remainder. There must be no codes. */
        boolean includes(long integer) {
            long bounded = modulus == 0 ? integer : Math.floorMod(integer, modulus);
            return bounded >= low && bounded <= high;
        }

        boolean matches(ValueDictionary values, long code) {
            long[] any = codes;
            if (any == null) {
                return values.isInteger(code) && includes(values.integer(code));
            }
            for (long one : any) {
                if (one == code) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The condition that the value is an integer within bounds. */
    public static Condition between(long low, long high) {
        return new Condition(List.of(new Term(VALUE, low, high, null)), "between " + low + " and " + high);
    }

    /** The condition that the value is an integer whose remainder is within bounds. @param modulus 1 or more */
    public static Condition modulo(long modulus, long low, long high) {
        return new Condition(
                List.of(new Term(VALUE, modulus, low, high, null)),
                "modulo " + modulus + " between " + low + " and " + high);
    }

    boolean isOfValue() {
        return terms.size() == 1 && terms.get(0).column == VALUE;
    }

    /** Whether no version matches this condition and another one, as far as bounds of one column show it. */
    boolean excludes(Condition other) {
        for (Term term : terms) {
            for (Term of : other.terms) {
                if (term.column == of.column
                        && term.modulus == of.modulus
                        && term.codes == null
                        && of.codes == null
                        && (term.high < of.low || of.high < term.low)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a value satisfies the condition, which must be one on values. */
    boolean matches(ValueDictionary values, long value) {
        return terms.get(0).matches(values, value);
    }

    /**
     * Whether a version matches.
     *
     * @param row of {@link RowColumns}, or negative for a version without columns
     */
    boolean matches(ValueDictionary values, RowColumns rows, long value, int row) {
        for (Term term : terms) {
            int at = term.column == VALUE ? 0 : rows.find(row, term.column);
            if (at < 0 || !term.matches(values, term.column == VALUE ? value : rows.code(at))) {
                return false;
            }
        }
        return true;
    }
}
