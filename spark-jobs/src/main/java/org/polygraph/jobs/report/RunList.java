package org.polygraph.jobs.report;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/** The runs in a folder, the newest last. */
public final class RunList {
    private static final String PREFIX = "run=";

    private RunList() {}

    /**
     * A run that has a verdict.json.
     *
     * @param finished in milliseconds since 1970; 0 if the file system does not have the time
     */
    record Finished(Location location, long finished) {
        String name() {
            return location.fileName();
        }

        /** Returns the time in UTC, to the second. */
        String time() {
            return Instant.ofEpochMilli(finished / 1000 * 1000).toString();
        }

        /** Returns the date of the time. */
        String day() {
            return time().substring(0, "2026-01-01".length());
        }
    }

    /**
     * A run with its verdict.
     *
     * @param name {@code run=<id>}
     * @param time in UTC, to the second
     */
    public record Run(String name, String time, StoredVerdict verdict) {}

    /** Finds the runs and reads none of them. */
    static List<Finished> finished(Location folder) throws IOException {
        List<Finished> runs = new ArrayList<>();
        for (Location child : folder.children()) {
            Location verdict = child.child(RunDirectory.VERDICT);
            if (child.fileName().startsWith(PREFIX) && verdict.exists()) {
                runs.add(new Finished(child, verdict.modified()));
            }
        }
        runs.sort(Comparator.comparingLong(Finished::finished).thenComparing(Finished::name));
        return runs;
    }

    /** Reads verdict.json of a run; null if it is damaged. */
    static @Nullable Run read(Finished run) throws IOException {
        try {
            return new Run(run.name(), run.time(), new RunDirectory(run.location()).brief());
        } catch (HistoryException e) {
            // The run is left out. Its report, and a check with --overwrite, describe the damage.
            return null;
        }
    }

    /** Reads all runs of a folder but those whose verdict is damaged. */
    public static List<Run> of(Location folder) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (Finished found : finished(folder)) {
            Run run = read(found);
            if (run != null) {
                runs.add(run);
            }
        }
        return runs;
    }
}
