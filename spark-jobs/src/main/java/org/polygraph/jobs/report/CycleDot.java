package org.polygraph.jobs.report;

import java.util.Map;
import java.util.TreeMap;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.columnar.HistoryTable;

/** {@code cycle.dot}: a violation for Graphviz; transactions as nodes, the edges of the cycle, none if there is none. */
final class CycleDot {
    private static final String INITIAL = "initial";

    private CycleDot() {}

    static String of(Violation violation, HistoryTable table) {
        Map<Integer, String> nodes = new TreeMap<>();
        for (int t : violation.transactions()) {
            nodes.put(t, name(t, table));
        }
        for (Dependency edge : violation.cycle()) {
            nodes.put(edge.from(), name(edge.from(), table));
            nodes.put(edge.to(), name(edge.to(), table));
        }
        StringBuilder dot = new StringBuilder(256);
        dot.append("digraph ").append(quoted(violation.anomaly().label())).append(" {\n");
        nodes.forEach((t, name) -> {
            dot.append("  ").append(quoted(name));
            if (t != Dependency.INITIAL) {
                dot.append(" [tooltip=").append(quoted(table.whereIs(t))).append(']');
            }
            dot.append(";\n");
        });
        for (Dependency edge : violation.cycle()) {
            String label = edge.kind().name();
            if (edge.key() != Dependency.NO_KEY) {
                label += " " + table.keys().label(edge.key()) + "="
                        + table.values().label(edge.value());
            }
            dot.append("  ").append(quoted(name(edge.from(), table)));
            dot.append(" -> ").append(quoted(name(edge.to(), table)));
            dot.append(" [label=").append(quoted(label)).append("];\n");
        }
        return dot.append("}\n").toString();
    }

    private static String name(int t, HistoryTable table) {
        return t == Dependency.INITIAL ? INITIAL : "s" + table.sessionLabel(table.sessionOf(t)) + "#" + table.index(t);
    }

    /** A DOT string: Graphviz knows backslash escapes, and shows {@code &...;} as HTML would. */
    private static String quoted(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> safe.append("\\\"");
                case '\\' -> safe.append("\\\\");
                case '&' -> safe.append("&amp;");
                default -> safe.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
            }
        }
        return safe.append('"').toString();
    }
}
