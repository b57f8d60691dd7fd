package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.model.HistoryException;

/** The seams of the beginning of a chain that runs have kept. */
final class Seams {
    private final Chain chain;
    private final Consumer<String> warn;
    private final Budget budget;
    private final BooleanSupplier stop;
    /** The runs, the newest first. */
    private final List<Location> runs = new ArrayList<>();
    /** All runs in the folder, the newest first. */
    private final List<Location> all = new ArrayList<>();

    /**
     * Reads no seam yet.
     *
     * @param after a run or a folder of runs
     * @param chain the parts before the history
     * @param warn receives the reason if a seam cannot be used, once
     */
    Seams(String after, Chain chain, Consumer<String> warn, Budget budget) throws IOException, HistoryException {
        this.chain = chain;
        Set<String> warned = new HashSet<>();
        this.warn = text -> {
            if (warned.add(text)) {
                warn.accept(text);
            }
        };
        this.budget = budget;
        stop = budget::exhausted;
        Location given = Location.of(after);
        if (chain.parts().isEmpty()) {
            return;
        }
        boolean isRun = given.child(Claim.FILE).exists();
        String name = given.absolute();
        all.addAll(Runs.within(isRun ? Location.of(name.substring(0, name.lastIndexOf('/') + 1)) : given));
        Collections.reverse(all);
        runs.addAll(isRun ? List.of(given) : all);
        if (!runs.isEmpty()) {
            addBases(runs.get(0));
        }
    }

    /** Adds the runs on whose seams a run rests, for each part may have a folder of its own. */
    private void addBases(Location run) {
        Set<String> names = new HashSet<>();
        runs.forEach(each -> names.add(each.absolute()));
        try {
            Seam base = Chain.of(run).seam();
            while (base != null && names.add(base.run().absolute())) {
                runs.add(base.run());
                all.add(base.run());
                base = Chain.of(base.run()).seam();
            }
        } catch (IOException | HistoryException e) {
            warn.accept(Failures.text(e) + "; the seams before it are not used");
        }
    }

    /**
     * Finds the parts that may write some values.
     *
     * @param hashes of the values, as in {@link Writes}
     * @param parts the number of the first parts that are asked
     * @return by part: which hashes it may write; null if that is not known of each part, or if one is older than all
     */
    @Nullable
    List<LongSet> writers(LongSet hashes, int parts) throws IOException, HistoryException {
        List<LongSet> writers = new ArrayList<>();
        BitSet unknown = new BitSet();
        unknown.set(0, parts);
        for (int p = 0; p < parts; p++) {
            writers.add(new LongOpenHashSet());
        }
        for (int r = 0; r < all.size() && !unknown.isEmpty(); r++) {
            Writes written = written(all.get(r));
            for (int p = unknown.nextSetBit(0); p >= 0 && written != null; p = unknown.nextSetBit(p + 1)) {
                if (chain.parts().get(p).input().equals(written.input())) {
                    unknown.clear(p);
                    writers.get(p).addAll(written.of(hashes));
                }
            }
        }
        return unknown.isEmpty() && !isOlder(hashes) ? writers : null;
    }

    /**
     * Returns the seam that covers the most parts; among such seams one of a run of the level. A run of a weaker level
     * may have the order of a stronger one. A pruned run has no seam to go on from.
     *
     * @param most it covers no more than these
     */
    @Nullable
    Seam longest(Terms terms, int most) {
        Seam longest = null;
        boolean isOfLevel = false;
        for (Location run : runs) {
            int least = longest == null ? 1 : longest.covered() + (isOfLevel ? 1 : 0);
            if (least > most) {
                break;
            }
            try {
                Seam seam = Pruning.isPruned(run) ? null : Seam.of(run, stop);
                boolean isOwn = seam != null && Claim.read(run).terms().equals(Optional.of(terms));
                if (seam != null
                        && seam.covered() >= least
                        && (longest == null || seam.covered() > longest.covered() || isOwn)
                        && seam.covered() <= most
                        && seam.serves(terms)
                        && (seam.violations().isEmpty() || isOwn)
                        && chain.continues(Chain.of(run))
                        && isUnchanged(run, seam.covered())) {
                    longest = seam;
                    isOfLevel = isOwn;
                }
            } catch (IOException | HistoryException e) {
                warn.accept(Failures.text(e) + "; its seam is not used");
            }
        }
        return longest;
    }

    /**
     * The violations of the parts before a history.
     *
     * @param violations null if none are kept
     * @param isExact whether these are all that were found
     * @param covered the number of parts that were decided
     */
    record Earlier(@Nullable StandingViolations violations, boolean isExact, int covered) {}

    /** Returns the violations that the run of the most parts keeps that was decided at these terms. */
    Earlier earlier(Terms terms) {
        Earlier last = new Earlier(null, true, 0);
        int most = 0;
        for (Location run : runs) {
            try {
                Claim claim = Claim.read(run);
                boolean isViolation = claim.verdict().equals("VIOLATION");
                // Of an UNKNOWN with a seam, a later part decides the rest, so no violation stands that it does not
                // keep.
                boolean isDecided = isViolation
                        || claim.verdict().equals("PASS")
                        || Seam.file(run, Seam.FILE).exists();
                if (!claim.terms().equals(Optional.of(terms)) || !isDecided) {
                    continue;
                }
                Chain of = Chain.of(run);
                int covered = of.parts().size();
                if (covered > most && chain.continues(of) && isUnchanged(run, covered)) {
                    StandingViolations violations = StandingViolations.of(run, stop);
                    last = new Earlier(
                            violations, violations == null ? !isViolation : violations.areAllShown(), covered);
                    most = covered;
                }
            } catch (IOException | HistoryException e) {
                warn.accept(Failures.text(e) + "; it is not used");
            }
            if (most == chain.parts().size()) {
                break;
            }
        }
        return last;
    }

    private @Nullable Writes written(Location run) throws IOException {
        try {
            return Writes.read(run, stop);
        } catch (HistoryException e) {
            warn.accept(Failures.text(e) + "; it is not used");
            return null;
        }
    }

    /** Whether the initial state of the chain has one of some values. */
    private boolean isOlder(LongSet hashes) throws IOException, HistoryException {
        InitialState state = chain.on(null).initial(stop, budget.bytes());
        return state != null
                && state.known().stream()
                        .anyMatch(key ->
                                hashes.contains(Writes.hash(state.keys(), state.values(), key, state.code(key))));
    }

    /** Whether the first parts are those that a run checked. */
    private boolean isUnchanged(Location run, int covered) throws IOException {
        return chain.firstChanged(covered, run.child(Claim.FILE).modified(), stop) < 0;
    }
}
