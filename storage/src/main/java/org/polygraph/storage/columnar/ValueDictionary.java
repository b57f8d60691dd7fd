package org.polygraph.storage.columnar;

import it.unimi.dsi.fastutil.objects.Object2LongOpenHashMap;
import java.util.ArrayList;
import java.util.List;

/**
 * 64-bit codes for values: equal values have equal codes and no others do. An integer within &plusmn;2^62 is its own
 * code, which costs no lookup and no memory; null, strings, the remaining integers and opaque values get codes at the
 * bottom of the range.
 *
 * <p>Dense ids for values (as for keys) were not taken: most values are unique, so a dictionary of them is a cache miss
 * an operation and as large as the history.
 */
public final class ValueDictionary {
    /** The code of null. */
    public static final long NULL = Long.MIN_VALUE;

    private static final long OWN_CODE_MIN = -(1L << 62);
    private static final long OWN_CODE_MAX = 1L << 62;
    private static final long FIRST = Long.MIN_VALUE + 1;

    private enum Kind {
        STRING,
        INTEGER,
        OPAQUE
    }

    private record Label(Kind kind, String text) {}

    private final Object2LongOpenHashMap<Label> codes = new Object2LongOpenHashMap<>();
    private final List<Label> labels = new ArrayList<>();

    public ValueDictionary() {
        codes.defaultReturnValue(NULL);
    }

    /** The code of an integer value. */
    public long code(long value) {
        return value >= OWN_CODE_MIN && value <= OWN_CODE_MAX
                ? value
                : intern(new Label(Kind.INTEGER, Long.toString(value)));
    }

    /** The code of a string value. */
    public long code(String value) {
        return intern(new Label(Kind.STRING, value));
    }

    /** The code of a value that is neither integer nor string but has an identity, shown as {@code text}. */
    public long opaque(String text) {
        return intern(new Label(Kind.OPAQUE, text));
    }

    private long intern(Label label) {
        long code = codes.getLong(label);
        if (code == NULL) {
            code = FIRST + labels.size();
            labels.add(label);
            codes.put(label, code);
        }
        return code;
    }

    private static boolean isOwnCode(long code) {
        return code >= OWN_CODE_MIN;
    }

    public boolean isNull(long code) {
        return code == NULL;
    }

    /** Whether the value is an integer; then {@link #integer} gives it. */
    public boolean isInteger(long code) {
        return isOwnCode(code) || (code != NULL && labelOf(code).kind == Kind.INTEGER);
    }

    public long integer(long code) {
        return isOwnCode(code) ? code : Long.parseLong(labelOf(code).text);
    }

    /** The text of a value that is neither null nor an integer. */
    public String text(long code) {
        return labelOf(code).text;
    }

    private Label labelOf(long code) {
        return labels.get((int) (code - FIRST));
    }

    /** The value as people write it: {@code null}, {@code 7}, {@code "a"}; opaque values as their text. */
    public String label(long code) {
        if (code == NULL) {
            return "null";
        }
        if (isOwnCode(code)) {
            return Long.toString(code);
        }
        Label label = labelOf(code);
        return label.kind == Kind.STRING ? '"' + label.text + '"' : label.text;
    }
}
