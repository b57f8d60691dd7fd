package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongMaps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
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

    private final CheckSettings settings;
    private final Checker checker;
    private final Listener listener;
    private final String path;
    private final Chain before;
    private final long start;
    private final Budget budget;

    private final List<Verdict> decided = new ArrayList<>();
    private final List<CheckRequest> open;
    /** By level: the seam that a verdict was decided on. */
    private final Map<IsolationLevel, Seam> seams = new EnumMap<>(IsolationLevel.class);
    /** By level: the ends of the sessions, if a VIOLATION stands. */
    private final Map<IsolationLevel, Long2LongMap> ends = new EnumMap<>(IsolationLevel.class);
    /** By level: what the state of the longest seam does not explain. */
    private final Map<IsolationLevel, String> unexplained = new EnumMap<>(IsolationLevel.class);

    private long @Nullable [] writes;

    /**
     * Reads nothing yet.
     *
     * @param path the last part
     * @param before the other parts
     * @param requests strongest level first
     * @param start from which elapsed time is measured
     */
    OnSeams(
            CheckSettings settings,
            Checker checker,
            Listener listener,
            String path,
            Chain before,
            List<CheckRequest> requests,
            long start,
            Budget budget) {
        this.settings = settings;
        this.checker = checker;
        this.listener = listener;
        this.path = path;
        this.before = before;
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
            for (CheckRequest request : List.copyOf(open)) {
                standing(known, request);
            }
            for (int first = 0; first < open.size(); ) {
                int left = open.size();
                decide(known, List.copyOf(open.subList(first, left)));
                first += open.size() == left ? 1 : 0;
            }
        } catch (BudgetException | IOException | HistoryException e) {
            // The check of all parts reports the failure.
        }
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

    /** The ends of sessions in parts that are not in the history of a VIOLATION. */
    Long2LongMap ends(IsolationLevel level) {
        return ends.getOrDefault(level, Long2LongMaps.EMPTY_MAP);
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

    private void decided(Verdict verdict) {
        decided.add(verdict);
        open.removeIf(request -> request.level() == verdict.level());
    }

    /** Repeats the VIOLATION of an earlier part if the last one cannot change it. */
    private void standing(Seams known, CheckRequest request) {
        StandingViolation violation = budget.exhausted() ? null : known.violation(request.terms());
        if (violation == null) {
            return;
        }
        // The check of all parts reports a failure, if it fails too.
        PathCheck.attempt(path, request, budget, listener.quiet(), () -> {
            stands(violation.after(before, path, settings.format(), request, budget), request);
            return null;
        });
    }

    private void stands(StandingViolation.@Nullable Repeated found, CheckRequest request) {
        if (found == null) {
            return;
        }
        ends.put(request.level(), found.sessions());
        found.verdict().exitCode(settings.exitCode(Verdict.Status.VIOLATION));
        decided(PathCheck.complete(found.verdict(), path, start, before.state()));
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
                if (own != null && own.covered() == seam.covered() && seam.serves(request.terms())) {
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
        PathCheck check =
                new PathCheck(settings, each, checker, listener.quiet(), path, before.on(seam), start, attempt(seam));
        int most = Integer.MAX_VALUE;
        for (Verdict verdict : check.run(PathCheck.Kept.NOWHERE)) {
            HistoryTable table = verdict.table();
            if (verdict.status() == Verdict.Status.PASS) {
                seams.put(verdict.level(), seam);
                decided(verdict);
                listener.notice(
                        path + ": the verdict covers the " + before.parts().size() + " earlier "
                                + (before.parts().size() == 1 ? "part" : "parts") + " too");
                Witness witness = verdict.witness();
                String late = witness == null ? null : PartOrder.late(witness.table(), path);
                if (late != null) {
                    listener.notice(late);
                }
            } else if (verdict.status() == Verdict.Status.VIOLATION && table != null) {
                String reason = OpenReads.unexplained(verdict, path, seam.covered());
                if (!reason.isEmpty()) {
                    unexplained.putIfAbsent(verdict.level(), reason);
                }
                most = Math.min(
                        most,
                        refuted(
                                verdict,
                                table,
                                settings.request(verdict.level()),
                                new SeamRefutation(before, known, seam, path, settings.format(), budget)));
            }
        }
        writes = check.writes();
        return most;
    }

    /** Decides the chain by a VIOLATION on a seam if it can. Returns the most parts that another seam may cover. */
    private int refuted(Verdict verdict, HistoryTable table, CheckRequest request, SeamRefutation refutation) {
        int[] most = {Integer.MAX_VALUE};
        PathCheck.attempt(path, request, budget, listener.quiet(), () -> {
            most[0] = examined(verdict, table, request, refutation);
            return null;
        });
        return most[0];
    }

    private int examined(Verdict verdict, HistoryTable table, CheckRequest request, SeamRefutation refutation)
            throws IOException, HistoryException {
        try {
            int part = refutation.partOfMissing(table);
            Verdict open = part < 0 ? OpenReads.unlessWritten(verdict, path) : verdict;
            if (open == verdict) {
                stands(refutation.proved(verdict, table, request), request);
                return part < 0 ? Integer.MAX_VALUE : part;
            }
            Verdict others =
                    OpenTransactions.decided(open, table, request.withoutLoaders(), checker, listener.quiet(), budget);
            if (others.status() == Verdict.Status.ERROR) {
                return Integer.MAX_VALUE;
            }
            seams.put(verdict.level(), refutation.seam());
            decided(others);
            return 0;
        } catch (BudgetException e) {
            // Other seams are tried, or all parts. If these are gone, the reason names the part that was needed here.
            unexplained.computeIfPresent(verdict.level(), (level, reason) -> reason + "; " + Failures.text(e));
            return Integer.MAX_VALUE;
        }
    }
}
