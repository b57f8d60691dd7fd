package org.polygraph.storage.generate;

import java.io.Serializable;

/**
 * Chooses the key of an operation as a function of random bits; key 0 is the most frequent. It uses {@link StrictMath},
 * because the same bits must give the same key on every machine.
 */
public interface KeyChoice extends Serializable {
    /** Returns a key, from 0. */
    int of(long bits);

    /** Returns a number that is uniform in [0, bound), from the upper half of the bits (bias below bound / 2^32). */
    static int below(int bound, long bits) {
        return (int) (((bits >>> 32) * bound) >>> 32);
    }

    /** Returns a number that is uniform in [0, 1). */
    static double fraction(long bits) {
        return (bits >>> 11) * 0x1p-53;
    }

    /** All keys are equally frequent. */
    record Uniform(int keys) implements KeyChoice {
        @Override
        public int of(long bits) {
            return below(keys, bits);
        }
    }

    /** {@code share} of the operations access the first {@code hot} keys, the others access the rest. */
    record Hotspot(int keys, int hot, double share) implements KeyChoice {
        @Override
        public int of(long bits) {
            long again = TransactionPlan.mix(bits);
            return hot == keys || fraction(bits) < share ? below(hot, again) : hot + below(keys - hot, again);
        }
    }

    /** Key k has weight e^(-k / scale), where 95 % of the operations access the first six sevenths of the keys. */
    record Exponential(int keys) implements KeyChoice {
        private static final double SCALE = 6 / (7 * -StrictMath.log(0.05));

        @Override
        public int of(long bits) {
            // If a draw is beyond the last key, the next draw is the hash of its bits.
            for (long draw = bits; ; draw = TransactionPlan.mix(draw)) {
                double key = -StrictMath.log(1 - fraction(draw)) * keys * SCALE;
                if (key < keys) {
                    return (int) key;
                }
            }
        }
    }

    /**
     * Key k has weight (k + 1)^-exponent, by rejection-inversion (Hoermann and Derflinger 1996): exact, no table, about
     * two logarithms and exponentials a key for any exponent above 0.
     */
    final class Zipf implements KeyChoice {
        private static final long serialVersionUID = 1L;

        private final int keys;
        private final double exponent;
        private final double atFirst;
        private final double atLast;
        private final double sure;

        Zipf(int keys, double exponent) {
            this.keys = keys;
            this.exponent = exponent;
            atFirst = integral(1.5) - 1;
            atLast = integral(keys + 0.5);
            sure = 2 - inverse(integral(2.5) - StrictMath.exp(-exponent * StrictMath.log(2)));
        }

        @Override
        public int of(long bits) {
            // If a draw is rejected, the next draw is the hash of its bits.
            for (long draw = bits; ; draw = TransactionPlan.mix(draw)) {
                double u = atLast + fraction(draw) * (atFirst - atLast);
                double x = inverse(u);
                int k = (int) Math.max(1, Math.min(keys, Math.round(x)));
                if (k - x <= sure || u >= integral(k + 0.5) - StrictMath.exp(-exponent * StrictMath.log(k))) {
                    return k - 1;
                }
            }
        }

        /** Returns the integral of x^-exponent, up to a constant. */
        private double integral(double x) {
            double log = StrictMath.log(x);
            double t = (1 - exponent) * log;
            double ratio = Math.abs(t) > 1e-8 ? StrictMath.expm1(t) / t : 1 + t / 2;
            return ratio * log;
        }

        private double inverse(double y) {
            double t = Math.max(-1, y * (1 - exponent));
            double ratio = Math.abs(t) > 1e-8 ? StrictMath.log1p(t) / t : 1 - t / 2;
            return StrictMath.exp(ratio * y);
        }
    }
}
