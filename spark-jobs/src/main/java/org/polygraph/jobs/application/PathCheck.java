package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RecordedSelection;
import org.polygraph.storage.table.UnknownRows;

/**
 * Checks one PATH: reads it, or has it decided by windows, and judges it at each requested level. Every failure becomes
 * a verdict and a message. Used once.
 *
 * <p>The strongest level is decided first, with all of the budget. Its PASS is also the PASS of the weaker ones. The
 * VIOLATION of a weaker level decides a stronger one that is still open. A level whose verdict does not follow from
 * another one is decided on its own. Windows of files decide each level on its own. The levels that they leave open are
 * decided on the whole history.
 */
final class PathCheck {
    private final OnePath path;
    private final CheckSettings settings;
    /** The levels that are open. */
    private List<CheckRequest> requests;

    private final Chain earlier;
    private final Kept kept;
    private final PathHistory input;
    private final Route route;

    /**
     * Reads nothing yet.
     *
     * @param requests strongest level first
     * @param before the parts of the history before the PATH
     * @param kept the runs that are kept
     */
    PathCheck(OnePath path, List<CheckRequest> requests, Chain before, Kept kept) {
        this.path = path;
        this.settings = path.settings();
        this.requests = requests;
        this.earlier = before;
        this.kept = kept;
        this.route = new Route(path, before, kept);
        this.input = new PathHistory(path, requests.get(0), before);
    }

    /** Keeps the checkpoints and the evidence of a check. */
    @FunctionalInterface
    interface Kept {
        Kept NOWHERE = request -> null;

        /** The run of a request; null if none is kept, or the input is not known before it is read. */
        @Nullable
        KeptRun run(CheckRequest request);
    }

    /**
     * One verdict for each request, in their order; with {@link CheckSettings#asFits} for each that the history fits.
     *
     * @throws ConfigurationException if the engine cannot work as it is set; nothing else is thrown
     */
    List<Verdict> run() {
        List<CheckRequest> asked = requests;
        Map<IsolationLevel, Verdict> early = byWindows();
        requests = asked.stream()
                .filter(request -> !early.containsKey(request.level()))
                .toList();
        if (!requests.isEmpty()) {
            for (Verdict verdict : ofWhole()) {
                early.put(verdict.level(), verdict);
            }
        }
        return asked.stream()
                .map(request -> early.get(request.level()))
                .filter(Objects::nonNull)
                .map(this::withRemedy)
                .toList();
    }

    /** Adds to an UNKNOWN, if time is left, why windows, which need less memory, do not decide the history. */
    private Verdict withRemedy(Verdict verdict) {
        boolean isShort =
                verdict.status() == Verdict.Status.UNKNOWN && !path.budget().exhausted();
        if (!isShort || input.unknownRows() != null || route.remedy().isEmpty()) {
            return verdict;
        }
        Verdict.Builder reasoned = verdict.with().reason(verdict.reason() + route.remedy());
        return (route.whole() == null ? reasoned : reasoned.windows(route.whole())).build();
    }

    /**
     * Decides by windows what they decide. A failure is that of all levels. After a level that they leave open the
     * history is read, so the others are decided on the whole history too.
     */
    private Map<IsolationLevel, Verdict> byWindows() {
        Map<IsolationLevel, Verdict> verdicts = new EnumMap<>(IsolationLevel.class);
        for (CheckRequest request : requests) {
            Verdict.Builder decided =
                    path.inTime(request, () -> route.beforeReading(request, request == requests.get(0)));
            if (decided == null) {
                break;
            }
            Verdict verdict = complete(decided, decided.build().counts());
            verdicts.put(request.level(), verdict);
            if (verdict.status() != Verdict.Status.PASS && verdict.status() != Verdict.Status.VIOLATION) {
                for (CheckRequest other : requests) {
                    verdicts.putIfAbsent(other.level(), again(verdict, other.level()));
                }
                break;
            }
        }
        return verdicts;
    }

    /** Reads the history and decides the levels that are open. */
    private List<Verdict> ofWhole() {
        CheckRequest strongest = requests.get(0);
        Verdict.Builder problem = path.inTime(strongest, this::read);
        UnknownRows unknown = input.unknownRows();
        if (problem == null && unknown != null && settings.sessionOrder() == SessionOrder.NONE) {
            problem = invalid(
                    strongest,
                    "--session-order none: found writes by a condition whose rows were not recorded; expected their keys,"
                            + " because the guess of these rows uses session order; record \"keys\" with these writes");
        }
        HistoryTable read = input.table();
        if (problem == null
                && unknown == null
                && read != null
                && requests.size() == 1
                && route.isTooLarge(read, strongest)) {
            // Windows need the memory that the table has.
            read = null;
            Verdict byWindows = byWindows("the estimate of its memory exceeds what there is");
            if (byWindows != null) {
                return List.of(byWindows);
            }
            problem = path.inTime(strongest, this::read);
        }
        List<Verdict> verdicts = verdicts(problem);
        HistoryTable whole = input.table();
        boolean isShort = verdicts.size() == 1
                && (whole == null || !whole.hasAdditions())
                && verdicts.get(0).status() == Verdict.Status.UNKNOWN
                && !path.budget().exhausted();
        if (isShort && unknown == null && route.mayStillUseWindows(strongest)) {
            Verdict byWindows = byWindows(verdicts.get(0).reason());
            if (byWindows != null) {
                return List.of(byWindows);
            }
        }
        return unknown == null || problem != null
                ? verdicts
                : new UnknownRowsCheck(this, path, input, unknown).of(verdicts);
    }

    /** @param problem the reason why the history cannot be judged; null if it can */
    private List<Verdict> verdicts(Verdict.@Nullable Builder problem) {
        List<Verdict> verdicts = new ArrayList<>();
        Verdict unread = problem == null ? null : complete(problem);
        HistoryTable whole = input.table();
        HistoryTable plain = whole == null ? null : whole.withoutRefusals();
        ViolationBasis basis = new ViolationBasis(this, path, input.unloaded());
        List<CheckRequest> fit = new ArrayList<>(requests);
        if (settings.asFits() && whole != null) {
            fit.removeIf(request -> !fits(whole, request));
        }
        for (CheckRequest request : fit) {
            HistoryTable judged = plain == null || request.level() == IsolationLevel.LIN ? whole : plain;
            verdicts.add(
                    unread != null || judged == null
                            ? again(Objects.requireNonNull(unread, "a failure"), request.level())
                            : complete(basis.of(
                                    judged,
                                    request,
                                    Objects.requireNonNull(
                                            path.attempt(request, () -> judge(judged, request, kept, verdicts)),
                                            "a verdict"))));
        }
        for (int i = fit.size() - 2; i >= 0 && plain != null; i--) {
            CheckRequest request = fit.get(i);
            if (verdicts.get(i).status() == Verdict.Status.UNKNOWN
                    && !path.budget().exhausted()) {
                List<Verdict> weaker = verdicts.subList(i + 1, verdicts.size());
                Verdict.Builder verdict =
                        path.attempt(request, () -> fromWeaker(request.judged(plain), request, weaker));
                if (verdict != null && verdict.status() != Verdict.Status.UNKNOWN) {
                    verdicts.set(i, complete(verdict));
                }
            }
        }
        return verdicts;
    }

    /** Whether a history fits a level: real time needs times, and linearizability operations on one key. */
    private static boolean fits(HistoryTable history, CheckRequest request) {
        IsolationLevel level = request.level();
        return (!level.realTime() || request.times(history).mayOrder())
                && !(history.values().hasPredicates() && level == IsolationLevel.LIN);
    }

    /**
     * Adds to a verdict the facts that are the same at all levels of the PATH. Every verdict of this check passes
     * through here.
     */
    Verdict complete(Verdict.Builder verdict) {
        return complete(verdict, input.counts());
    }

    private Verdict complete(Verdict.Builder verdict, Counts counts) {
        Phase reading = input.reading();
        if (reading != null) {
            verdict.firstPhase(reading).windows(route.whole());
        }
        if (verdict.status() == Verdict.Status.PASS) {
            List<String> doubts = new ArrayList<>();
            if (!input.doubt().isEmpty()) {
                doubts.add(input.doubt() + "; if it loads the initial rows, give --initial SESSION#INDEX");
            }
            Assumptions assumptions = verdict.assumptions();
            if (assumptions != null && assumptions.unbound() > 0) {
                doubts.add(unbound(assumptions.unbound()));
            }
            verdict.reason(String.join("; ", doubts));
        }
        if (verdict.status() == Verdict.Status.VIOLATION) {
            verdict.exitCode(settings.exitCode(verdict.build()));
        }
        return path.complete(verdict.recorded(input.recorded()).counts(counts), earlier.state());
    }

    /** Returns the same failure at another level. */
    private Verdict again(Verdict failure, IsolationLevel level) {
        if (failure.level() == level) {
            return failure;
        }
        Verdict.Builder verdict = Verdict.of(failure.status(), level).reason(failure.reason());
        if (failure.exitCode() == ExitCode.INTERNAL.code()) {
            verdict.exitCode(ExitCode.INTERNAL);
        }
        return complete(verdict);
    }

    /** Decides by windows what turned out to be too large; null if windows do not decide it either. */
    private @Nullable Verdict byWindows(String why) {
        input.forget();
        CheckRequest request = requests.get(0);
        Verdict.Builder decided = path.inTime(request, () -> route.afterReading(request));
        if (decided == null
                || (decided.status() != Verdict.Status.PASS && decided.status() != Verdict.Status.VIOLATION)) {
            return null;
        }
        path.listener().notice(path.name() + ": the history is decided by windows, because " + why);
        return complete(decided, decided.build().counts());
    }

    /** The request of a level. */
    CheckRequest request(IsolationLevel level) {
        return requests.stream()
                .filter(each -> each.level() == level)
                .findFirst()
                .orElseThrow();
    }

    /** Reads the history; makes a verdict if there is nothing to judge. */
    private Verdict.@Nullable Builder read() throws HistoryException, IOException {
        String vacuous = input.read();
        return vacuous == null ? null : invalid(requests.get(0), vacuous);
    }

    /** Describes the first transaction that ends before it starts, with its place; null if there is none. */
    static @Nullable String firstReversed(HistoryTable history) {
        long[] starts = history.starts();
        long[] ends = history.ends();
        for (int t = 0; starts != null && ends != null && t < starts.length; t++) {
            if (starts[t] != HistoryTable.NO_TIME && ends[t] != HistoryTable.NO_TIME && ends[t] < starts[t]) {
                return history.whereIs(t) + ": found end " + ends[t] + " before start " + starts[t];
            }
        }
        return null;
    }

    /** @param stronger verdicts of the levels before */
    Verdict.Builder judge(HistoryTable whole, CheckRequest request, Kept kept, List<Verdict> stronger)
            throws HistoryException {
        return judge(whole, request, kept, stronger, path.checker());
    }

    /** Judges a history in the same way with another checker. */
    Verdict.Builder judge(HistoryTable whole, CheckRequest request, Kept kept, List<Verdict> stronger, Checker finder)
            throws HistoryException {
        HistoryTable history = request.judged(whole);
        if (request.level() == IsolationLevel.LIN && history.values().hasPredicates()) {
            throw new HistoryException(
                    path.name(),
                    "predicates, at level lin",
                    "one read, write or cas of a key in each transaction",
                    "check predicates at sser");
        }
        if (request.level() == IsolationLevel.LIN) {
            HistoryException problem = Linearizability.problem(history);
            if (problem != null) {
                throw problem;
            }
        }
        if (request.level().realTime() && !request.times(history).mayOrder() && !RecordedSelection.isPart(whole)) {
            return invalid(
                    request,
                    "level " + request.level().label() + ": found " + missingTimes(history)
                            + "; expected them, for real-time order is part of the level; record them, or check ser or"
                            + " si without --time strict");
        }
        String reversed = request.level().realTime() ? firstReversed(history) : null;
        if (reversed != null) {
            return failure(
                    request,
                    Verdict.Status.INVALID,
                    reversed
                            + "; expected no transaction to end before it starts, for real-time order is part of level "
                            + request.level().label()
                            + "; correct the recorder's clock, or check ser or si without --time strict");
        }
        path.budget().require();
        KeptRun run = kept.run(request);
        Checkpoints checkpoints =
                run == null ? Checkpoints.NONE : run.checkpoints().apply(history.operations());
        Check check = new Check(whole, request, path.listener(), path.budget(), checkpoints);
        for (Verdict other : stronger) {
            Finding implied = new Implications(check).pass(other);
            if (implied != null) {
                return LevelCheck.of(check, () -> implied);
            }
        }
        return LevelCheck.of(check, finder);
    }

    private static String unbound(long transactions) {
        return transactions == 1
                ? "1 transaction has neither a start nor an end, so real time does not bound it"
                : transactions + " transactions have neither a start nor an end, so real time does not bound them";
    }

    /** What is missing in a history in which times order no two transactions. */
    private static String missingTimes(HistoryTable history) {
        return history.starts() == null || history.ends() == null
                ? "no start and end times"
                : "no two transactions that times can order, because the first has to have an end and the second a start";
    }

    private Verdict.@Nullable Builder fromWeaker(HistoryTable history, CheckRequest request, List<Verdict> weaker) {
        Check check = new Check(history, request, path.listener(), path.budget(), Checkpoints.NONE);
        for (Verdict other : weaker) {
            Finding implied = new Implications(check).violation(other);
            if (implied != null) {
                return LevelCheck.of(check, () -> implied);
            }
        }
        return null;
    }

    private Verdict.Builder invalid(CheckRequest request, String reason) {
        path.listener().message(path.name() + ": " + reason);
        return Verdict.of(Verdict.Status.INVALID, request.level()).reason(reason);
    }

    private Verdict.Builder failure(CheckRequest request, Verdict.Status status, String reason) {
        path.listener().message(reason);
        return Verdict.of(status, request.level()).reason(reason);
    }
}
