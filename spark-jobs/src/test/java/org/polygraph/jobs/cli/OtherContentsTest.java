package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code verify} compares what was recorded, at every level and for every kind of evidence. */
class OtherContentsTest {
    private static final String LIST = """
            {"session":0,"index":0,"status":"committed","ops":[{"op":"append","key":1,"value":5}]}
            {"session":1,"index":0,"status":"committed","ops":[{"op":"r","key":1,"value":[5]}]}
            """;
    /** The reads and writes of single values that stand for the operations of {@link #LIST}. */
    private static final String REGISTER = """
            {"session":0,"index":0,"status":"committed","ops":[{"op":"r","key":1,"value":null},{"op":"w","key":1,"value":"[.. 5]"}]}
            {"session":1,"index":0,"status":"committed","ops":[{"op":"r","key":1,"value":"[.. 5]"}]}
            """;

    private static final String ROWS = """
            {"session":0,"index":0,"status":"committed","ops":[{"op":"i","key":1,"value":5},{"op":"r","key":2,"value":null}]}
            {"session":1,"index":0,"status":"committed","ops":[{"op":"pr","lo":1,"hi":9,"rows":[[1,5]]},{"op":"d","key":1}]}
            """;

    private static final String SKEW = """
            {"session":0,"index":0,"status":"committed","ops":[{"op":"r","key":"x","value":null},{"op":"w","key":"y","value":1}]}
            {"session":1,"index":0,"status":"committed","ops":[{"op":"r","key":"y","value":null},{"op":"w","key":"x","value":1}]}
            """;

    @TempDir
    private Path folder;

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    /** Checks a history at a level; returns the folder of its run. */
    private String run(String path, String level, int exitCode) {
        String out = folder.resolve("runs-" + level).toString();
        InProcess check = InProcess.run("check", "-q", "-l", level, "--overwrite", "-o", out, path);
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(exitCode);
        return out;
    }

    private static void rejected(String run, String path) {
        InProcess verify = InProcess.run("verify", run, path);
        assertThat(verify.exitCode()).as(verify.toString()).isEqualTo(3);
        assertThat(verify.out()).contains("the history is not the one that was checked");
    }

    private static void verified(String run, String path) {
        InProcess verify = InProcess.run("verify", run, path);
        assertThat(verify.exitCode()).as(verify.toString()).isEqualTo(0);
        assertThat(verify.out()).containsPattern("the same (content|bytes)").doesNotContain("differ");
    }

    @Test
    void aHistoryOfListsIsNoHistoryOfRegisters() throws IOException {
        String lists = file("lists.jsonl", LIST);
        String registers = file("registers.jsonl", REGISTER);
        String shuffled = file(
                "shuffled.jsonl",
                String.join(
                        "\n",
                        LIST.lines().toList().get(1),
                        LIST.lines().toList().get(0)));
        for (String level : List.of("ser", "si", "rc")) {
            String run = run(lists, level, 0);
            rejected(run, registers);
            verified(run, shuffled);
        }
    }

    @Test
    void insertsAndRowsOfResultsAreCompared() throws IOException {
        String rows = file("rows.jsonl", ROWS);
        InProcess convert = InProcess.run(
                "convert", "-q", rows, folder.resolve("rows.parquet").toString());
        assertThat(convert.exitCode()).as(convert.toString()).isEqualTo(0);
        String run = run(rows, "ser", 0);
        verified(run, folder.resolve("rows.parquet").toString());
        rejected(run, file("write.jsonl", ROWS.replace("\"op\":\"i\"", "\"op\":\"w\"")));
        rejected(run, file("bounds.jsonl", ROWS.replace("\"hi\":9", "\"hi\":8")));
    }

    /** At rc an insert is judged like a write, and a refused compare-and-set does not matter. */
    @Test
    void whatTheLevelDoesNotJudgeIsComparedToo() throws IOException {
        String rows = file("rows.jsonl", ROWS.replace("{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[[1,5]]},", ""));
        rejected(
                run(rows, "rc", 0),
                file("write.jsonl", Files.readString(Path.of(rows)).replace("\"op\":\"i\"", "\"op\":\"w\"")));
        String refused = "{\"op\":\"cas\",\"key\":1,\"expected\":7,\"ok\":false}";
        String line = "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[" + refused
                + ",{\"op\":\"w\",\"key\":1,\"value\":5}]}\n";
        String cas = file("cas.jsonl", line);
        String run = run(cas, "ser", 0);
        verified(run, cas);
        rejected(run, file("other-cas.jsonl", line.replace("7", "8")));
        rejected(run, file("no-cas.jsonl", line.replace(refused + ",", "")));
    }

    /** Another history may have the same violation, but the answer says that it is another history. */
    @Test
    void aViolationInOtherContentsIsNamed() throws IOException {
        String skew = file("skew.jsonl", SKEW);
        String run = run(skew, "ser", 3);
        verified(run, skew);
        String longer = file(
                "longer.jsonl",
                SKEW
                        + "{\"session\":2,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":\"z\",\"value\":1}]}\n");
        InProcess verify = InProcess.run("verify", run, longer);
        assertThat(verify.exitCode()).as(verify.toString()).isEqualTo(0);
        assertThat(verify.out())
                .startsWith("VERIFIED")
                .contains("the contents of the history differ from those that were checked");
    }
}
