package org.polygraph.jobs.report;

import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.wording.Expectation;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.VersionOrder;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.ReasonTree;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;

/**
 * The second half of an explanation: the reason of each edge of the cycle, down to what was observed; the order of
 * versions; what the database should have done; and the sub-history that violates the level on its own. A reason that
 * occurs several times is written once and referred to by its number.
 *
 * <pre>
 *   Reasons
 *     T1 --RW--> T2   because the alternative fails (reason 1):
 *       suppose T2 before T3
 *         T2 --WW--> T3   if T2 wrote before T3
 *         T3 --SO--> T2   session 1 ran T3 first
 *         a cycle, so it is impossible
 *   Versions
 *     key 0: 50 (T3; read by T1 and T2) -> 66 (T2), 25 (T1); the order of versions separated by commas is not known
 *   Expected
 *     The first to commit wins: ...
 *   Enough
 *     3 transactions with 5 operations violate si on their own: T1, T2 and T3
 *     violations/000/history.jsonl of a run with --out has them
 *     nothing in it can be left out; every order of it was tried, and none explains it
 * </pre>
 */
final class ReasonText {
    /** The headings of the second half; the first half ends before the first of them. */
    static final List<String> HEADINGS = List.of("  Reasons", "  Versions", "  Expected", "  Enough");

    /** The most reasons written for one violation. */
    private static final int MOST = 200;

    private static final int DEEPEST = 12;
    private static final int MOST_LINES = 5000;
    private static final Pattern NAMES = Pattern.compile("\"[^\"]*\"|s-?\\d+#-?\\d+");

    private final Facts facts;
    private final StringBuilder out;
    /** By id of a transaction: its name in this text. */
    private final Map<String, String> names = new HashMap<>();

    private final IdentityHashMap<Reason, Integer> numbers = new IdentityHashMap<>();
    private int lines;

    ReasonText(Facts facts, StringBuilder out) {
        this.facts = facts;
        this.out = out;
    }

    void append(Violation violation, IsolationLevel level, int number) {
        for (int t : ReasonTree.transactions(violation)) {
            names.put(Facts.id(t, facts.table()), facts.name(t));
        }
        reasons(violation);
        versions(violation);
        heading(2);
        line(4, Expectation.of(violation, level, facts));
        enough(violation.minimal(), level, number);
    }

    private void heading(int i) {
        out.append(HEADINGS.get(i)).append('\n');
    }

    private void reasons(Violation violation) {
        boolean forced = violation.cycle().stream()
                .anyMatch(edge -> !edge.reason().because().isEmpty());
        if (!forced && violation.cases().isEmpty()) {
            return;
        }
        heading(0);
        if (!violation.cases().isEmpty()) {
            line(4, "one of these would have to hold, but none can:");
            alternatives(violation.cases(), 6);
        }
        for (Dependency edge : violation.cases().isEmpty() ? violation.cycle() : List.<Dependency>of()) {
            if (!edge.reason().because().isEmpty()) {
                because(arrow(edge), edge.reason(), 4);
            }
        }
    }

    private void because(String start, Reason reason, int indent) {
        Integer number = numbers.get(reason);
        if (number != null) {
            line(indent, start + "   see reason " + number);
        } else if (numbers.size() == MOST || indent > 4 * DEEPEST) {
            line(indent, start + "   " + named(reason.why()) + " (more in verdict.json)");
        } else {
            numbers.put(reason, numbers.size() + 1);
            boolean one = reason.because().size() == 1;
            line(
                    indent,
                    start + "   because " + (one ? "the alternative fails" : "every alternative fails") + " (reason "
                            + numbers.size() + "):");
            alternatives(reason.because(), indent + 2);
        }
    }

    private void alternatives(List<Alternative> alternatives, int indent) {
        for (Alternative alternative : alternatives) {
            if (lines > MOST_LINES) {
                line(indent, "verdict.json has more");
                return;
            }
            line(indent, "suppose " + named(alternative.statement()));
            for (Dependency edge : alternative.cycle()) {
                edge(edge, indent + 2);
            }
            if (!alternative.cases().isEmpty()) {
                line(indent + 2, "then one of these would have to hold, but none can:");
                alternatives(alternative.cases(), indent + 4);
            } else if (!alternative.cycle().isEmpty()) {
                line(indent + 2, "a cycle, so it is impossible");
            }
        }
    }

    private void edge(Dependency edge, int indent) {
        Reason reason = edge.reason();
        String start = arrow(edge) + "   ";
        if (!reason.because().isEmpty()) {
            because(start + facts.of(edge), reason, indent);
        } else if (reason.basis() == Basis.ASSUMED) {
            line(indent, start + named(reason.why()));
        } else {
            line(indent, start + facts.of(edge));
        }
    }

    private String arrow(Dependency edge) {
        return facts.name(edge.from()) + " --" + edge.kind() + "--> " + facts.name(edge.to());
    }

    private void versions(Violation violation) {
        List<VersionOrder> orders = VersionOrder.of(violation, facts.table());
        if (orders.isEmpty()) {
            return;
        }
        heading(1);
        for (VersionOrder order : orders) {
            StringBuilder text = new StringBuilder(facts.item(order.key())).append(": ");
            String arrow = "";
            for (List<VersionOrder.Version> step : order.steps()) {
                text.append(arrow);
                arrow = " -> ";
                String comma = "";
                for (VersionOrder.Version version : step) {
                    text.append(comma).append(version(order.key(), version));
                    comma = ", ";
                }
            }
            if (order.more() > 0) {
                text.append(", ").append(order.more()).append(" more");
            }
            line(4, text.append(ending(order.shape())).toString());
        }
    }

    private static String ending(VersionOrder.Shape shape) {
        return switch (shape) {
            case TOTAL -> "";
            case PARTIAL -> "; the order of versions separated by commas is not known";
            case CONTRADICTORY -> "; both orders of versions separated by commas are required";
        };
    }

    private String version(int key, VersionOrder.Version version) {
        String readers = version.readers().isEmpty() ? "" : "; read by " + facts.list(version.readers());
        return facts.value(key, version.value()) + " (" + facts.name(version.writer()) + readers + ")";
    }

    private void enough(@Nullable SubHistory sub, IsolationLevel level, int number) {
        if (sub == null) {
            return;
        }
        heading(3);
        int n = sub.transactions().length;
        int ops = sub.operations().length;
        String who = n > 12
                ? ""
                : ": " + facts.list(Arrays.stream(sub.transactions()).boxed().toList());
        line(
                4,
                n
                        + (n == 1 ? " transaction with " : " transactions with ")
                        + ops
                        + (ops == 1 ? " operation" : " operations")
                        + (n == 1 ? " violates " : " violate ")
                        + level.label()
                        + (n == 1 ? " on its own" : " on their own")
                        + who);
        line(4, "violations/" + RunDirectory.folder(number) + "/history.jsonl of a run with --out has them");
        String minimal = sub.minimal() ? "nothing in it can be left out; " : "it may not be the smallest; ";
        line(
                4,
                minimal
                        + switch (sub.judge()) {
                            case CHECKER -> "it was checked again on its own";
                            case BRUTE_FORCE -> "every order of it was tried, and none explains it";
                        });
    }

    /** Replaces the ids of transactions in a reason by their names in this text. */
    private String named(String why) {
        return NAMES.matcher(why)
                .replaceAll(match -> Matcher.quoteReplacement(names.getOrDefault(match.group(), match.group())));
    }

    private void line(int indent, String text) {
        lines++;
        out.append(" ".repeat(indent)).append(Legible.of(text)).append('\n');
    }
}
