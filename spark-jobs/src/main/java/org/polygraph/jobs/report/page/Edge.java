package org.polygraph.jobs.report.page;

import java.util.Locale;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;

/**
 * A dependency as the templates show it, in the list of steps and beside the arrow of a drawing.
 *
 * @param kind in lower case, which is its class in the style sheet
 * @param fact the operations that it follows from; empty for a supposition
 * @param why the reason in one phrase
 * @param basis the label of the reason's basis
 */
record Edge(String kind, String name, String from, String to, String fact, String why, String basis) {
    static Edge of(Dependency edge, Facts facts) {
        String name = edge.kind().name();
        Basis basis = edge.reason().basis();
        return new Edge(
                name.toLowerCase(Locale.ROOT),
                name,
                facts.name(edge.from()),
                facts.name(edge.to()),
                basis == Basis.ASSUMED ? "" : facts.of(edge),
                edge.why(),
                basis.label());
    }
}
