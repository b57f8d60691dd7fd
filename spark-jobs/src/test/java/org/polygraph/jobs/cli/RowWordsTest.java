package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** Rows that are deleted twice, and conditions that two writes satisfy, are no values that repeat. */
    @Test
    void valuesAreUniqueIfOnlyRowsComeAndGo() throws Exception {
        String query = "{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[]}";
        for (int again : new int[] {6, 5}) {
            String delete = "{\"op\":\"d\",\"key\":1}";
            String insert = "{\"op\":\"i\",\"key\":1,\"value\":%d}";
            String lines = transaction(0, 0, insert.formatted(5), QUERY.replace(",[2,5]", ""))
                    + transaction(0, 1, delete, query)
                    + transaction(0, 2, insert.formatted(again), QUERY.replace("[1,5],[2,5]", "[1," + again + "]"))
                    + transaction(0, 3, delete, query);
            Path file = Files.writeString(folder.resolve("rows" + again + ".jsonl"), lines);
            assertThat(InProcess.run("check", "--json", "-l", "ser", file.toString())
                            .out())
                    .contains("\"unique_values\":" + (again == 6));
        }
    }

    /** A delete of unknown rows does not make two rows of one key. */
    @Test
    void aRepeatedRowIsVerifiedWhateverRowsAnotherWriteHas() throws Exception {
        String lines = """
                {"session":0,"index":0,"status":"committed","ops":[{"op":"i","key":1,"value":5},{"op":"i","key":2,"value":7}]}
                {"session":2,"index":0,"status":"%s","ops":[{"op":"pr","lo":1,"hi":9,"rows":[[1,5],[1,6],[2,7]]}]}
                {"session":3,"index":0,"status":"committed","ops":[{"op":"pd","lo":7,"hi":8},{"op":"pd","lo":1,"hi":20}]}
                """;
        for (String level : List.of("ser", "si", "rc")) {
            Path file = Files.writeString(folder.resolve(level + ".jsonl"), String.format(lines, "committed"));
            String runs = folder.resolve(level).toString();
            assertThat(InProcess.run("check", "-l", level, "-o", runs, file.toString())
                            .out())
                    .contains("DuplicateRow");
            assertThat(InProcess.run("verify", runs).out())
                    .startsWith("VERIFIED")
                    .contains("s2#0 has two rows of one key in one result");
            // The outcome decides whether the result counts.
            Files.writeString(file, String.format(lines, "indeterminate"));
            assertThat(InProcess.run("verify", runs, file.toString()).word()).isNotEqualTo("VERIFIED");
        }
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

    /** A query is shown with the rows that it returned or had to return, but not with every row that it lacks. */
    @Test
    void aQueryIsShownWithTheRowsThatItHadToReturn() throws Exception {
        Path run = violation(BOTH
                + transaction(1, "{\"op\":\"i\",\"key\":3,\"value\":6}", "{\"op\":\"i\",\"key\":4,\"value\":70}")
                + transaction(2, QUERY, "{\"op\":\"r\",\"key\":4,\"value\":70}")
                + transaction(3, 0, "{\"op\":\"i\",\"key\":6,\"value\":4}", "{\"op\":\"i\",\"key\":7,\"value\":70}")
                + transaction(3, 1, "{\"op\":\"d\",\"key\":6}", "{\"op\":\"i\",\"key\":8,\"value\":70}"));
        String expected = "pr(between 1 and 9) of T2 had to return [1=5, 2=5, 3=6], or what later versions give";
        assertThat(Files.readString(run.resolve("violations/000/explain.txt")))
                .contains("Phantom (G-single, P3, A3, phantom)")
                .contains("pr(between 1 and 9)=[1=5, 2=5]\n          after T1 it returns [1=5, 2=5, 3=6]\n")
                .contains("          found no row 3 between 1 and 9  r(4)=70\n")
                .contains(expected);
        assertThat(Files.readString(run.resolve("report.html")))
                .contains("pr(between 1 and 9)=[1=5, 2=5]", "after s1#0 it returns [1=5, 2=5, 3=6]")
                .contains(expected.replace("T2", "s2#0"))
                .doesNotContain("found no row 6 between");
        // The sub-history has the query, too.
        String part = run.resolve("violations/000/history.jsonl").toString();
        assertThat(Files.readString(Path.of(part)))
                .contains("{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[]}")
                .doesNotContain("between 1 and 9");
        assertThat(InProcess.run("check", "-q", "-l", "ser", part).out()).contains("VIOLATION", "Phantom");
        assertThat(InProcess.run("verify", run.toString()).word()).isEqualTo("VERIFIED");
    }

    /** Each of three transactions ends a match, and the row begins to match twice. No single cycle shows that. */
    @Test
    void moreEndsOfAMatchThanBeginningsAreALostUpdate() throws Exception {
        String other = "{\"op\":\"r\",\"key\":9,\"value\":null}";
        String header = "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":null,\"state\":[[1,5]]}}\n";
        String write = "{\"op\":\"pw\",\"lo\":1,\"hi\":9,\"value\":%d,\"keys\":[1]}";
        String history =
                header + transaction(0, write.formatted(60), other) + transaction(1, write.formatted(70), other);
        String again = "{\"op\":\"w\",\"key\":1,\"value\":6}";
        Path file = Files.writeString(
                folder.resolve("lost.jsonl"),
                history + transaction(2, again, other) + transaction(3, write.formatted(80), other));
        for (String level : new String[] {"ser", "si"}) {
            InProcess check = InProcess.run("check", "-l", level, file.toString());
            assertThat(check.word()).as(check.toString()).isEqualTo("VIOLATION");
            assertThat(check.out())
                    .contains("LostUpdate (P4, G-single, lost update)")
                    .contains(
                            "3 transactions found \"row 1 between 1 and 9\" and changed it so that it does not match, but"
                                    + " it began to match at most 2 times")
                    .contains("if s0#0 before s1#0: T2 --RW--> T4");
        }
        String twice = history + transaction(2, again, other) + transaction(4, again.replace("6", "7"), other);
        Files.writeString(file, twice + transaction(3, write.formatted(80), other));
        assertThat(InProcess.run("check", "-l", "ser,si", file.toString()).exitCode())
                .isZero();
    }

    @Test
    void aRowThatWasDeletedIsNotFound() throws Exception {
        String delete = "{\"op\":\"d\",\"key\":1}";
        Path run = violation("{\"format\":\"history\",\"version\":1,\"initial\":{\"state\":[[1,5],[2,5]]}}\n"
                + transaction(1, delete, "{\"op\":\"w\",\"key\":2,\"value\":8}")
                + transaction(2, "{\"op\":\"r\",\"key\":1,\"value\":null}", "{\"op\":\"r\",\"key\":2,\"value\":5}"));
        assertThat(Files.readString(run.resolve("violations/000/explain.txt")))
                .contains(
                        "key 1: T2 found no row, because T1 had deleted it",
                        "key 1: 5 (initial) -> no row (T1; read by T2)")
                .doesNotContain("read null");
    }

    @Test
    void aRowThatWasNotFoundIsInsertedLater() throws Exception {
        String none = "{\"op\":\"r\",\"key\":%d,\"value\":null}";
        Path run = violation(transaction(1, none.formatted(2), "{\"op\":\"i\",\"key\":1,\"value\":6}")
                + transaction(2, none.formatted(1), "{\"op\":\"i\",\"key\":2,\"value\":7}"));
        assertThat(Files.readString(run.resolve("violations/000/explain.txt")))
                .contains("T1 found no row with key 2, which T2 inserted")
                .contains("key 2: T1 found no row, and later T2 inserted the row with 7")
                .contains("key 2: no row (initial; read by T1) -> 7 (T2)")
                .doesNotContain("read null");
    }

    @Test
    void aQueryThatContradictsItsOwnTransactionSaysWhatMatched() throws Exception {
        String query = "{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[]}";
        Path missed = violation(transaction(1, "{\"op\":\"i\",\"key\":1,\"value\":5}", query));
        assertThat(Files.readString(missed.resolve("violations/000/explain.txt")))
                .contains("T1 found no row 1 between 1 and 9, which matched after its own write.")
                .doesNotContain("write of yes");
    }

    /** A row that each version of matches cannot be missing. It is no value that an earlier part wrote. */
    @Test
    void aRowThatIsMissingInEveryOrderIsNoValueOfAnEarlierPart() throws Exception {
        String path = Files.writeString(
                        folder.resolve("missing.jsonl"),
                        "{\"format\":\"history\",\"version\":1,\"initial\":{\"state\":[[1,5]]}}\n"
                                + transaction(
                                        1,
                                        "{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[]}",
                                        "{\"op\":\"r\",\"key\":1,\"value\":5}"))
                .toString();
        InProcess check = InProcess.run("check", "-l", "ser", path);
        assertThat(check.word()).as(check.toString()).isEqualTo("VIOLATION");
        assertThat(check.err()).as(check.toString()).doesNotContain("cut out of a longer one", "read no");
    }

    private static String transaction(int session, String first, String second) {
        return transaction(session, 0, first, second);
    }

    private static String transaction(int session, int index, String first, String second) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"committed\",\"ops\":[" + first + ","
                + second + "]}\n";
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
