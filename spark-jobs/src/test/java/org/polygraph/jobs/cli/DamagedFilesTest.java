package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.ReaderFuzzTest;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Damaged runs: every command ends soon, with a documented exit code and without a stack trace. */
class DamagedFilesTest {
    private static final long SEED = 0xda3a;

    @TempDir
    private Path folder;

    private final Map<String, Integer> outcomes = new TreeMap<>();

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
    void runs() throws IOException {
        Path out = folder.resolve("out");
        Path history = Files.write(folder.resolve("pass.jsonl"), example("bank-serializable.jsonl"));
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
        int rounds = SuiteScale.of(500);
        for (int i = 0; i < rounds; i++) {
            long seed = SplitMix.seedOf(SEED, i);
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
        System.out.println(rounds + " damaged runs, seed " + SEED + ": " + outcomes);
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
