package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides a chain without reading all of its parts. First, a VIOLATION of an earlier part is repeated if the last part
 * cannot change it. Then the longest seam is tried, and after it shorter ones: each leaves twice as many parts to read,
 * or does not cover the part that may have written a missing value. A check of all parts decides the rest.
 */
final class OnSeams {
    /**
     * The CPU time that an attempt on a seam may take, beside {@link #NANOS_PER_BYTE} for each byte that it reads. An
     * ordinary check takes a tenth of it. Refuting a seam may take far longer than finding an order of all parts.
     */
    private static final long LEAST_NANOS = 4_000_000_000L;

    private static final long NANOS_PER_BYTE = 4_000;
    private static final String STDIN = "-";

    private static final long LEAST_BEYOND_NANOS = 1_000_000_000L;

    private final Map<IsolationLevel, Budget> shares = new EnumMap<>(IsolationLevel.class);
    private final CheckSettings settings;
    private final Checker checker;
    private final Listener listener;
    private final String path;
    private final Chain before;
    private final Set<IsolationLevel> begunAnew;
    private final long start;
    private final Budget budget;

    private final List<Verdict> decided = new ArrayList<>();
    private final List<CheckRequest> open;
    /** By level: the seam that a verdict was decided on. */
    private final Map<IsolationLevel, Seam> seams = new EnumMap<>(IsolationLevel.class);
    /** By level: the violations of the parts before the last one. */
    private final Map<IsolationLevel, Seams.Earlier> earlier = new EnumMap<>(IsolationLevel.class);
    /** By level: the violations of the chain, which its run keeps. */
    private final Map<IsolationLevel, StandingViolations> kept = new EnumMap<>(IsolationLevel.class);
    /** By level: a VIOLATION that is certain, while it is open what the last part adds. */
    private final Map<IsolationLevel, BeyondViolations.Judged> certain = new EnumMap<>(IsolationLevel.class);
    /** By level: what the state of the longest seam does not explain. */
    private final Map<IsolationLevel, String> unexplained = new EnumMap<>(IsolationLevel.class);

    private long @Nullable [] writes;
    private long @Nullable [] part;
    private @Nullable String refusal;

    /**
     * Reads nothing yet.
     *
     * @param path the last part
     * @param before the other parts
     * @param requests strongest level first
     * @param begunAnew the levels at which the last part begins a new chain
     * @param start from which elapsed time is measured
     */
    OnSeams(
            CheckSettings settings,
            Checker checker,
            Listener listener,
            String path,
            Chain before,
            List<CheckRequest> requests,
            Set<IsolationLevel> begunAnew,
            long start,
            Budget budget) {
        this.settings = settings;
        this.checker = checker;
        this.listener = listener;
        this.path = path;
        this.before = before;
        this.begunAnew = begunAnew;
        this.start = start;
        this.budget = budget;
        open = new ArrayList<>(requests);
    }

    /** Decides what it can. */
    void decide() {
        String after = settings.before().run();
        if (after == null || before.parts().isEmpty()) {
            return;
        }
        try {
            Seams known = new Seams(after, before, listener::message, budget);
            for (CheckRequest request : open) {
                earlier.put(request.level(), known.earlier(request.terms()));
            }
            startOver();
            for (int first = 0; first < open.size(); ) {
                int left = open.size();
                decide(known, List.copyOf(open.subList(first, left)));
                first += open.size() == left ? 1 : 0;
            }
        } catch (BudgetException | IOException | HistoryException e) {
            // The check of all parts reports the failure.
        }
    }

    /** Closes the violations of earlier parts at the levels at which the last part begins a new chain. */
    private void startOver() {
        SubHistories subs = new SubHistories();
        List<StandingViolations.Kept> all = new ArrayList<>();
        for (IsolationLevel level : begunAnew) {
            Seams.Earlier found = earlier.get(level);
            StandingViolations violations = found == null ? null : found.violations();
            if (found != null && violations == null && !found.isExact()) {
                refusal = "--start-over: the run before does not keep the reads that its violations of " + level.label()
                        + " need, as for histories with lists, rows, predicates or loaders, and at lin; begin a chain in"
                        + " another folder of runs, with --initial-state, or for lists with a first part that appends"
                        + " their elements";
                return;
            }
            if (violations != null) {
                violations.all().forEach(each -> {
                    subs.add(violations.sub(each));
                    all.add(each.closed());
                });
            }
        }
        // A level that others imply is judged without the same reads, so that the answers agree.
        for (IsolationLevel level : all.isEmpty() ? List.<IsolationLevel>of() : begunAnew) {
            earlier.put(
                    level,
                    new Seams.Earlier(
                            StandingViolations.with(
                                    settings.request(level).terms(),
                                    before.parts().size(),
                                    subs,
                                    all),
                            true,
                            before.parts().size()));
        }
    }

    /** The reason why no new chain can be begun; null if none is to be begun, or it can. */
    @Nullable
    String refusal() {
        return refusal;
    }

    /** The reads that all parts are judged without, because a new chain was begun. */
    LeftOut closed(IsolationLevel level) {
        StandingViolations violations = known(level);
        return violations == null ? LeftOut.NOTHING : violations.onlyClosed().leftOut();
    }

    /** The verdicts that were found. */
    List<Verdict> decided() {
        return decided;
    }

    /** The levels that are left, strongest first. */
    List<CheckRequest> left() {
        return open;
    }

    /** The seam that a verdict was decided on; null if there is none. */
    @Nullable
    Seam seam(IsolationLevel level) {
        return seams.get(level);
    }

    /** The violations of the chain, which its run keeps; null if there are none. */
    @Nullable
    StandingViolations kept(IsolationLevel level) {
        return kept.get(level);
    }

    private @Nullable StandingViolations known(IsolationLevel level) {
        Seams.Earlier found = earlier.get(level);
        return found == null ? null : found.violations();
    }

    /** Returns a verdict on all parts, with what the last part adds to their violations. */
    Verdict ofWhole(Verdict verdict) throws IOException, HistoryException {
        IsolationLevel level = verdict.level();
        BeyondViolations.Judged sure = certain.get(level);
        if (verdict.status() == Verdict.Status.UNKNOWN && sure != null) {
            // The parts that could decide more are gone, or the budget ended.
            PartViolations violations =
                    Objects.requireNonNull(sure.verdict().inPart()).beyond("beyond them: " + verdict.reason());
            Verdict open = sure.verdict()
                    .with()
                    .inPart(violations)
                    .reason(violations.text())
                    .build();
            return judged(new BeyondViolations.Judged(open, sure.kept()));
        }
        StandingViolations violations = known(level);
        boolean hasSeam = verdict.status() == Verdict.Status.PASS
                || (verdict.status() == Verdict.Status.UNKNOWN && verdict.witness() != null);
        if (hasSeam && violations != null && violations.areClosed()) {
            kept.put(level, violations);
            return begunAnew(verdict);
        }
        Seams.Earlier found = earlier.get(level);
        return verdict.status() == Verdict.Status.VIOLATION && settings.before().run() != null
                ? judged(beyond(settings.request(level))
                        .ofWhole(
                                verdict,
                                found == null ? before.parts().isEmpty() : found.isExact(),
                                found == null ? before.parts().size() : found.covered()))
                : verdict;
    }

    private Verdict judged(BeyondViolations.Judged judged) {
        Verdict verdict = judged.verdict();
        if (judged.kept() != null) {
            kept.put(verdict.level(), judged.kept());
        }
        return verdict.status() == Verdict.Status.VIOLATION
                ? verdict.with().exitCode(settings.exitCode(verdict)).build()
                : begunAnew(verdict);
    }

    /** Adds to a PASS that it is of a chain without the reads of violations after which it was begun anew. */
    private Verdict begunAnew(Verdict verdict) {
        StandingViolations violations = known(verdict.level());
        return verdict.status() != Verdict.Status.PASS || violations == null
                ? verdict
                : verdict.with().reason(violations.begunAnew(verdict.reason())).build();
    }

    private BeyondViolations beyond(CheckRequest request) {
        // All attempts at a level have one share, because the verdict is known.
        Budget share = shares.computeIfAbsent(request.level(), level -> budget.twice(LEAST_BEYOND_NANOS));
        return new BeyondViolations(request, checker, listener, path, before, known(request.level()), budget, share);
    }

    /** What the state of the longest seam does not explain; null if it explains the last part. */
    @Nullable
    String unexplained(IsolationLevel level) {
        return unexplained.get(level);
    }

    /** {@link Writes#of} the last part; null if it was not read on a seam. */
    long @Nullable [] writes() {
        return writes;
    }

    /** {@link PathHistory#part}; null if the last part was not read on a seam. */
    long @Nullable [] part() {
        return part;
    }

    /** Decides levels on the longest seam on which any of them is decided. */
    private void decide(Seams known, List<CheckRequest> requests) throws IOException, HistoryException {
        int left = open.size();
        int most = before.parts().size();
        while (most > 0 && open.size() == left && !budget.exhausted()) {
            Seam seam = known.longest(requests.get(0).terms(), most);
            if (seam == null) {
                return;
            }
            try {
                seam.requireWhole(budget::exhausted);
            } catch (BudgetException | IOException e) {
                if (!budget.exhausted()) {
                    listener.message(Failures.text(e) + "; the seam is not used");
                }
                most = seam.covered() - 1;
                continue;
            }
            // A weaker level may hold in parts in which a stronger one is violated, so its newest seam may be another.
            List<CheckRequest> served = new ArrayList<>();
            for (CheckRequest request : requests) {
                Seam own = request == requests.get(0) ? seam : known.longest(request.terms(), most);
                // Without the reads that violations of one level need, a history says nothing about another level.
                boolean isAlone =
                        known(request.level()) != null || known(requests.get(0).level()) != null;
                if (own != null
                        && own.covered() == seam.covered()
                        && (request == requests.get(0) || (!isAlone && seam.serves(request.terms())))) {
                    served.add(request);
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
        Location last = Location.of(path);
        if (path.equals(STDIN) || last.isStream()) {
            return budget;
        }
        long ofLast = bytes(last);
        long bytes = ofLast + bytes(seam.run().child(Seam.FOLDER));
        for (Chain.Part part :
                before.parts().subList(seam.covered(), before.parts().size())) {
            Location file = Location.of(part.location());
            bytes += file.exists() ? bytes(file) : ofLast;
        }
        return budget.atMost(LEAST_NANOS + bytes * NANOS_PER_BYTE);
    }

    private static long bytes(Location location) throws IOException {
        if (!location.isFolder()) {
            return Math.max(0, location.length());
        }
        long bytes = 0;
        for (Location child : location.children()) {
            bytes += bytes(child);
        }
        return bytes;
    }

    /** Decides levels on a seam. Returns the most parts that another seam may cover to explain more. */
    private int on(Seam seam, Seams known, List<CheckRequest> served) throws IOException {
        // The state contains what loaders of the first part wrote, so the request has no loaders.
        List<CheckRequest> each =
                served.stream().map(CheckRequest::withoutLoaders).toList();
        StandingViolations violations = known(served.get(0).level());
        if (violations != null && seam.covered() > violations.covered()) {
            // What the parts after those of the violations wrote is not known.
            return violations.covered();
        }
        LeftOut reads = violations == null ? LeftOut.NOTHING : violations.leftOut();
        StandingViolations ofSeam = seam.violations(budget::exhausted);
        if (ofSeam != null && !reads.and(ofSeam.history()).isSameAs(reads)) {
            // A part after the seam explained one of its violations.
            return seam.covered() - 1;
        }
        Chain chain = before.on(seam).without(reads);
        PathCheck check = new PathCheck(settings, each, checker, listener.quiet(), path, chain, start, attempt(seam));
        int most = Integer.MAX_VALUE;
        for (Verdict verdict : check.run(PathCheck.Kept.NOWHERE)) {
            Witness witness = verdict.witness();
            HistoryTable table = witness == null ? verdict.table() : witness.table();
            boolean isPass = verdict.status() == Verdict.Status.PASS;
            if (isPass && table == null && violations == null) {
                decided(verdict, seam);
            } else if (table != null && (isPass || verdict.status() == Verdict.Status.VIOLATION)) {
                String reason = OpenReads.unexplained(verdict, path, seam.covered());
                if (!reason.isEmpty()) {
                    unexplained.putIfAbsent(verdict.level(), reason);
                }
                most = Math.min(most, judged(verdict, table, seam, known));
            }
        }
        writes = check.writes();
        part = check.part();
        return most;
    }

    private void decided(Verdict verdict, Seam seam) {
        seams.put(verdict.level(), seam);
        decided.add(verdict);
        open.removeIf(request -> request.level() == verdict.level());
        if (verdict.status() == Verdict.Status.UNKNOWN) {
            return;
        }
        listener.notice(path + ": the verdict covers the " + before.parts().size() + " earlier "
                + (before.parts().size() == 1 ? "part" : "parts") + " too");
        Witness witness = verdict.witness();
        String late = witness == null ? null : PartOrder.late(witness.table(), path);
        if (late != null) {
            listener.notice(late);
        }
    }

    /** Decides the chain by a verdict on a seam if it can. Returns the most parts that another seam may cover. */
    private int judged(Verdict verdict, HistoryTable table, Seam seam, Seams known) {
        CheckRequest request = settings.request(verdict.level());
        int[] most = {Integer.MAX_VALUE};
        PathCheck.attempt(path, request, budget, listener.quiet(), () -> {
            most[0] = examined(verdict, table, request, seam, known);
            return null;
        });
        return most[0];
    }

    private int examined(Verdict verdict, HistoryTable table, CheckRequest request, Seam seam, Seams known)
            throws IOException, HistoryException {
        boolean[] isLater = new boolean[table.transactions()];
        for (int t = 0; t < isLater.length; t++) {
            isLater[t] = table.index(t)
                    > seam.sessions().getOrDefault(table.sessionLabel(table.sessionOf(t)), Long.MIN_VALUE);
        }
        BeyondViolations beyond = beyond(request);
        try {
            BeyondViolations.Judged found = beyond.onSeam(
                    verdict,
                    table,
                    isLater,
                    reads -> new SeamRefutation(before.without(reads), known, seam, path, settings.format(), budget));
            if (found == null) {
                return beyond.most();
            }
            if (found.verdict().status() == Verdict.Status.ERROR) {
                return Integer.MAX_VALUE;
            }
            if (!found.isDecided()) {
                certain.put(request.level(), complete(found));
                return beyond.most();
            }
            decided(judged(complete(found)), seam);
            return 0;
        } catch (BudgetException e) {
            // Other seams are tried, or all parts. If these are gone, the reason names the part that was needed here.
            unexplained.computeIfPresent(verdict.level(), (level, reason) -> reason + "; " + Failures.text(e));
            return beyond.most();
        }
    }

    private BeyondViolations.Judged complete(BeyondViolations.Judged found) {
        Verdict verdict = found.verdict();
        if (verdict.status() != Verdict.Status.VIOLATION) {
            return found;
        }
        Verdict.Builder made = verdict.with();
        return new BeyondViolations.Judged(PathCheck.complete(made, path, start, before.state()), found.kept());
    }
}
