package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankPart;
import org.polygraph.jobs.certificate.format.RankReader;
import org.polygraph.jobs.certificate.format.RankWriter;
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
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/** Compares the replay in pieces on Spark with the one in this JVM: the results are equal, messages included. */
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
        System.setProperty(LazySession.SCRATCH_FOLDER, stages.toUri().toString());
        replayer = new SparkReplayer("local[2]");
        replayer.session();
    }

    @AfterAll
    static void stop() {
        replayer.close();
        System.clearProperty(LazySession.SCRATCH_FOLDER);
    }

    @AfterEach
    void nothingStaysBehind() throws IOException {
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    /** Writes the run of a PASS whose certificate has this order. */
    private Location run(String name, Verdict pass, Witness witness, String input) throws IOException {
        RunDirectory run = new RunDirectory(Location.of(folder.toString()), name);
        Verdict found = pass.with().path(name).witness(witness).build();
        run.finish(
                found.with()
                        .certificate(run.writeEvidence(found, input, () -> false))
                        .build(),
                () -> false);
        return Location.of(folder.resolve("run=" + name).toString());
    }

    private static Witness exchanged(Witness witness, int a, int b) {
        int[] position = witness.position().clone();
        int x = position[a];
        position[a] = position[b];
        position[b] = x;
        return new Witness(witness.table(), witness.terms(), witness.counted(), position);
    }

    private static HistoryGenerator history(int i, boolean times) {
        HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                .sessions(7)
                .transactions(300)
                .operations(1, 5)
                .keys(30)
                .abortedShare(0.1)
                .isolation(HistoryGenerator.Isolation.SERIAL);
        return times ? generator.withTimestamps() : generator;
    }

    /**
     * Without a table the answer and its messages are the same, for right and wrong orders in one file and in parts.
     */
    @Test
    void ordersAreReplayedInPieces() throws Exception {
        int rejected = 0;
        for (int i = 0; i < 6; i++) {
            IsolationLevel level = List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.SSER)
                    .get(i % 3);
            HistoryTable made = history(i, level.realTime()).generate();
            Location file = Location.of(folder.resolve("h" + i + ".jsonl").toString());
            file.write(out -> HistoryWriter.writeJsonl(made, out));
            HistoryTable table = HistoryReader.read(file.name(), HistoryFormat.AUTO);
            Verdict verdict =
                    new EmbeddedChecker().check(table, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
            Witness witness = verdict.witness();
            assertThat(witness).isNotNull();
            if (i >= 3) {
                int events = level.eventsPerTransaction();
                witness = exchanged(witness, 20 * events, 200 * events);
            }
            Location run = run("pieces" + i, verdict, witness, "bytes");
            List<RankPart> parts = List.of();
            if (i % 2 == 1) {
                RankWriter writer = new RankWriter(run, witness.terms().guarantee(), 100);
                RankReader.all(run, () -> false, (session, index, snapshot, commit) -> {
                    try {
                        writer.row(session, index, spread(snapshot), spread(commit));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                parts = writer.end().parts();
                assertThat(parts).hasSize(3);
            }
            RankHeader written = RankReader.header(run, () -> false);
            RankHeader header = parts.isEmpty()
                    ? written
                    : new RankHeader(
                            written.version(),
                            written.terms(),
                            written.initial(),
                            written.transactions(),
                            written.counted(),
                            written.fingerprint(),
                            written.tool(),
                            parts);
            ReadPlan plan = ReadPlan.of(file.name(), HistoryFormat.AUTO, 9_000, () -> false);
            assertThat(plan).isNotNull();
            assertThat(plan.pieces()).hasSizeGreaterThan(2);
            for (int slices : new int[] {1, 7}) {
                Verification.Replayed replayed =
                        new PieceReplay(replayer.session().sparkContext(), plan, slices, 80).of(run, header, true);
                assertThat(replayed).isNotNull();
                assertThat(replayed.result()).as("%d", i).isEqualTo(Replay.of(witness));
                assertThat(replayed.content()).isEqualTo(written.fingerprint().content());
                assertThat(replayed.numbers().operations()).isEqualTo(table.operations());
            }
            rejected += Replay.of(witness).holds() ? 0 : 1;
            if (!parts.isEmpty()) {
                run.child("certificate").child(parts.get(1).file()).delete();
                assertThatThrownBy(() -> new PieceReplay(replayer.session().sparkContext(), plan).of(run, header, true))
                        .isInstanceOf(HistoryException.class)
                        .hasMessageContaining("found no file, where the header names part 1");
            }
        }
        assertThat(rejected).isEqualTo(3);
    }

    private static long spread(long rank) {
        return 7_000_000_000L * rank;
    }
}
