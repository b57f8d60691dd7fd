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
     * The parts before a history.
     *
     * @param known the runs of the folder, if all of them are beginnings of the chain; null if that was not looked at
     */
    record Before(Chain chain, @Nullable KnownRuns known) {
        static final Before NOTHING = new Before(Chain.NONE, null);
    }

    /**
     * Finds the parts before a history.
     *
     * @param after a run; or a folder of runs, in which the run with the longest list counts
     * @param next the history
     * @param out the folder of runs, which a chain may begin in; null if no run is kept
     * @throws ChangedPartException if this part, or one before it, has changed since it was checked
     */
    static Before before(CheckSettings.Before settings, Chain.Part next, @Nullable String out)
            throws IOException, HistoryException {
        String after = Objects.requireNonNull(settings.run());
        Location given = Location.of(after);
        if (!given.exists()) {
            if (out != null && Location.of(out).absolute().equals(given.absolute())) {
                return Before.NOTHING;
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
            return new Before(chain, null);
        }
        List<KnownRuns.Found> runs = longestFirst(Runs.within(given));
        for (KnownRuns.Found found : runs) {
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
                    return new Before(chain.first(changed), null);
                }
                return at < 0
                        ? new Before(chain, onlyChain(chain, run, runs, next))
                        : new Before(chain.first(at), null);
            }
        }
        return Before.NOTHING;
    }

    /**
     * Deletes the runs of chains with a part that has changed. If the process is killed, those that are left are of one
     * chain.
     *
     * @param runs the longest chain first
     */
    private static void delete(Chain.Part changed, List<KnownRuns.Found> runs) throws IOException, HistoryException {
        for (KnownRuns.Found run : runs) {
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

    /**
     * Requires that all other chains in a folder are beginnings of this one. Runs that an earlier check has compared
     * are not read again.
     *
     * @return the runs; null if the check of the same part will replace one of them
     */
    private static @Nullable KnownRuns onlyChain(
            Chain chain, Location longest, List<KnownRuns.Found> runs, Chain.Part next)
            throws IOException, HistoryException {
        String own = list(Claim.read(longest));
        Set<String> beginnings = Set.of();
        boolean isEach = true;
        for (KnownRuns.Found found : KnownRuns.unknown(runs, longest)) {
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
                    isEach = false;
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
        return isEach ? KnownRuns.of(runs) : null;
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
        for (KnownRuns.Found found : longestFirst(isRun ? List.of(given) : Runs.within(given))) {
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
    private static List<KnownRuns.Found> longestFirst(List<Location> runs) throws IOException {
        List<KnownRuns.Found> found = new ArrayList<>();
        for (Location run : runs) {
            found.add(KnownRuns.Found.of(run));
        }
        found.sort(Comparator.comparingLong(KnownRuns.Found::list)
                .thenComparingLong(KnownRuns.Found::finished)
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
