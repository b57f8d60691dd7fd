package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.testkit.OracleCorpus;

/** {@code check --out}, and {@code verify} of its runs. */
class VerifyTest {
    private static final Path EXAMPLES = Command.ROOT.resolve("spark-jobs/examples");
    private static final String BANK =
            EXAMPLES.resolve("bank-serializable.jsonl").toString();

    @TempDir
    private Path folder;

    private Path onlyRun(String out) throws IOException {
        return Faults.run(folder.resolve(out));
    }

    private Path checked(String level, String path, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("check", "-l", level, "-q", "-o", folder + "/out"));
        words.addAll(List.of(options));
        words.add(path);
        InProcess.run(words);
        return onlyRun("out");
    }

    private static InProcess verify(Object... words) {
        List<String> all = new ArrayList<>(List.of("verify", "-q"));
        for (Object word : words) {
            all.add(word.toString());
        }
        return InProcess.run(all);
    }

    @Test
    void aPassIsVerified() throws IOException {
        Path run = checked("si", BANK);
        assertThat(Files.readString(run.resolve("verdict.json")))
                .contains(
                        "\"certificate\":{\"kind\":\"order\",\"path\":\"certificate/ranks.parquet\",\"verified\":true}")
                .contains("{\"name\":\"certificate\",");
        InProcess verified = verify(run, BANK);
        assertThat(verified.exitCode()).isZero();
        assertThat(verified.err()).isEmpty();
        assertThat(verified.out().replaceAll("[0-9]+ ms", "N ms").replaceAll("[0-9a-f]{64}", "HASH"))
                .isEqualTo("VERIFIED  si  " + BANK + "  200 txns  896 ops  N ms\n"
                        + "  certificate  " + run + "/certificate/ranks.parquet, version 3, 182 ranked\n"
                        + "  history      the same bytes, sha256 HASH\n"
                        + "  outcomes     all 182 committed transactions count, 0 of 0 indeterminate ones, no aborted"
                        + " one\n"
                        + "  sessions     5, each in its order\n"
                        + "  reads        508 reads return the last write before them; 0 of them their transaction's own\n"
                        + "  overlaps     none between writers of a key, 316 writes\n"
                        + "  real time    not part of the level\n");
        // The folder with one run and the path that it names; then the same history in other bytes.
        assertThat(verify(folder.resolve("out")).word()).isEqualTo("VERIFIED");
        String parquet = folder.resolve("bank.parquet").toString();
        assertThat(InProcess.run("convert", BANK, parquet).exitCode()).isZero();
        InProcess converted = verify(run, parquet);
        assertThat(converted.word()).isEqualTo("VERIFIED");
        assertThat(converted.out()).contains("history      other bytes with the same content, sha256");
    }

    @Test
    void everyExampleIsVerified() throws IOException {
        List<Path> examples;
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            examples = files.filter(file -> file.toString().endsWith(".jsonl"))
                    .sorted()
                    .toList();
        }
        int verified = 0;
        for (String level : List.of("ser", "si", "cc", "ra", "rc")) {
            for (Path example : examples) {
                String out = folder.resolve(level + example.getFileName()).toString();
                int code = InProcess.run("check", "-q", "-l", level, "-o", out, example.toString())
                        .exitCode();
                if (code == 0 || code == 3) {
                    InProcess answer = verify(out);
                    assertThat(answer.word())
                            .as("%s %s: %s", level, example, answer)
                            .isEqualTo("VERIFIED");
                    verified++;
                }
            }
        }
        assertThat(verified).isGreaterThan(25);
    }

    @Test
    void theEngineThatReplaysIsChosen() throws IOException {
        Path run = checked("si", BANK);
        assertThat(verify("--engine", "embedded", run).word()).isEqualTo("VERIFIED");
        InProcess master = verify("--master", "local[2]", run);
        assertThat(master.exitCode()).isEqualTo(2);
        assertThat(master.err()).startsWith("polygraph: --master is for --engine spark; the embedded engine has none");
        InProcess noMaster = verify("--engine", "spark", "--master", "localhost", run);
        assertThat(noMaster.exitCode()).isEqualTo(2);
        assertThat(noMaster.err()).startsWith("polygraph: found --master 'localhost'; expected local[*]");
    }

    /** A violation has no order to replay, so no session is started. With this master none could start. */
    @Test
    void sparkIsStartedForAnOrderOnly() throws IOException {
        String skew = EXAMPLES.resolve("write-skew.jsonl").toString();
        InProcess answer = verify("--engine", "spark", "--master", "spark://localhost:1", checked("ser", skew));
        assertThat(answer.word()).isEqualTo("VERIFIED");
    }

    @Test
    void withoutReplayNothingIsCalledVerified() throws IOException {
        Path run = checked("ser", BANK, "--no-verify");
        assertThat(Files.readString(run.resolve("verdict.json")))
                .contains("\"path\":\"certificate/ranks.parquet\",\"verified\":false}")
                .doesNotContain("\"replay\"");
        assertThat(verify(run).word()).isEqualTo("VERIFIED");
        // This is another question, which the unverified run does not answer.
        InProcess again = InProcess.run("check", "-q", "-l", "ser", "--json", "-o", folder + "/out", BANK);
        assertThat(again.out()).contains("\"verified\":true");
    }

    /** The value that a refused compare-and-set found may be unknown, and places are those of a key. */
    @Test
    void linearizabilityIsVerified() throws IOException {
        Path history = folder.resolve("refused.jsonl");
        Files.writeString(history, """
                {"session":0,"index":0,"start":0,"end":9,"status":"committed","ops":[{"op":"w","key":"x","value":5}]}
                {"session":1,"index":0,"start":0,"end":9,"status":"committed","ops":[{"op":"cas","key":"x","expected":7,"value":8,"ok":false}]}
                {"session":2,"index":0,"start":0,"end":9,"status":"committed","ops":[{"op":"r","key":"x","value":5}]}
                """);
        Path run = checked("lin", history.toString());
        InProcess verified = verify(run);
        assertThat(verified.word()).as("%s", verified).isEqualTo("VERIFIED");
        // The printed JSON follows the schema, also for a VIOLATION.
        Files.writeString(history, Files.readString(history).replace("\"expected\":7", "\"expected\":5,\"found\":6"));
        assertThat(InProcess.run("check", "-l", "lin", "--json", history.toString())
                        .exitCode())
                .isEqualTo(3);
    }

    /** The last read is stale, whether the read before it read from the first or from the last writer of its value. */
    @Test
    void choicesAreTriedAgain() throws IOException {
        String few = """
                {"session":0,"index":0,"status":"committed","ops":[{"op":"w","key":0,"value":1},{"op":"w","key":1,"value":8}]}
                {"session":0,"index":1,"status":"committed","ops":[{"op":"w","key":0,"value":1}]}
                {"session":0,"index":2,"status":"committed","ops":[{"op":"w","key":0,"value":1},{"op":"w","key":1,"value":9}]}
                {"session":0,"index":3,"status":"committed","ops":[{"op":"r","key":0,"value":1},{"op":"r","key":1,"value":null}]}
                """;
        Path history = folder.resolve("few.jsonl");
        Files.writeString(history, few);
        Path run = checked("rc", history.toString());
        assertThat(Files.readString(run.resolve("verdict.json")))
                .contains("\"certificate\":{\"kind\":\"choices\",\"path\":null,\"verified\":true,\"content\":\"");
        assertThat(verify(run).word()).isEqualTo("VERIFIED");
        Path changed = folder.resolve("changed.jsonl");
        Files.writeString(
                changed, few.replace("\"op\":\"r\",\"key\":0,\"value\":1", "\"op\":\"r\",\"key\":0,\"value\":7"));
        InProcess rejected = verify(run, changed);
        assertThat(rejected.exitCode()).isEqualTo(3);
        assertThat(rejected.out()).contains("the history is not the one that was checked");

        StringBuilder many = new StringBuilder(few);
        for (int s = 1; s < 80; s++) {
            many.append("{\"session\":").append(s).append(",\"index\":0,\"status\":\"committed\",\"ops\":[]}\n");
        }
        Path large = folder.resolve("many.jsonl");
        Files.writeString(large, many);
        String out = folder.resolve("large").toString();
        InProcess.run("check", "-l", "rc", "-q", "-o", out, large.toString());
        InProcess unknown = verify(out);
        assertThat(unknown.word()).as("%s", unknown).isEqualTo("UNKNOWN");
        assertThat(unknown.exitCode()).isEqualTo(4);
    }

    @Test
    void aChangedHistoryIsNamed() throws IOException {
        Path run = checked("ser", BANK);
        String text = Files.readString(Path.of(BANK));
        Path changed = folder.resolve("changed.jsonl");
        String other = text.replaceFirst("(\"op\":\"w\",\"key\":\"[^\"]*\",\"value\":)-?\\d+", "$1-77");
        assertThat(other.equals(text)).isFalse();
        Files.writeString(changed, other);
        InProcess answer = verify(run, changed);
        assertThat(answer.exitCode()).isEqualTo(3);
        assertThat(answer.out())
                .startsWith("REJECTED  ser  " + changed)
                .contains("the history is not the one that was checked: its content is sha256 ");
    }

    @Test
    void aWrongLevelIsNamed() throws IOException {
        Path run = checked("ser", BANK);
        Path verdict = run.resolve("verdict.json");
        Files.writeString(verdict, Files.readString(verdict).replace("\"level\":\"ser\"", "\"level\":\"si\""));
        InProcess answer = verify(run);
        assertThat(answer.exitCode()).isEqualTo(3);
        assertThat(answer.out()).contains("the verdict is for si, the certificate for ser");
    }

    @Test
    void aForeignCertificateIsNamed() throws IOException {
        Path run = checked("ser", BANK);
        Path certificate = run.resolve("certificate/ranks.parquet");
        String other = EXAMPLES.resolve("repeated-values.jsonl").toString();
        InProcess.run("check", "-q", "-l", "ser", "-o", folder + "/other", other);
        Files.copy(
                onlyRun("other").resolve("certificate/ranks.parquet"),
                certificate,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        InProcess answer = verify(run);
        assertThat(answer.exitCode()).isEqualTo(3);
        assertThat(answer.out())
                .contains("the history is not the one that was checked")
                .contains("first difference:");
        assertThat(InProcess.run("convert", "--overwrite", other, certificate.toString())
                        .exitCode())
                .isZero();
        answer = verify(run);
        assertThat(answer.exitCode()).isEqualTo(5);
        assertThat(answer.out()).startsWith("INVALID  ser  " + BANK);
        assertThat(answer.err()).contains("Parquet without the metadata entry \"certificate\"");
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        Path run = checked("ser", BANK);
        byte[] whole = Files.readAllBytes(run.resolve("certificate/ranks.parquet"));
        Files.write(run.resolve("certificate/ranks.parquet"), java.util.Arrays.copyOf(whole, whole.length - 9));
        assertThat(verify(run).exitCode()).isEqualTo(5);
        assertThat(verify(run).err()).contains("ranks.parquet: found Parquet that cannot be read");
        Files.delete(run.resolve("certificate/ranks.parquet"));
        assertThat(verify(run).exitCode()).isEqualTo(5);
        assertThat(verify(run).err()).contains("found no certificate; expected a certificate, version 3");
        assertThat(verify(run, folder.resolve("nowhere")).exitCode()).isEqualTo(6);
        assertThat(verify(run, folder.resolve("nowhere")).err()).contains("nowhere: no such file or folder");
        assertThat(verify(folder.resolve("nowhere")).exitCode()).isEqualTo(6);
        assertThat(verify(folder).err()).contains("found no run, but runs in the folder");
        assertThat(verify(folder).exitCode()).isEqualTo(5);
        assertThat(verify(BANK).err()).contains("found a file; expected the folder run=<id>");
        for (String json : List.of("", "[", "{}", "{\"verdict\":\"PASS\"", "{\"verdict\":7,\"level\":{}}", "\0")) {
            Files.writeString(run.resolve("verdict.json"), json);
            assertThat(verify(run).exitCode()).as(json).isEqualTo(5);
            assertThat(verify(run).err())
                    .contains("expected the verdict of a run")
                    .doesNotContain("\tat ");
        }
        assertThat(verify().exitCode()).isEqualTo(2);
    }

    @Test
    void severalRunsAreVerifiedOneByOne() throws IOException {
        checked("ser", BANK);
        checked("si", BANK);
        InProcess all = verify(folder.resolve("out"));
        assertThat(all.exitCode()).as(all.toString()).isZero();
        assertThat(all.out()).contains("VERIFIED  ser").contains("VERIFIED  si");
        InProcess byName = verify(folder.resolve("out/bank-serializable.jsonl"));
        assertThat(byName.out()).contains("VERIFIED  ser").contains("VERIFIED  si");
        InProcess answer = verify(folder.resolve("out"), BANK);
        assertThat(answer.exitCode()).isEqualTo(5);
        assertThat(answer.err()).contains("found 2 runs, such as run=").contains("give one of them");
    }

    @Test
    void aSubHistoryFromElsewhereIsNamed() throws IOException {
        String skew = EXAMPLES.resolve("write-skew.jsonl").toString();
        Path run = checked("ser", skew);
        Path part = run.resolve("violations/000/history.jsonl");
        String text = Files.readString(part);
        for (String[] each : new String[][] {
            {text.replace("\"session\":1", "\"session\":8"), "(session 8, index 0) is not in the history"},
            {text.replace("\"value\":0", "\"value\":4"), "has no w(\"alice\")=4 in the history"},
            {text.replace("committed", "aborted"), "is committed in the history, aborted in the sub-history"},
            {text.lines().limit(2).reduce("", (a, b) -> a + b + "\n"), "of 1 transactions keeps ser"}
        }) {
            Files.writeString(part, each[0]);
            InProcess answer = verify(run);
            assertThat(answer.exitCode()).as(answer.toString()).isEqualTo(3);
            assertThat(answer.out()).contains("violation 000: ").contains(each[1]);
        }
        Files.writeString(part, "{");
        assertThat(verify(run).exitCode()).isEqualTo(5);
        Files.delete(part);
        assertThat(verify(run).err()).contains("found no sub-history");
    }

    @Test
    void standardInputIsReadAgain() throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of(BANK));
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream(bytes));
            Path run = checked("ser", "-");
            assertThat(verify(run).err()).contains("found a run of standard input; expected the name of the history");
            System.setIn(new ByteArrayInputStream(bytes));
            InProcess again = verify(run, "-");
            assertThat(again.exitCode()).as(again.toString()).isZero();
            assertThat(again.out()).contains("the same bytes");
            assertThat(verify(run, BANK).out()).contains("the same bytes");
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void aRunIsWholeAndFoundAgain() throws IOException {
        Path run = checked("ser", BANK);
        for (String left : List.of(".verdict.json.1f.tmp", "certificate/.ranks.parquet.1f.tmp")) {
            Path file = Files.writeString(run.resolve(left), "half");
            Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(2, ChronoUnit.HOURS)));
        }
        Files.delete(run.resolve("_SUCCESS"));
        byte[] before = Files.readAllBytes(run.resolve("certificate/ranks.parquet"));
        assertThat(checked("ser", BANK, "--resume")).isEqualTo(run);
        try (Stream<Path> files = Files.walk(run)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> run.relativize(file).toString()))
                    .containsExactlyInAnyOrder(
                            "_SUCCESS",
                            "certificate/ranks.parquet",
                            "junit.xml",
                            "metrics.json",
                            "report.html",
                            "seam/chain.txt",
                            "verdict.json",
                            "violations.jsonl");
        }
        assertThat(Files.readAllBytes(run.resolve("certificate/ranks.parquet"))).isEqualTo(before);
        Files.writeString(run.resolve("metrics.json"), "kept");
        checked("ser", BANK);
        assertThat(run.resolve("metrics.json")).hasContent("kept");
        checked("ser", BANK, "--overwrite");
        assertThat(Files.readString(run.resolve("metrics.json"))).startsWith("{\"schema\":1");
    }

    /** A few of each kind; with the tag full, all of them. */
    @Test
    void histories() throws IOException {
        corpus(List.of(
                "cobra/chengRW-8000",
                "cobra/twitter-10k",
                "dbcop/RH-10k/history.bincode.gz",
                "plume/galera.txt",
                "real/pg-rr-mt-small.jsonl.gz",
                "real/pg-ser-mt-small.jsonl.gz",
                "real/maria-rr-mt-small.jsonl.gz"));
    }

    @Test
    @Tag("full")
    void allHistories() throws IOException {
        Path root = corpus();
        List<String> names = new ArrayList<>();
        for (String set : List.of("real", "cobra", "plume", "dbcop")) {
            try (Stream<Path> files = Files.list(root.resolve(set))) {
                files.filter(file -> !file.endsWith("known") && !file.toString().endsWith("csv"))
                        .map(file -> set.equals("dbcop") ? file.resolve("history.bincode.gz") : file)
                        .sorted()
                        .forEach(file -> names.add(root.relativize(file).toString()));
            }
        }
        try (Stream<Path> files = Files.list(root.resolve("dbcop/known"))) {
            files.filter(file -> file.toString().endsWith(".gz"))
                    .sorted()
                    .forEach(file -> names.add(root.relativize(file).toString()));
        }
        corpus(names);
    }

    private static Path corpus() {
        Path root = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(root != null, "skipped: no corpus at ../shared/corpus");
        return root;
    }

    private void corpus(List<String> names) throws IOException {
        Path root = corpus();
        int passes = 0;
        int violations = 0;
        int undecided = 0;
        for (String name : names) {
            Path path = root.resolve(name);
            if (!Files.exists(path)) {
                continue;
            }
            for (String level : List.of("ser", "si", "cc", "ra", "rc")) {
                String out = folder.resolve("corpus/" + level + "/" + name).toString();
                int code = InProcess.run("check", "-q", "-l", level, "--timeout", "2m", "-o", out, path.toString())
                        .exitCode();
                if (code != 0 && code != 3) {
                    continue;
                }
                InProcess answer = verify(out);
                if (code == 0) {
                    assertThat(answer.word())
                            .as("%s %s: %s", level, name, answer)
                            .isEqualTo("VERIFIED");
                    passes++;
                } else {
                    // A sub-history of many transactions is too large to try every execution.
                    assertThat(answer.word())
                            .as("%s %s: %s", level, name, answer)
                            .isIn("VERIFIED", "UNKNOWN");
                    violations += answer.word().equals("VERIFIED") ? 1 : 0;
                    undecided += answer.word().equals("VERIFIED") ? 0 : 1;
                }
            }
        }
        System.out.println(names.size() + " histories: " + passes + " passes and " + violations
                + " violations verified, " + undecided + " violations whose sub-history is too large");
        assertThat(passes).isPositive();
    }
}
