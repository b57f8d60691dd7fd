package org.polygraph.jobs.certificate.replay;

/**
 * Sorts the numbers from 0 to n - 1 by two keys of 64 bits; those with equal keys stay in order. Time n log n; memory:
 * 8 bytes each.
 */
final class StableSort {
    private StableSort() {}

    static int[] order(long[] first, long[] second, int n) {
        int[] from = new int[n];
        for (int i = 0; i < n; i++) {
            from[i] = i;
        }
        int[] to = new int[n];
        for (int width = 1; width < n; width <<= 1) {
            for (int at = 0; at < n; at += 2 * width) {
                int middle = Math.min(at + width, n);
                merge(first, second, from, to, at, middle, Math.min(middle + width, n));
            }
            int[] other = from;
            from = to;
            to = other;
        }
        return from;
    }

    private static void merge(long[] first, long[] second, int[] from, int[] to, int low, int middle, int high) {
        int a = low;
        int b = middle;
        for (int at = low; at < high; at++) {
            boolean left = a < middle && (b == high || compare(first, second, from[a], from[b]) <= 0);
            to[at] = left ? from[a++] : from[b++];
        }
    }

    private static int compare(long[] first, long[] second, int a, int b) {
        return first[a] != first[b] ? Long.compare(first[a], first[b]) : Long.compare(second[a], second[b]);
    }
}
