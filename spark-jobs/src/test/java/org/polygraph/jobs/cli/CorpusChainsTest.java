package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;

/** Histories of real databases that are divided by time into parts have the same verdict as the whole. */
class CorpusChainsTest {
    private static final int PARTS = 6;
    /**
     * If values repeat, a cut may separate a read from its writer, so that the parts up to the cut take far longer than
     * the whole.
     */
    private static final String TIMEOUT = "20s";

    private static final List<String> SHAPES = List.of("-gt-small", "-gtdup-small", "-append-small");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private record Line(String session, int index, long end, String text) {}

    @Test
    void partsHaveTheVerdictOfTheWhole() throws IOException {
        List<String> shapes = SuiteScale.isReduced() ? SHAPES.subList(0, 1) : SHAPES;
        assertThat(compare(shapes, List.of("ser", "si"), true, "2s")).isGreaterThan(2 * shapes.size());
    }

    /**
     * Lists, predicates and larger histories too, at every level; what is not decided in {@value #TIMEOUT}, as a whole
     * or with the last part, is left out.
     */
    @Test
    @Tag("full")
    void soDoAllHistories() throws IOException {
        assertThat(compare(List.of(""), List.of("sser", "ser", "ssi", "si", "pc", "cc", "ra", "rc"), false, "3s"))
                .isGreaterThan(20);
    }

    /**
     * @param inTurn whether a history is judged at one of the levels
     * @param partTimeout without the reads of its violations, a part of a history with repeated values may be hard to
     *     decide
     */
    private int compare(List<String> shapes, List<String> levels, boolean inTurn, String partTimeout)
            throws IOException {
        Path root = OracleCorpus.folder().orElse(null);
        if (root == null) {
            System.out.println("CorpusChainsTest: SKIPPED, no corpus at ../shared/corpus");
        }
        Assumptions.assumeTrue(root != null, "skipped: no corpus at ../shared/corpus");
        int histories = 0;
        int violations = 0;
        int compared = 0;
        int onSeams = 0;
        List<String> undecided = new ArrayList<>();
        for (String line : Files.readAllLines(root.resolve("real/TRUTH.csv"))) {
            String name = line.substring(0, line.indexOf(','));
            Path whole = root.resolve("real").resolve(name + ".jsonl.gz");
            if (shapes.stream().noneMatch(name::endsWith) || !Files.exists(whole)) {
                continue;
            }
            String parts = cut(name, whole);
            histories++;
            for (String level : inTurn ? List.of(levels.get(histories % levels.size())) : levels) {
                String expected = InProcess.run("check", "-q", "-l", level, "--timeout", TIMEOUT, whole.toString())
                        .word();
                if (!expected.equals("PASS") && !expected.equals("VIOLATION")) {
                    undecided.add(name + " " + level + " " + expected);
                    continue;
                }
                String runs = folder.resolve(name + "-" + level).toString();
                InProcess chain = InProcess.run(
                        "check", "-q", "-l", level, "--timeout", partTimeout, "-o", runs, "--each", parts);
                String last = chain.out()
                        .lines()
                        .filter(answer -> answer.contains("h" + (PARTS - 1) + ".jsonl") && !answer.startsWith(" "))
                        .findFirst()
                        .orElse("none");
                if (last.startsWith("UNKNOWN") && last.contains("timeout of ")) {
                    undecided.add(name + " " + level + " in parts");
                    continue;
                }
                compared++;
                assertThat(last.split("  ", 2)[0])
                        .as(name + " " + level + " " + chain)
                        .isEqualTo(expected);
                onSeams +=
                        chain.out().lines().filter(CorpusChainsTest::isOnSeam).count();
                violations += expected.equals("VIOLATION") ? 1 : 0;
            }
        }
        System.out.println(histories + " real histories in " + PARTS + " parts, " + compared + " verdicts, "
                + violations + " violations, " + onSeams + " parts on seams; not decided: " + undecided);
        assertThat(undecided).hasSizeLessThan(compared);
        return histories;
    }

    private static boolean isOnSeam(String line) {
        return line.startsWith("  run: ") && Files.exists(Path.of(line.substring(7), "seam", "base.txt"));
    }

    /**
     * Writes the parts, by the ends of transactions. If an end is not known, that of the previous transaction of the
     * session counts.
     */
    private String cut(String name, Path whole) throws IOException {
        String header = "";
        List<Line> lines = new ArrayList<>();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(whole));
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                JsonNode node = JSON.readTree(text);
                if (node.has("ops")) {
                    lines.add(new Line(
                            node.path("session").asText(),
                            node.path("index").asInt(),
                            node.path("end").asLong(node.path("start").asLong()),
                            text));
                } else {
                    header = text + "\n";
                }
            }
        }
        lines.sort(Comparator.comparingInt(Line::index));
        Map<String, Long> latest = new HashMap<>();
        lines.replaceAll(
                line -> new Line(line.session, line.index, latest.merge(line.session, line.end, Math::max), line.text));
        lines.sort(Comparator.comparingLong(Line::end));
        Path parts = Files.createDirectory(folder.resolve(name));
        for (int part = 0; part < PARTS; part++) {
            StringBuilder text = new StringBuilder(header);
            for (Line line : lines.subList(part * lines.size() / PARTS, (part + 1) * lines.size() / PARTS)) {
                text.append(line.text).append('\n');
            }
            Files.writeString(parts.resolve("h" + part + ".jsonl"), text);
        }
        return parts.toString();
    }
}
