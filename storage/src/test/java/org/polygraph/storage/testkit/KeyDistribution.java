package org.polygraph.storage.testkit;

/** The choice of keys; key 0 is the most frequent. */
interface KeyDistribution {
    /** A key, from 0. */
    int next(SplitMix random);

    /** All keys are equally frequent. */
    record Uniform(int keys) implements KeyDistribution {
        @Override
        public int next(SplitMix random) {
            return random.nextInt(keys);
        }
    }

    /** {@code share} of the operations fall on the first {@code hot} keys, the others on the rest. */
    record Hotspot(int keys, int hot, double share) implements KeyDistribution {
        @Override
        public int next(SplitMix random) {
            boolean hit = hot == keys || random.chance(share);
            return hit ? random.nextInt(hot) : hot + random.nextInt(keys - hot);
        }
    }

    /**
     * Key k with weight (k + 1)^-theta, by rejection-inversion (Hoermann and Derflinger 1996): exact, no table, about
     * two logarithms and exponentials a key for any theta above 0.
     */
    final class Zipf implements KeyDistribution {
        private final int keys;
        private final double theta;
        private final double atFirst;
        private final double atLast;
        private final double sure;

        Zipf(int keys, double theta) {
            this.keys = keys;
            this.theta = theta;
            atFirst = integral(1.5) - 1;
            atLast = integral(keys + 0.5);
            sure = 2 - inverse(integral(2.5) - Math.exp(-theta * Math.log(2)));
        }

        @Override
        public int next(SplitMix random) {
            while (true) {
                double u = atLast + random.nextDouble() * (atFirst - atLast);
                double x = inverse(u);
                int k = (int) Math.max(1, Math.min(keys, Math.round(x)));
                if (k - x <= sure || u >= integral(k + 0.5) - Math.exp(-theta * Math.log(k))) {
                    return k - 1;
                }
            }
        }

        /** The integral of x^-theta, up to a constant. */
        private double integral(double x) {
            double log = Math.log(x);
            double t = (1 - theta) * log;
            double ratio = Math.abs(t) > 1e-8 ? Math.expm1(t) / t : 1 + t / 2;
            return ratio * log;
        }

        private double inverse(double y) {
            double t = Math.max(-1, y * (1 - theta));
            double ratio = Math.abs(t) > 1e-8 ? Math.log1p(t) / t : 1 - t / 2;
            return Math.exp(ratio * y);
        }
    }
}
