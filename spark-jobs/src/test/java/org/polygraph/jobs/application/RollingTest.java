package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;

/** Named histories in parts, each as in {@link ChainLaw}, and what happens to their seams. */
class RollingTest {
    private static final long SEED = 0x5ea;

    @TempDir
    private Path folder;

    private final Law.Tally tally = new Law.Tally();

    /** The levels, the part of each transaction, the fewest parts with a seam, and what is counted. */
    @ParameterizedTest
    @CsvFileSource(resources = "/rolling.txt", delimiter = '/')
    void namedHistories(String levels, String parts, int least, String counts, String history) throws Exception {
        int[] partOf = Stream.of(parts.split(" ")).mapToInt(Integer::parseInt).toArray();
        for (String level : levels.split(" ")) {
            check(HistoryDsl.parse("init 0; " + history), IsolationLevel.valueOf(level), partOf, least);
        }
        for (String count : counts.split("(?<=\\d) ")) {
            String[] of = count.split("=");
            assertThat(tally.of(of[0])).as(count).isEqualTo(Integer.parseInt(of[1]));
        }
    }

    /**
     * For either order of the two writers of x in the first part, one of the two second parts needs the opposite order.
     */
    @Test
    void aLaterPartReadsTheOtherValue() throws Exception {
        for (IsolationLevel level : Checks.LEVELS) {
            int before = tally.of("exchanges");
            for (int read = 1; read <= 2; read++) {
                String history = "s0: @1..9 w(x,1) w(y,1); s1: @1..9 r(y,1) w(z,1); s2: @1..9 w(x,2);"
                        + " s3: @11..12 r(x," + read + ")";
                check(HistoryDsl.parse(history), level, new int[] {0, 0, 0, 1}, 0);
            }
            // At pl2 there is no state of the first part, so both parts are judged.
            int exchanges = level == IsolationLevel.PL2 ? 0 : 1;
            assertThat(tally.of("exchanges") - before).as(level.toString()).isEqualTo(exchanges);
        }
    }

    /** An exchange that a part does not need stays in its seam, so the next part is decided without earlier ones. */
    @Test
    void aLaterSeamKeepsTheExchange() throws Exception {
        for (int read = 1; read <= 2; read++) {
            HistoryTable history =
                    HistoryDsl.parse("s0: @1..9 w(x,1) w(y,1); s1: @1..9 r(y,1) w(z,1); s2: @1..9 w(x,2);"
                            + " s3: @11..12 w(u,1); s4: @13..14 r(x," + read + ")");
            Path runs = Files.createDirectory(folder.resolve("runs"));
            for (int p = 0; p <= 2; p++) {
                Path part = folder.resolve("part-" + p + ".jsonl");
                write(history, new int[] {0, 0, 0, 1, 2}, p, p, part);
                Answer answer = new CheckRun(
                                settings(IsolationLevel.SER, runs), Checker.EMBEDDED, new IsolationCheck.Messages(), 0)
                        .answers(part.toString())
                        .get(0);
                assertThat(answer.status()).isEqualTo(Verdict.Status.PASS);
                Seam seam = Chain.of(Location.of(answer.run().name())).seam();
                assertThat(seam == null ? 0 : seam.covered()).isEqualTo(p);
            }
            FileUtil.fullyDelete(folder.resolve("runs").toFile());
        }
    }

    /** A run does not name a seam that another job replaced while the run's part was decided. */
    @Test
    void aSeamIsReplacedWhileTheNextPartIsDecided() throws Exception {
        HistoryTable history = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1) w(x,2)");
        CheckSettings settings = settings(IsolationLevel.SER, Files.createDirectory(folder.resolve("runs")));
        IsolationCheck.Messages messages = new IsolationCheck.Messages();
        Path first = folder.resolve("part-0.jsonl");
        Path second = folder.resolve("part-1.jsonl");
        write(history, new int[] {0, 1}, 0, 0, first);
        write(history, new int[] {0, 1}, 1, 1, second);
        Answer pass = new CheckRun(settings, Checker.EMBEDDED, messages, 0)
                .answers(first.toString())
                .get(0);
        Seam seam = Seam.of(Location.of(pass.run().name()), () -> false);
        Engine replaces = new Engine() {
            @Override
            public Progress listening(Progress progress) {
                try {
                    replaced(seam, seam.files().tail().input(), seam.transactions(), 1)
                            .write();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return progress;
            }
        };
        Answer answer = new CheckRun(settings, new Checker(replaces, 0, false, new EmbeddedChecker()), messages, 0)
                .answers(second.toString())
                .get(0);
        assertThat(answer.status()).isEqualTo(Verdict.Status.ERROR);
        assertThat(messages.lines.toString())
                .contains("another job replaced the seam of", "the verdict on it was PASS");
        Answer again = new CheckRun(settings, Checker.EMBEDDED, messages, 0)
                .answers(second.toString())
                .get(0);
        assertThat(again.status()).isEqualTo(Verdict.Status.PASS);
        Chain.of(Location.of(again.run().name())).requireUnchanged();
    }

    /**
     * A seam with another tail and another number of places.
     *
     * @param input SHA-256 of the tail
     */
    private static Seam replaced(Seam seam, String input, int transactions, long more) {
        SeamFiles files = seam.files();
        String tail = files.tail().location().fileName();
        Map<String, String> inputs = Map.of(SeamFiles.STATE, files.state().input(), tail, input);
        return new Seam(
                seam.run(),
                "",
                seam.covered(),
                new Seam.Cut(
                        seam.cut().terms(),
                        seam.cut().places() + more,
                        seam.cut().latestStart()),
                transactions,
                SeamFiles.of(seam.run(), tail, file -> inputs.getOrDefault(file, "")),
                seam.sessions(),
                "");
    }

    /** An engine with a bug in its first check of the transactions that are not open. */
    private static final class FailsOnOthers implements Function<Check, Finding> {
        private boolean hasFailed;

        @Override
        public Finding apply(Check check) {
            HistoryTable table = check.table();
            boolean isOfOthers = IntStream.range(0, table.transactions())
                    .anyMatch(t -> table.status(t) == TransactionStatus.ABORTED);
            if (isOfOthers && !hasFailed) {
                hasFailed = true;
                throw new IllegalStateException("a bug");
            }
            return new EmbeddedChecker().apply(check);
        }
    }

    /** After a failure on a seam, all parts are checked. */
    @Test
    void aBugInTheSearchForTheOrderOfOthersIsReported() throws Exception {
        HistoryTable history = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1); s2: r(z,1)");
        for (int last = 0; last <= 1; last++) {
            CheckSettings settings = settings(IsolationLevel.SER, Files.createDirectory(folder.resolve("runs")));
            IsolationCheck.Messages messages = new IsolationCheck.Messages();
            Checker checker = Checker.EMBEDDED.finding(new FailsOnOthers());
            Verdict.Status status = Verdict.Status.PASS;
            for (int p = 0; p <= last; p++) {
                Path part = folder.resolve("part-" + p + ".jsonl");
                write(history, new int[] {0, last, last}, p, p, part);
                status = new CheckRun(settings, checker, messages, 0)
                        .answers(part.toString())
                        .get(0)
                        .status();
            }
            assertThat(messages.lines.toString()).contains("internal error", "a bug");
            assertThat(status).isEqualTo(last == 0 ? Verdict.Status.ERROR : Verdict.Status.UNKNOWN);
            FileUtil.fullyDelete(folder.resolve("runs").toFile());
        }
    }

    /** A transaction that reads what a later part writes is in the tail, or the replay of the seam rejects it. */
    @Test
    void aSeamWithoutAnOpenTransactionIsRejected() throws Exception {
        Path runs = Files.createDirectory(folder.resolve("runs"));
        Path part = folder.resolve("part-0.jsonl");
        HistoryTable history = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1) w(y,1); s2: r(z,1) w(x,2)");
        write(history, new int[3], 0, 0, part);
        CheckRun check =
                new CheckRun(settings(IsolationLevel.SER, runs), Checker.EMBEDDED, new IsolationCheck.Messages(), 3);
        Answer answer = check.answers(part.toString()).get(0);
        assertThat(answer.status()).isEqualTo(Verdict.Status.UNKNOWN);
        Location run = Location.of(answer.run().name());
        HistoryTable read = HistoryReader.read(part.toString(), HistoryFormat.AUTO);
        assertThat(SeamReplay.of(run, Claim.read(run), read, () -> false, 1L << 30)
                        .orElseThrow()
                        .problem())
                .isEmpty();

        Seam seam = Seam.of(run, () -> false);
        Location tail = seam.files().tail().location();
        HistoryTable kept = HistoryReader.read(tail.name(), HistoryFormat.AUTO);
        assertThat(kept.transactions()).isEqualTo(3);
        HistoryWriter.write(
                HistorySelection.of(kept, new int[] {0, 1}, new int[] {0, 1, 2}).table(),
                tail.name(),
                HistoryFormat.JSONL);
        replaced(seam, Fingerprint.ofInput(tail, () -> false), 2, 0).write();
        assertThat(SeamReplay.of(run, Claim.read(run), read, () -> false, 1L << 30)
                        .orElseThrow()
                        .problem())
                .contains("part-0.jsonl:4 is neither in the order nor in the tail");
    }

    private void check(HistoryTable history, IsolationLevel level, int[] partOf, int least) throws Exception {
        new ChainLaw.Run(folder, tally, false).check(history, List.of(level), partOf, least, new SplitMix(SEED));
        FileUtil.fullyDelete(folder.resolve("runs").toFile());
    }

    private static final ReadContext CONTEXT = new ReadContext(() -> false, 1L << 30);

    static int exchanges(Chain chain, Path part) throws Exception {
        if (!chain.seam().files().exchanges().isStored()) {
            return 0;
        }
        HistoryTable read = chain.withoutLast().read(part.toString(), HistoryFormat.AUTO, CONTEXT);
        return Exchanges.needed(chain.seam().files().exchanges().read(() -> false, 1L << 30), read)
                .cardinality();
    }

    /** Verifies the evidence of a run, and the order of the rest of a VIOLATION. */
    static void verify(Location run, Chain chain, Path part, String name) throws Exception {
        Claim claim = Claim.read(run);
        boolean isViolation = claim.verdict().equals("VIOLATION");
        String input = Fingerprint.ofInput(Location.of(part.toString()), () -> false);
        Chain judged = isViolation ? Chain.violated(run, chain) : Chain.explained(run, chain);
        Verification.Report report = Verification.of(run, claim, read(judged, part), input, () -> false);
        assertThat(report.answer()).as(name + report.reason()).isEqualTo(Verification.Answer.VERIFIED);
        if (!isViolation || RankFile.in(run).exists()) {
            HistoryTable rest = read(Chain.explained(run, chain), part);
            Claim ofRest = isViolation ? claim.ofRest() : claim;
            Verification.Report order = Verification.of(run, ofRest, rest, input, () -> false);
            assertThat(order.answer()).as(name + order.reason()).isEqualTo(Verification.Answer.VERIFIED);
            Optional<SeamReplay.Result> seam = SeamReplay.of(run, ofRest, rest, () -> false, 1L << 30);
            assertThat(seam.map(SeamReplay.Result::problem).orElse("")).as(name).isEmpty();
        }
    }

    private static HistoryTable read(Chain chain, Path part) throws Exception {
        return chain.withoutLast().isEmpty() && chain.isWhole()
                ? HistoryReader.read(part.toString(), HistoryFormat.AUTO)
                : chain.withoutLast().read(part.toString(), HistoryFormat.AUTO, CONTEXT);
    }

    /** Writes the transactions of some parts; returns whether there are any. */
    static boolean write(HistoryTable history, int[] partOf, int from, int to, Path file) throws IOException {
        BitSet selected = new BitSet();
        for (int t = 0; t < partOf.length; t++) {
            selected.set(t, partOf[t] >= from && partOf[t] <= to);
        }
        try (var out = Files.newOutputStream(file)) {
            HistoryWriter.writeJsonl(history.asRead(), selected, out);
        }
        return !selected.isEmpty();
    }

    static CheckRequest request(IsolationLevel level) {
        // Without the hint, the order of writers that no transaction has read is arbitrary.
        TimeMode time = level.realTime() ? TimeMode.STRICT : TimeMode.NONE;
        return new CheckRequest(level, time, 0, IndeterminateMode.MAYBE, InitialChoice.AUTO, true, 1);
    }

    /** Whether the whole violates a level only by reads in the last part of values that no transaction so far wrote. */
    static boolean isOpen(HistoryTable table, IsolationLevel level, HistoryTable history, int[] partOf, int last)
            throws HistoryException {
        CheckRequest first = request(level);
        // All violations, because the first one may be in the last part and another one in an earlier part.
        CheckRequest request = new CheckRequest(
                level, first.time(), 0, first.indeterminate(), first.initial(), true, history.transactions());
        Verdict verdict = Checks.check(request.loaders(table).applied(), request);
        List<Violation> all = Stream.concat(verdict.violations().stream(), verdict.unexplained().stream())
                .toList();
        for (Violation violation : all) {
            // At lin the reader may be an earlier operation of unknown outcome, which one of the last part reads.
            List<Integer> readers = violation
                    .transactions()
                    .subList(
                            0,
                            level == IsolationLevel.LIN
                                    ? violation.transactions().size()
                                    : 1);
            boolean isInLast = readers.stream().anyMatch(reader -> IntStream.range(0, history.transactions())
                    .anyMatch(t ->
                            history.sessionLabel(history.sessionOf(t)) == table.sessionLabel(table.sessionOf(reader))
                                    && history.index(t) == table.index(reader)
                                    && partOf[t] == last));
            if (violation.anomaly() != Anomaly.THIN_AIR_READ || !isInLast) {
                return false;
            }
        }
        return verdict.status() == Verdict.Status.VIOLATION;
    }

    static CheckSettings settings(IsolationLevel level, Path runs) {
        return settings(List.of(level), runs, CheckSettings.Failing.ANY);
    }

    /** @param levels the strongest first */
    static CheckSettings settings(List<IsolationLevel> levels, Path runs, CheckSettings.Failing failing) {
        return new CheckSettings(
                HistoryFormat.AUTO,
                levels.stream().map(RollingTest::request).toList(),
                false,
                new CheckSettings.Limits(Long.MAX_VALUE, 1L << 30),
                failing,
                new CheckSettings.Runs(runs.toString(), CheckSettings.Earlier.CONTINUED),
                null,
                new CheckSettings.Before(null, runs.toString(), false, false, false),
                false);
    }
}
