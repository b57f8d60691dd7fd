package org.polygraph.jobs.certificate.format;

import java.util.Arrays;
import org.polygraph.storage.table.HistoryTable;

/** How messages call transactions. Labels and file names come from the input and are made fit for one line. */
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

    /** A read, without what is wrong with it. */
    public static String read(HistoryTable table, int o) {
        int t = Arrays.binarySearch(table.operationStarts(), o + 1);
        // The last transaction that starts at or before it: one without operations starts where the next one does.
        t = t < 0 ? -t - 2 : firstStart(table.operationStarts(), t) - 1;
        return transaction(table, t) + " read key " + key(table, table.key(o)) + " = " + value(table, table.value(o));
    }

    private static int firstStart(int[] starts, int t) {
        int first = t;
        while (starts[first - 1] == starts[t]) {
            first--;
        }
        return first;
    }

    /** Two writers of a key of whom neither committed before the other's snapshot. */
    public static String overlap(HistoryTable table, int t, int other, int key) {
        return transaction(table, t) + " and " + transaction(table, other) + " overlap and both write key "
                + key(table, key);
    }

    /**
     * A read that does not return what it should.
     *
     * @param o its operation, of transaction t
     * @param own whether it should have returned an own write
     */
    public static String misread(HistoryTable table, int t, int o, boolean own, long expected) {
        return transaction(table, t) + " read key " + key(table, table.key(o)) + " = "
                + value(table, table.value(o)) + ", but "
                + (own ? "its own latest write is " : "the last value committed before it is ")
                + value(table, expected);
    }

    /** Text that cannot end a line, cut where it is long. */
    public static String line(String text) {
        StringBuilder safe = new StringBuilder(Math.min(text.length(), MOST) + 3);
        for (int i = 0; i < text.length() && i < MOST; i++) {
            char c = text.charAt(i);
            safe.append(Character.isISOControl(c) ? '?' : c);
        }
        return text.length() > MOST ? safe.append("...").toString() : safe.toString();
    }
}
