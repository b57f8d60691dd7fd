package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.polygraph.jobs.report.wording.Certain;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Draws the transactions of a violation by session: one lane per session, in session order from left to right. If all
 * transactions have times, the lanes share an axis with starts and ends in order (not to scale), and boxes that overlap
 * ran at the same time.
 */
final class LaneDrawing {
    /** The most transactions drawn. */
    static final int MOST = 24;

    private static final int LABEL = 84;
    private static final int BOX = 148;
    private static final int STEP = 26;
    private static final int LINE = 16;
    private static final int LINES = 4;
    private static final int GAP = 52;

    private final Violation violation;
    private final Facts facts;
    private final HistoryTable table;
    private final Collection<Integer> keys;
    private final List<Integer> shown;

    private LaneDrawing(Violation violation, Facts facts) {
        this.violation = violation;
        this.facts = facts;
        this.table = facts.table();
        this.keys = facts.keys(violation);
        List<Integer> all = new ArrayList<>(Certain.of(violation).transactions());
        // If there are too many, the transactions of the cycle are kept.
        Set<Integer> first = new HashSet<>(violation.transactions());
        all.sort(Comparator.comparing((Integer t) -> !first.contains(t)).thenComparing(t -> t));
        shown = new ArrayList<>(all.subList(0, Math.min(MOST, all.size())));
        shown.sort(Comparator.naturalOrder());
    }

    static Drawing of(Violation violation, Facts facts, String prefix) {
        return new LaneDrawing(violation, facts).draw(prefix);
    }

    /** Whether boxes are placed by time: all transactions have times, and those of a session do not overlap. */
    static boolean isTimed(HistoryTable table, List<Integer> transactions) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return false;
        }
        int before = -1;
        for (int t : transactions) {
            boolean known = starts[t] != HistoryTable.NO_TIME && ends[t] != HistoryTable.NO_TIME;
            boolean follows = before < 0 || table.sessionOf(before) != table.sessionOf(t) || ends[before] <= starts[t];
            if (!known || starts[t] >= ends[t] || !follows) {
                return false;
            }
            before = t;
        }
        return true;
    }

    private Drawing draw(String prefix) {
        Map<Integer, Span> spans = isTimed(table, shown) ? byTime() : byOrder();
        Set<Integer> lanes = new TreeSet<>();
        for (int t : shown) {
            lanes.add(table.sessionOf(t));
        }
        List<Drawing.Label> labels = new ArrayList<>();
        int y = 4;
        int width = 0;
        Map<Integer, Drawing.Box> boxes = new TreeMap<>();
        for (int session : lanes) {
            int height = 0;
            labels.add(new Drawing.Label(2, y + 18, "session " + table.sessionLabel(session)));
            for (int t : shown) {
                if (table.sessionOf(t) == session) {
                    Span span = spans.getOrDefault(t, new Span(LABEL, LABEL + BOX));
                    Drawing.Box box = box(t, span, y);
                    boxes.put(t, box);
                    height = Math.max(height, box.height());
                    width = Math.max(width, span.to);
                }
            }
            y += height + GAP;
        }
        List<Drawing.Arrow> arrows = new ArrayList<>();
        for (int i = 0; i < violation.cycle().size(); i++) {
            Dependency edge = violation.cycle().get(i);
            Drawing.Box from = boxes.get(edge.from());
            Drawing.Box to = boxes.get(edge.to());
            if (from != null && to != null) {
                arrows.add(arrow(i, edge, from, to));
            }
        }
        String title = "sessions and transactions of " + violation.anomaly().label();
        return new Drawing(prefix, title, width + 4, y - GAP + 26, labels, List.copyOf(boxes.values()), arrows);
    }

    /** Where a box begins and ends on the axis. */
    private record Span(int from, int to) {}

    /** The span of each box on the axis: every start and end takes at least a step, every box has room for its text. */
    private Map<Integer, Span> byTime() {
        long[] starts = table.starts() == null ? new long[0] : table.starts();
        long[] ends = table.ends() == null ? new long[0] : table.ends();
        int n = shown.size();
        Integer[] moments = new Integer[2 * n];
        Arrays.setAll(moments, i -> i);
        // At equal times ends come first, so that boxes of a session do not overlap.
        Arrays.sort(
                moments,
                Comparator.<Integer>comparingLong(m -> m < n ? starts[shown.get(m)] : ends[shown.get(m - n)])
                        .thenComparingInt(m -> -m));
        Map<Integer, Span> spans = new HashMap<>();
        int x = LABEL - STEP;
        for (int m : moments) {
            x += STEP;
            if (m < n) {
                spans.put(shown.get(m), new Span(x, x + BOX));
            } else {
                int t = shown.get(m - n);
                int from = spans.getOrDefault(t, new Span(x, x)).from;
                x = Math.max(x, from + BOX);
                spans.put(t, new Span(from, x));
            }
        }
        return spans;
    }

    private Map<Integer, Span> byOrder() {
        Map<Integer, Span> spans = new HashMap<>();
        Map<Integer, Integer> next = new HashMap<>();
        for (int t : shown) {
            int column = next.merge(table.sessionOf(t), 1, Integer::sum) - 1;
            int x = LABEL + column * (BOX + 40);
            spans.put(t, new Span(x, x + BOX));
        }
        return spans;
    }

    private Drawing.Box box(int t, Span span, int y) {
        List<Drawing.Line> lines = new ArrayList<>();
        int hidden = 0;
        for (int o : facts.shown(t, violation)) {
            boolean strong = keys.contains(table.key(o));
            if ((strong || keys.isEmpty()) && lines.size() < LINES) {
                String full = facts.operation(o);
                String text = Legible.shortened(full, 17);
                lines.add(new Drawing.Line(span.from + 10, y + 38 + LINE * lines.size(), text, full, strong));
            } else {
                hidden++;
            }
        }
        if (hidden > 0) {
            String more = "+ " + hidden + " more";
            lines.add(new Drawing.Line(span.from + 10, y + 38 + LINE * lines.size(), more, more, false));
        }
        int height = 28 + LINE * lines.size() + 4;
        boolean dashed = table.status(t) != TransactionStatus.COMMITTED;
        String title = facts.name(t) + "  " + facts.where(t);
        return new Drawing.Box(
                span.from,
                y,
                span.to - span.from,
                height,
                new Drawing.Label(span.from + 10, y + 19, facts.name(t)),
                title,
                dashed,
                lines);
    }

    private Drawing.Arrow arrow(int step, Dependency edge, Drawing.Box from, Drawing.Box to) {
        // Leaving on the right half and arriving on the left half keeps two opposite arrows apart.
        int x = from.x() + BOX * 3 / 4 - 6 * (step % 3);
        int end = to.x() + BOX / 4 + 6 * (step % 3);
        String path;
        String head;
        int labelX = (x + end) / 2 + 8;
        int labelY;
        if (from.y() == to.y() && from.x() < to.x()) {
            int y = from.y() + 15;
            path = "M" + (from.x() + from.width()) + " " + y + "H" + (to.x() - 8);
            head = Drawing.head(to.x(), y, 1, 0);
            labelX = from.x() + from.width() + 6;
            labelY = y - 6;
        } else if (from.y() == to.y()) {
            int bottom = from.y() + from.height();
            int below = Math.max(bottom, to.y() + to.height()) + 26;
            path = "M" + x + " " + bottom + "C" + x + " " + below + " " + end + " " + below + " " + end + " "
                    + (to.y() + to.height() + 8);
            head = Drawing.head(end, to.y() + to.height(), 0, -1);
            labelY = below - 2;
        } else {
            boolean down = from.y() < to.y();
            int y = down ? from.y() + from.height() : from.y();
            int stop = down ? to.y() : to.y() + to.height();
            int middle = (y + stop) / 2;
            path = "M" + x + " " + y + "C" + x + " " + middle + " " + end + " " + middle + " " + end + " "
                    + (down ? stop - 8 : stop + 8);
            head = Drawing.head(end, stop, 0, down ? 1 : -1);
            // The label is beside the start. In the middle it would meet the label of an arrow in the other direction.
            labelX = x + 6;
            labelY = down ? y + 14 : y - 8;
        }
        return new Drawing.Arrow(step, Edge.of(edge, facts), path, head, new Drawing.Label(labelX, labelY, ""));
    }
}
