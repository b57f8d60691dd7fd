package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.generate.EmbeddedGenerator;
import org.polygraph.jobs.generate.GenerationTarget;
import org.polygraph.jobs.generate.Generator;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.testkit.Workloads;

/** The rows are equal, byte by byte, for both engines and any number of slices and parts. */
@Tag("spark")
class SparkGeneratorTest {
    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static SparkGenerator coarse;

    /** A generator in the same session. */
    @SuppressWarnings("NullAway.Init")
    private static SparkGenerator fine;

    private static int runs;

    @BeforeAll
    static void start() {
        coarse = new SparkGenerator("local[2]");
        fine = new SparkGenerator("local[2]", 500);
    }

    @AfterAll
    static void stop() {
        coarse.close();
    }

    /** The lines of all parts, with the header once. */
    private static List<String> lines(Generator generator, Workload workload, int parts) throws IOException {
        TransactionPlan plan = workload.plan();
        Path out = folder.resolve("run-" + runs++);
        GenerationTarget target =
                GenerationTarget.of(out.toString(), HistoryFormat.JSONL, parts, plan.transactions(), plan.operations());
        generator.generate(plan, target, Progress.NONE);
        List<String> lines = new ArrayList<>();
        for (int part = 0; part < target.parts(); part++) {
            List<String> own = Files.readAllLines(out.resolve(String.format("part-%05d.jsonl", part)));
            lines.addAll(part == 0 ? own : own.subList(1, own.size()));
        }
        try (var files = Files.list(out)) {
            assertThat(files.filter(each -> !each.getFileName().toString().endsWith(".crc")))
                    .hasSize(target.parts());
        }
        return lines;
    }

    @Test
    void theSameRows() throws IOException {
        List<Workload> workloads = List.of(
                new Workload().transactions(3_000).plant(PlantedAnomaly.LONG_FORK, 1_234),
                Workloads.of(
                        "transactions 2000 level SI keys 50 distribution ZIPF values 9 aborted 0.1 indeterminate 0.1 sessions 23 operations 1 11 modifies 0.3 repeats 0.6"),
                new Workload().transactions(700).keys(1).operations(3),
                // There are no reads, so parts have no block.
                new Workload().transactions(130).reads(0).seed(9));
        for (Workload workload : workloads) {
            List<String> expected = lines(new EmbeddedGenerator(), workload, 1);
            assertThat(lines(new EmbeddedGenerator(), workload, 64)).isEqualTo(expected);
            for (int parts : workloads.indexOf(workload) < 2 ? new int[] {1, 7, 64} : new int[] {7}) {
                assertThat(lines(coarse, workload, parts)).as("%s parts", parts).isEqualTo(expected);
            }
            assertThat(lines(fine, workload, 5)).isEqualTo(expected);
        }
    }

    @Test
    void progressIsOfTheJob() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        List<Long> counts = Collections.synchronizedList(new ArrayList<>());
        Progress progress = new Progress() {
            @Override
            public void phase(String name) {
                heard.add(name);
            }

            @Override
            public void job(String name) {
                heard.add("job " + name);
            }

            @Override
            public void items(long done, long total) {
                // JobsTest tests progress within a job, which needs a longer one.
                counts.add(done);
                counts.add(total);
            }
        };
        TransactionPlan plan = new Workload().transactions(60_000).plan();
        String out = folder.resolve("heard").toString();
        new SparkGenerator("local[2]", 20_000)
                .generate(
                        plan,
                        GenerationTarget.of(out, HistoryFormat.JSONL, 4, plan.transactions(), plan.operations()),
                        progress);
        for (int i = 0; i < counts.size(); i += 2) {
            assertThat(counts.get(i)).isBetween(0L, counts.get(i + 1));
        }
        assertThat(heard).containsSubsequence("start of Spark", "generate", "job generate 60000 transactions", "job ");
    }
}
