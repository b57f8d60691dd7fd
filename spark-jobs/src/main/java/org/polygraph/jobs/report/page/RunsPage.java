package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** {@code index.html} of a folder of runs: histories by levels, each cell a link to the report of the newest run. */
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
    public record Entry(String path, String level, String status, String why, String time, String link) {}

    record Page(String css, String cssHash, String title, List<String> levels, List<Row> rows) {}

    record Row(String path, String fullPath, List<Cell> cells) {}

    /** Without a run of the level the link is empty. */
    record Cell(String link, String status, String word, String why, String time) {}

    /** The page; the entries ascend by time, and later ones replace earlier ones of the same history and level. */
    public static String of(List<Entry> entries) {
        List<String> levels = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            if (entries.stream().anyMatch(entry -> entry.level().equals(level.label()))) {
                levels.add(level.label());
            }
        }
        Map<String, Map<String, Entry>> byPath = new LinkedHashMap<>();
        for (Entry entry : entries) {
            byPath.computeIfAbsent(entry.path(), path -> new LinkedHashMap<>()).put(entry.level(), entry);
        }
        List<Row> rows = new ArrayList<>();
        byPath.forEach((path, cells) -> {
            List<Cell> row = new ArrayList<>();
            for (String level : levels) {
                Entry entry = cells.get(level);
                row.add(
                        entry == null
                                ? new Cell("", "none", "", "", "")
                                : new Cell(
                                        entry.link(),
                                        entry.status().toLowerCase(Locale.ROOT),
                                        entry.status(),
                                        Legible.shortened(entry.why(), PATH),
                                        entry.time()));
            }
            rows.add(new Row(Legible.shortened(path, PATH), path, row));
        });
        String css = Templates.text("drawing.css") + Templates.text("page.css") + Templates.text("runs.css");
        String title = byPath.size() + (byPath.size() == 1 ? " history" : " histories");
        return Templates.named("runs").execute(new Page(css, HtmlReport.hash(css), title, levels, rows));
    }
}
