package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.testkit.SuiteScale;

/** Generated histories keep their level, except for planted anomalies, which are found where they were planted. */
class GenerateTest {
    private static final Pattern PLACE = Pattern.compile("s\\d+#\\d+");

    @TempDir
    private Path folder;

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private static InProcess generate(String out, String options) {
        return InProcess.of("generate -q --out " + out + " " + options);
    }

    private static InProcess check(String path) {
        InProcess check = InProcess.of("check -q -l sser,ser,ssi,si " + path);
        assertThat(check.err()).as(path).doesNotContain("internal error");
        return check;
    }

    /** The statuses of sser, ser, ssi and si. */
    private static String judged(InProcess check) {
        return String.join(
                " ",
                check.out()
                        .lines()
                        .filter(line -> line.matches("[A-Z]+  .*"))
                        .map(line -> line.split("  ", 2)[0])
                        .toList());
    }

    @Test
    void aStoreKeepsItsLevel() throws IOException {
        List<String> shapes = Files.readAllLines(Command.ROOT.resolve("spark-jobs/src/test/resources/shapes.txt"));
        int skewed = 0;
        for (int i = 0; i < shapes.size(); i++) {
            String common = "--transactions " + SuiteScale.of(800, 300) + " --seed " + i + " ";
            // picocli accepts an option once.
            String options =
                    shapes.get(i).contains("--transactions") ? shapes.get(i) + " --seed " + i : common + shapes.get(i);
            String serial = file("ser-" + i + ".jsonl");
            assertThat(generate(serial, options).exitCode()).as(options).isZero();
            boolean isTimed = !options.contains("--no-time");
            assertThat(judged(check(serial)))
                    .as(options)
                    .isEqualTo(isTimed ? "PASS PASS PASS PASS" : "INVALID PASS INVALID PASS");
            String snapshot = file("si-" + i + ".parquet");
            assertThat(generate(snapshot, options + " --level si").exitCode())
                    .as(options)
                    .isZero();
            String judged = judged(check(snapshot));
            assertThat(judged).as(options).endsWith(isTimed ? "PASS PASS" : "INVALID PASS");
            skewed += judged.startsWith("VIOLATION VIOLATION") ? 1 : 0;
        }
        assertThat(skewed).as("snapshot histories with a write skew").isGreaterThan(3);
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
        for (String more : List.of("", " --values 5 --keys 3000", " --aborted 0.1 --distribution zipf")) {
            String options =
                    "--transactions 900 --sessions 7 --operations 4 --at 431 --anomaly " + anomaly.label() + more;
            String path = file(anomaly.label() + more.length() + ".jsonl");
            InProcess generated = generate(path, options);
            assertThat(generated.exitCode()).as(generated.toString()).isZero();
            InProcess check = check(path);
            assertThat(judged(check)).as(options).isEqualTo(expected(anomaly));
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
}
