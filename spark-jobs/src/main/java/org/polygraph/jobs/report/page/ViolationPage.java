package org.polygraph.jobs.report.page;

import it.unimi.dsi.fastutil.ints.IntList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.wording.Expectation;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.InitialRows;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.Phenomenon;
import org.polygraph.jobs.report.wording.VersionOrder;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.ReasonTree;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RecordedSelection;

/**
 * The part of the page about one violation. The template uses the names of these components.
 *
 * @param number from 1
 * @param enough its sub-history; null if there is none
 * @param cut the file that has the whole text, if this is shortened; otherwise empty
 */
record ViolationPage(
        String anchor,
        int number,
        Name name,
        Story story,
        Transactions transactions,
        List<Versions> versions,
        @Nullable Enough enough,
        String cut) {

    /** How much of a violation is written; the next is tried if one makes the page too large. */
    enum Extent {
        WHOLE(150, 40, 60, 256 << 10),
        SHORT(12, 12, 12, 16 << 10),
        SHORTEST(0, 4, 4, 0);

        final int reasons;
        final int transactions;
        final int operations;
        final int historyBytes;

        Extent(int reasons, int transactions, int operations, int historyBytes) {
            this.reasons = reasons;
            this.transactions = transactions;
            this.operations = operations;
            this.historyBytes = historyBytes;
        }
    }

    /**
     * The anomaly and what it means here.
     *
     * @param part whether it is new or stands, and of which part of a chain it is; often empty
     */
    record Name(String label, List<String> aliases, String part, String meaning, String detail) {}

    /**
     * Why no order explains the history.
     *
     * @param cycle the drawing; null if there is nothing to draw
     * @param split whether several cases prove it
     * @param effect as {@link InitialRows#effect}
     */
    record Story(
            @Nullable Drawing cycle,
            List<Steps.Step> steps,
            int moreSteps,
            boolean split,
            List<Steps.Case> cases,
            String expectation,
            String effect) {}

    /** The first transactions, and the number of the others. */
    record Transactions(List<Row> rows, int moreRows) {}

    /** A transaction of the table. */
    record Row(
            String name,
            long session,
            long index,
            String outcome,
            String where,
            String time,
            List<Operation> operations,
            int more) {}

    /** @param strong whether it is in the sub-history */
    record Operation(String kind, String text, String full, boolean strong) {}

    /** The order of a key's versions. */
    record Versions(String kind, String key, List<VersionStep> steps, String note) {}

    /** Versions without a known order among them. */
    record VersionStep(List<ShownVersion> versions) {}

    /** A version; {@code readers} is empty if no transaction of the violation read it. */
    record ShownVersion(String value, String writer, String readers) {}

    /**
     * The sub-history.
     *
     * @param text its lines; empty if it is too large for the page
     */
    record Enough(String text, String size, String judged, String path, String command) {}

    private static final int TEXT = 60;

    /** @param run location of the run, for the command that checks the sub-history */
    static ViolationPage of(Verdict verdict, int i, HistoryTable table, String run, String options, Extent extent) {
        Violation violation = verdict.violations().get(i);
        IsolationLevel level = verdict.level();
        Facts facts = new Facts(table);
        String folder = String.format(Locale.ROOT, "%03d", i);
        String anchor = "v" + folder;
        Steps steps = new Steps(facts, anchor, extent.reasons);
        boolean drawn = extent != Extent.SHORTEST;
        List<Steps.Step> cycle = steps.of(violation.cycle());
        List<Integer> all = new ArrayList<>(ReasonTree.transactions(violation));
        int shown = Math.min(all.size(), extent.transactions);
        PartViolations inPart = verdict.inPart();
        return new ViolationPage(
                anchor,
                i + 1,
                new Name(
                        violation.anomaly().label(),
                        violation.aliases(),
                        inPart == null
                                ? ""
                                : inPart.heading(i, violation.anomaly().label()),
                        Phenomenon.of(violation, facts),
                        Phenomenon.detail(violation)),
                new Story(
                        drawn && (violation.cases().isEmpty() || !cycle.isEmpty())
                                ? CycleDrawing.of(violation, facts, anchor)
                                : null,
                        cycle,
                        violation.cycle().size() - cycle.size(),
                        !violation.cases().isEmpty(),
                        steps.cases(violation.cases(), 1),
                        Expectation.of(violation, level, facts),
                        InitialRows.effect(verdict)),
                new Transactions(rows(all.subList(0, shown), violation, facts, extent), all.size() - shown),
                versions(violation, facts),
                enough(violation.minimal(), level, table, run, folder, options, extent),
                extent == Extent.WHOLE ? "" : "violations/" + folder + "/explain.txt");
    }

    private static List<Row> rows(List<Integer> transactions, Violation violation, Facts facts, Extent extent) {
        SubHistory sub = violation.minimal();
        HistoryTable table = facts.table();
        Set<Integer> kept = new TreeSet<>();
        if (sub != null) {
            for (int o : sub.operations()) {
                kept.add(facts.shownFor(o));
            }
        }
        List<Row> rows = new ArrayList<>();
        long origin = Timeline.origin(table);
        for (int t : transactions) {
            List<Operation> operations = new ArrayList<>();
            IntList shown = facts.shown(t, violation);
            List<String> queries = facts.queries(t, violation);
            int hidden = Math.max(0, queries.size() - extent.operations);
            for (String query : queries.subList(0, queries.size() - hidden)) {
                operations.add(new Operation("read", Legible.shortened(query, 2 * TEXT), query, true));
            }
            for (int o : shown) {
                // Of a long transaction only the operations of the sub-history are shown, if there is one.
                boolean room = operations.size() < extent.operations + queries.size();
                if (room && (shown.size() <= extent.operations || kept.isEmpty() || kept.contains(o))) {
                    String full = facts.operation(o);
                    String kind = table.isWrite(o) ? "write" : "read";
                    operations.add(new Operation(kind, Legible.shortened(full, TEXT), full, kept.contains(o)));
                } else {
                    hidden++;
                }
            }
            rows.add(new Row(
                    facts.name(t),
                    table.sessionLabel(table.sessionOf(t)),
                    table.index(t),
                    table.status(t).label(),
                    Legible.of(table.whereIs(t)),
                    Timeline.span(table, t, origin),
                    operations,
                    hidden));
        }
        return rows;
    }

    private static List<Versions> versions(Violation violation, Facts facts) {
        List<Versions> all = new ArrayList<>();
        for (VersionOrder order : VersionOrder.of(violation, facts.table())) {
            List<VersionStep> steps = new ArrayList<>();
            for (List<VersionOrder.Version> step : order.steps()) {
                List<ShownVersion> versions = new ArrayList<>();
                for (VersionOrder.Version version : step) {
                    versions.add(new ShownVersion(
                            Legible.shortened(facts.value(order.key(), version.value()), TEXT),
                            version.writer() == Dependency.INITIAL ? "initially" : "by " + facts.name(version.writer()),
                            facts.list(version.readers())));
                }
                steps.add(new VersionStep(versions));
            }
            String more = order.more() == 0 ? "" : " " + order.more() + " more are not shown.";
            String note =
                    switch (order.shape()) {
                        case TOTAL -> "";
                        case PARTIAL -> "Versions in one box: their order is not known.";
                        case CONTRADICTORY -> "Versions in one box: the history demands both orders.";
                    };
            all.add(new Versions(facts.isQuery(order.key()) ? "" : "key", facts.key(order.key()), steps, note + more));
            if (all.size() == 12) {
                break;
            }
        }
        return all;
    }

    private static @Nullable Enough enough(
            @Nullable SubHistory sub,
            IsolationLevel level,
            HistoryTable table,
            String run,
            String folder,
            String options,
            Extent extent) {
        if (sub == null) {
            return null;
        }
        int n = sub.transactions().length;
        int operations = sub.operations().length;
        String path = "violations/" + folder + "/history.jsonl";
        String judged = (sub.minimal() ? "Nothing of it can be left out. " : "It may not be the smallest. ")
                + switch (sub.judge()) {
                    case CHECKER -> "The check was made again on it alone.";
                    case BRUTE_FORCE -> "Every order of it was tried, and none explains it.";
                };
        return new Enough(
                operations > extent.historyBytes / 24 ? "" : text(sub, table, extent.historyBytes),
                n
                        + (n == 1 ? " transaction, " : " transactions, ")
                        + operations
                        + (operations == 1 ? " operation" : " operations"),
                judged,
                path,
                "polygraph check -l " + level.label() + options + " " + Shell.quoted(run + "/" + path));
    }

    private static String text(SubHistory sub, HistoryTable table, int most) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            HistoryWriter.writeJsonl(
                    RecordedSelection.written(table, sub.operations(), sub.recorded(), sub.ofWrites()), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.size() > most ? "" : bytes.toString(StandardCharsets.UTF_8);
    }
}
