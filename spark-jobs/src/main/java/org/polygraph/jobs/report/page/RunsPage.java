package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * The page of a folder of runs: histories by levels, each cell a link to the report of the newest run.
 */
public final class RunsPage {
    private static final int PATH = 120;

    private RunsPage() {}

    /**
     * A run.
     *
     * @param part the number of the part of a chain; 0 if no part is listed
     * @param status PASS, VIOLATION, UNKNOWN, INVALID, ERROR or CHANGED
     * @param why the name of the anomaly, or the reason; may be empty
     * @param link relative to the page
     */
    public record Entry(String path, String level, int part, String status, String why, String time, String link) {}

    /**
     * @param folder that all histories are in; may be empty
     * @param older the number of runs that the page does not show
     */
    record Page(
            String css,
            String cssHash,
            String title,
            String folder,
            int older,
            boolean chain,
            List<String> levels,
            List<Row> rows) {}

    /**
     * A history.
     *
     * @param part the number of the part of a chain; empty if the page shows no chain
     * @param time of the newest run
     */
    record Row(String part, String path, String fullPath, List<Cell> cells, String time) {}

    /** Without a run of the level the link is empty. */
    record Cell(String level, String link, String status, String word, String why) {}

    /**
     * Returns the page of histories.
     *
     * @param entries ascending by time; later ones replace earlier ones of the same history and level
     * @param older the number of runs before these
     */
    public static String of(List<Entry> entries, int older) {
        Set<String> found = entries.stream().map(Entry::level).collect(Collectors.toSet());
        List<String> levels = Arrays.stream(IsolationLevel.values())
                .map(IsolationLevel::label)
                .filter(found::contains)
                .toList();
        Map<String, Map<String, Entry>> byPath = new LinkedHashMap<>();
        Map<String, Integer> parts = new LinkedHashMap<>();
        for (Entry entry : entries) {
            byPath.computeIfAbsent(entry.path(), path -> new LinkedHashMap<>())
                    .merge(entry.level(), entry, RunsPage::later);
            parts.merge(entry.path(), entry.part(), Math::max);
        }
        boolean isChain = parts.values().stream().anyMatch(part -> part > 1);
        List<Row> rows = new ArrayList<>();
        String folder = folder(byPath.keySet());
        byPath.forEach((path, cells) -> {
            List<Cell> row = new ArrayList<>();
            String time = "";
            for (String level : levels) {
                Entry entry = cells.get(level);
                row.add(
                        entry == null
                                ? new Cell(level, "", "none", "", "")
                                : new Cell(
                                        level,
                                        entry.link(),
                                        entry.status().toLowerCase(Locale.ROOT),
                                        entry.status(),
                                        Legible.shortened(entry.why(), PATH)));
                time = entry == null || time.compareTo(entry.time()) > 0 ? time : entry.time();
            }
            String within = Legible.shortened(path.substring(folder.length()), PATH);
            String part = isChain ? Integer.toString(parts.getOrDefault(path, 0)) : "";
            rows.add(new Row(part, within, path, row, time.replace('T', ' ').replace("Z", "")));
        });
        if (isChain) {
            rows.sort(Comparator.comparingInt(row -> Integer.parseInt(row.part())));
        }
        String css = Templates.text("drawing.css") + Templates.text("page.css") + Templates.text("runs.css");
        String title = byPath.size() + (isChain ? " parts of a chain" : byPath.size() == 1 ? " history" : " histories");
        Page page = new Page(css, HtmlReport.hash(css), title, folder, older, isChain, levels, rows);
        return Templates.named("runs").execute(page);
    }

    /** The later one of two runs; after an ERROR the verdict of the earlier one stays in view. */
    private static Entry later(Entry earlier, Entry later) {
        return !later.status().equals("ERROR") || earlier.status().equals("ERROR")
                ? later
                : new Entry(
                        earlier.path(),
                        earlier.level(),
                        earlier.part(),
                        earlier.status(),
                        "since then ERROR: " + later.why(),
                        later.time(),
                        earlier.link());
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
