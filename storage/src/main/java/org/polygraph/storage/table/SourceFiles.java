package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectMaps;
import java.util.List;

/**
 * The files that the transactions come from, and the unit of positions in them.
 *
 * @param errors by file and position of a transaction: the error that it ended with, as its client recorded it
 */
public record SourceFiles(List<String> files, Unit unit, Long2ObjectMap<String> errors) {
    /** The unit of a position in a source file. */
    public enum Unit {
        /** Lines from 1. */
        LINE,
        /** Bytes from 0, of the decompressed content. */
        BYTE,
        /** Rows of a Parquet file from 0. */
        ROW
    }

    private static final int FILE_SHIFT = 44;

    SourceFiles(List<String> files, Unit unit) {
        this(files, unit, Long2ObjectMaps.emptyMap());
    }

    public SourceFiles {
        files = List.copyOf(files);
    }

    /** {@code file:7}, {@code file:byte 7} or {@code file:row 7}. */
    public static String describe(String file, Unit unit, long position) {
        return switch (unit) {
            case LINE -> file + ":" + position;
            case BYTE -> file + ":byte " + position;
            case ROW -> file + ":row " + position;
        };
    }

    /** The number of a file and a position in it, below 2^44, in one long. */
    static long pack(int file, long position) {
        return (long) file << FILE_SHIFT | position;
    }

    public static long position(long packed) {
        return packed & ((1L << FILE_SHIFT) - 1);
    }

    static int file(long packed) {
        return (int) (packed >>> FILE_SHIFT);
    }

    String describe(long packed) {
        int file = file(packed);
        return describe(file < files.size() ? files.get(file) : "?", unit, position(packed));
    }
}
