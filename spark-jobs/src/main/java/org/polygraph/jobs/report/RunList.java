package org.polygraph.jobs.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.report.page.RunsPage;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.model.HistoryException;

/** The runs in a folder, the newest last. */
public final class RunList {
    private static final String PREFIX = "run=";

    /** The name of the page of the runs. */
    public static final String INDEX = "index.html";

    /** The most runs of the page, whose verdicts are read whenever it is written. */
    private static final int MOST = 200;

    private RunList() {}

    /**
     * A run that has a verdict.json.
     *
     * @param finished in milliseconds since 1970; 0 if the file system does not have the time
     */
    private record Finished(Location location, long finished) {
        String name() {
            return location.fileName();
        }

        /** Returns the time in UTC, to the second. */
        String time() {
            return Instant.ofEpochMilli(finished / 1000 * 1000).toString();
        }
    }

    /**
     * A run with its verdict.
     *
     * @param name {@code run=<id>}
     * @param time in UTC, to the second
     * @param changed the name of a part of its chain that has changed since it was checked, so that the verdict is not
     *     of the files that there are now; empty if there is none
     */
    public record Run(String name, String time, StoredVerdict verdict, String changed) {
        /** The status that is shown. */
        public String status() {
            return changed.isEmpty() ? verdict.status().name() : CHANGED;
        }

        /** The name of the first anomaly, or the reason. */
        public String why() {
            return changed.isEmpty()
                    ? verdict.anomaly()
                    : changed + " has changed since; it was " + verdict.status() + "; check with --recheck";
        }

        private Run with(String changed) {
            return new Run(name, time, verdict, changed);
        }
    }

    /** The status of a run whose chain has a part that has changed. */
    public static final String CHANGED = "CHANGED";

    /** Finds the runs and reads none of them. */
    private static List<Finished> finished(Location folder) throws IOException {
        List<Finished> runs = new ArrayList<>();
        for (Location child : folder.children()) {
            Location verdict = child.child(RunDirectory.VERDICT);
            if (child.fileName().startsWith(PREFIX) && verdict.exists()) {
                runs.add(new Finished(child, verdict.modified()));
            }
        }
        runs.sort(Comparator.comparingLong(Finished::finished)
                .thenComparing(run -> new RunDirectory(run.location()).historyAndLevel())
                .thenComparing(Finished::name));
        return runs;
    }

    /** Reads all runs of a folder but those whose verdict is damaged. */
    public static List<Run> of(Location folder) throws IOException {
        return read(folder, finished(folder));
    }

    private static List<Run> read(Location folder, List<Finished> finished) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (Finished each : finished) {
            try {
                StoredVerdict verdict = new RunDirectory(each.location()).brief();
                runs.add(new Run(each.name(), each.time(), verdict, ""));
            } catch (HistoryException e) {
                // The run is left out. Its report, and a check with --overwrite, describe the damage.
            }
        }
        return withChanges(folder, runs);
    }

    /** Writes {@link #INDEX}, a page of the newest runs, into their folder. */
    public static void writeIndex(Location folder) throws IOException {
        List<Finished> all = finished(folder);
        int older = Math.max(0, all.size() - MOST);
        List<RunsPage.Entry> entries = new ArrayList<>();
        for (Run run : read(folder, all.subList(older, all.size()))) {
            StoredVerdict verdict = run.verdict;
            entries.add(new RunsPage.Entry(
                    verdict.path(),
                    verdict.level(),
                    verdict.part().number(),
                    run.status(),
                    run.why(),
                    run.time,
                    run.name + "/report.html"));
        }
        byte[] page = RunsPage.of(entries, older).getBytes(StandardCharsets.UTF_8);
        folder.child(INDEX).write(out -> out.write(page));
    }

    /**
     * Finds the first part that has changed since it was checked, and marks the runs of it and of the parts after it.
     * Only files that were written since are read.
     *
     * @param folder of all runs
     */
    private static List<Run> withChanges(Location folder, List<Run> runs) throws IOException {
        int first = Integer.MAX_VALUE;
        String name = "";
        for (Run run : runs) {
            StoredVerdict verdict = run.verdict;
            if (verdict.part().number() > 0 && verdict.part().number() < first && hasChanged(folder, run)) {
                first = verdict.part().number();
                name = verdict.path();
            }
        }
        List<Run> marked = new ArrayList<>();
        for (Run run : runs) {
            marked.add(run.verdict.part().number() >= first ? run.with(name) : run);
        }
        return marked;
    }

    private static boolean hasChanged(Location folder, Run run) throws IOException {
        Location part = Location.of(run.verdict.part().location());
        Location own = folder.child(run.name);
        if (!part.exists() || part.modified() < own.child(RunDirectory.VERDICT).modified()) {
            return false;
        }
        Location list = own.child(RunDirectory.SEAM_FOLDER).child("chain.txt");
        if (!list.exists()) {
            return false;
        }
        try (SeekableInput in = list.open()) {
            String[] lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n");
            String last = lines[lines.length - 1];
            return !last.startsWith(Fingerprint.ofInput(part, () -> false));
        }
    }
}
