package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/** Finds runs by the paths that users give: {@code run=<id>}, or a folder that contains only that run. */
public final class Runs {
    private static final String PREFIX = "run=";

    private Runs() {}

    /** Whether a path is a run, or has runs in it, rather than a history. */
    public static boolean isRun(String path) {
        try {
            Location given = Location.of(path);
            return given.isFolder() && (isOne(given) || !within(given).isEmpty());
        } catch (IOException e) {
            // Reading it as a history reports the failure.
            return false;
        }
    }

    /** The folder of the run. */
    public static Location find(String run) throws IOException, HistoryException {
        Location given = Location.of(run);
        boolean folder;
        try {
            folder = given.isFolder();
        } catch (IOException e) {
            throw new IOException(Failures.ofPath(run, e), e);
        }
        if (!folder) {
            throw new HistoryException(run, "a file", "the folder run=<id> that check --out wrote", "give that");
        }
        if (isOne(given)) {
            return given;
        }
        List<Location> runs = within(given);
        if (runs.size() == 1) {
            return runs.get(0);
        }
        throw new HistoryException(
                run,
                runs.isEmpty()
                        ? "no run"
                        : runs.size() + " runs, such as " + runs.get(0).fileName(),
                "one folder run=<id> with a verdict.json",
                runs.isEmpty() ? "give the folder that check --out wrote" : "give one of them");
    }

    private static boolean isOne(Location folder) throws IOException {
        return folder.child(Claim.FILE).exists();
    }

    private static List<Location> within(Location folder) throws IOException {
        List<Location> runs = new ArrayList<>();
        for (Location child : folder.children()) {
            if (child.fileName().startsWith(PREFIX) && isOne(child)) {
                runs.add(child);
            }
        }
        return runs;
    }
}
