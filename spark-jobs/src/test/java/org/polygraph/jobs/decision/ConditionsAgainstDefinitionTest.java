package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.RecordedSelection;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Histories of predicates over values and columns, inserts and deletes: compares the checker, with and without rules,
 * with the definition.
 */
class ConditionsAgainstDefinitionTest {
    private static final List<IsolationLevel> LEVELS =
            List.of(IsolationLevel.SSER, IsolationLevel.SER, IsolationLevel.SSI, IsolationLevel.SI);

    @TempDir
    private Path folder;

    /** Sub-histories that have predicates. */
    private int asRecorded;

    @Test
    void agreeOnTinyHistories() throws Exception {
        long seed = 0xc0d171;
        int histories = SuiteScale.of(800);
        List<Tuning> tunings = List.of(Tuning.DEFAULT, Tuning.DEFAULT.withRounds(Tuning.NO_RULES));
        Map<IsolationLevel, int[]> counts = new EnumMap<>(IsolationLevel.class);
        for (int i = 0; i < histories; i++) {
            ConditionHistories history = new ConditionHistories(new SplitMix(seed + i));
            String lines = history.lines();
            Path file = folder.resolve("history.jsonl");
            Files.writeString(file, lines);
            HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
            PredicateReads predicates = table.predicates();
            for (IsolationLevel level : LEVELS) {
                if (level.realTime() && !history.isTimed()) {
                    continue;
                }
                boolean holds = history.holds(level);
                CheckRequest request = new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE);
                String what = level + " seed " + (seed + i) + "\n" + lines;
                assertThat(BruteForce.judge(table, request.terms()))
                        .as("brute force of the reads at %s", what)
                        .isEqualTo(holds ? BruteForce.Answer.HOLDS : BruteForce.Answer.VIOLATED);
                for (Tuning tuning : tunings) {
                    Verdict verdict = check(table, request, tuning, what);
                    assertThat(verdict.status())
                            .as("%s %s", verdict.reason(), what)
                            .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                    subHistories(table, verdict, request, what);
                }
                HistoryTable step = predicates == null ? table : predicates.unread(table);
                assertThat(check(step, request, Tuning.DEFAULT, what).status())
                        .as("step by step %s", what)
                        .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                counts.computeIfAbsent(level, l -> new int[2])[holds ? 1 : 0]++;
            }
        }
        System.out.println(asRecorded + " sub-histories with predicates");
        assertThat(asRecorded).isGreaterThan(histories / 10);
        counts.forEach((level, n) -> {
            System.out.println(level + ": " + n[1] + " hold, " + n[0] + " violated, seed " + seed);
            assertThat(n[0]).isGreaterThan(histories / 20);
            assertThat(n[1]).isGreaterThan(histories / 20);
        });
    }

    /**
     * RC is UNKNOWN where it depends on the order in which a statement read the rows of its result, but never if SI
     * holds.
     */
    @Test
    void commitOrdersAgreeOnTinyHistories() throws Exception {
        long seed = 0xc0d177;
        int histories = SuiteScale.of(1_500);
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < histories; i++) {
            ConditionHistories history = new ConditionHistories(new SplitMix(SplitMix.seedOf(seed, i)));
            String lines = history.lines();
            Path file = folder.resolve("history.jsonl");
            Files.writeString(file, lines);
            HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
            PredicateReads predicates = table.predicates();
            boolean holdsAtSi = history.holds(IsolationLevel.SI);
            boolean implied = holdsAtSi;
            for (IsolationLevel level : List.of(IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC)) {
                boolean holds = history.holdsAtCommits(level);
                String what = level + " seed " + seed + " #" + i + "\n" + lines;
                assertThat(holds || !implied)
                        .as("implied by a stronger level %s", what)
                        .isTrue();
                implied = holds;
                CheckRequest request = CheckRequest.of(level);
                List<HistoryTable> tables =
                        predicates == null ? List.of(table) : List.of(table, predicates.unread(table));
                for (HistoryTable each : tables) {
                    Verdict verdict = check(each, request, Tuning.DEFAULT, what);
                    if (holdsAtSi || level != IsolationLevel.RC || verdict.status() != Verdict.Status.UNKNOWN) {
                        assertThat(verdict.status())
                                .as("%s %s", verdict.reason(), what)
                                .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                    }
                    counts.merge(level + " " + verdict.status() + (holds ? " holds" : " violated"), 1, Integer::sum);
                }
            }
        }
        System.out.println(counts + ", seed " + seed);
        assertThat(counts)
                .containsKeys("CC PASS holds", "CC VIOLATION violated", "RC PASS holds", "RC VIOLATION violated");
    }

    static Verdict check(HistoryTable table, CheckRequest request, Tuning tuning, String what) {
        try {
            return new EmbeddedChecker(tuning).check(table, request, Progress.NONE, Budget.unlimited());
        } catch (IllegalStateException e) {
            throw new AssertionError(what, e);
        }
    }

    /** Each sub-history violates the level, and shows that the whole history does. */
    private void subHistories(HistoryTable whole, Verdict verdict, CheckRequest request, String what) throws Exception {
        for (Violation violation : verdict.violations()) {
            SubHistory minimal = violation.minimal();
            if (minimal == null) {
                continue;
            }
            HistoryTable part = HistorySelection.of(whole, minimal.operations()).table();
            assertThat(isShown(whole, part, request, ConditionsAgainstDefinitionTest::isViolated))
                    .as("the sub-history %s of %s", minimal.operations(), what)
                    .isTrue();
            if (minimal.recorded()) {
                asRecorded++;
                isShownAsWritten(whole, minimal, request, what);
            }
        }
    }

    /** A sub-history with predicates is written and read again. */
    private void isShownAsWritten(HistoryTable whole, SubHistory minimal, CheckRequest request, String what)
            throws Exception {
        Path file = folder.resolve("part.jsonl");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HistoryWriter.writeJsonl(RecordedSelection.written(whole, minimal.operations(), true, minimal.ofWrites()), out);
        Files.write(file, out.toByteArray());
        HistoryTable part = PredicateReads.apart(HistoryReader.read(file.toString(), HistoryFormat.JSONL));
        HistoryTable of = PredicateReads.withPairsOf(part, whole);
        assertThat(isShown(of, part, request, ConditionsAgainstDefinitionTest::isViolated))
                .as(what + out)
                .isTrue();
    }

    private static boolean isViolated(HistoryTable table, CheckRequest request) {
        return BruteForce.judge(table, request.terms()) == BruteForce.Answer.VIOLATED;
    }

    /** Whether the violation of a part is one of the whole, perhaps with writes in place of inserts and deletes. */
    static boolean isShown(
            HistoryTable whole,
            HistoryTable part,
            CheckRequest request,
            BiPredicate<HistoryTable, CheckRequest> isViolated) {
        boolean isShown =
                isViolated.test(part, request) && SubHistoryProof.firstGap(whole, part, request.terms()) == null;
        return isShown
                || (whole.hasRows()
                        && request.level().eventsPerTransaction() == 1
                        && isShown(whole.withoutRows(), part.withoutRows(), request, isViolated));
    }
}
