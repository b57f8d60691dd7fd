package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Every way to decide a level gives the verdict of the definition, and evidence that shows it: with all first orders,
 * rules and times, by rules and solver, by the solver alone, with random settings, and by the brute force of verify.
 */
final class VerdictLaw implements Law.Property<Example> {
    private static final Tuning RULES = Tuning.DEFAULT.withRounds(2);

    /** With more transactions or operations brute force may find a history too large. */
    private static final int MOST_TRANSACTIONS = BruteForce.TRANSACTIONS;

    private static final int MOST_OPERATIONS = 50;

    private final Set<IsolationLevel> levels;
    private final ShownVerdicts shown = new ShownVerdicts();

    VerdictLaw(Set<IsolationLevel> levels) {
        this.levels = levels;
    }

    /** A way to decide. @param most violations: each costs more than the verdict */
    private record Engine(String name, Tuning tuning, TimeMode time, HistoryTable table, int most) {
        Engine(String name, Tuning tuning, TimeMode time, HistoryTable table) {
            this(name, tuning, time, table, 1);
        }
    }

    private static List<Engine> engines(HistoryTable table, SplitMix random) {
        TimeMode hint = table.starts() == null ? TimeMode.NONE : TimeMode.HINT;
        List<Engine> engines = new ArrayList<>(List.of(
                new Engine("default", Tuning.DEFAULT, TimeMode.NONE, table, CheckRequest.DEFAULT_VIOLATIONS),
                new Engine("hint", Tuning.DEFAULT, hint, table),
                new Engine("rules", RULES, TimeMode.NONE, table),
                new Engine("solver", Tuning.DEFAULT.withRounds(Tuning.NO_RULES), TimeMode.NONE, table),
                new Engine("random", tuning(random), hint, table, random.between(1, 3))));
        PredicateReads predicates = table.predicates();
        if (predicates != null) {
            engines.add(new Engine("step by step", Tuning.DEFAULT, hint, predicates.unread(table)));
        }
        return engines;
    }

    static Tuning tuning(SplitMix random) {
        int[] rounds = {Tuning.NO_RULES, 0, 1, Tuning.FIXPOINT, Tuning.USUAL, Tuning.USUAL};
        Rules.RealTimeRows[] rows = Rules.RealTimeRows.values();
        return Tuning.DEFAULT
                .withRounds(rounds[random.nextInt(rounds.length)])
                .withRows(rows[random.nextInt(rows.length)])
                .withWorkers(1);
    }

    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws HistoryException {
        HistoryTable table = history.table();
        IndeterminateMode mode = random.chance(0.75) ? IndeterminateMode.MAYBE : IndeterminateMode.ABORT;
        long far = random.chance(0.05) ? Long.MAX_VALUE / 16 : 0;
        long skew = table.starts() != null && random.chance(0.4) ? far + random.between(1, 15) : 0;
        for (IsolationLevel level : history.levels()) {
            if (!levels.contains(level)) {
                continue;
            }
            Boolean holds = history.holds(level, skew, mode == IndeterminateMode.MAYBE);
            if (holds == null) {
                tally.count("not judged");
                // All have to decide alike.
                CheckRequest request = new CheckRequest(level, TimeMode.NONE, skew, mode);
                holds = new EmbeddedChecker(Tuning.DEFAULT)
                                .check(table, request, Progress.NONE, Budget.unlimited())
                                .status()
                        == Verdict.Status.PASS;
            }
            tally.count(level + (holds ? " holds" : " violated"));
            String what = level + " " + mode + " skew " + skew + "\n" + history.text();
            for (Engine engine : engines(table, random)) {
                CheckRequest request = new CheckRequest(level, engine.time, skew, mode, true, engine.most);
                judge(history, engine, request, holds, engine.name + " " + engine.tuning + " " + what, tally);
            }
            if (table.transactions() <= MOST_TRANSACTIONS && table.operations() <= MOST_OPERATIONS) {
                CheckRequest request = new CheckRequest(level, TimeMode.NONE, skew, mode);
                assertThat(BruteForce.judge(request.judged(table), request.terms()))
                        .as("brute force of verify at %s", what)
                        .isEqualTo(holds ? BruteForce.Answer.HOLDS : BruteForce.Answer.VIOLATED);
            }
        }
    }

    private void judge(
            Example history, Engine engine, CheckRequest request, boolean holds, String what, Law.Tally tally) {
        Verdict verdict;
        try {
            verdict =
                    new EmbeddedChecker(engine.tuning).check(engine.table, request, Progress.NONE, Budget.unlimited());
        } catch (IllegalStateException e) {
            throw new AssertionError(what, e);
        }
        if (verdict.status() == Verdict.Status.UNKNOWN && history.mayBeOpen(request.level())) {
            tally.count("open");
            return;
        }
        assertThat(verdict.status())
                .as("%s: %s", verdict.reason(), what)
                .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
        if (!engine.name.equals("step by step")) {
            shown.isShown(verdict, engine.table, request, what);
        }
        for (Violation violation : verdict.violations()) {
            assertThat(history.mayShow(violation, request, engine.table))
                    .as("%s of %s", violation, what)
                    .isTrue();
            tally.count(violation.anomaly().name());
        }
        if (verdict.residual().conflicts() > 0) {
            tally.count("conflicts");
        }
        if (verdict.certificate() != null && verdict.certificate().kind().equals("proof")) {
            assertThat(verdict.certificate().verified()).as(what).isTrue();
            tally.count("proofs");
        }
        if (verdict.witness() != null && verdict.witness().sources() != null) {
            tally.count("sources");
        }
        List<String> phases = verdict.phases().stream().map(Phase::name).toList();
        tally.count(phases.contains("closure") ? "closure" : "chains or first orders");
    }
}
