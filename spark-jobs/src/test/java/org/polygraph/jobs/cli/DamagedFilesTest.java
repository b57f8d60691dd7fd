package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.ReaderFuzzTest;
import org.polygraph.storage.format.TestFiles;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Damaged histories of every format and damaged runs: every command ends soon, with a documented exit code and without
 * a stack trace, and allocates little memory.
 */
class DamagedFilesTest {
    private static final long SEED = 0xda3a;
    private static final List<String> LEVELS =
            List.of("ser", "si", "sser", "pc", "cc", "ra", "rc", "pl2", "lin", "all");
    private static final String COBRA = "cobra/T1.log";

    @TempDir
    private Path folder;

    private final Map<String, Integer> outcomes = new TreeMap<>();

    /** The undamaged histories, by file name. */
    private final Map<String, byte[]> valid = new LinkedHashMap<>();

    @BeforeEach
    void makeHistories() throws IOException {
        String source = path("h.jsonl");
        ok("generate", "-q", "--transactions", "12", "--sessions", "3", "--keys", "4", "-o", source);
        for (String name : List.of("h.parquet", "h.arrow", "h.jsonl.gz", "h.jsonl.zst")) {
            ok("convert", "-q", source, path(name));
            valid.put(name, Files.readAllBytes(folder.resolve(name)));
        }
        valid.put("h.jsonl", Files.readAllBytes(folder.resolve("h.jsonl")));
        valid.put("rows.jsonl", example("rows-reinserted.jsonl"));
        List<String> conditions = List.of("--predicates", "0.5", "--selectivity", "3", "--deletes", "0.3");
        for (String name : List.of("where.jsonl", "where.parquet")) {
            List<String> words = new ArrayList<>(List.of("generate", "-q", "--transactions", "9", "--keys", "6"));
            words.addAll(conditions);
            words.addAll(List.of("-o", path(name)));
            ok(words.toArray(String[]::new));
            valid.put(name, Files.readAllBytes(folder.resolve(name)));
        }
        valid.put("bank.jsonl", example("bank-serializable.jsonl"));
        valid.put("lists.edn", example("jepsen-list-append.edn"));
        valid.put(
                "calls.json",
                TestFiles.utf8(
                        "[{\"type\":\"ok\",\"process\":0,\"f\":\"txn\",\"value\":[[\"append\",1,2],[\"r\",1,[2]]]}]"));
        valid.put("lines.edn", TestFiles.utf8(TestFiles.CALLS));
        valid.put("h.bincode", TestFiles.dbcop());
        valid.put("h.bincode.gz", TestFiles.gzip(valid.get("h.bincode")));
        valid.put("h.txt", TestFiles.utf8("w(1,1,0,0)\nw(2,1,0,0)\nr(1,1,1,1)\nr(2,0,1,1)\nw(1,2,2,2)\nr(1,2,2,3)\n"));
        Files.createDirectories(folder.resolve("cobra"));
        Files.write(folder.resolve("cobra/T0.log"), TestFiles.cobraLog(8));
        valid.put(COBRA, TestFiles.cobraLog(7));
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private static byte[] example(String name) throws IOException {
        return Files.readAllBytes(Command.ROOT.resolve("spark-jobs/examples").resolve(name));
    }

    private static void ok(String... words) {
        InProcess run = InProcess.run(words);
        assertThat(run.exitCode()).as(run.toString()).isZero();
    }

    @Test
    void histories() throws IOException {
        List<String> names = List.copyOf(valid.keySet());
        int rounds = SuiteScale.of(2_000);
        for (int i = 0; i < rounds; i++) {
            long seed = SplitMix.seedOf(SEED, i);
            Random random = new Random(seed);
            String name = names.get(i % names.size());
            byte[] damaged = ReaderFuzzTest.damaged(valid.get(name), random);
            Files.write(folder.resolve(name), damaged);
            String given = name.equals(COBRA) ? path("cobra") : path(name);
            String level = LEVELS.get(random.nextInt(LEVELS.size()));
            Path converted = folder.resolve("converted.jsonl");
            List<String> words =
                    switch (random.nextInt(8)) {
                        case 0 -> List.of("stats", given);
                        case 1 -> List.of("lint", given);
                        case 2 -> List.of("estimate", given);
                        case 3 -> List.of("convert", "-q", given, converted.toString());
                        case 4 -> List.of("explain", "-q", "-l", level, "--memory", "256m", given);
                        default -> List.of("check", "-q", "--json", "-l", level, "--memory", "256m", given);
                    };
            InProcess run = run(words, "seed " + seed + ": " + words, 0, 3, 5);
            assertThat(Files.exists(converted))
                    .as(words + " " + run)
                    .isEqualTo(words.get(0).equals("convert") && run.exitCode() == 0);
            Files.deleteIfExists(converted);
        }
        System.out.println(rounds + " damaged histories, seed " + SEED + ": " + outcomes);
        assertThat(outcomes.keySet()).contains("check 3", "check 5", "convert 5");
    }

    @Test
    void runs() throws IOException {
        Path out = folder.resolve("out");
        Path history = Files.write(folder.resolve("pass.jsonl"), valid.get("bank.jsonl"));
        Path skewed = Files.write(folder.resolve("skew.jsonl"), example("write-skew.jsonl"));
        String check = "check -q -l ser,si -o " + out + " " + history + " " + skewed;
        ok((check + " --on-violation succeed").split(" "));
        List<Path> files;
        try (Stream<Path> found = Files.walk(out)) {
            files = found.filter(Files::isRegularFile)
                    .filter(file -> file.getParent().getParent() != null
                            && !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        }
        int rounds = SuiteScale.of(1_000);
        for (int i = 0; i < rounds; i++) {
            long seed = SplitMix.seedOf(SEED + 1, i);
            Random random = new Random(seed);
            Path file = files.get(i % files.size());
            byte[] intact = Files.readAllBytes(file);
            byte[] damaged = intact.length == 0 ? new byte[] {1} : ReaderFuzzTest.damaged(intact, random);
            if (random.nextInt(20) == 0) {
                Files.delete(file);
            } else {
                Files.write(file, damaged);
            }
            String given =
                    random.nextInt(4) == 0 ? out.toString() : file.getParent().toString();
            while (!given.equals(out.toString())
                    && !Path.of(given).getFileName().toString().startsWith("run=")) {
                given = Path.of(given).getParent().toString();
            }
            String page = path("page.html");
            List<String> words = new ArrayList<>(
                    switch (random.nextInt(5)) {
                        case 0 -> List.of("explain", "-q", given);
                        case 1 -> List.of("report", "-o", page, given);
                        case 2 -> List.of("runs", out.toString());
                        case 3 -> List.of(check.split(" "));
                        default -> List.of("verify", given);
                    });
            // Exit code 4: evidence is missing. 6: the verdict, or the path in it, is damaged, which is a failure of
            // the storage.
            run(words, "seed " + seed + ", " + file + ": " + words, 0, 3, 4, 5, 6);
            Files.createDirectories(file.getParent());
            Files.write(file, intact);
        }
        System.out.println(rounds + " damaged runs, seed " + (SEED + 1) + ": " + outcomes);
        assertThat(outcomes.keySet()).contains("verify 0", "verify 5");
    }

    private InProcess run(List<String> words, String what, Integer... codes) {
        InProcess run =
                assertTimeoutPreemptively(Duration.ofSeconds(30), () -> InProcess.run(words), () -> "hangs: " + what);
        String at = what + "\n" + run;
        assertThat(run.exitCode()).as(at).isIn(codes);
        assertThat(run.out() + run.err())
                .as(at)
                .doesNotContain("\tat ", "internal error", "Exception", "memory ran out", "--memory more");
        outcomes.merge(words.get(0) + " " + run.exitCode(), 1, Integer::sum);
        return run;
    }
}
