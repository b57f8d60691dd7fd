package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.CheckpointFiles;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.Tampering;
import org.polygraph.storage.testkit.Workloads;

/** A check that ends after any of its checkpoints continues there, and answers as if it had not ended. */
class CheckpointsTest {
    private static final long SEED = 0x57a6e5;

    private static final List<Workload.Level> STORES = List.of(Workload.Level.values());
    private static final List<PlantedAnomaly> ANOMALIES = List.of(PlantedAnomaly.values());

    @TempDir
    Path folder;

    private final List<String> messages = new ArrayList<>();

    private Checkpoints ending(int after) throws IOException {
        return new EndingCheckpoints(new CheckpointFiles(Location.of(folder.toString()), messages::add), after);
    }

    /** The phases that begin. */
    private static final class Heard implements Progress {
        final Set<String> phases = new TreeSet<>();

        @Override
        public void phase(String name) {
            phases.add(name);
        }

        @Override
        public void items(long done, long total) {}
    }

    private void clear() {
        assertThat(FileUtil.fullyDeleteContents(folder.toFile())).isTrue();
    }

    private static List<HistoryTable> histories() {
        Random random = new Random(SEED);
        List<HistoryTable> histories = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Workload generator = new Workload()
                    .seed(SEED + i)
                    .sessions(5 + random.nextInt(5))
                    .transactions(20 + random.nextInt(80))
                    .operations(1, 6)
                    .keys(2 + random.nextInt(20))
                    .timed(i % 2 == 1)
                    .level(STORES.get(i / 2 % STORES.size()));
            if (i % 4 == 1) {
                generator.indeterminate(0.1);
            }
            if (i % 3 == 0) {
                generator.values(4).repeats(0.6);
            }
            if (i % 2 == 0) {
                generator.plant(ANOMALIES.get(i / 2 % ANOMALIES.size()), 10);
            }
            histories.add(Tampering.oneRead(generator.table(), i % 5 == 0 ? new SplitMix(SEED + i) : null));
        }
        for (int i = 0; i < 2; i++) {
            // The rules leave reads to the solver.
            histories.add(Workloads.of(
                            SEED + i,
                            "sessions 16 transactions 3000 operations 6 keys 400 distribution ZIPF zipf 0.9 values 50")
                    .repeats(0.5 * i)
                    .table());
        }
        return histories;
    }

    @Test
    void aCheckContinuesAfterAnyCheckpoint() throws IOException {
        Set<String> seen = new TreeSet<>();
        int number = 0;
        for (HistoryTable table : histories()) {
            for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.SSER)) {
                CheckRequest request = new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE);
                goesOn(table, request, "history " + number + " " + level + ", seed " + SEED, seen);
            }
            number++;
        }
        assertThat(messages).isNotEmpty().allMatch(message -> message.contains(" of an earlier process"));
        assertThat(seen).contains("closure", "saturation", "solve", "order");
    }

    /** With few values, {@link CoarseGuess} finds an order. */
    @Test
    void aCheckContinuesAroundAGuess() throws IOException {
        HistoryTable table = Workloads.of(
                        SEED, "timed false sessions 25 transactions 2000 operations 8 keys 500 values 5")
                .table();
        Set<String> seen = new TreeSet<>();
        goesOn(table, CheckRequest.of(IsolationLevel.SER), "few values, seed " + SEED, seen);
        assertThat(seen).contains("closure", "saturation", "solve", "order");
    }

    private static Workload registers(long seed, int keys) {
        return Workloads.of(seed, "sessions 5 transactions 300 operations 1").keys(keys);
    }

    @Test
    void ordersOfKeysAreKept() throws IOException {
        for (int i = 0; i < 20; i++) {
            Workload registers = registers(SEED + i, 20).values(i % 2 == 0 ? 0 : 4);
            HistoryTable table = (i % 3 == 0 ? registers.plant(PlantedAnomaly.STALE_READ, 150) : registers).table();
            CheckRequest request = new CheckRequest(IsolationLevel.LIN, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
            goesOn(table, request, "registers, seed " + (SEED + i), new TreeSet<>());
        }
        assertThat(messages)
                .hasSize(20)
                .allMatch(message -> message.contains("orders.checkpoint: a checkpoint of an earlier"));
        // The checkpoint is of another history.
        CheckpointFiles kept = new CheckpointFiles(Location.of(folder.toString()), messages::add);
        HistoryTable other = registers(SEED, 19).table();
        CheckRequest request = new CheckRequest(IsolationLevel.LIN, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
        messages.clear();
        Verdict verdict = new EmbeddedChecker().check(other, request, Progress.NONE, Budget.unlimited(), kept);
        assertThat(verdict.status()).isEqualTo(Verdict.Status.PASS);
        assertThat(messages)
                .singleElement()
                .asString()
                .contains("orders.checkpoint: a damaged checkpoint: found orders");
    }

    private void goesOn(HistoryTable table, CheckRequest request, String name, Set<String> seen) throws IOException {
        Verdict whole = Checks.check(table, request);
        for (int after = 1; ; after++) {
            clear();
            Heard before = new Heard();
            try {
                new EmbeddedChecker().check(table, request, before, Budget.unlimited(), ending(after));
                break;
            } catch (EndingCheckpoints.Killed e) {
                // The check runs again.
            }
            boolean ordered = Files.exists(folder.resolve("order.checkpoint"));
            Heard then = new Heard();
            Verdict resumed =
                    new EmbeddedChecker().check(table, request, then, Budget.unlimited(), ending(Integer.MAX_VALUE));
            assertThat(Untimed.json(resumed)).as(name + " after " + after).isEqualTo(Untimed.json(whole));
            if (ordered) {
                assertThat(then.phases).as(name).doesNotContain("graph", "closure", "saturation", "solve");
                seen.add("order");
            }
            before.phases.forEach(seen::add);
        }
    }

    @Test
    void damagedCheckpointsAreReportedAndMadeAgain() throws IOException {
        HistoryTable table = histories().get(60);
        CheckRequest request = CheckRequest.of(IsolationLevel.SER);
        Verdict whole = Checks.check(table, request);
        for (String checkpoint : List.of("order")) {
            for (int how = 0; how < 3; how++) {
                clear();
                messages.clear();
                new EmbeddedChecker()
                        .check(table, request, Progress.NONE, Budget.unlimited(), ending(Integer.MAX_VALUE));
                Path file = folder.resolve(checkpoint + ".checkpoint");
                byte[] bytes = Files.readAllBytes(file);
                switch (how) {
                    case 0 -> Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length / 2));
                    case 1 -> {
                        bytes[bytes.length / 2] ^= 4;
                        Files.write(file, bytes);
                    }
                    default ->
                        // The file is whole, but of another checkpoint.
                        new CheckpointFiles(Location.of(folder.toString()), messages::add).keep(checkpoint, "other");
                }
                Verdict again = new EmbeddedChecker()
                        .check(table, request, Progress.NONE, Budget.unlimited(), ending(Integer.MAX_VALUE));
                assertThat(Untimed.json(again)).as(checkpoint + how).isEqualTo(Untimed.json(whole));
                assertThat(messages)
                        .as(checkpoint + how)
                        .filteredOn(message -> message.contains(checkpoint + ".checkpoint"))
                        .singleElement()
                        .asString()
                        .contains(checkpoint + ".checkpoint: a damaged checkpoint: ");
            }
        }
    }
}
