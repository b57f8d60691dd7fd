package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.testkit.OracleCorpus;

/** Runs of the corpus verify, as {@code ExamplesTest} shows of examples; the files verify-*.case have what does not. */
class VerifyTest {
    @TempDir
    private Path folder;

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
            for (String level : List.of("ser", "si", "pc", "cc", "ra", "rc", "pl2")) {
                String out = folder.resolve("corpus/" + level + "/" + name).toString();
                int code = InProcess.run("check", "-q", "-l", level, "--timeout", "2m", "-o", out, path.toString())
                        .exitCode();
                if (code != 0 && code != 3) {
                    continue;
                }
                InProcess answer = InProcess.run("verify", "-q", out);
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
