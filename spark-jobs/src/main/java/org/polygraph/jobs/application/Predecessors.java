package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.model.HistoryException;

/** Finds the parts before a history: the chain of a run, or the only chain in a folder of runs. */
public final class Predecessors {
    private Predecessors() {}

    /**
     * A run.
     *
     * @param finished in milliseconds since 1970; 0 if the file system does not know
     * @param list the size of its list of parts in bytes; 0 if it has none
     */
    private record Found(Location location, long finished, long list) {
        static Found of(Location run) throws IOException {
            Location list = Seam.file(run, Chain.FILE);
            return new Found(run, run.child(Claim.FILE).modified(), list.exists() ? list.length() : 0);
        }
    }

    /**
     * Finds the parts before a history.
     *
     * @param after a run; or a folder of runs, in which the run with the longest list counts
     * @param next the history
     * @param out the folder of runs, which a chain may begin in; null if no run is kept
     * @throws ChangedPartException if this part, or one before it, has changed since it was checked
     */
    static Chain before(CheckSettings.Before settings, Chain.Part next, @Nullable String out)
            throws IOException, HistoryException {
        String after = Objects.requireNonNull(settings.run());
        Location given = Location.of(after);
        if (!given.exists()) {
            if (out != null && Location.of(out).absolute().equals(given.absolute())) {
                return Chain.NONE;
            }
            throw wrongPlace(after, "nothing");
        }
        if (!given.isFolder()) {
            throw wrongPlace(after, "a file");
        }
        boolean isRun = given.child(Claim.FILE).exists();
        if (!isRun && given.fileName().startsWith("run=")) {
            throw wrongPlace(after, "a run that has not finished");
        }
        if (isRun) {
            if (!isJudged(given)) {
                throw new HistoryException(
                        after, "a run of a history that could not be judged", "a run of what came before", "give that");
            }
            Chain chain = known(Chain.of(given), given).on(null);
            if (chain.indexOf(next) >= 0) {
                throw new HistoryException(
                        after, "a run that covers this history already", "a run of what came before", "give that");
            }
            return chain;
        }
        List<Found> runs = longestFirst(Runs.within(given));
        for (Found found : runs) {
            Location run = found.location();
            if (isJudged(run)) {
                // A run whose seam was replaced still shows the parts, and the check of its part renews it.
                Chain chain = known(Chain.listed(run), run);
                int at = chain.indexOf(next);
                int changed = at < 0
                        ? chain.changed(next)
                        : settings.isEach() ? -1 : chain.firstChanged(at, found.finished(), () -> false);
                if (changed >= 0 && !(at < 0 && settings.rechecks())) {
                    throw new ChangedPartException(chain, changed);
                }
                if (changed >= 0) {
                    delete(chain.parts().get(changed), runs);
                    return chain.first(changed);
                }
                if (at >= 0) {
                    return chain.first(at);
                }
                requireOneChain(chain, run, runs, next);
                return chain;
            }
        }
        return Chain.NONE;
    }

    /**
     * Deletes the runs of chains with a part that has changed. If the process is killed, those that are left are of one
     * chain.
     *
     * @param runs the longest chain first
     */
    private static void delete(Chain.Part changed, List<Found> runs) throws IOException, HistoryException {
        for (Found run : runs) {
            if (Chain.listed(run.location()).parts().contains(changed)) {
                run.location().delete();
            }
        }
    }

    private static HistoryException wrongPlace(String after, String found) {
        return new HistoryException(
                after,
                found,
                "a run, or a folder of runs, of what came before",
                "give --after the folder that check --out wrote; a chain begins with an empty folder, or that of"
                        + " --out");
    }

    /** Returns the chain of a run. Requires that its parts have hashes. */
    private static Chain known(Chain chain, Location run) throws HistoryException {
        if (chain.parts().stream().anyMatch(part -> part.input().isEmpty())) {
            throw new HistoryException(
                    run.name(),
                    "a run without the hash of its history",
                    "a run of a file, with seam/chain.txt",
                    "check the file again with --overwrite");
        }
        return chain;
    }

    /** Requires that all other chains in a folder are beginnings of this one. */
    private static void requireOneChain(Chain chain, Location longest, List<Found> runs, Chain.Part next)
            throws IOException, HistoryException {
        String own = list(Claim.read(longest));
        Set<String> beginnings = Set.of();
        for (Found found : runs) {
            Location run = found.location();
            Claim claim = Claim.read(run);
            String list = list(claim);
            if (!isJudged(claim) || list.equals(own)) {
                continue;
            }
            beginnings = beginnings.isEmpty() ? chain.beginnings() : beginnings;
            if (beginnings.contains(list)) {
                continue;
            }
            boolean isBeginning;
            try {
                isBeginning = chain.beginsWith(Chain.listed(run));
            } catch (HistoryException e) {
                if (claim.path().equals(next.location())) {
                    // The check of the same part replaces it.
                    continue;
                }
                throw e;
            }
            if (!isBeginning) {
                throw new HistoryException(
                        run.name(),
                        "a run of " + claim.path() + ", which is not in the chain of " + longest.name(),
                        "one chain in a folder of runs",
                        "give --after one of the two runs; or delete the run of the later part, and check that part"
                                + " again");
            }
        }
    }

    /** The SHA-256 of the list of a run; empty if it has none. */
    private static String list(Claim claim) {
        return claim.chain().map(Claim.Parts::list).orElse("");
    }

    /**
     * Returns the size of a history and of what its check reads besides it: the seam of the run before it, or the parts
     * of that run if it has no seam.
     *
     * @param after a run or a folder of runs, as {@link #before}
     */
    public static HistorySize sizeAfter(String after, HistorySize next) throws IOException, HistoryException {
        Location given = Location.of(after);
        if (!given.exists()) {
            return next;
        }
        if (!given.isFolder()) {
            throw wrongPlace(after, "a file");
        }
        boolean isRun = given.child(Claim.FILE).exists();
        for (Found found : longestFirst(isRun ? List.of(given) : Runs.within(given))) {
            Location run = found.location();
            if (isJudged(run)) {
                Seam seam = Seam.of(run, () -> false);
                return seam == null ? ofParts(Chain.listed(run), next) : seam.sizeBefore(next);
            }
        }
        return next;
    }

    private static HistorySize ofParts(Chain chain, HistorySize next) throws IOException, HistoryException {
        HistorySize size = next;
        for (Chain.Part part : chain.parts()) {
            size = size.after(HistorySize.of(part.location(), HistoryFormat.AUTO));
        }
        return size;
    }

    /**
     * Orders runs by the size of their lists, and equal ones by time. Reading all lists would take longer with each
     * part.
     */
    private static List<Found> longestFirst(List<Location> runs) throws IOException {
        List<Found> found = new ArrayList<>();
        for (Location run : runs) {
            found.add(Found.of(run));
        }
        found.sort(Comparator.comparingLong(Found::list)
                .thenComparingLong(Found::finished)
                .reversed());
        return found;
    }

    private static boolean isJudged(Location run) throws IOException, HistoryException {
        return isJudged(Claim.read(run));
    }

    private static boolean isJudged(Claim claim) {
        String verdict = claim.verdict();
        return !verdict.equals("INVALID") && !verdict.equals("ERROR");
    }
}
