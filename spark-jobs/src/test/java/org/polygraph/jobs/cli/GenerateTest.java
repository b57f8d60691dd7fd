package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** Generated histories keep their level, except for planted anomalies, which are found where they were planted. */
class GenerateTest {
    private static final Pattern PLACE = Pattern.compile("s\\d+#\\d+");

    private static final String PREDICATES =
            "--transactions 150 --keys 60 --operations 4 --predicates 0.5 --selectivity 8";

    @TempDir
    private Path folder;

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private static InProcess generate(String out, String options) {
        List<String> words = new ArrayList<>(List.of("generate", "-q", "--out", out));
        words.addAll(Arrays.asList(options.split(" ", -1)));
        return InProcess.run(words);
    }

    /** The statuses of sser, ser, ssi and si. */
    private static String judged(String path, String... options) {
        List<String> words = new ArrayList<>(List.of("check", "-q", "-l", "sser,ser,ssi,si"));
        words.addAll(Arrays.asList(options));
        words.add(path);
        InProcess check = InProcess.run(words);
        assertThat(check.err()).as(path).doesNotContain("internal error");
        return String.join(
                " ",
                check.out()
                        .lines()
                        .filter(line -> line.matches("[A-Z]+  .*"))
                        .map(line -> line.split("  ", 2)[0])
                        .toList());
    }

    @Test
    void aStoreKeepsItsLevel() {
        String[] shapes = {
            "--keys 40",
            "--distribution zipf --keys 500 --aborted 0.1 --indeterminate 0.2",
            "--distribution hotspot --hot 0.1:0.8 --keys 100 --operations 3",
            "--values 4 --keys 400 --transactions 300 --operations 4",
            "--sessions 1 --keys 5",
            "--sessions 60 --reads 0.9 --keys 30",
            "--reads 0 --keys 10",
            "--reads 1",
            "--read-modify-writes 0.7 --operations 1-12 --keys 60",
            "--values 3 --repeat 0.3 --read-modify-writes 0.4 --keys 600 --transactions 300 --operations 2-5",
            PREDICATES,
            PREDICATES + " --inserts 0.3 --deletes 0.3",
            PREDICATES + " --aborted 0.1 --indeterminate 0.1 --values 9",
            PREDICATES + " --no-time --reads 0.8",
        };
        int skewed = 0;
        for (int i = 0; i < shapes.length; i++) {
            String common = "--transactions 2000 --seed " + i + " ";
            // picocli accepts an option once.
            String options = shapes[i].contains("--transactions") ? shapes[i] + " --seed " + i : common + shapes[i];
            String serial = file("ser-" + i + ".jsonl");
            assertThat(generate(serial, options).exitCode()).as(options).isZero();
            boolean isTimed = !options.contains("--no-time");
            assertThat(judged(serial))
                    .as(options)
                    .isEqualTo(isTimed ? "PASS PASS PASS PASS" : "INVALID PASS INVALID PASS");
            String snapshot = file("si-" + i + ".parquet");
            assertThat(generate(snapshot, options + " --level si").exitCode())
                    .as(options)
                    .isZero();
            String judged = judged(snapshot);
            assertThat(judged).as(options).endsWith(isTimed ? "PASS PASS" : "INVALID PASS");
            skewed += judged.startsWith("VIOLATION VIOLATION") ? 1 : 0;
        }
        assertThat(skewed).as("snapshot histories with a write skew").isGreaterThan(3);
    }

    @Test
    void skewedClocksAreWithinTheirBound() {
        String path = file("skew.jsonl");
        assertThat(generate(path, "--skew 1ms --keys 20 --sessions 8").exitCode())
                .isZero();
        assertThat(judged(path)).isEqualTo("VIOLATION PASS VIOLATION PASS");
        assertThat(judged(path, "--clock-skew", "1ms")).isEqualTo("PASS PASS PASS PASS");
    }

    private static String expected(PlantedAnomaly anomaly) {
        return switch (anomaly) {
            case WRITE_SKEW -> "VIOLATION VIOLATION PASS PASS";
            case STALE_READ -> "VIOLATION PASS VIOLATION PASS";
            default -> "VIOLATION VIOLATION VIOLATION VIOLATION";
        };
    }

    @ParameterizedTest
    @EnumSource
    void aPlantedAnomalyIsFoundWhereItIs(PlantedAnomaly anomaly) {
        for (String more :
                List.of("", " --values 5 --keys 3000 --transactions 900", " --aborted 0.1 --distribution zipf")) {
            String options = "--sessions 7 --operations 4 --at 431 --anomaly " + anomaly.label() + more;
            String path = file(anomaly.label() + more.length() + ".jsonl");
            InProcess generated = generate(path, options);
            assertThat(generated.exitCode()).as(generated.toString()).isZero();
            assertThat(judged(path)).as(options).isEqualTo(expected(anomaly));
            InProcess check = InProcess.run("check", "-q", "-l", "sser", path);
            assertThat(check.exitCode()).isEqualTo(3);
            Set<String> stated = places(generated.out());
            assertThat(stated).hasSize(anomaly.players());
            assertThat(stated).as(check.out()).containsAll(places(check.out()));
            assertThat(places(check.out())).isNotEmpty();
        }
    }

    private static Set<String> places(String text) {
        Set<String> places = new TreeSet<>();
        Matcher matcher = PLACE.matcher(text);
        while (matcher.find()) {
            places.add(matcher.group());
        }
        return places;
    }

    @Test
    void severalAnomaliesAreEachFound() {
        String path = file("several.parquet");
        InProcess generated =
                generate(path, "--anomaly thin-air-read --anomaly aborted-read --anomaly intermediate-read");
        assertThat(generated.out().lines().skip(1)).hasSize(3);
        InProcess check = InProcess.run("explain", "-q", "-l", "ser", path);
        assertThat(places(check.out())).isEqualTo(places(generated.out()));
    }

    @Test
    void theHeaderDescribesTheWorkload() throws HistoryException, IOException {
        String path = file("header.jsonl");
        generate(path, "--transactions 20 --level si --anomaly lost-update --at 9 --seed 5");
        HistoryTable table = HistoryReader.read(path, HistoryFormat.AUTO);
        assertThat(table.metadata())
                .containsEntry("anomalies", "[{\"name\":\"lost-update\",\"transactions\":[[9,0],[0,1]]}]")
                .containsEntry("clock", "\"ns\"");
        assertThat(table.metadata().get("generator"))
                .startsWith("{\"seed\":\"5\",\"transactions\":20,")
                .contains("\"level\":\"si\"");
        assertThat(table.values().label(table.initialValue())).isEqualTo("0");
    }

    @Test
    void formsOfOutput() throws HistoryException, IOException {
        String options = "--transactions 503 --sessions 7 --indeterminate 0.1";
        List<String> expected = rows(file("a.jsonl"), options);
        assertThat(expected).hasSize(504);
        for (String name : List.of("b.parquet", "c.jsonl.gz", "d.jsonl.zst")) {
            assertThat(rows(file(name), options)).as(name).isEqualTo(expected);
        }
        assertThat(rows(file("parts"), options + " --parts 9")).isEqualTo(expected);
        assertThat(rows(file("lines"), options + " --parts 4 -f jsonl")).isEqualTo(expected);
        try (Stream<Path> files = Files.list(folder.resolve("lines"))) {
            assertThat(files.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "part-00000.jsonl", "part-00001.jsonl", "part-00002.jsonl", "part-00003.jsonl", "_SUCCESS");
        }
        // The lines of all parts are the lines of the single file.
        List<String> lines = new ArrayList<>();
        for (int part = 0; part < 4; part++) {
            Files.readAllLines(folder.resolve("lines/part-0000" + part + ".jsonl")).stream()
                    .skip(part == 0 ? 0 : 1)
                    .forEach(lines::add);
        }
        assertThat(lines).isEqualTo(Files.readAllLines(folder.resolve("a.jsonl")));
        assertThat(Files.readAllLines(folder.resolve("a.jsonl")).get(1)).contains("\"start\"");
        String untimed = file("untimed.jsonl");
        generate(untimed, options + " --no-time");
        assertThat(Files.readString(Path.of(untimed))).doesNotContain("\"start\"");
    }

    /** Converts a history to JSON Lines. */
    private List<String> rows(String out, String options) throws IOException {
        InProcess generated = generate(out, options);
        assertThat(generated.exitCode()).as(generated.toString()).isZero();
        String lines = file("rows.jsonl");
        assertThat(InProcess.run("convert", "--overwrite", out, lines).exitCode())
                .isZero();
        return Files.readAllLines(Path.of(lines));
    }
}
