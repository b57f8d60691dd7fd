package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Evidence says that rows were inserted and deleted, and it names what queries and reads of keys missed. */
class RowWordsTest {
    private static final String BOTH =
            "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"i\",\"key\":1,\"value\":5},{\"op\":\"i\",\"key\":2,\"value\":5}]}\n";
    private static final String QUERY = "{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[[1,5],[2,5]]}";

    @TempDir
    private Path folder;

    @Test
    void rowsOfAResultThatOthersDeleteAreAPredicateWriteSkew() throws Exception {
        Path run = violation(BOTH
                + transaction(1, QUERY, "{\"op\":\"d\",\"key\":1}")
                + transaction(2, QUERY, "{\"op\":\"d\",\"key\":2}"));
        assertThat(Files.readString(run.resolve("verdict.json")))
                .contains("\"aliases\":[\"G2\",\"A5B\",\"write skew\",\"predicate write skew\"]")
                .doesNotContain("G2-item");
        assertThat(Files.readString(run.resolve("violations/000/explain.txt")))
                .contains("key 2: T1 read 5, which T2 deleted", "predicate write skew", "d(1)")
                .doesNotContain("with null", "d(1)=null", "G2-item");
        assertThat(Files.readString(run.resolve("report.html")))
                .contains("key 2: s1#0 read 5, which s2#0 deleted", "predicate write skew", "d(1)")
                .doesNotContain("with null", "d(1)=null", "G2-item");
    }

    @Test
    void aReadOfARowThatOthersDeleteIsAnItem() throws Exception {
        String read = "{\"op\":\"r\",\"key\":%d,\"value\":5}";
        Path run = violation(BOTH
                + transaction(1, read.formatted(2), "{\"op\":\"d\",\"key\":1}")
                + transaction(2, read.formatted(1), "{\"op\":\"d\",\"key\":2}"));
        assertThat(Files.readString(run.resolve("verdict.json")))
                .contains("\"aliases\":[\"G2-item\",\"A5B\",\"write skew\"]");
    }

    @Test
    void aRowThatWasNotFoundIsInsertedLater() throws Exception {
        String none = "{\"op\":\"r\",\"key\":%d,\"value\":null}";
        Path run = violation(transaction(1, none.formatted(2), "{\"op\":\"i\",\"key\":1,\"value\":6}")
                + transaction(2, none.formatted(1), "{\"op\":\"i\",\"key\":2,\"value\":7}"));
        assertThat(Files.readString(run.resolve("violations/000/explain.txt")))
                .contains("key 2: T1 read null, and later T2 inserted the row with 7");
    }

    private static String transaction(int session, String first, String second) {
        return "{\"session\":" + session + ",\"index\":0,\"status\":\"committed\",\"ops\":[" + first + "," + second
                + "]}\n";
    }

    private Path violation(String history) throws IOException {
        Path file = Files.writeString(folder.resolve("h.jsonl"), history);
        Path out = folder.resolve("out");
        InProcess run = InProcess.run("check", "-q", "-l", "ser", "--out", out.toString(), file.toString());
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(3);
        try (Stream<Path> runs = Files.list(out)) {
            return runs.filter(Files::isDirectory).findFirst().orElseThrow();
        }
    }
}
