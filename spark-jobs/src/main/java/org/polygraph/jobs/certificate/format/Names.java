package org.polygraph.jobs.certificate.format;

import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Names of transactions, keys and values in messages. Labels and file names come from the input; {@link #line} makes
 * them safe for one line.
 */
public final class Names {
    private static final int MOST = 200;

    private Names() {}

    public static String transaction(HistoryTable table, int t) {
        return transaction(table.sessionLabel(table.sessionOf(t)), table.index(t)) + " at " + line(table.whereIs(t));
    }

    public static String transaction(long session, long index) {
        return "transaction (session " + session + ", index " + index + ")";
    }

    public static String key(HistoryTable table, int key) {
        return line(table.keys().label(key));
    }

    public static String value(HistoryTable table, long code) {
        return line(table.values().label(code));
    }

    /** The first half of a message about a read: its transaction, key and value. */
    public static String read(HistoryTable table, int o) {
        return transaction(table, HistorySelection.transactionOf(table, o)) + " read key " + key(table, table.key(o))
                + " = " + value(table, table.value(o));
    }

    /** Two writers of a key, neither of which committed before the other's snapshot. */
    public static String overlap(HistoryTable table, int t, int other, int key) {
        return transaction(table, t) + " and " + transaction(table, other) + " overlap and both write key "
                + key(table, key);
    }

    /**
     * A read that returned another value than expected.
     *
     * @param o its operation, of transaction t
     * @param own whether an own write was expected
     */
    public static String misread(HistoryTable table, int t, int o, boolean own, long expected) {
        return transaction(table, t)
                + misread(
                        table.keys().label(table.key(o)),
                        table.values().label(table.value(o)),
                        own,
                        table.values().label(expected));
    }

    /** The same without the name of the transaction. */
    public static String misread(String key, String value, boolean own, String expected) {
        return " read key " + line(key) + " = " + line(value) + ", but "
                + (own ? "its own latest write is " : "the last value committed before it is ") + line(expected);
    }

    /** The text without control characters, truncated to {@value #MOST} characters. */
    public static String line(String text) {
        StringBuilder safe = new StringBuilder(Math.min(text.length(), MOST) + 3);
        for (int i = 0; i < text.length() && i < MOST; i++) {
            char c = text.charAt(i);
            safe.append(Character.isISOControl(c) ? '?' : c);
        }
        return text.length() > MOST ? safe.append("...").toString() : safe.toString();
    }
}
