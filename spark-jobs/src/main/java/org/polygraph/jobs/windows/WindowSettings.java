package org.polygraph.jobs.windows;

import java.io.Serializable;

/**
 * The sizes by which a check divides its work. None changes a verdict.
 *
 * @param window transactions of a window, about
 * @param perTask the most transactions of the cells that a task takes together; more if one cell has more, or if there
 *     would be more than 512 groups of cells
 * @param perSlice operations of a slice of keys, about
 * @param mostSlices the most slices
 */
public record WindowSettings(int window, long perTask, long perSlice, int mostSlices) implements Serializable {
    private static final int SAMPLES = 64;

    /**
     * The default sizes. What a task keeps of the keys of a slice fits in the cache of a processor: with slices of 2
     * million operations a check of 10 million operations took 1.2 times the CPU.
     */
    public static WindowSettings of(int window) {
        return new WindowSettings(window, 1 << 16, 1 << 17, 1 << 12);
    }

    /** The sizes of a replay, which has no windows that grow. Its tasks are small, so that a small memory suffices. */
    public static WindowSettings ofReplay() {
        return new WindowSettings(1 << 15, 1 << 14, 1 << 17, 1 << 12);
    }

    /** Transactions of a cell, about; two make a window. */
    long perCell() {
        return Math.max(1, window / 2);
    }

    /** How many transactions one clock of the sample represents when borders are chosen. */
    long perSample() {
        return Math.max(1, perCell() / SAMPLES);
    }
}
