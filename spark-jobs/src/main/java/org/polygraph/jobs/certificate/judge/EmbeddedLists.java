package org.polygraph.jobs.certificate.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;

/**
 * The lists of a sub-history and those of the whole history. A list of the sub-history is one of the whole without the
 * elements that transactions of the whole appended and that the sub-history does not append. Values are compared as
 * they are shown, because the two histories have dictionaries of their own.
 */
final class EmbeddedLists {
    private final HistoryTable whole;
    private final HistoryTable sub;
    /** By key as it is shown: the elements whose appends the sub-history lacks. */
    private final Map<String, Set<String>> missing = new HashMap<>();

    private EmbeddedLists(HistoryTable whole, HistoryTable sub) {
        this.whole = whole;
        this.sub = sub;
        eachAppend(whole, (key, element) -> missing.computeIfAbsent(key, k -> new HashSet<>())
                .add(element));
        eachAppend(sub, (key, element) -> missing.getOrDefault(key, new HashSet<>())
                .remove(element));
    }

    private interface Appends {
        void next(String key, String element);
    }

    /**
     * The lists of two histories as they were recorded.
     *
     * @return null if the whole has none
     */
    static @Nullable EmbeddedLists of(HistoryTable whole, HistoryTable sub) {
        return whole.hasLists() ? new EmbeddedLists(whole, sub) : null;
    }

    /** Whether an operation reads a list. */
    static boolean isOfList(HistoryTable recorded, int o) {
        return recorded.elements(o) != null;
    }

    private static void eachAppend(HistoryTable of, Appends to) {
        for (int o = 0; o < of.operations(); o++) {
            if (of.isAppend(o)) {
                to.next(of.keys().label(of.key(o)), of.values().label(of.value(o)));
            }
        }
    }

    /** Whether an operation of the sub-history is one of the whole on the same key. */
    boolean isSame(int o, int at) {
        long[] mine = sub.elements(o);
        long[] theirs = whole.elements(at);
        if (mine == null || theirs == null) {
            return mine == null && theirs == null;
        }
        Set<String> without = missing.getOrDefault(whole.keys().label(whole.key(at)), Set.of());
        List<String> left = labels(whole, theirs);
        left.removeIf(without::contains);
        return left.equals(labels(sub, mine));
    }

    private static List<String> labels(HistoryTable of, long[] elements) {
        List<String> labels = new ArrayList<>();
        for (long element : elements) {
            labels.add(of.values().label(element));
        }
        return labels;
    }
}
