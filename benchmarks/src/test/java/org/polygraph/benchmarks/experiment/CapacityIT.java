package org.polygraph.benchmarks.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.benchmarks.pipeline.Measurement;
import org.polygraph.benchmarks.pipeline.ResultsFile;

/** A small experiment with the real command. */
class CapacityIT {
    @TempDir
    private Path folder;

    @Test
    @Tag("process")
    void sizesAreMeasuredByBothEngines() throws Exception {
        StringWriter out = new StringWriter();
        new Capacity(
                        new PrintWriter(out),
                        folder,
                        new Capacity.Plan(
                                "small",
                                List.of(10_000L, 40_000L),
                                List.of(Capacity.EMBEDDED, "local[2]"),
                                List.of("ser"),
                                List.of("none"),
                                "700m",
                                List.of()))
                .run();
        List<Measurement> all = ResultsFile.read(folder.resolve("small.csv"));

        assertThat(all)
                .as(out.toString())
                .extracting(m -> m.get("setting"))
                .startsWith(
                        "generate",
                        "sort by (key, transaction), local[2]",
                        "embedded, time none",
                        "local[2], time none")
                .hasSize(8);
        assertThat(all).as(out.toString()).allMatch(Measurement::isDecided);
        assertThat(all).allMatch(m -> m.number("process_ms") > 0 && m.number("resident_mb") > 0);
        assertThat(all)
                .filteredOn(m -> !m.get("level").isEmpty())
                .hasSize(4)
                .allMatch(m ->
                        m.get("verdict").equals("PASS") && m.get("certificate").equals("verified"));
        assertThat(folder.resolve("small.md")).exists();
        assertThat(folder).isDirectoryNotContaining("glob:**/events-*");
    }
}
