package org.polygraph.benchmarks.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class PlotTest {
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
    void aFileHoldsAllThatAPlotShows() throws Exception {
        Path csv = folder.resolve("some.csv");
        for (Measurement m : some()) {
            Csv.append(csv, m);
        }
        List<Measurement> again = Csv.read(csv);
        String svg = Plot.of(again);

        assertThat(again)
                .extracting(Measurement::values)
                .isEqualTo(some().stream().map(Measurement::values).toList());
        assertThat(svg).isEqualTo(Plot.of(some()));
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("circle").getLength()).isEqualTo(6);
        assertThat(document.getElementsByTagName("title").item(0).getTextContent())
                .isEqualTo("A \"title\", with <signs>");
        assertThat(svg).contains("prefers-color-scheme: dark", "CPU seconds", ">transactions<", ">10k<", ">100<");
    }

    /** A formula has no number of transactions in its name; at 0 of an axis by powers of ten it took all memory. */
    @Test
    void sourcesWithoutTheSettingStandAtTheirTransactions() {
        List<Measurement> all = some();
        all.add(measurement("sat:vars=50,ratio=4.26", "ser", "PASS", "90").set("transactions", "1800"));

        assertThat(Series.of(all))
                .flatExtracting(Series::points)
                .extracting(Series.Point::x)
                .containsOnly(1000.0, 100_000.0, 1800.0);
        assertThat(Plot.of(all)).endsWith("</svg>\n");
    }

    @Test
    void tablesSayWhatWasNotDecided() {
        assertThat(Markdown.growth(some()))
                .startsWith("| series | 1000 | 100k |\n|---|---|---|\n| zipf=0.9 SER | 0.020 s | UNKNOWN at 60 s |\n");
        assertThat(Markdown.ablation(some()).lines()).hasSize(12);
    }

    @Test
    void numbersAreShort() {
        assertThat(List.of(5.0, 1000.0, 10_000.0, 30_000.0, 1e6, 2.5e6))
                .extracting(Plot::number)
                .containsExactly("5", "1000", "10k", "30k", "1M", "2.5M");
    }
}
