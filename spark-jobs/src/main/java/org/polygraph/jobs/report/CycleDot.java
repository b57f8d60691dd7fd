package org.polygraph.jobs.report;

import it.unimi.dsi.fastutil.ints.IntList;
import java.util.Map;
import java.util.TreeMap;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code cycle.dot}: a violation for Graphviz. Nodes are transactions with their operations; edges are those of the
 * cycle, if there is one. Colours and dashes by kind are those of {@code cycle.svg}.
 */
final class CycleDot {
    private static final int OPERATIONS = 8;
    private static final int TEXT = 40;

    private final Facts facts;
    private final Violation violation;

    private CycleDot(Violation violation, HistoryTable table) {
        this.violation = violation;
        this.facts = new Facts(table);
    }

    static String of(Violation violation, HistoryTable table) {
        return new CycleDot(violation, table).draw();
    }

    private String draw() {
        Map<Integer, String> nodes = new TreeMap<>();
        for (int t : violation.transactions()) {
            nodes.put(t, facts.name(t));
        }
        for (Dependency edge : violation.cycle()) {
            nodes.put(edge.from(), facts.name(edge.from()));
            nodes.put(edge.to(), facts.name(edge.to()));
        }
        StringBuilder dot = new StringBuilder(512);
        dot.append("digraph ").append(quoted(violation.anomaly().label())).append(" {\n");
        dot.append("  node [shape=box, style=rounded, fontname=monospace];\n  edge [fontname=monospace];\n");
        nodes.forEach((t, name) -> {
            dot.append("  ").append(quoted(name));
            if (t != Dependency.INITIAL) {
                dot.append(" [label=").append(label(t));
                dot.append(", tooltip=").append(quoted(facts.where(t))).append(']');
            }
            dot.append(";\n");
        });
        for (Dependency edge : violation.cycle()) {
            edge(edge, dot);
        }
        return dot.append("}\n").toString();
    }

    private void edge(Dependency edge, StringBuilder dot) {
        String label = edge.kind().name();
        if (edge.key() != Dependency.NO_KEY) {
            label += " " + Legible.shortened(facts.key(edge.key()), TEXT) + "="
                    + Legible.shortened(facts.value(edge), TEXT);
        }
        dot.append("  ").append(quoted(facts.name(edge.from())));
        dot.append(" -> ").append(quoted(facts.name(edge.to())));
        dot.append(" [label=").append(quoted(label)).append(", ").append(style(edge.kind()));
        dot.append(", tooltip=").append(quoted(facts.of(edge))).append("];\n");
    }

    private static String style(EdgeKind kind) {
        return switch (kind) {
            case SO -> "color=\"#6b7280\", style=solid";
            case WR -> "color=\"#15803d\", style=bold";
            case WW -> "color=\"#1d5fbf\", style=\"bold,dashed\"";
            case RW -> "color=\"#b45309\", style=dashed";
            case RT -> "color=\"#7c3aed\", style=dotted";
        };
    }

    /** The name and one line per operation. Each ends with {@code \l}, which aligns it to the left in Graphviz. */
    private String label(int t) {
        StringBuilder label =
                new StringBuilder("\"").append(escaped(facts.name(t))).append("\\l");
        IntList shown = facts.shown(t, violation);
        for (int o : shown.subList(0, Math.min(shown.size(), OPERATIONS))) {
            label.append(escaped(Legible.shortened(facts.operation(o), TEXT))).append("\\l");
        }
        if (shown.size() > OPERATIONS) {
            label.append("... ").append(shown.size() - OPERATIONS).append(" more\\l");
        }
        return label.append('"').toString();
    }

    private static String quoted(String text) {
        return '"' + escaped(text) + '"';
    }

    /** Escapes text in a DOT string. Graphviz interprets backslashes, and {@code &...;} as in HTML. */
    private static String escaped(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 2);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> safe.append("\\\"");
                case '\\' -> safe.append("\\\\");
                case '&' -> safe.append("&amp;");
                default -> safe.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
            }
        }
        return safe.toString();
    }
}
