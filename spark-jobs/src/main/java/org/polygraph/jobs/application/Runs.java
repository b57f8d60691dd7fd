package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/**
 * Finds runs by the argument of a command: {@code run=<id>}, a folder of runs, or such a folder with the name of a
 * history, {@code runs/orders.jsonl}, for the runs of this history.
 */
public final class Runs {
    private static final String PREFIX = "run=";
    /** The most folders that a message names. */
    private static final int MOST_FOLDERS = 5;

    private Runs() {}

    /** Whether a path names runs rather than a history. */
    public static boolean isRun(String path) {
        try {
            Location given = Location.of(path);
            return given.exists()
                    ? given.isFolder()
                            && (given.fileName().startsWith(PREFIX)
                                    || isOne(given)
                                    || !within(given).isEmpty()
                                    || !foldersOfRuns(given).isEmpty())
                    : !ofHistory(given).isEmpty();
        } catch (IOException | HistoryException e) {
            // Reading the path as a history reports the failure.
            return false;
        }
    }

    /** The folders of the runs, one or more, the newest last. */
    public static List<Location> all(String path) throws IOException, HistoryException {
        Location given = Location.of(path);
        boolean folder;
        try {
            if (!given.exists()) {
                List<Location> found = ofHistory(given);
                if (!found.isEmpty()) {
                    return found;
                }
            }
            folder = given.isFolder();
        } catch (IOException e) {
            throw new IOException(Failures.ofPath(path, e), e);
        }
        if (!folder) {
            throw new HistoryException(path, "a file", "the folder run=<id> that check --out wrote", "give that");
        }
        List<Location> found = isOne(given) ? List.of(given) : within(given);
        if (found.isEmpty()) {
            throw none(given);
        }
        return found;
    }

    /** The error for a folder without runs, which names the folders in it that have some. */
    public static HistoryException none(Location folder) throws IOException {
        List<String> below = foldersOfRuns(folder);
        return below.isEmpty()
                ? new HistoryException(
                        folder.name(),
                        "no run",
                        "one folder run=<id> with a verdict.json",
                        "give the folder that check --out wrote")
                : new HistoryException(
                        folder.name(),
                        "no run, but runs in the " + (below.size() == 1 ? "folder " : "folders ")
                                + String.join(", ", below),
                        "a folder run=<id>, or the folder that holds such folders",
                        below.size() == 1 ? "give that one" : "give one of them");
    }

    /** The folder of the only run. */
    public static Location find(String path) throws IOException, HistoryException {
        List<Location> found = all(path);
        if (found.size() > 1) {
            throw new HistoryException(
                    path,
                    found.size() + " runs, such as " + found.get(0).fileName(),
                    "one folder run=<id> with a verdict.json",
                    "give one of them");
        }
        return found.get(0);
    }

    private static boolean isOne(Location folder) throws IOException {
        return folder.child(Claim.FILE).exists();
    }

    /**
     * The runs in a folder, the newest last. Those that finished within one tick of the file system's clock are in the
     * order of the names of their histories, and those of one history in that of their levels.
     */
    public static List<Location> within(Location folder) throws IOException {
        List<Location> runs = new ArrayList<>();
        Map<Location, Long> finished = new HashMap<>();
        for (Location child : folder.children()) {
            Location verdict = child.child(Claim.FILE);
            if (child.fileName().startsWith(PREFIX) && verdict.exists()) {
                runs.add(child);
                finished.put(child, verdict.modified());
            }
        }
        runs.sort(Comparator.comparing((Location run) -> finished.get(run))
                .thenComparing(run -> new RunDirectory(run).historyAndLevel())
                .thenComparing(Location::fileName));
        return runs;
    }

    /** The names of the first folders in a folder that have runs. */
    private static List<String> foldersOfRuns(Location folder) throws IOException {
        List<String> names = new ArrayList<>();
        for (Location child : folder.children()) {
            if (names.size() < MOST_FOLDERS
                    && child.isFolder()
                    && !within(child).isEmpty()) {
                names.add(child.name());
            }
        }
        return names;
    }

    /**
     * If a name is not that of a file, returns the runs beside it whose history has that name. A run that was INVALID,
     * for example because a part of a chain was missing, gives way to later runs of its level.
     */
    private static List<Location> ofHistory(Location name) throws IOException, HistoryException {
        String path = name.name();
        int slash = path.lastIndexOf('/');
        boolean isRoot = slash == 0 || path.lastIndexOf("//", slash) == path.lastIndexOf('/', slash - 1) - 1;
        Location parent = slash < 0 ? null : Location.of(path.substring(0, isRoot ? slash + 1 : slash));
        List<Location> runs = new ArrayList<>();
        Map<String, Location> invalid = new HashMap<>();
        if (parent != null && parent.exists() && parent.isFolder()) {
            for (Location run : within(parent)) {
                StoredVerdict verdict = new RunDirectory(run).verdict();
                if (Location.of(verdict.path()).fileName().equals(name.fileName())) {
                    runs.remove(invalid.remove(verdict.level()));
                    runs.add(run);
                    if (verdict.status() == Verdict.Status.INVALID) {
                        invalid.put(verdict.level(), run);
                    }
                }
            }
        }
        return runs;
    }
}
