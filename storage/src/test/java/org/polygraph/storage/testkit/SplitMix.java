package org.polygraph.storage.testkit;

/**
 * SplitMix64 (Steele, Lea, Flood 2014): one addition and a mix a number. Our own, so that a seed means the same history
 * on every JDK. Not thread-safe.
 */
public final class SplitMix {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long state;

    /** Any seed, 0 included. */
    public SplitMix(long seed) {
        state = seed;
    }

    /** The i-th of a family of seeds that look unrelated; in O(1). */
    public static long seedOf(long seed, long i) {
        return mix(mix(seed) + GOLDEN * (i + 1));
    }

    /** A bijection of the 64-bit numbers that looks random. */
    public static long mix(long z) {
        long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }

    public long nextLong() {
        return mix(state += GOLDEN);
    }

    /** Uniform in [0, bound), bound positive (bias below bound / 2^32). */
    public int nextInt(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    /** Uniform in [low, high]. */
    public int between(int low, int high) {
        return low + nextInt(high - low + 1);
    }

    /** Uniform in [0, 1). */
    public double nextDouble() {
        return (nextLong() >>> 11) * 0x1p-53;
    }

    /** True with this probability. */
    public boolean chance(double probability) {
        return nextDouble() < probability;
    }
}
