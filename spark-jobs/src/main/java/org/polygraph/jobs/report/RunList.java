package org.polygraph.jobs.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.polygraph.jobs.report.page.RunsPage;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/** The runs in a folder, the newest last, and the page that shows them as a matrix of histories and levels. */
public final class RunList {
    /** The name of the page. */
    public static final String INDEX = "index.html";

    private static final String PREFIX = "run=";

    private final Location folder;
    private final List<Run> runs;

    /**
     * A run that has a verdict.
     *
     * @param name {@code run=<id>}
     * @param finished in milliseconds since 1970; 0 if the file system does not know
     */
    public record Run(String name, long finished, StoredVerdict verdict) {
        /** Returns the time in UTC, to the second. */
        public String time() {
            return Instant.ofEpochMilli(finished / 1000 * 1000).toString();
        }
    }

    private RunList(Location folder, List<Run> runs) {
        this.folder = folder;
        this.runs = runs;
    }

    /** Reads verdict.json of each run. Runs whose verdict is damaged are left out. */
    public static RunList of(Location folder) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (Location child : folder.children()) {
            Location verdict = child.child(RunDirectory.VERDICT);
            if (child.fileName().startsWith(PREFIX) && verdict.exists()) {
                try {
                    runs.add(new Run(child.fileName(), verdict.modified(), new RunDirectory(child).brief()));
                } catch (HistoryException e) {
                    // The run is left out. Its report, and a check with --overwrite, describe the damage.
                }
            }
        }
        runs.sort(Comparator.comparingLong(Run::finished).thenComparing(Run::name));
        return new RunList(folder, runs);
    }

    /** Returns the runs, the newest last. */
    public List<Run> runs() {
        return runs;
    }

    /** Writes {@link #INDEX} into the folder, and if the runs are of several days a page for each. */
    public void writeIndex() throws IOException {
        List<RunsPage.Entry> entries = new ArrayList<>();
        SortedMap<String, List<RunsPage.Entry>> byDay = new TreeMap<>();
        for (Run run : runs) {
            StoredVerdict verdict = run.verdict();
            RunsPage.Entry entry = new RunsPage.Entry(
                    verdict.path(),
                    verdict.level(),
                    verdict.status().name(),
                    verdict.anomaly(),
                    run.time(),
                    run.name() + "/report.html");
            entries.add(entry);
            byDay.computeIfAbsent(entry.day(), day -> new ArrayList<>()).add(entry);
        }
        if (byDay.size() < 2) {
            write(INDEX, RunsPage.of(entries));
            return;
        }
        for (Map.Entry<String, List<RunsPage.Entry>> day : byDay.entrySet()) {
            write(pageOf(day.getKey()), RunsPage.of(day.getValue()));
        }
        write(INDEX, RunsPage.ofDays(byDay, RunList::pageOf));
    }

    private static String pageOf(String day) {
        return "day-" + day + ".html";
    }

    private void write(String name, String page) throws IOException {
        folder.child(name).write(out -> out.write(page.getBytes(StandardCharsets.UTF_8)));
    }
}
