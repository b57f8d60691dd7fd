package org.polygraph.jobs.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.InitialRows;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.Phenomenon;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * A violation as text: its name and meaning, its transactions with their places in the file, and the cycle edge by
 * edge. Every line begins with two spaces, which distinguishes it from a result line.
 *
 * <pre>
 *   WriteSkew (G2-item, A5B, write skew): T1 read 0 from key 2, which T2 overwrote; T2 read 0 from key 1,
 *   which T1 overwrote; so neither can come first.
 *   Transactions
 *     T1  session 0, index 0 (s0#0)  skew.jsonl:2
 *           r(1)=0  r(2)=0  w(1)=10
 *     T2  session 1, index 0 (s1#0)  skew.jsonl:3
 *           r(1)=0  r(2)=0  w(2)=20
 *   Cycle
 *     T1 --RW--> T2   key 2: T1 read 0, which T2 overwrote with 20
 *     T2 --RW--> T1   key 1: T2 read 0, which T1 overwrote with 10
 *   So T1 would have to come before itself, which is impossible.
 * </pre>
 *
 * {@link ReasonText} writes the second half of the full text.
 */
public final class ViolationText {
    /** The amount of text for a violation. */
    public enum Detail {
        /** The first violation; of each transaction the operations that matter, at most a dozen. */
        BRIEF(12, 40, 1),
        /** Every violation, every operation, every reason. */
        FULL(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

        private final int operations;
        private final int transactions;
        private final int violations;

        Detail(int operations, int transactions, int violations) {
            this.operations = operations;
            this.transactions = transactions;
            this.violations = violations;
        }
    }

    private static final int LINE = 100;

    private final HistoryTable table;
    private final Detail detail;
    /** A sentence about how the violation depends on loaders of initial rows; empty if it does not. */
    private final String effect;

    private final Facts facts;
    private final StringBuilder out = new StringBuilder(1024);
    /** The number of each transaction in this text, from 1, in the order of the cycle. */
    private final Map<Integer, Integer> numbers = new LinkedHashMap<>();

    private ViolationText(Verdict verdict, HistoryTable table, Detail detail) {
        this.table = table;
        this.detail = detail;
        this.effect = InitialRows.effect(verdict);
        this.facts = new Facts(table, t -> numbers.containsKey(t) ? "T" + numbers.get(t) : Facts.id(t, table));
    }

    /** Lines ending in {@code \n}; empty if the verdict has no violation to show. */
    public static String of(Verdict verdict, Detail detail) {
        HistoryTable table = verdict.table();
        if (table == null) {
            return "";
        }
        List<Violation> violations = verdict.violations();
        StringBuilder all = new StringBuilder();
        int shown = Math.min(violations.size(), detail.violations);
        for (int i = 0; i < shown; i++) {
            Violation violation = violations.get(i);
            all.append(
                    detail == Detail.FULL
                            ? full(verdict, i, table, () -> false)
                            : heading(verdict, i) + new ViolationText(verdict, table, detail).explain(violation));
        }
        return all.append(more(shown, violations.size(), verdict.violationsFound()))
                .toString();
    }

    /** The line that separates the violations that the last part of a chain adds from those that stand; often empty. */
    private static String heading(Verdict verdict, int number) {
        PartViolations inPart = verdict.inPart();
        String heading = inPart == null
                ? ""
                : inPart.heading(
                        number, verdict.violations().get(number).anomaly().label());
        return heading.isEmpty() ? "" : "  " + Legible.of(heading) + "\n";
    }

    /**
     * One violation in full, or briefly if the time has ended.
     *
     * @param number of the violation and its folder, from 0
     */
    static String full(Verdict verdict, int number, HistoryTable table, BooleanSupplier stop) {
        Violation violation = verdict.violations().get(number);
        if (stop.getAsBoolean()) {
            return new ViolationText(verdict, table, Detail.BRIEF).explain(violation);
        }
        ViolationText text = new ViolationText(verdict, table, Detail.FULL);
        text.explain(violation);
        new ReasonText(text.facts, text.out).append(violation, verdict.level(), number);
        return heading(verdict, number) + text.out;
    }

    /**
     * The line that counts the violations that are not shown; empty if all are.
     *
     * @param explained the number that {@code polygraph explain} shows
     */
    static String more(int shown, int explained, int found) {
        int more = found - shown;
        if (more == 0) {
            return "";
        }
        String count = "  and " + (found >= IndexedHistory.MOST_VIOLATIONS ? "at least " : "") + more
                + (more == 1 ? " more violation" : " more violations");
        if (explained == found) {
            return count + "; `polygraph explain` shows all\n";
        }
        return explained == shown
                ? count + " without explanation (--max-violations)\n"
                : count + "; `polygraph explain` shows " + explained + " of all (--max-violations)\n";
    }

    private String explain(Violation violation) {
        number(violation);
        headline(violation);
        transactions(violation);
        if (!violation.cycle().isEmpty()) {
            cycle(violation.cycle());
        }
        if (violation.cycle().isEmpty() && !violation.cases().isEmpty()) {
            out.append("  Cases\n");
            cases(violation.cases(), "    ");
        }
        if (!effect.isEmpty()) {
            out.append("  ").append(effect).append('\n');
        }
        return out.toString();
    }

    /** Each alternative and the cycle it closes; further ones below it. */
    private void cases(List<Alternative> cases, String indent) {
        for (Alternative one : cases) {
            out.append(indent).append("if ").append(Legible.of(one.statement()));
            if (one.cycle().isEmpty()) {
                out.append('\n');
                cases(one.cases(), indent + "  ");
                continue;
            }
            out.append(": ");
            for (Dependency edge : one.cycle()) {
                out.append(name(edge.from())).append(" --").append(edge.kind()).append("--> ");
            }
            out.append(name(one.cycle().get(0).from())).append('\n');
        }
    }

    private void number(Violation violation) {
        for (Dependency edge : violation.cycle()) {
            number(edge.from());
            number(edge.to());
        }
        for (int t : violation.transactions()) {
            number(t);
        }
        SubHistory sub = violation.minimal();
        if (detail == Detail.FULL && sub != null) {
            for (int t : sub.transactions()) {
                number(t);
            }
        }
    }

    private void number(int transaction) {
        if (transaction != Dependency.INITIAL) {
            numbers.putIfAbsent(transaction, numbers.size() + 1);
        }
    }

    private String name(int transaction) {
        return facts.name(transaction);
    }

    private void headline(Violation violation) {
        out.append("  ").append(violation.anomaly().label());
        List<String> aliases = violation.aliases();
        if (!aliases.isEmpty()) {
            out.append(" (").append(String.join(", ", aliases)).append(')');
        }
        out.append(": ").append(Phenomenon.of(violation, facts)).append(".\n");
        String more = Phenomenon.detail(violation);
        if (!more.isEmpty()) {
            out.append("  ").append(Legible.of(more)).append('\n');
        }
    }

    private void transactions(Violation violation) {
        if (numbers.isEmpty()) {
            return;
        }
        List<Integer> keys = facts.keys(violation);
        out.append("  Transactions\n");
        int shown = 0;
        for (int t : numbers.keySet()) {
            if (shown++ == detail.transactions) {
                out.append("    and ")
                        .append(numbers.size() - detail.transactions)
                        .append(" more\n");
                break;
            }
            out.append("    ").append(name(t)).append("  session ").append(table.sessionLabel(table.sessionOf(t)));
            out.append(", index ").append(table.index(t));
            // Reasons use the short name for transactions outside this list.
            out.append(" (").append(Facts.id(t, table)).append(")  ");
            out.append(facts.where(t)).append('\n');
            queries(t, violation);
            operations(t, violation, keys);
        }
    }

    /** The queries as they were recorded. What each found of the rows of the violation is among the operations. */
    private void queries(int t, Violation violation) {
        List<String> all = facts.queries(t, violation);
        int queries = Math.min(all.size(), detail.operations);
        for (String query : all.subList(0, queries)) {
            out.append("          ").append(query).append('\n');
        }
        if (queries < all.size()) {
            out.append("          ... ").append(all.size() - queries).append(" more queries\n");
        }
    }

    private void operations(int t, Violation violation, List<Integer> keys) {
        List<String> words = new ArrayList<>();
        int hidden = 0;
        for (int o : facts.shown(t, violation)) {
            boolean matters = detail == Detail.FULL || keys.isEmpty() || keys.contains(table.key(o));
            if (matters && words.size() < detail.operations) {
                words.add(facts.operation(o));
            } else {
                hidden++;
            }
        }
        if (hidden > 0) {
            words.add(
                    words.isEmpty()
                            ? hidden + (hidden == 1 ? " operation" : " operations") + " on other keys"
                            : "... " + hidden + " more");
        }
        int column = 0;
        for (String word : words) {
            if (column > 0 && column + 2 + word.length() > LINE) {
                out.append('\n');
                column = 0;
            }
            String gap = column == 0 ? "          " : "  ";
            out.append(gap).append(word);
            column += gap.length() + word.length();
        }
        if (column > 0) {
            out.append('\n');
        }
    }

    private void cycle(List<Dependency> cycle) {
        out.append("  Cycle\n");
        int width = 0;
        List<String> arrows = new ArrayList<>();
        for (Dependency edge : cycle) {
            String arrow = name(edge.from()) + " --" + edge.kind() + "--> " + name(edge.to());
            arrows.add(arrow);
            width = Math.max(width, arrow.length());
        }
        for (int i = 0; i < arrows.size(); i++) {
            Dependency edge = cycle.get(i);
            out.append("    ").append(arrows.get(i));
            out.append(" ".repeat(width - arrows.get(i).length() + 3))
                    .append(facts.of(edge))
                    .append('\n');
            if (!edge.why().isEmpty() && !edge.why().equals("observed")) {
                out.append("    ")
                        .append(" ".repeat(width + 3))
                        .append(Legible.of(edge.why()))
                        .append('\n');
            }
        }
        out.append("  So ")
                .append(name(cycle.get(0).from()))
                .append(" would have to come before itself, which is impossible.\n");
    }
}
