package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/** The replay by key on Spark against the one in this JVM: the same result, to the last word. */
@Tag("spark")
class SparkReplayerTest {
    private static final long SEED = 0x5e91a;

    @TempDir
    static Path stages;

    @TempDir
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private static SparkReplayer replayer;

    @BeforeAll
    static void start() {
        System.setProperty(LazySession.STAGE_FOLDER, stages.toUri().toString());
        // Several slices even of small histories.
        replayer = new SparkReplayer("local[2]", 80);
        replayer.session();
    }

    @AfterAll
    static void stop() {
        replayer.close();
        System.clearProperty(LazySession.STAGE_FOLDER);
    }

    @AfterEach
    void nothingStaysBehind() throws IOException {
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    private static Verification.Report both(Location directory, HistoryTable table, String input)
            throws IOException, HistoryException {
        Claim claim = Claim.read(directory);
        Verification.Report report = Verification.of(directory, claim, table, input, replayer);
        assertThat(report).as(directory.name()).isEqualTo(Verification.of(directory, claim, table, input, Replay::of));
        return report;
    }

    /** Writes the run of a PASS whose certificate has this order. */
    private Location run(String name, Verdict pass, Witness witness, String input) throws IOException {
        RunDirectory run = new RunDirectory(Location.of(folder.toString()), name);
        run.finish(run.writeEvidence(pass.with().path(name).witness(witness).build(), input, () -> false));
        return Location.of(folder.resolve("run=" + name).toString());
    }

    private static Witness exchanged(Witness witness, int a, int b) {
        int[] position = witness.position().clone();
        int x = position[a];
        position[a] = position[b];
        position[b] = x;
        return new Witness(witness.table(), witness.terms(), witness.counted(), position);
    }

    @Test
    void runsOfExamplesAndOneThatIsCorrupted() throws IOException, HistoryException {
        List<Path> examples = new ArrayList<>();
        Path root = Path.of(System.getProperty("polygraph.root", ".."));
        try (Stream<Path> all = Files.list(root.resolve("spark-jobs/examples"))) {
            all.filter(p -> p.toString().endsWith(".jsonl")).sorted().forEach(examples::add);
        }
        int verified = 0;
        int rejected = 0;
        for (Path example : examples) {
            HistoryTable table = HistoryReader.read(example.toString(), HistoryFormat.AUTO);
            String input = Fingerprint.ofInput(Location.of(example.toString()), () -> false);
            for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
                Verdict verdict =
                        new EmbeddedChecker().check(table, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
                Witness witness = verdict.witness();
                if (verdict.status() != Verdict.Status.PASS || witness == null) {
                    continue;
                }
                String name = level.label() + "-" + example.getFileName();
                assertThat(both(run(name, verdict, witness, input), table, input)
                                .answer())
                        .as(name)
                        .isEqualTo(Verification.Answer.VERIFIED);
                verified++;
                if (name.equals("si-bank-serializable.jsonl")) {
                    Witness other = exchanged(witness, 20, 200);
                    rejected += both(run("corrupted", verdict, other, input), table, input)
                                            .answer()
                                    == Verification.Answer.REJECTED
                            ? 1
                            : 0;
                }
            }
        }
        assertThat(verified).isGreaterThan(8);
        assertThat(rejected).isEqualTo(1);
    }

    /** Orders that were found, and the same with two transactions in each other's place, which no session forbids. */
    @Test
    void generatedHistoriesAndWrongOrders() {
        int byKey = 0;
        for (int i = 0; i < 8; i++) {
            HistoryTable table = HistoryGenerator.withSeed(SEED + i)
                    .sessions(100)
                    .transactions(150)
                    .operations(1, 6)
                    .keys(40)
                    .isolation(HistoryGenerator.Isolation.SERIAL)
                    .generate();
            CheckRequest request = CheckRequest.of(i % 2 == 0 ? IsolationLevel.SER : IsolationLevel.SI);
            Witness witness = new EmbeddedChecker()
                    .check(table, request, Progress.NONE, Budget.unlimited())
                    .witness();
            assertThat(witness).as("seed %d", SEED + i).isNotNull();
            if (i >= 2) {
                Random random = new Random(SEED + i);
                int events = witness.terms().guarantee().events();
                int a = events * random.nextInt(table.transactions());
                int b = events * random.nextInt(table.transactions());
                for (int e = 0; e < events; e++) {
                    witness = exchanged(witness, a + e, b + e);
                }
            }
            Replay.Result result = replayer.replay(witness);
            assertThat(result).as("seed %d", SEED + i).isEqualTo(Replay.of(witness));
            String wrong = result.discrepancy();
            byKey += wrong != null && wrong.contains("key ") ? 1 : 0;
        }
        assertThat(byKey).isGreaterThan(2);
    }
}
