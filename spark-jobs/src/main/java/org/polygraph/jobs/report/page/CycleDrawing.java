package org.polygraph.jobs.report.page;

import it.unimi.dsi.fastutil.ints.IntList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Draws a cycle from top to bottom: its transactions in the order of the cycle, an arrow from each to the next, and on
 * the right the arrows that lead back. The drawing fits the screen of a phone, and labels never overlap.
 */
final class CycleDrawing {
    /** The most transactions drawn. */
    static final int MOST = 40;

    private static final int LEFT = 2;
    private static final int BOX = 236;
    private static final int TEXT = 31;
    private static final int GAP = 50;
    private static final int LINE = 17;
    private static final int LINES = 5;

    private final Violation violation;
    private final Facts facts;
    private final HistoryTable table;
    private final Collection<Integer> keys;

    private CycleDrawing(Violation violation, Facts facts) {
        this.violation = violation;
        this.facts = facts;
        this.table = facts.table();
        this.keys = facts.keys(violation);
    }

    /** Draws the transactions of a violation, with arrows if it has a cycle. */
    static Drawing of(Violation violation, Facts facts, String prefix) {
        return new CycleDrawing(violation, facts).draw(prefix);
    }

    private Drawing draw(String prefix) {
        Set<Integer> order = new LinkedHashSet<>();
        for (Dependency edge : violation.cycle()) {
            order.add(edge.from());
        }
        order.addAll(violation.transactions());
        List<Integer> shown = new ArrayList<>(order).subList(0, Math.min(MOST, order.size()));
        List<Drawing.Box> boxes = new ArrayList<>();
        int y = 2;
        for (int t : shown) {
            Drawing.Box box = box(t, y);
            boxes.add(box);
            y += box.height() + GAP;
        }
        List<Drawing.Arrow> arrows = new ArrayList<>();
        int back = 0;
        for (int i = 0; i < violation.cycle().size(); i++) {
            Dependency edge = violation.cycle().get(i);
            int from = shown.indexOf(edge.from());
            int to = shown.indexOf(edge.to());
            if (from >= 0 && to == from + 1) {
                arrows.add(down(i, edge, boxes.get(from), boxes.get(to)));
            } else if (from >= 0 && to >= 0) {
                arrows.add(around(i, edge, boxes.get(from), boxes.get(to), back++));
            }
        }
        List<Drawing.Label> labels = new ArrayList<>();
        if (order.size() > shown.size()) {
            labels.add(new Drawing.Label(LEFT, y, "and " + (order.size() - shown.size()) + " more transactions"));
            y += GAP;
        }
        int width = LEFT + BOX + (back == 0 ? 100 : 132 + 14 * back);
        String title = violation.anomaly().label() + ": " + violation.cycle().size() + " dependencies among "
                + order.size() + " transactions";
        return new Drawing(prefix, title, width, Math.max(y - GAP + 4, 20), labels, boxes, arrows);
    }

    private Drawing.Box box(int t, int y) {
        List<Drawing.Line> lines = new ArrayList<>();
        String title = "the state before the first transaction";
        boolean dashed = false;
        if (t != Dependency.INITIAL) {
            lines = operations(t, LEFT + 12, y + 40);
            title = facts.name(t) + "  " + facts.where(t);
            dashed = table.status(t) != TransactionStatus.COMMITTED;
        }
        int height = 30 + LINE * lines.size() + (lines.isEmpty() ? 0 : 6);
        return new Drawing.Box(
                LEFT, y, BOX, height, new Drawing.Label(LEFT + 12, y + 20, facts.name(t)), title, dashed, lines);
    }

    /**
     * The operations on the keys of the violation first; if there are too many, the last line has the number of the
     * others.
     */
    private List<Drawing.Line> operations(int t, int x, int y) {
        List<Drawing.Line> lines = new ArrayList<>();
        IntList shown = facts.shown(t, violation);
        int matter = 0;
        for (int o : shown) {
            matter += keys.contains(table.key(o)) ? 1 : 0;
        }
        boolean all = shown.size() <= LINES;
        for (int o : shown) {
            boolean strong = keys.contains(table.key(o));
            if (lines.size() < LINES && (all || strong || matter == 0)) {
                String full = facts.operation(o);
                lines.add(
                        new Drawing.Line(x, y + LINE * lines.size() + 2, Legible.shortened(full, TEXT), full, strong));
            }
        }
        if (lines.size() < shown.size()) {
            String more = "+ " + (shown.size() - lines.size()) + " more";
            lines.add(new Drawing.Line(x, y + LINE * lines.size() + 2, more, more, false));
        }
        return lines;
    }

    private Drawing.Arrow down(int step, Dependency edge, Drawing.Box from, Drawing.Box to) {
        int x = LEFT + 40;
        int y = from.y() + from.height();
        String path = "M" + x + " " + y + "V" + (to.y() - 8);
        return arrow(step, edge, path, Drawing.head(x, to.y(), 0, 1), x + 12, (y + to.y()) / 2 + 4, 25);
    }

    private Drawing.Arrow around(int step, Dependency edge, Drawing.Box from, Drawing.Box to, int back) {
        int x = LEFT + BOX;
        int y = from.y() + from.height() / 2 + 5;
        int end = to.y() + to.height() / 2 - 5;
        int bend = x + 44 + 14 * back;
        String path = "M" + x + " " + y + "C" + bend + " " + y + " " + bend + " " + end + " " + (x + 8) + " " + end;
        int labelY = (y + end) / 2 + 4 + (back % 3) * LINE;
        return arrow(step, edge, path, Drawing.head(x, end, -1, 0), x + 40 + 11 * back, labelY, 13);
    }

    private Drawing.Arrow arrow(int step, Dependency edge, String path, String head, int x, int y, int room) {
        String kind = edge.kind().name();
        String key = edge.key() == Dependency.NO_KEY ? "" : facts.key(edge.key());
        int left = room - kind.length();
        String label = key.isEmpty() ? "" : key.length() + 5 <= left ? " key " + key : " " + key;
        return new Drawing.Arrow(
                step, Edge.of(edge, facts), path, head, new Drawing.Label(x, y, Legible.shortened(label, left)));
    }
}
