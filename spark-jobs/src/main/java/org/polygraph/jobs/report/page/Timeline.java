package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * A chart of committed transactions by the time they ended, with marks for the violations. The unit is pixels of a
 * picture {@value #WIDTH} by {@value #HEIGHT}.
 *
 * @param length the time that the chart covers
 * @param bar the time that a bar covers
 * @param highest number of transactions in the highest bar
 * @param untimed number of transactions without an end
 */
record Timeline(List<Bar> bars, List<Mark> marks, String length, String bar, long highest, long untimed) {
    static final int WIDTH = 1000;
    static final int HEIGHT = 120;
    private static final int BARS = 100;

    /** @param title what the bar counts */
    record Bar(double x, double y, double width, double height, String title) {}

    /** The anchor of violations that are not explained. */
    static final String UNEXPLAINED = "unexplained";

    /** A violation at the start of its first transaction, or several unexplained ones that start within a pixel. */
    record Mark(double x, String anchor, String title) {}

    /** Empty if no transaction has an end, or all end at the same moment. Linear in the transactions. */
    static List<Timeline> of(HistoryTable table, List<Violation> violations, List<Violation> unexplained) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return List.of();
        }
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        long untimed = 0;
        for (int t = 0; t < ends.length; t++) {
            if (starts[t] != HistoryTable.NO_TIME) {
                first = Math.min(first, starts[t]);
            }
            if (ends[t] == HistoryTable.NO_TIME) {
                untimed++;
            } else {
                first = Math.min(first, ends[t]);
                last = Math.max(last, ends[t]);
            }
        }
        double span = (double) last - first;
        if (last == Long.MIN_VALUE || span <= 0) {
            return List.of();
        }
        long[] counts = new long[BARS];
        long highest = 0;
        for (int t = 0; t < ends.length; t++) {
            if (ends[t] != HistoryTable.NO_TIME) {
                int bar = (int) Math.min(BARS - 1, ((double) ends[t] - first) / span * BARS);
                highest = Math.max(highest, ++counts[bar]);
            }
        }
        List<Bar> bars = new ArrayList<>();
        double width = (double) WIDTH / BARS;
        for (int i = 0; i < BARS; i++) {
            double height = rounded((double) counts[i] / highest * HEIGHT);
            if (counts[i] > 0) {
                String title = counts[i] + " ended from " + duration(span / BARS * i) + " on";
                bars.add(new Bar(rounded(i * width), rounded(HEIGHT - height), rounded(width * 0.86), height, title));
            }
        }
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < violations.size(); i++) {
            double at = start(starts, violations.get(i), first) / span;
            if (!Double.isNaN(at)) {
                String anchor = "v" + String.format(Locale.ROOT, "%03d", i);
                String title = "Violation " + (i + 1) + ": "
                        + violations.get(i).anomaly().label() + " at " + duration(at * span);
                marks.add(new Mark(rounded(Math.max(0, Math.min(1, at)) * WIDTH), anchor, title));
            }
        }
        int[] byPixel = new int[WIDTH + 1];
        for (Violation violation : unexplained) {
            double at = start(starts, violation, first) / span;
            if (!Double.isNaN(at)) {
                byPixel[(int) (Math.max(0, Math.min(1, at)) * WIDTH)]++;
            }
        }
        for (int x = 0; x < byPixel.length; x++) {
            if (byPixel[x] > 0) {
                String title = byPixel[x] + (byPixel[x] == 1 ? " violation" : " violations") + " at "
                        + duration(span * x / WIDTH) + ", not explained";
                marks.add(new Mark(x, UNEXPLAINED, title));
            }
        }
        return List.of(new Timeline(bars, marks, duration(span), duration(span / BARS), highest, untimed));
    }

    /** Returns when the first transaction of a violation started, since {@code first}; NaN if that is not known. */
    private static double start(long[] starts, Violation violation, long first) {
        long from = Long.MAX_VALUE;
        for (int t : violation.transactions()) {
            if (t >= 0 && starts[t] != HistoryTable.NO_TIME) {
                from = Math.min(from, starts[t]);
            }
        }
        return from == Long.MAX_VALUE ? Double.NaN : (double) (from - first);
    }

    /** The first time in a history; 0 if it has none. Linear. */
    static long origin(HistoryTable table) {
        long[] starts = table.starts();
        long first = Long.MAX_VALUE;
        for (int t = 0; starts != null && t < starts.length; t++) {
            first = starts[t] == HistoryTable.NO_TIME ? first : Math.min(first, starts[t]);
        }
        return first == Long.MAX_VALUE ? 0 : first;
    }

    /** Returns when a transaction ran, in ms since the origin; empty if that is not known. */
    static String span(HistoryTable table, int t, long origin) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null || starts[t] == HistoryTable.NO_TIME || ends[t] == HistoryTable.NO_TIME) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "%.3f to %.3f ms (%s)",
                (starts[t] - origin) / 1e6,
                (ends[t] - origin) / 1e6,
                duration((double) ends[t] - starts[t]));
    }

    /** {@code 1.2 s}, {@code 340 ms}, {@code 12 us}, {@code 7 ns}. */
    static String duration(double nanos) {
        if (Math.abs(nanos) >= 1e9) {
            return String.format(Locale.ROOT, nanos >= 1e11 ? "%.0f s" : "%.1f s", nanos / 1e9);
        }
        if (Math.abs(nanos) >= 1e6) {
            return String.format(Locale.ROOT, "%.0f ms", nanos / 1e6);
        }
        return Math.abs(nanos) >= 1e3
                ? String.format(Locale.ROOT, "%.0f us", nanos / 1e3)
                : String.format(Locale.ROOT, "%.0f ns", nanos);
    }

    private static double rounded(double pixels) {
        return Math.round(pixels * 10) / 10.0;
    }
}
