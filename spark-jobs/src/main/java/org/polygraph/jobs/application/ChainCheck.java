package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides the history that ends with a PATH, without reading all of its parts if it can. The longest seam is tried, and
 * after it shorter ones: each leaves twice as many parts to read, or does not cover the part that may have written a
 * missing value. A check of all parts decides the rest.
 */
final class ChainCheck {
    /**
     * The CPU time that an attempt on a seam may take, beside {@link #NANOS_PER_BYTE} for each byte that it reads. An
     * ordinary check takes a tenth of it. Refuting a seam may take far longer than finding an order of all parts.
     */
    private static final long LEAST_NANOS = 4_000_000_000L;

    private static final long NANOS_PER_BYTE = 4_000;
    private static final long LEAST_BEYOND_NANOS = 1_000_000_000L;

    private final OnePath path;
    private final Chain before;
    private final Set<IsolationLevel> begunAnew;
    private final Map<IsolationLevel, Level> levels = new LinkedHashMap<>();
    /** The levels without a verdict, strongest first. */
    private final List<Level> open;

    /** What is known of the chain at a level. */
    private static final class Level {
        private final CheckRequest request;
        /** The violations of the parts before the PATH; null if runs were not looked at. */
        private Seams.@Nullable Earlier earlier;
        /** What all attempts to judge beyond violations may take, because the verdict is known. */
        private @Nullable Budget share;
        /** A VIOLATION that is certain, while it is open what the PATH adds. */
        private BeyondViolations.@Nullable Judged certain;
        /** What the state of the longest seam does not explain. */
        private @Nullable String unexplained;

        private @Nullable Verdict verdict;
        /** The seam that the verdict was decided on. */
        private @Nullable Seam seam;
        /** The violations of the chain, which its run keeps. */
        private @Nullable StandingViolations kept;

        Level(CheckRequest request) {
            this.request = request;
        }

        @Nullable
        StandingViolations known() {
            return earlier == null ? null : earlier.violations();
        }
    }

    /**
     * Reads nothing yet.
     *
     * @param before the parts before the PATH
     * @param requests strongest level first
     * @param begunAnew the levels at which the PATH begins a new chain
     */
    ChainCheck(OnePath path, Chain before, List<CheckRequest> requests, Set<IsolationLevel> begunAnew) {
        this.path = path;
        this.before = before;
        this.begunAnew = begunAnew;
        requests.forEach(request -> levels.put(request.level(), new Level(request)));
        open = new ArrayList<>(requests.stream().map(this::of).toList());
    }

    private Level of(CheckRequest request) {
        return of(request.level());
    }

    private Level of(IsolationLevel level) {
        return Objects.requireNonNull(levels.get(level), "a level of the check");
    }

    /** The seam that a verdict was decided on; null if there is none. */
    @Nullable
    Seam seam(IsolationLevel level) {
        return of(level).seam;
    }

    /** The violations of the chain, which its run keeps; null if there are none. */
    @Nullable
    StandingViolations kept(IsolationLevel level) {
        return isOf(level) ? of(level).kept : null;
    }

    /** Whether a level was asked for. */
    boolean isOf(IsolationLevel level) {
        return levels.containsKey(level);
    }

    /**
     * Decides the chain at each level.
     *
     * @param kept where checkpoints and evidence are kept if all parts are read
     * @return a verdict for each level; with {@link CheckSettings#asFits} for each that the history fits
     */
    List<Verdict> verdicts(PathCheck.Kept kept) throws IOException, HistoryException {
        onSeams();
        List<CheckRequest> whole = new ArrayList<>();
        for (Level level : open) {
            StandingViolations known = level.known();
            LeftOut closed =
                    known == null ? LeftOut.NOTHING : known.onlyClosed().leftOut();
            if (closed.isEmpty()) {
                whole.add(level.request);
            } else {
                ofAllParts(List.of(level.request), before.without(closed), kept);
            }
        }
        if (!whole.isEmpty()) {
            ofAllParts(whole, before, kept);
        }
        return levels.values().stream()
                .map(level -> level.verdict)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Decides on seams what they decide. @throws HistoryException if the PATH cannot begin a new chain */
    private void onSeams() throws HistoryException {
        String after = path.settings().before().run();
        if (after == null || before.parts().isEmpty()) {
            return;
        }
        String refusal = null;
        try {
            Seams known = new Seams(after, before, path.listener()::message, path.budget());
            for (Level level : open) {
                level.earlier = known.earlier(level.request.terms());
            }
            refusal = startOver();
            for (int first = 0; refusal == null && first < open.size(); ) {
                int left = open.size();
                onSeams(known, List.copyOf(open.subList(first, left)));
                first += open.size() == left ? 1 : 0;
            }
        } catch (BudgetException | IOException | HistoryException e) {
            // The check of all parts reports the failure.
        }
        if (refusal != null) {
            throw new HistoryException(path.name() + ": " + refusal);
        }
    }

    /**
     * Closes the violations of earlier parts at the levels at which the PATH begins a new chain.
     *
     * @return the reason why no new chain can be begun; null if none is to be begun, or it can
     */
    private @Nullable String startOver() {
        SubHistories subs = new SubHistories();
        List<StandingViolations.Kept> all = new ArrayList<>();
        for (IsolationLevel level : begunAnew) {
            StandingViolations violations = of(level).known();
            if (violations == null && !Objects.requireNonNull(of(level).earlier).isExact()) {
                return "--start-over: the run before does not keep the reads that its violations of " + level.label()
                        + " need, as for histories with lists, rows, predicates or loaders, and at lin; begin a chain in"
                        + " another folder of runs, with --initial-state, or for lists with a first part that appends"
                        + " their elements";
            }
            if (violations != null) {
                violations.all().forEach(each -> {
                    subs.add(violations.sub(each));
                    all.add(each.closed());
                });
            }
        }
        // A level that others imply is judged without the same reads, so that the answers agree.
        int covered = before.parts().size();
        for (IsolationLevel level : all.isEmpty() ? List.<IsolationLevel>of() : begunAnew) {
            of(level).earlier = new Seams.Earlier(
                    StandingViolations.with(of(level).request.terms(), covered, subs, all), true, covered);
        }
        return null;
    }

    /** Decides levels on the longest seam on which any of them is decided. */
    private void onSeams(Seams known, List<Level> wanted) throws IOException, HistoryException {
        Level first = wanted.get(0);
        int left = open.size();
        int most = before.parts().size();
        while (most > 0 && open.size() == left && !path.budget().exhausted()) {
            Seam seam = known.longest(first.request.terms(), most);
            if (seam == null) {
                return;
            }
            try {
                seam.requireWhole(path.budget()::exhausted);
            } catch (BudgetException | IOException e) {
                if (!path.budget().exhausted()) {
                    path.listener().message(Failures.text(e) + "; the seam is not used");
                }
                most = seam.covered() - 1;
                continue;
            }
            // A weaker level may hold in parts in which a stronger one is violated, so its newest seam may be another.
            List<Level> served = new ArrayList<>();
            for (Level level : wanted) {
                Seam own = level == first ? seam : known.longest(level.request.terms(), most);
                // Without the reads that violations of one level need, a history says nothing about another level.
                boolean isAlone = level.known() != null || first.known() != null;
                if (own != null
                        && own.covered() == seam.covered()
                        && (level == first || (!isAlone && seam.serves(level.request.terms())))) {
                    served.add(level);
                }
            }
            most = Math.min(
                    on(seam, known, served),
                    seam.covered() - Math.max(1, before.parts().size() - seam.covered()));
        }
    }

    /**
     * Returns the budget of an attempt on a seam: at most half of the time that is left, so that the check of all parts
     * has time too. What can be read only once is decided on the first seam or not at all.
     */
    private Budget attempt(Seam seam) throws IOException {
        Location last = path.location();
        if (path.isStdin() || last.isStream()) {
            return path.budget();
        }
        long ofLast = last.bytes();
        long bytes = ofLast + seam.run().child(Seam.FOLDER).bytes();
        for (Chain.Part part :
                before.parts().subList(seam.covered(), before.parts().size())) {
            Location file = Location.of(part.location());
            bytes += file.exists() ? file.bytes() : ofLast;
        }
        return path.budget().atMost(LEAST_NANOS + bytes * NANOS_PER_BYTE);
    }

    /** Decides levels on a seam. Returns the most parts that another seam may cover to explain more. */
    private int on(Seam seam, Seams known, List<Level> served) throws IOException {
        Level first = served.get(0);
        StandingViolations violations = first.known();
        if (violations != null && seam.covered() > violations.covered()) {
            // What the parts after those of the violations wrote is not known.
            return violations.covered();
        }
        LeftOut reads = violations == null ? LeftOut.NOTHING : violations.leftOut();
        StandingViolations ofSeam = seam.violations(path.budget()::exhausted);
        if (ofSeam != null && !reads.and(ofSeam.history()).isSameAs(reads)) {
            // A part after the seam explained one of its violations.
            return seam.covered() - 1;
        }
        SeamRefutation refutation = new SeamRefutation(before.without(reads), known, seam, path);
        int[] needed = {Integer.MAX_VALUE};
        Checker checker = path.checker().finding(check -> {
            Finding found = path.checker().find(check);
            if (found instanceof Finding.Order) {
                return found;
            }
            needed[0] = earlierPart(check.table(), refutation, seam, known, first.request.terms());
            if (needed[0] < seam.covered()) {
                throw new BudgetException("part " + (needed[0] + 1) + " has to be read");
            }
            return found;
        });
        // The state contains what loaders of the first part wrote, so the request has no loaders.
        PathCheck check = new PathCheck(
                path.quietWithin(attempt(seam)).with(checker),
                served.stream().map(level -> level.request.withoutLoaders()).toList(),
                before.on(seam).without(reads),
                PathCheck.Kept.NOWHERE);
        List<Verdict> verdicts = check.run();
        if (needed[0] < seam.covered()) {
            return needed[0];
        }
        int most = Integer.MAX_VALUE;
        for (Verdict verdict : verdicts) {
            Level level = of(verdict.level());
            Witness witness = verdict.witness();
            HistoryTable table = witness == null ? verdict.table() : witness.table();
            boolean isPass = verdict.status() == Verdict.Status.PASS;
            if (isPass && table == null && violations == null) {
                decided(level, verdict, seam);
            } else if (table != null && (isPass || verdict.status() == Verdict.Status.VIOLATION)) {
                String reason = OpenReads.unexplained(verdict, path.name(), seam.covered());
                if (!reason.isEmpty() && level.unexplained == null) {
                    level.unexplained = reason;
                }
                int[] found = {Integer.MAX_VALUE};
                path.quietWithin(path.budget()).attempt(level.request, () -> {
                    found[0] = examined(level, verdict, table, seam, known);
                    return null;
                });
                most = Math.min(most, found[0]);
            }
        }
        return most;
    }

    /**
     * The part that has to be read to explain the reads whose writers are before a seam, if all parts are there that are
     * then read; else the number of parts before the seam. A violation that rests on such a read need not be explained.
     */
    private int earlierPart(HistoryTable table, SeamRefutation refutation, Seam seam, Seams known, Terms terms) {
        try {
            int part = refutation.partOfMissing(table);
            Seam earlier = part <= 0 ? null : known.longest(terms, part);
            int first = earlier == null ? 0 : earlier.covered();
            return part >= 0 && before.areThere(first, seam.covered(), path.name()) ? part : seam.covered();
        } catch (IOException | HistoryException e) {
            // The violation is explained, and the failure is reported if it is met again.
            return seam.covered();
        }
    }

    private void decided(Level level, Verdict verdict, Seam seam) {
        level.seam = seam;
        level.verdict = verdict;
        open.remove(level);
        if (verdict.status() == Verdict.Status.UNKNOWN) {
            return;
        }
        Witness witness = verdict.witness();
        PartOrder.state(path, before.parts().size(), witness == null ? null : witness.table());
    }

    /** Decides the chain by a verdict on a seam if it can. Returns the most parts that another seam may cover. */
    private int examined(Level level, Verdict verdict, HistoryTable table, Seam seam, Seams known)
            throws IOException, HistoryException {
        boolean[] isLater = new boolean[table.transactions()];
        for (int t = 0; t < isLater.length; t++) {
            isLater[t] = table.index(t)
                    > seam.sessions().getOrDefault(table.sessionLabel(table.sessionOf(t)), Long.MIN_VALUE);
        }
        BeyondViolations beyond = beyond(level);
        try {
            BeyondViolations.Judged found = beyond.onSeam(
                    verdict, table, isLater, reads -> new SeamRefutation(before.without(reads), known, seam, path));
            if (found == null) {
                return beyond.most();
            }
            if (found.verdict().status() == Verdict.Status.ERROR) {
                return Integer.MAX_VALUE;
            }
            if (!found.isDecided()) {
                level.certain = complete(found);
                return beyond.most();
            }
            decided(level, judged(level, complete(found)), seam);
            return 0;
        } catch (BudgetException e) {
            // Other seams are tried, or all parts. If these are gone, the reason names the part that was needed here.
            level.unexplained = level.unexplained == null ? null : level.unexplained + "; " + Failures.text(e);
            return beyond.most();
        }
    }

    private BeyondViolations beyond(Level level) {
        Budget share = level.share == null ? path.budget().twice(LEAST_BEYOND_NANOS) : level.share;
        level.share = share;
        return new BeyondViolations(level.request, path, before, level.known(), share);
    }

    private BeyondViolations.Judged complete(BeyondViolations.Judged found) {
        Verdict verdict = found.verdict();
        return verdict.status() == Verdict.Status.VIOLATION
                ? new BeyondViolations.Judged(path.complete(verdict.with(), before.state()), found.kept())
                : found;
    }

    /** Decides levels on all parts. */
    private void ofAllParts(List<CheckRequest> requests, Chain parts, PathCheck.Kept kept)
            throws IOException, HistoryException {
        for (Verdict verdict : new PathCheck(path, requests, parts, kept).run()) {
            Level level = of(verdict.level());
            HistoryTable table = verdict.table();
            String cutOut = path.isOfChain() || !before.isEmpty() ? null : OpenReads.cutOut(verdict);
            if (cutOut != null) {
                path.listener().notice(cutOut);
            }
            Verdict given = path.isOfChain() && table != null
                    ? OpenTransactions.unlessWritten(verdict, table, level.request, path)
                    : verdict;
            level.verdict = OpenReads.named(ofWhole(level, given), level.unexplained);
        }
    }

    /** Returns a verdict on all parts, with what the PATH adds to their violations. */
    private Verdict ofWhole(Level level, Verdict verdict) throws IOException, HistoryException {
        BeyondViolations.Judged sure = level.certain;
        if (verdict.status() == Verdict.Status.UNKNOWN && sure != null) {
            // The parts that could decide more are gone, or the budget ended.
            PartViolations violations =
                    Objects.requireNonNull(sure.verdict().inPart()).beyond("beyond them: " + verdict.reason());
            Verdict undecided = sure.verdict()
                    .with()
                    .inPart(violations)
                    .reason(violations.text())
                    .build();
            return judged(level, new BeyondViolations.Judged(undecided, sure.kept()));
        }
        StandingViolations violations = level.known();
        boolean hasSeam = verdict.status() == Verdict.Status.PASS
                || (verdict.status() == Verdict.Status.UNKNOWN && verdict.witness() != null);
        if (hasSeam && violations != null && violations.areClosed()) {
            level.kept = violations;
            return begunAnew(level, verdict);
        }
        if (verdict.status() != Verdict.Status.VIOLATION || !path.isOfChain()) {
            return verdict;
        }
        int parts = before.parts().size();
        Seams.Earlier found = Objects.requireNonNullElse(level.earlier, new Seams.Earlier(null, parts == 0, parts));
        return judged(level, beyond(level).ofWhole(verdict, found.isExact(), found.covered()));
    }

    private Verdict judged(Level level, BeyondViolations.Judged judged) {
        Verdict verdict = judged.verdict();
        if (judged.kept() != null) {
            level.kept = judged.kept();
        }
        return verdict.status() == Verdict.Status.VIOLATION
                ? verdict.with().exitCode(path.settings().exitCode(verdict)).build()
                : begunAnew(level, verdict);
    }

    /** Adds to a PASS that it is of a chain without the reads of violations after which it was begun anew. */
    private static Verdict begunAnew(Level level, Verdict verdict) {
        StandingViolations violations = level.known();
        return verdict.status() != Verdict.Status.PASS || violations == null
                ? verdict
                : verdict.with().reason(violations.begunAnew(verdict.reason())).build();
    }
}
