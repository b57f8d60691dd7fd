package org.polygraph.storage.format;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the first bytes of a file say about it.
 *
 * @param compression the outer layer
 * @param empty whether the file has no bytes at all
 * @param blank whether the content, compression undone, begins with nothing but white space
 * @param format the format of the content, or null where the bytes decide nothing
 * @param cobraLog whether the content begins like a single log of a Cobra folder
 */
record Sniff(
        Compression compression,
        boolean empty,
        boolean blank,
        @Nullable HistoryFormat format,
        boolean cobraLog) {
    /** How many raw bytes are looked at. */
    static final int PREFIX = 1 << 16;

    private static final int INNER_PREFIX = 512;
    /** Generator parameters of dbcop (nodes, variables...) are below this; text read as a number never is. */
    private static final long PLAUSIBLE = 1L << 40;

    enum Compression {
        NONE,
        GZIP,
        ZSTD
    }

    static Sniff of(byte[] prefix) {
        Compression compression = compression(prefix);
        byte[] content = inner(prefix, compression);
        int first = skipSpace(content, 0);
        return new Sniff(
                compression, prefix.length == 0, first == content.length, format(content), isCobraLog(content));
    }

    private static Compression compression(byte[] b) {
        if (b.length >= 3 && b[0] == 0x1F && b[1] == (byte) 0x8B && b[2] == 8) {
            return Compression.GZIP;
        }
        if (b.length >= 4) {
            int magic = (b[3] & 0xFF) << 24 | (b[2] & 0xFF) << 16 | (b[1] & 0xFF) << 8 | (b[0] & 0xFF);
            // A frame, or a skippable one as parallel compressors write them.
            if (magic == 0xFD2FB528 || (magic & 0xFFFFFFF0) == 0x184D2A50) {
                return Compression.ZSTD;
            }
        }
        return Compression.NONE;
    }

    private static byte[] inner(byte[] prefix, Compression compression) {
        if (compression == Compression.NONE) {
            return prefix.length <= INNER_PREFIX ? prefix : Arrays.copyOf(prefix, INNER_PREFIX);
        }
        byte[] content = new byte[INNER_PREFIX];
        int n = 0;
        InputStream raw = new ByteArrayInputStream(prefix);
        try (InputStream in = compression == Compression.GZIP ? new GzipInput(raw) : new ZstdInput(raw)) {
            for (int read; n < content.length && (read = in.read(content, n, content.length - n)) > 0; ) {
                n += read;
            }
        } catch (IOException e) {
            // The prefix is cut off, and may be damaged: whoever reads the whole will say so.
            return Arrays.copyOf(content, n);
        }
        return Arrays.copyOf(content, n);
    }

    private static @Nullable HistoryFormat format(byte[] b) {
        if (b.length >= 4 && b[0] == 'P' && b[1] == 'A' && b[2] == 'R' && b[3] == '1') {
            return HistoryFormat.PARQUET;
        }
        if (isDbcop(b)) {
            return HistoryFormat.DBCOP;
        }
        int start = skipMark(b);
        for (byte c : b) {
            if (c == 0) {
                return null;
            }
        }
        if (start == b.length) {
            return null;
        }
        int next = skipSpace(b, start + 1);
        int second = byteAt(b, next);
        return switch (b[start]) {
            case '{' -> second == ':' || second == '#' ? HistoryFormat.EDN : HistoryFormat.JSONL;
            case '[', '(' ->
                (second == '{' && byteAt(b, skipSpace(b, next + 1)) == ':') || second == '#' ? HistoryFormat.EDN : null;
            case '#' -> second == 'j' ? HistoryFormat.EDN : null;
            case ';' -> HistoryFormat.EDN;
            case 'r', 'w' -> second == '(' ? HistoryFormat.PLUME : null;
            default -> null;
        };
    }

    /** Where the text begins, behind a mark of UTF-8 and white space. */
    private static int skipMark(byte[] b) {
        boolean isMarked = b.length >= 3 && b[0] == (byte) 0xEF && b[1] == (byte) 0xBB && b[2] == (byte) 0xBF;
        return skipSpace(b, isMarked ? 3 : 0);
    }

    private static int byteAt(byte[] b, int i) {
        return i < b.length ? b[i] : -1;
    }

    private static int skipSpace(byte[] b, int from) {
        int i = from;
        while (i < b.length && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n')) {
            i++;
        }
        return i;
    }

    /** Five small non-negative numbers and a string whose length is small too. */
    private static boolean isDbcop(byte[] b) {
        if (b.length < 48) {
            return false;
        }
        for (int field = 0; field < 6; field++) {
            long value = 0;
            for (int i = 7; i >= 0; i--) {
                value = value << 8 | (b[field * 8 + i] & 0xFF);
            }
            if (value < 0 || value >= (field < 5 ? PLAUSIBLE : 1 << 16)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isCobraLog(byte[] b) {
        return b.length >= 10 && b[0] == 'S' && b[1] == 0 && (b[9] == 'R' || b[9] == 'W' || b[9] == 'C');
    }
}
