package org.polygraph.benchmarks.experiment;

import java.util.List;
import java.util.Locale;

/**
 * Time, or memory, against size as SVG: both axes logarithmic, a line a series through its medians, a dot a measurement. A circle is a
 * PASS, a diamond a VIOLATION, a hollow triangle at the limit an UNKNOWN. Colours follow the reader's scheme, light or
 * dark. The same measurements give the same bytes.
 *
 * <p>Written by hand: charting libraries draw with fixed colours.
 */
final class Plot {
    private static final int WIDTH = 860;
    private static final int LEFT = 70;
    private static final int RIGHT = 560;
    private static final int TOP = 40;
    private static final int BOTTOM = 400;
    private static final int LEGEND_LINE = 18;
    private static final int COLOURS = 8;

    private static final String STYLE = """
            <style>
            svg { font: 13px sans-serif; color-scheme: light dark; }
            .page { fill: #ffffff } text { fill: #24292f } .grid { stroke: #d8dee4 } .axis { stroke: #57606a; fill: none }
            .s0 { stroke: #0969da; fill: #0969da } .s1 { stroke: #bc4c00; fill: #bc4c00 }
            .s2 { stroke: #1a7f37; fill: #1a7f37 } .s3 { stroke: #8250df; fill: #8250df }
            .s4 { stroke: #bf3989; fill: #bf3989 } .s5 { stroke: #9a6700; fill: #9a6700 }
            .s6 { stroke: #1b7c83; fill: #1b7c83 } .s7 { stroke: #6e7781; fill: #6e7781 }
            .line { fill: none; stroke-width: 1.8 } .open { fill: none; stroke-width: 1.5 }
            .d1 { stroke-dasharray: 6 4 } .d2 { stroke-dasharray: 2 3 }
            @media (prefers-color-scheme: dark) {
            .page { fill: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #30363d } .axis { stroke: #8b949e }
            .s0 { stroke: #58a6ff; fill: #58a6ff } .s1 { stroke: #f0883e; fill: #f0883e }
            .s2 { stroke: #3fb950; fill: #3fb950 } .s3 { stroke: #bc8cff; fill: #bc8cff }
            .s4 { stroke: #f778ba; fill: #f778ba } .s5 { stroke: #d29922; fill: #d29922 }
            .s6 { stroke: #39c5cf; fill: #39c5cf } .s7 { stroke: #8b949e; fill: #8b949e }
            .line, .open { fill: none }
            }
            </style>
            """;

    private final StringBuilder out = new StringBuilder();
    private double lowX = Double.MAX_VALUE;
    private double highX = Double.MIN_VALUE;
    private double lowY = Double.MAX_VALUE;
    private double highY = Double.MIN_VALUE;

    private final Axis axis;

    private Plot(Axis axis) {
        this.axis = axis;
    }

    /**
     * What is upright.
     *
     * @param column of measurements
     * @param unit what a one at the axis is in the column
     * @param least zero and what is less is drawn here
     */
    record Axis(String column, double unit, double least, String label) {
        static final Axis THREAD = new Axis("thread_ms", 1000, 0.001, "CPU seconds of the checking thread");
        static final Axis PROCESS = new Axis("process_ms", 1000, 0.01, "CPU seconds, whole process");
        static final Axis WALL = new Axis("elapsed_ms", 1000, 0.01, "seconds from start to end");
        static final Axis RESIDENT = new Axis("resident_mb", 1, 1, "resident peak, MB");
        static final Axis SHUFFLE = new Axis("shuffle_mb", 1, 0.01, "shuffle written, MB");
    }

    /** The plot of measurements, of which there is at least one. */
    static String of(List<Measurement> measurements) {
        return of(measurements, Axis.THREAD);
    }

    /** With another upright axis. */
    static String of(List<Measurement> measurements, Axis axis) {
        return new Plot(axis).draw(measurements);
    }

    /** 10k, 2.5M. */
    static String number(double value) {
        double scaled = value >= 1e6 ? value / 1e6 : value >= 1e4 ? value / 1e3 : value;
        String digits = scaled == Math.rint(scaled)
                ? Long.toString((long) scaled)
                : String.format(Locale.ROOT, "%.4g", scaled)
                        .replaceFirst("0+$", "")
                        .replaceFirst("\\.$", "");
        return digits + (value >= 1e6 ? "M" : value >= 1e4 ? "k" : "");
    }

    /** A measurement that was not decided is drawn at its limit, where it had one. */
    private double upright(Measurement m) {
        boolean limited = !m.isDecided() && axis == Axis.THREAD;
        return Math.max(axis.least, limited ? m.number("seconds") : m.number(axis.column) / axis.unit);
    }

    private String draw(List<Measurement> measurements) {
        List<Series> all = Series.of(measurements);
        for (Measurement m : measurements) {
            lowX = Math.min(lowX, Series.x(m));
            highX = Math.max(highX, Series.x(m));
            lowY = Math.min(lowY, upright(m));
            highY = Math.max(highY, upright(m));
        }
        lowX = lowX == highX ? lowX / 2 : lowX;
        lowY = Math.pow(10, Math.floor(Math.log10(lowY)));
        highY = Math.pow(10, Math.ceil(Math.log10(highY * 1.0001)));
        int height = Math.max(BOTTOM + 60, TOP + all.size() * LEGEND_LINE + 30);
        out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
                .append(WIDTH)
                .append("\" height=\"")
                .append(height)
                .append("\" viewBox=\"0 0 ")
                .append(WIDTH)
                .append(' ')
                .append(height)
                .append("\" role=\"img\">\n")
                .append(STYLE);
        String title = measurements.get(0).get("title");
        out.append("<title>").append(escaped(title)).append("</title>\n");
        out.append("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
        text(LEFT, 22, "start", "font-weight=\"bold\"", title);
        axes(measurements.get(0));
        for (int i = 0; i < all.size(); i++) {
            series(all.get(i), i);
        }
        return out.append("</svg>\n").toString();
    }

    private double px(double x) {
        return LEFT + (RIGHT - LEFT) * Math.log(x / lowX) / Math.log(highX / lowX);
    }

    private double py(double y) {
        return BOTTOM - (BOTTOM - TOP) * Math.log(y / lowY) / Math.log(highY / lowY);
    }

    private void axes(Measurement any) {
        for (double decade = lowY; decade <= highY * 1.001; decade *= 10) {
            line("grid", LEFT, py(decade), RIGHT, py(decade));
            text(LEFT - 8, py(decade) + 4, "end", "", decade >= 0.999 ? number(Math.rint(decade)) : small(decade));
        }
        double last = -100;
        for (double decade = Math.pow(10, Math.floor(Math.log10(lowX))); decade <= highX; decade *= 10) {
            for (int step : highX / lowX > 50 ? new int[] {1, 3} : new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
                double x = decade * step;
                if (x >= lowX * 0.999 && x <= highX * 1.001) {
                    line("grid", px(x), TOP, px(x), BOTTOM);
                    if (px(x) - last > 34) {
                        text(px(x), BOTTOM + 18, "middle", "", number(Math.rint(x)));
                        last = px(x);
                    }
                }
            }
        }
        out.append("<path class=\"axis\" d=\"M")
                .append(LEFT)
                .append(' ')
                .append(TOP)
                .append('V')
                .append(BOTTOM);
        out.append('H').append(RIGHT).append("\"/>\n");
        String across =
                switch (any.get("x")) {
                    case "", "txns" -> "transactions";
                    case "ops" -> "operations";
                    case "vars" -> "variables of the formula";
                    default -> any.get("x");
                };
        text((LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", "", across);
        double middle = (TOP + BOTTOM) / 2.0;
        text(18, middle, "middle", "transform=\"rotate(-90 18 " + coordinate(middle) + ")\"", axis.label);
    }

    private static String small(double decade) {
        return String.format(Locale.ROOT, "%.3f", decade).replaceFirst("0+$", "");
    }

    private void series(Series series, int number) {
        String colour = "s" + number % COLOURS;
        String dash = " d" + number / COLOURS % 3;
        StringBuilder path = new StringBuilder();
        for (Series.Point point : series.points()) {
            double median = point.median(axis.column);
            if (!Double.isNaN(median)) {
                path.append(path.length() == 0 ? "M" : "L")
                        .append(coordinate(px(point.x())))
                        .append(' ')
                        .append(coordinate(py(Math.max(axis.least, median / axis.unit))));
            }
        }
        out.append("<g class=\"").append(colour).append("\">\n");
        if (path.length() > 0) {
            out.append("<path class=\"line")
                    .append(dash)
                    .append("\" d=\"")
                    .append(path)
                    .append("\"/>\n");
        }
        for (Series.Point point : series.points()) {
            for (Measurement m : point.measurements()) {
                mark(m.get("verdict"), px(point.x()), py(upright(m)));
            }
        }
        double y = TOP + 10 + number * (double) LEGEND_LINE;
        out.append("<path class=\"line")
                .append(dash)
                .append("\" d=\"M")
                .append(RIGHT + 14)
                .append(' ');
        out.append(coordinate(y)).append("h24\"/>\n</g>\n");
        text(RIGHT + 44, y + 4, "start", "font-size=\"12\"", series.name());
    }

    private void mark(String verdict, double x, double y) {
        String at = coordinate(x) + " " + coordinate(y);
        switch (verdict) {
            case "PASS", Measurement.DONE ->
                out.append("<circle cx=\"")
                        .append(coordinate(x))
                        .append("\" cy=\"")
                        .append(coordinate(y))
                        .append("\" r=\"3\"/>\n");
            case "VIOLATION" -> out.append("<path d=\"M").append(at).append("m-4 0l4-4l4 4l-4 4z\"/>\n");
            default -> out.append("<path class=\"open\" d=\"M").append(at).append("m-5 4h10l-5-9z\"/>\n");
        }
    }

    private void line(String style, double x1, double y1, double x2, double y2) {
        out.append("<path class=\"")
                .append(style)
                .append("\" d=\"M")
                .append(coordinate(x1))
                .append(' ');
        out.append(coordinate(y1))
                .append('L')
                .append(coordinate(x2))
                .append(' ')
                .append(coordinate(y2));
        out.append("\"/>\n");
    }

    private void text(double x, double y, String anchor, String more, String words) {
        out.append("<text x=\"").append(coordinate(x)).append("\" y=\"").append(coordinate(y));
        out.append("\" text-anchor=\"").append(anchor).append('"');
        out.append(more.isEmpty() ? "" : " ")
                .append(more)
                .append('>')
                .append(escaped(words))
                .append("</text>\n");
    }

    private static String coordinate(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
