package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.report.page.HtmlReport.Item;
import org.polygraph.jobs.report.wording.InitialRows;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.InitialFile;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.verdict.VersionUse;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;

/**
 * The assumptions of a verdict on its page.
 *
 * @param level the level with real time if the assumptions add it
 * @param under the assumptions on one line
 * @param options the options that repeat the same check; each begins with a space
 */
record Assumed(IsolationLevel level, List<Item> assumptions, String under, String options) {
    private static final int TEXT = 120;

    static Assumed of(Verdict verdict) {
        Assumptions given = verdict.assumptions();
        if (given == null) {
            return new Assumed(verdict.level(), List.of(), under(List.of()), "");
        }
        List<Item> items = items(given);
        IsolationLevel level = given.time() == TimeMode.STRICT ? verdict.level().strict() : verdict.level();
        return new Assumed(level, items, under(items), options(given));
    }

    private static String under(List<Item> items) {
        List<String> words = new ArrayList<>();
        for (Item item : items) {
            words.add(item.term().toLowerCase(Locale.ROOT) + " " + item.value());
        }
        return String.join(", ", words);
    }

    private static List<Item> items(Assumptions given) {
        Object initial = given.initialValue();
        String value =
                initial == null ? "null" : initial instanceof String ? "\"" + initial + "\"" : initial.toString();
        List<Item> items = new ArrayList<>();
        items.add(new Item("Initial value", Legible.shortened(value, TEXT), "of every key"));
        InitialFile state = given.state();
        if (state != null) {
            items.add(new Item(
                    "Initial state", Legible.shortened(state.path(), TEXT), "has other initial values of some keys"));
        }
        items.add(new Item(
                "Initial rows",
                InitialRows.assumed(given.loaders()),
                given.loaders().count() == 0
                        ? "an implicit first transaction writes the initial value of every key"
                        : "they precede all other transactions"));
        items.add(
                given.uniqueValues()
                        ? new Item(
                                "Values",
                                "unique",
                                "no value was written twice to a key, so the value of a read identifies its writer")
                        : new Item(
                                "Values", "repeated", "a read may have several possible writers; all were considered"));
        items.add(new Item(
                "Timestamps",
                given.time().label(),
                switch (given.time()) {
                    case NONE -> "not used";
                    case HINT -> "used to find an order, never to report a violation";
                    case STRICT -> "real time is part of the level";
                }));
        if (given.time() == TimeMode.STRICT) {
            items.add(new Item(
                    "Clock skew",
                    Timeline.duration((double) given.clockSkewNanos()),
                    "at most, between any two clients"));
            if (given.unbound() > 0) {
                items.add(new Item(
                        "Without times",
                        String.valueOf(given.unbound()),
                        given.unbound() == 1
                                ? "transaction has neither a start nor an end, so real time does not bound it"
                                : "transactions have neither a start nor an end, so real time does not bound them"));
            }
        }
        items.add(new Item(
                "Session order",
                given.sessionOrder().label(),
                given.sessionOrder() == SessionOrder.YES
                        ? "part of the level, except of lin"
                        : "no part of the level"));
        if (given.versions() != VersionUse.USE) {
            items.add(new Item("Versions", given.versions().label(), "those that the database gave have no meaning"));
        }
        items.add(new Item(
                "Unknown outcomes",
                given.indeterminate().label(),
                given.indeterminate() == IndeterminateMode.MAYBE
                        ? "committed if a committed transaction read from them"
                        : "treated as aborted"));
        return items;
    }

    private static String options(Assumptions given) {
        StringBuilder options = new StringBuilder();
        if (given.time() != TimeMode.HINT) {
            options.append(" --time ").append(given.time().label());
        }
        if (given.clockSkewNanos() != 0) {
            options.append(" --clock-skew ").append(given.clockSkewNanos()).append("ns");
        }
        if (given.indeterminate() != IndeterminateMode.MAYBE) {
            options.append(" --indeterminate ").append(given.indeterminate().label());
        }
        if (given.sessionOrder() != SessionOrder.YES) {
            options.append(" --session-order ").append(given.sessionOrder().label());
        }
        if (given.versions() != VersionUse.USE) {
            options.append(" --versions ").append(given.versions().label());
        }
        if (given.loaders().choice() != InitialChoice.AUTO) {
            options.append(" --initial ").append(given.loaders().choice().label());
        }
        InitialFile state = given.state();
        if (state != null) {
            options.append(" --initial-state ").append(Shell.quoted(state.path()));
        }
        return options.toString();
    }
}
