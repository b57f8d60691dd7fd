package org.polygraph.storage.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the first bytes of a file show.
 *
 * @param blank whether they are only white space
 * @param format the format of the content, or null if the bytes do not show it
 * @param look the look of content whose format the bytes do not show
 */
public record Sniff(boolean blank, @Nullable HistoryFormat format, Look look) {
    /** What content of no known format looks like. */
    enum Look {
        /** A single log of a Cobra folder. */
        COBRA_LOG,
        /** Text in UTF-16 or UTF-32. */
        WIDE_TEXT,
        /** A list of objects of JSON. */
        JSON_LIST,
        /** Jepsen's {@code history.txt}: {@code 0 :invoke :read nil}, with tabs. */
        JEPSEN_TEXT,
        /** A log of a test of Jepsen or of clients of etcd, which has such lines with a prefix. */
        JEPSEN_LOG,
        /** Jepsen's binary file {@code test.jepsen}. */
        JEPSEN_STORE,
        /** Operations of Porcupine in JSON, as the tests of etcd write them. */
        PORCUPINE,
        OTHER
    }

    /**
     * The generator parameters of dbcop (nodes, variables...) are below this number. Text that is read as a number is
     * not.
     */
    private static final long PLAUSIBLE = 1L << 40;

    private static final Pattern TYPE = Pattern.compile("\"type\"\\s*:\\s*\"(invoke|ok|fail|info)\"");
    private static final Pattern PORCUPINE =
            Pattern.compile("\"ClientId\"\\s*:.*\"(Input|Call)\"\\s*:", Pattern.DOTALL);
    private static final Pattern JEPSEN_LINE =
            Pattern.compile("(\\d+|:[a-z-]+)[ \\t]+:(invoke|ok|fail|info)[ \\t]+:[a-z]");
    private static final Pattern JEPSEN_LOG = Pattern.compile("INFO\\s.*\\bjepsen\\.");
    /** Fields of our JSON Lines. Other fields of theirs may have any name. */
    private static final Pattern OF_TRANSACTION = Pattern.compile("\"(format|session|status|ops)\"\\s*:");

    public static Sniff of(byte[] start) {
        return new Sniff(skipSpace(start, 0) == start.length, format(start), look(start));
    }

    private static @Nullable HistoryFormat format(byte[] b) {
        if (b.length >= 4 && b[0] == 'P' && b[1] == 'A' && b[2] == 'R' && b[3] == '1') {
            return HistoryFormat.PARQUET;
        }
        if (isArrow(b)) {
            return HistoryFormat.ARROW;
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
        int next = skipSpaceAndCommas(b, start + 1);
        int second = byteAt(b, next);
        if (isCallInJson(b, start)) {
            return HistoryFormat.ELLE_JSON;
        }
        if (isOfPorcupine(b, start)) {
            return null;
        }
        return switch (b[start]) {
            case '{' -> second == ':' || second == '#' || second == ';' ? HistoryFormat.EDN : HistoryFormat.JSONL;
            case '[', '(' ->
                (second == '{' && byteAt(b, skipSpaceAndCommas(b, next + 1)) == ':') || second == '#' || second == ';'
                        ? HistoryFormat.EDN
                        : null;
            case '#' -> Character.isLetter(second) ? HistoryFormat.EDN : null;
            case ';', ',' -> HistoryFormat.EDN;
            case 'r', 'w' -> second == '(' ? HistoryFormat.PLUME : null;
            default -> null;
        };
    }

    /** Whether it begins as a file of Arrow, or as a stream: with four bytes of ones and the length of the schema. */
    private static boolean isArrow(byte[] b) {
        return new String(b, 0, Math.min(b.length, 8), StandardCharsets.ISO_8859_1).equals("ARROW1\0\0")
                || (b.length >= 8 && b[0] == -1 && b[1] == -1 && b[2] == -1 && b[3] == -1 && b[7] == 0);
    }

    private static Look look(byte[] b) {
        if (isCobraLog(b)) {
            return Look.COBRA_LOG;
        }
        if (isWide(b)) {
            return Look.WIDE_TEXT;
        }
        int start = skipMark(b);
        if (isOfPorcupine(b, start)) {
            return Look.PORCUPINE;
        }
        if (byteAt(b, start) == '[' && byteAt(b, skipSpace(b, start + 1)) == '{') {
            return Look.JSON_LIST;
        }
        String text = new String(b, start, b.length - start, StandardCharsets.ISO_8859_1);
        Matcher line = JEPSEN_LINE.matcher(text);
        if (line.lookingAt()) {
            return Look.JEPSEN_TEXT;
        }
        return text.startsWith("JEPSEN\0")
                ? Look.JEPSEN_STORE
                : line.find() || JEPSEN_LOG.matcher(text).find() ? Look.JEPSEN_LOG : Look.OTHER;
    }

    private static boolean isOfPorcupine(byte[] b, int start) {
        return (byteAt(b, start) == '{' || byteAt(b, start) == '[') && isOnly(b, PORCUPINE);
    }

    /** Whether text has a pattern, and no field of our JSON Lines. */
    private static boolean isOnly(byte[] b, Pattern pattern) {
        String text = new String(b, StandardCharsets.ISO_8859_1);
        return pattern.matcher(text).find() && !OF_TRANSACTION.matcher(text).find();
    }

    /** Whether an object of JSON, or a list of such objects, begins with what a call of Jepsen has. */
    private static boolean isCallInJson(byte[] b, int start) {
        int brace = b[start] == '[' ? skipSpace(b, start + 1) : start;
        if (byteAt(b, brace) != '{' || byteAt(b, skipSpace(b, brace + 1)) != '"') {
            return false;
        }
        return isOnly(b, TYPE);
    }

    /** Whether text begins with a byte order mark of UTF-16 or UTF-32, or has zeros beside its first character. */
    private static boolean isWide(byte[] b) {
        int first = byteAt(b, 0) & 0xFF;
        int second = byteAt(b, 1) & 0xFF;
        return b.length >= 2
                && (first == 0xFE && second == 0xFF
                        || first == 0xFF && second == 0xFE
                        || first == 0 && (second > ' ' && second < 127 || second == 0 && byteAt(b, 3) > ' ')
                        || second == 0 && first > ' ' && first < 127);
    }

    /** Returns the index at which the text begins, after a byte order mark and white space. */
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

    /** Skips white space. In EDN, commas are white space. */
    private static int skipSpaceAndCommas(byte[] b, int from) {
        int i = skipSpace(b, from);
        while (byteAt(b, i) == ',') {
            i = skipSpace(b, i + 1);
        }
        return i;
    }

    /** Whether five small non-negative numbers and a string of small length come first. */
    private static boolean isDbcop(byte[] b) {
        if (b.length < 48) {
            return false;
        }
        ByteBuffer fields = ByteBuffer.wrap(b).order(ByteOrder.LITTLE_ENDIAN);
        for (int field = 0; field < 6; field++) {
            long value = fields.getLong();
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
