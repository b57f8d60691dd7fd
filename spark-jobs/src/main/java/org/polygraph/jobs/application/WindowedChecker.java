package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntList;
import it.unimi.dsi.fastutil.ints.IntRBTreeSet;
import it.unimi.dsi.fastutil.ints.IntSortedSet;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.report.Version;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.LoadedRows;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.windows.WindowCheck;
import org.polygraph.jobs.windows.WindowSettings;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListReduction;

/**
 * Decides a history in JSON Lines or Parquet by windows of its files ({@link WindowCheck}), without a table of it.
 *
 * @param engine runs the tasks
 * @param window transactions of a window
 */
public record WindowedChecker(Engine engine, int window) {
    private static final String WITHOUT_SNAPSHOTS =
            "it has lists and violates si, from which windows conclude pc, cc, ra, rc and pl2";

    /**
     * What {@link #decide} found.
     *
     * @param verdict null if the history has to be read
     * @param why why windows do not decide the history, if the user should know it; else empty
     * @param loaders the names of the transactions that load initial rows
     */
    public record Early(Verdict.@Nullable Builder verdict, String why, List<String> loaders) {
        /** The history has to be read, for a reason that the user knows or that reading it will show. */
        static final Early TO_READ = new Early(null, "", List.of());
    }

    /**
     * Decides a history without holding it in memory.
     *
     * @param given the values of keys before the history; null if they are not given
     * @param kept where a PASS leaves its certificate; null if no run is kept
     * @throws HistoryException if it is not a history
     */
    public Early decide(
            String path,
            HistoryFormat format,
            CheckRequest request,
            @Nullable InitialState given,
            @Nullable KeptRun kept,
            Progress progress,
            Budget budget)
            throws HistoryException, IOException {
        ReadPlan plan = plan(path, format, budget);
        if (plan == null) {
            return new Early(
                    null, "it is no file of JSON Lines or Parquet that can be read in pieces; convert it", List.of());
        }
        Progress heard = engine.listening(progress);
        String how = "failed";
        try (Workers workers = workers(kept, heard, budget)) {
            CheckRequest ordered = request;
            SubHistoryJudge judge = new SubHistoryJudge(request, budget);
            PhaseClock phases = new PhaseClock(heard, Integer.MAX_VALUE);
            WindowCheck check = check(workers, plan, request, given, judge, phases, kept);
            WindowCheck.Ending ending = run(check, request, workers);
            if (check.isDecidedBySnapshots()) {
                ordered = request.at(IsolationLevel.SI);
                phases = new PhaseClock(heard, Integer.MAX_VALUE);
                check = check(workers, plan, ordered, given, new SubHistoryJudge(ordered, budget), phases, kept);
                ending = run(check, ordered, workers);
            }
            if (ending == WindowCheck.Ending.OPEN || (ending == WindowCheck.Ending.VIOLATED && ordered != request)) {
                workers.keep(false);
                how = "undecided";
                String why = ending == WindowCheck.Ending.OPEN ? check.reason() : WITHOUT_SNAPSHOTS;
                return why.equals(WindowCheck.UNREADABLE) ? Early.TO_READ : new Early(null, why, List.of());
            }
            Verdict.Builder verdict;
            if (ending == WindowCheck.Ending.VIOLATED) {
                verdict = judge.violationOf(check);
            } else {
                String certificate = kept == null
                        ? null
                        : check.certificate(kept.folder().reopened(), request.terms(), kept.input(), Version.current());
                verdict = VerdictMaker.ofWindows(request, certificate);
            }
            workers.keep(false);
            phases.addTo(verdict);
            how = verdict.status().name();
            verdict.counts(check.counts())
                    .windows(check.windows())
                    .assumptions(assumptions(request, check, ending == WindowCheck.Ending.VIOLATED));
            return new Early(verdict, "", check.loaders());
        } finally {
            engine.ended(how);
        }
    }

    private WindowCheck check(
            Workers workers,
            ReadPlan plan,
            CheckRequest request,
            @Nullable InitialState given,
            WindowCheck.Judge judge,
            PhaseClock phases,
            @Nullable KeptRun kept) {
        return new WindowCheck(
                workers,
                plan,
                WindowSettings.of(window),
                request.terms(),
                given,
                judge,
                phases,
                kept == null ? operations -> Checkpoints.NONE : kept.checkpoints());
    }

    private Workers workers(@Nullable KeptRun kept, Progress progress, Budget budget) {
        try {
            return engine.workers(kept == null ? null : kept.scratch(), progress, budget);
        } catch (IOException e) {
            throw new EngineException(
                    "windows: found " + Failures.cause(e)
                            + " when the folder of scratch files was made; expected a folder"
                            + " that can be written; make room or give another --out, then run the command again",
                    e);
        }
    }

    /** A failure to read or write a file names the folder of scratch files, which the user may not know. */
    private static WindowCheck.Ending run(WindowCheck check, CheckRequest request, Workers workers) {
        try {
            return check.run(request.time() != TimeMode.NONE, request.initial());
        } catch (IOException e) {
            if (Workers.showsDamage(e)) {
                workers.keep(false);
            }
            throw new EngineException(
                    "windows, with scratch files in " + workers.folder() + ": found " + Failures.text(e)
                            + "; expected files that can be read, and a folder with room; make room or give another"
                            + " --out, then run the command again",
                    e);
        }
    }

    /** Returns how to read a history for windows; null if windows cannot decide it. */
    static @Nullable ReadPlan plan(String path, HistoryFormat format, Budget budget) {
        return ReadPlan.of(path, format, budget::exhausted);
    }

    /** Judges sub-histories, and keeps the verdict of the last one if it violates the level. */
    private static final class SubHistoryJudge implements WindowCheck.Judge {
        private final CheckRequest request;
        private final Budget budget;
        private Verdict.@Nullable Builder violation;

        SubHistoryJudge(CheckRequest request, Budget budget) {
            this.request = request;
            this.budget = budget;
        }

        @Override
        public boolean violates(HistoryTable subHistory) {
            Check check = new Check(subHistory, request.withoutLoaders(), budget);
            Verdict.Builder verdict = LevelCheck.of(check, Checker.EMBEDDED);
            if (verdict.status() == Verdict.Status.UNKNOWN) {
                // A sub-history that does not fit in memory shows nothing; another one may.
                budget.require();
                return false;
            }
            boolean violates = verdict.status() == Verdict.Status.VIOLATION;
            violation = violates ? verdict : null;
            return violates;
        }

        /** Returns the violation that was found, of lists as they were recorded. */
        Verdict.Builder violationOf(WindowCheck check) throws IOException {
            Verdict.Builder found =
                    Objects.requireNonNull(violation, "the verdict on the transactions that violate the level");
            HistoryTable lists = check.withLists(shown(found.build()));
            return lists != null && violates(ListReduction.of(lists)) ? Objects.requireNonNull(violation) : found;
        }

        /** The operations that show the violations. */
        private static HistoryTable shown(Verdict verdict) {
            HistoryTable table = Objects.requireNonNull(verdict.table(), "a sub-history");
            IntSortedSet operations = new IntRBTreeSet();
            for (Violation each : verdict.violations()) {
                SubHistory sub = each.minimal();
                if (sub == null) {
                    return table;
                }
                operations.addAll(IntList.of(sub.operations()));
            }
            return HistorySelection.of(table, operations.toIntArray()).table();
        }
    }

    /** Whether a VIOLATION depends on the transactions that load initial rows is not found out. */
    private static LoadedRows loaded(CheckRequest request, WindowCheck check, boolean isViolated) {
        List<String> names = check.loaders();
        LoadedRows loaded = new LoadedRows(
                request.initial(),
                names.size(),
                names.subList(0, Math.min(LoadedRows.NAMED, names.size())),
                LoadedRows.Effect.NONE);
        return isViolated && !names.isEmpty() ? loaded.with(LoadedRows.Effect.OPEN) : loaded;
    }

    private static Assumptions assumptions(CheckRequest request, WindowCheck check, boolean isViolated) {
        return new Assumptions(
                check.initialValue(),
                check.hasUniqueValues(),
                request.time(),
                request.clockSkewNanos(),
                request.indeterminate(),
                loaded(request, check, isViolated),
                request.sessionOrder(),
                false,
                request.level().realTime() ? check.unbound() : 0,
                request.versions(),
                null);
    }
}
