package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * Pages of a folder of runs: histories by levels, each cell a link to the report of the newest run; and if the runs are
 * of several days, the days by levels.
 */
public final class RunsPage {
    private static final int PATH = 120;

    private RunsPage() {}

    /**
     * A run.
     *
     * @param status PASS, VIOLATION, UNKNOWN, INVALID or ERROR
     * @param why the name of the anomaly, or the reason; may be empty
     * @param link relative to the page
     */
    public record Entry(String path, String level, String status, String why, String time, String link) {
        /** The date of the time. */
        public String day() {
            return time.substring(0, "2026-01-01".length());
        }
    }

    /** @param folder that all histories are in; may be empty */
    record Page(String css, String cssHash, String title, String folder, List<String> levels, List<Row> rows) {}

    /** @param time of the newest run */
    record Row(String path, String fullPath, List<Cell> cells, String time) {}

    /** Without a run of the level the link is empty. */
    record Cell(String link, String status, String word, String why) {}

    record Days(String css, String cssHash, String title, List<String> levels, List<Day> days) {}

    /**
     * The runs of a day.
     *
     * @param violations of all levels
     * @param most violations of any day, at least 1
     */
    record Day(String link, String day, int histories, List<String> cells, int violations, int most) {}

    /**
     * The page of several days, a row each with the number of verdicts of each kind.
     *
     * @param byDay the days ascend
     * @param link the page of a day, relative to this one
     */
    public static String ofDays(SortedMap<String, List<Entry>> byDay, UnaryOperator<String> link) {
        List<Entry> all = new ArrayList<>();
        int most = 1;
        for (List<Entry> entries : byDay.values()) {
            all.addAll(entries);
            most = Math.max(most, violations(entries));
        }
        List<String> levels = levels(all);
        List<Day> days = new ArrayList<>();
        for (Map.Entry<String, List<Entry>> day : byDay.entrySet()) {
            List<Entry> entries = day.getValue();
            List<String> cells = new ArrayList<>();
            levels.forEach(level -> cells.add(verdicts(entries, level)));
            int histories = (int) entries.stream().map(Entry::path).distinct().count();
            days.add(new Day(link.apply(day.getKey()), day.getKey(), histories, cells, violations(entries), most));
        }
        String css = css();
        String title = byDay.size() + " days";
        return Templates.named("days").execute(new Days(css, HtmlReport.hash(css), title, levels, days));
    }

    private static int violations(List<Entry> entries) {
        return (int) entries.stream()
                .filter(entry -> entry.status().equals("VIOLATION"))
                .count();
    }

    /** Such as {@code 23 PASS, 1 VIOLATION}. */
    private static String verdicts(List<Entry> entries, String level) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Entry entry : entries) {
            if (entry.level().equals(level)) {
                counts.merge(entry.status(), 1, Integer::sum);
            }
        }
        List<String> words = new ArrayList<>();
        counts.forEach((status, count) -> words.add(count + " " + status));
        return String.join(", ", words);
    }

    private static List<String> levels(List<Entry> entries) {
        List<String> levels = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            if (entries.stream().anyMatch(entry -> entry.level().equals(level.label()))) {
                levels.add(level.label());
            }
        }
        return levels;
    }

    private static String css() {
        return Templates.text("drawing.css") + Templates.text("page.css") + Templates.text("runs.css");
    }

    /**
     * The page of histories; the entries ascend by time, and later ones replace earlier ones of the same history and
     * level.
     */
    public static String of(List<Entry> entries) {
        List<String> levels = levels(entries);
        Map<String, Map<String, Entry>> byPath = new LinkedHashMap<>();
        for (Entry entry : entries) {
            byPath.computeIfAbsent(entry.path(), path -> new LinkedHashMap<>()).put(entry.level(), entry);
        }
        List<Row> rows = new ArrayList<>();
        String folder = folder(byPath.keySet());
        byPath.forEach((path, cells) -> {
            List<Cell> row = new ArrayList<>();
            String time = "";
            for (String level : levels) {
                Entry entry = cells.get(level);
                row.add(
                        entry == null
                                ? new Cell("", "none", "", "")
                                : new Cell(
                                        entry.link(),
                                        entry.status().toLowerCase(Locale.ROOT),
                                        entry.status(),
                                        Legible.shortened(entry.why(), PATH)));
                time = entry == null || time.compareTo(entry.time()) > 0 ? time : entry.time();
            }
            String within = Legible.shortened(path.substring(folder.length()), PATH);
            rows.add(new Row(within, path, row, time.replace('T', ' ').replace("Z", "")));
        });
        String css = css();
        String title = byPath.size() + (byPath.size() == 1 ? " history" : " histories");
        return Templates.named("runs").execute(new Page(css, HtmlReport.hash(css), title, folder, levels, rows));
    }

    /** Returns the folder, with its last slash, that several paths begin with; empty if they share none. */
    private static String folder(Collection<String> paths) {
        String folder = paths.size() < 2 ? "" : paths.iterator().next();
        for (String path : paths) {
            while (!folder.isEmpty() && !(folder.endsWith("/") && path.startsWith(folder))) {
                folder = folder.substring(0, folder.lastIndexOf('/', folder.length() - 2) + 1);
            }
        }
        return folder;
    }
}
