package org.polygraph.jobs.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.report.page.DaySummary;
import org.polygraph.jobs.report.page.RunsPage;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;

/**
 * The pages of a folder of runs: histories by levels, and if the runs are of several days a page for each. The page of
 * a day states which runs it shows. If the folder has the same runs of this day, their verdicts are not read again, so
 * the cost of the pages does not grow with the number of days.
 */
public final class RunPages {
    /** The name of the first page. */
    public static final String INDEX = "index.html";

    /** The hash of no runs. */
    private static final String NEVER = "0".repeat(64);

    /** The number of bytes in which the page of a day has its summary. */
    private static final int BEGINNING = 2048;

    private RunPages() {}

    /**
     * Writes {@link #INDEX} into a folder, and the pages of the days whose runs have changed.
     *
     * @param isPartChanged whether a part of a chain has changed, so that every page has to show what rests on it
     */
    public static void write(Location folder, boolean isPartChanged) throws IOException {
        SortedMap<String, List<RunList.Finished>> byDay = new TreeMap<>();
        for (RunList.Finished run : RunList.finished(folder)) {
            byDay.computeIfAbsent(run.day(), day -> new ArrayList<>()).add(run);
        }
        if (byDay.size() < 2) {
            List<RunList.Finished> all = new ArrayList<>();
            byDay.values().forEach(all::addAll);
            List<RunsPage.Entry> entries = entries(folder, all);
            folder.child(INDEX).write(out -> RunsPage.of(entries, null, out));
            return;
        }
        List<DaySummary> days = new ArrayList<>();
        for (Map.Entry<String, List<RunList.Finished>> day : byDay.entrySet()) {
            Location page = folder.child(pageOf(day.getKey()));
            String shown = hash(day.getValue());
            DaySummary summary = page.exists() && !isPartChanged ? DaySummary.in(beginning(page), day.getKey()) : null;
            if (summary == null || !summary.shown().equals(shown)) {
                summary = written(page, day.getKey(), shown, entries(folder, day.getValue()));
            }
            days.add(summary);
        }
        folder.child(INDEX).write(out -> RunsPage.ofDays(days, RunPages::pageOf, out));
    }

    /** Whether the first page shows that a part of a chain has changed. */
    public static boolean showsChange(Location folder) throws IOException {
        Location index = folder.child(INDEX);
        if (!index.exists()) {
            return false;
        }
        try (SeekableInput in = index.open()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).contains(RunList.CHANGED);
        }
    }

    private static DaySummary written(Location page, String day, String shown, List<RunsPage.Entry> entries)
            throws IOException {
        boolean isPartChanged =
                entries.stream().anyMatch(entry -> entry.status().equals(RunList.CHANGED));
        // The page is made again when the part is as it was.
        DaySummary summary = DaySummary.of(day, isPartChanged ? NEVER : shown, entries);
        page.write(out -> RunsPage.of(entries, summary, out));
        return summary;
    }

    private static List<RunsPage.Entry> entries(Location folder, List<RunList.Finished> found) throws IOException {
        List<RunList.Run> runs = new ArrayList<>();
        for (RunList.Finished each : found) {
            RunList.Run run = RunList.read(each);
            if (run != null) {
                runs.add(run);
            }
        }
        List<RunsPage.Entry> entries = new ArrayList<>();
        for (RunList.Run run : RunList.withChanges(folder, runs)) {
            StoredVerdict verdict = run.verdict();
            entries.add(new RunsPage.Entry(
                    verdict.path(),
                    verdict.level(),
                    verdict.part().number(),
                    run.status(),
                    run.why(),
                    run.time(),
                    run.name() + "/report.html"));
        }
        return entries;
    }

    /** A hash of the runs and their times, and of the version, because another version makes other pages. */
    private static String hash(List<RunList.Finished> runs) {
        StringBuilder shown = new StringBuilder(Version.current());
        for (RunList.Finished run : runs) {
            shown.append(run.name() + " " + run.finished() + "\n");
        }
        return Fingerprint.ofText(shown.toString());
    }

    private static String beginning(Location page) throws IOException {
        byte[] bytes = new byte[BEGINNING];
        try (SeekableInput in = page.open()) {
            return new String(bytes, 0, in.readNBytes(bytes, 0, bytes.length), StandardCharsets.UTF_8);
        }
    }

    private static String pageOf(String day) {
        return "day-" + day + ".html";
    }
}
