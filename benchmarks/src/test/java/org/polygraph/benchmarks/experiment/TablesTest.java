package org.polygraph.benchmarks.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.benchmarks.pipeline.Measurement;
import org.polygraph.benchmarks.pipeline.ResultsFile;

class TablesTest {
    @TempDir
    private Path folder;

    private static Measurement measurement(String source, String level, String verdict, String millis) {
        return new Measurement()
                .set("title", "A \"title\", with <signs>")
                .set("x", "txns")
                .set("source", source)
                .set("level", level)
                .set("setting", "default")
                .set("seconds", "60")
                .set("verdict", verdict)
                .set("thread_ms", millis);
    }

    private static List<Measurement> some() {
        List<Measurement> all = new ArrayList<>();
        for (String level : List.of("ser", "si")) {
            all.add(measurement("gen:txns=1000,zipf=0.9,seed=1", level, "PASS", "10"));
            all.add(measurement("gen:txns=1000,zipf=0.9,seed=2", level, "VIOLATION", "30"));
            all.add(measurement("gen:txns=1000,zipf=0.9,seed=3", level, "PASS", "20"));
            all.add(measurement("gen:txns=100000,zipf=0.9,seed=1", level, "UNKNOWN", "60000"));
            all.add(measurement("gen:txns=1000,zipf=0", level, "PASS", "5"));
        }
        return all;
    }

    @Test
    void seriesDifferInWhatIsNotTheSame() {
        List<Series> series = Series.of(some());

        assertThat(series)
                .extracting(Series::name)
                .containsExactly("zipf=0.9 SER", "zipf=0 SER", "zipf=0.9 SI", "zipf=0 SI");
        assertThat(series.get(0).points()).extracting(Series.Point::x).containsExactly(1000.0, 100_000.0);
        assertThat(series.get(0).points().get(0).median("thread_ms")).isEqualTo(20);
        assertThat(series.get(0).points().get(1).decided()).isZero();
    }

    @Test
    void aFileKeepsEveryValue() throws Exception {
        Path csv = folder.resolve("some.csv");
        for (Measurement m : some()) {
            ResultsFile.append(csv, m);
        }

        assertThat(ResultsFile.read(csv))
                .extracting(Measurement::values)
                .isEqualTo(some().stream().map(Measurement::values).toList());
        assertThat(ResultsFile.parse(ResultsFile.line(some().get(0).values())).values())
                .isEqualTo(some().get(0).values());
    }

    @Test
    void aLineWithTooFewValuesIsNamed() throws Exception {
        Path csv = folder.resolve("some.csv");
        Files.writeString(csv, "date,level\n2026-11-01,ser\n2026-11-02\n");

        assertThatThrownBy(() -> ResultsFile.read(csv)).hasMessage(csv + ":3: 1 values; the header has 2");
    }

    /** A formula has no number of transactions in its name, so its series has the number that was measured. */
    @Test
    void sourcesWithoutTheSettingStandAtTheirTransactions() {
        List<Measurement> all = some();
        all.add(measurement("sat:vars=50,ratio=4.26", "ser", "PASS", "90").set("transactions", "1800"));

        assertThat(Series.of(all))
                .flatExtracting(Series::points)
                .extracting(Series.Point::x)
                .containsOnly(1000.0, 100_000.0, 1800.0);
    }

    @Test
    void tablesShowUndecidedMeasurements() {
        assertThat(Tables.growth(some()))
                .startsWith("| series | 1000 | 100k |\n|---|---|---|\n| zipf=0.9 SER | 0.020 s | UNKNOWN at 60 s |\n");
        assertThat(Tables.ablation(some()).lines()).hasSize(12);
    }

    @Test
    void numbersAreShort() {
        assertThat(List.of(5.0, 1000.0, 10_000.0, 30_000.0, 1e6, 2.5e6))
                .extracting(Tables::number)
                .containsExactly("5", "1000", "10k", "30k", "1M", "2.5M");
    }
}
