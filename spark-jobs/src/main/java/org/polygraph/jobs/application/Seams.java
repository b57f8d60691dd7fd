package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/** The seams of the beginning of a chain that runs have kept. */
final class Seams {
    private final Chain chain;
    private final Consumer<String> warn;
    private final BooleanSupplier stop;
    /** The runs, the newest first. */
    private final List<Location> runs = new ArrayList<>();

    /**
     * Reads no seam yet.
     *
     * @param after a run or a folder of runs
     * @param chain the parts before the history
     * @param warn receives the reason if a seam cannot be used
     */
    Seams(String after, Chain chain, Consumer<String> warn, BooleanSupplier stop) throws IOException, HistoryException {
        this.chain = chain;
        this.warn = warn;
        this.stop = stop;
        Location given = Location.of(after);
        if (chain.parts().isEmpty()) {
            return;
        }
        if (given.child(Claim.FILE).exists()) {
            for (Seam base; ; given = base.run()) {
                runs.add(given);
                base = Chain.of(given).seam();
                if (base == null) {
                    return;
                }
            }
        }
        Map<Location, Long> times = new HashMap<>();
        for (Location run : Runs.within(given)) {
            times.put(run, run.child(Claim.FILE).modified());
            runs.add(run);
        }
        runs.sort(Comparator.comparing(times::get).reversed());
    }

    /**
     * Returns the seam that covers the most parts.
     *
     * @param most it covers no more than these
     */
    @Nullable
    Seam longest(Terms terms, int most) {
        Seam longest = null;
        for (Location run : runs) {
            int least = longest == null ? 1 : longest.covered() + 1;
            if (least > most) {
                break;
            }
            try {
                Seam seam = Seam.of(run, stop);
                if (seam != null
                        && seam.covered() >= least
                        && seam.covered() <= most
                        && seam.serves(terms)
                        && chain.continues(Chain.of(run))
                        && isUnchanged(run, seam.covered())) {
                    longest = seam;
                }
            } catch (IOException | HistoryException e) {
                warn.accept(Failures.text(e) + "; its seam is not used");
            }
        }
        return longest;
    }

    /** Returns a violation at these terms of the most parts that stands by itself; null if there is none. */
    @Nullable
    StandingViolation violation(Terms terms) {
        StandingViolation longest = null;
        for (Location run : runs) {
            try {
                StandingViolation violation = StandingViolation.of(run);
                if (violation != null
                        && violation.terms().equals(terms)
                        && violation.covered() <= chain.parts().size()
                        && (longest == null || violation.covered() > longest.covered())
                        && chain.continues(Chain.of(run))
                        && isUnchanged(run, violation.covered())) {
                    longest = violation;
                }
            } catch (IOException | HistoryException e) {
                warn.accept(Failures.text(e) + "; it is not used");
            }
            if (longest != null && longest.covered() == chain.parts().size()) {
                break;
            }
        }
        return longest;
    }

    /** Whether the first parts are those that a run checked. Only parts that were written since are read. */
    private boolean isUnchanged(Location run, int covered) throws IOException {
        long checked = run.child(Claim.FILE).modified();
        for (Chain.Part part : chain.parts().subList(0, covered)) {
            Location file = Location.of(part.location());
            if (!part.input().isEmpty()
                    && file.exists()
                    && file.modified() >= checked
                    && !Fingerprint.ofInput(file, stop).equals(part.input())) {
                return false;
            }
        }
        return true;
    }
}
