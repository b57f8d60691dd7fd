package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** {@code record} with H2 in this process. */
class RecordTest {
    @TempDir
    private Path folder;

    private HistoryTable read(Path file) throws Exception {
        return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
    }

    private static int count(HistoryTable table, TransactionStatus status) {
        int n = 0;
        for (int t = 0; t < table.transactions(); t++) {
            n += table.status(t) == status ? 1 : 0;
        }
        return n;
    }

    @ParameterizedTest
    @CsvSource({
        "mini, serializable, si",
        "registers, snapshot, si",
        "append, serializable, si",
        "rows, serializable, si",
        "rows, snapshot, si",
        "bank, serializable, si",
        "mini, read-committed, rc",
        "registers, read-committed, rc",
        "bank, repeatable-read, rc"
    })
    void h2KeepsWhatItsManualPromises(String workload, String isolation, String level) throws Exception {
        Path file = folder.resolve("run.jsonl");
        InProcess run = InProcess.of("record -w " + workload + " --isolation " + isolation
                + " --transactions 300 --sessions 4 --aborted 0.05 --check -o " + file);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("300 txns", ": requested", "PASS  " + level + "  " + file);
        assertThat(run.err()).contains("level " + level + ", because the manual (https://www.h2database.com/");
        HistoryTable table = read(file);
        assertThat(table.transactions()).isEqualTo(300);
        assertThat(table.sessions()).isEqualTo(4);
        assertThat(run.out())
                .contains(count(table, TransactionStatus.COMMITTED) + " committed  "
                        + count(table, TransactionStatus.ABORTED) + " aborted  0 unknown");
        assertThat(table.metadata())
                .containsEntry("isolation", "\"" + isolation + "\"")
                .containsEntry("workload", "\"" + workload + "\"");
        assertThat(table.metadata().get("database")).startsWith("\"H2 ");
        // The header states the level.
        InProcess check = InProcess.run("check", file.toString());
        assertThat(check.out()).startsWith("PASS  " + level + "  ");
        assertThat(check.err()).contains("because the header states level " + level + " for isolation " + isolation);
    }

    /** Their drivers are downloaded. Derby finds a deadlock by a timeout of a second, so there are few. */
    @ParameterizedTest
    @Tag("process")
    @CsvSource({
        "hsqldb:mem:kept, mini, serializable, ser",
        "hsqldb:mem:kept, mini, read-committed, rc",
        "derby:memory:kept;create=true, mini, serializable, ser",
        "derby:memory:kept;create=true, mini, read-committed, rc",
        "sqlite:, registers, serializable, ser",
        "sqlite:, append, serializable, ser",
        "sqlite:, rows, serializable, ser",
        "hsqldb:mem:kept, rows, serializable, ser",
        "derby:memory:kept;create=true, rows, serializable, ser",
        "duckdb:, registers, repeatable-read, si",
        "duckdb:, bank, repeatable-read, si"
    })
    void embeddedDatabasesKeepWhatTheirManualsPromise(String url, String workload, String isolation, String level)
            throws Exception {
        Path file = folder.resolve("run.jsonl");
        InProcess run = InProcess.run(
                "record",
                "--url",
                "jdbc:" + url + (url.endsWith(":") ? folder.resolve("database") : ""),
                "-w",
                workload,
                "--isolation",
                isolation,
                "--transactions",
                "100",
                "--sessions",
                "3",
                "--keys",
                "100",
                "--check",
                "-o",
                file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("100 txns", "PASS  " + level + "  " + file);
        assertThat(read(file).transactions()).isEqualTo(100);
        assertThat(read(file).sessions()).isEqualTo(3);
    }

    /** JSON has a line at the beginning of each phase of the check, and plain text none within five seconds. */
    @Test
    void theCheckShowsProgressInTheSameWay() {
        InProcess run =
                InProcess.of("record --transactions 20 --check --progress json -o " + folder.resolve("run.jsonl"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("\"phase\":\"reading\"");
    }

    @Test
    void readCommittedLosesUpdates() {
        Path file = folder.resolve("run.jsonl");
        InProcess run = InProcess.run(
                "record",
                "--isolation",
                "READ COMMITTED",
                "--transactions",
                "1500",
                "--keys",
                "3",
                "--pause",
                "1ms",
                "--reads",
                "0.2",
                "-o",
                file.toString());
        assertThat(run.exitCode()).isZero();
        InProcess check = InProcess.run("check", "-l", "si", file.toString());
        assertThat(check.exitCode()).isEqualTo(3);
        assertThat(check.out()).contains("LostUpdate");
    }

    @Test
    void aMiniTransactionWritesOnlyWhatItHasRead() throws Exception {
        Path file = folder.resolve("run.jsonl");
        InProcess.run("record", "--transactions", "500", "--keys", "5", "-o", file.toString());
        HistoryTable table = read(file);
        for (int t = 0; t < table.transactions(); t++) {
            int reads = 0;
            int writes = 0;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    writes++;
                    boolean isRead = false;
                    for (int before = table.firstOperation(t); before < o; before++) {
                        isRead |= table.isReadOf(before, table.key(o));
                    }
                    assertThat(isRead).isTrue();
                } else {
                    reads++;
                }
            }
            assertThat(reads).isBetween(0, 2);
            assertThat(writes).isBetween(0, 2);
        }
    }

    /** Each result fits the table that the earlier committed changes have left. All rows exist at first. */
    @Test
    void rowsAreInsertedUpdatedDeletedAndSelected() throws Exception {
        Path file = folder.resolve("run.jsonl");
        InProcess run =
                InProcess.of("record -w rows --predicates 0.2 --sessions 1 --transactions 500 --keys 10 -o " + file);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains(": unique violation");
        Map<Long, Long> rows = new HashMap<>();
        LongStream.range(0, 10).forEach(key -> rows.put(key, 0L));
        Set<String> seen = new TreeSet<>();
        ObjectMapper json = new ObjectMapper();
        for (String line : Files.readAllLines(file).stream().skip(1).toList()) {
            Map<Long, Long> before = Map.copyOf(rows);
            JsonNode transaction = json.readTree(line);
            for (JsonNode operation : transaction.get("ops")) {
                String op = operation.get("op").asText();
                Set<Long> matched = op.startsWith("p")
                        ? selected(rows, operation)
                        : Set.of(operation.get("key").asLong());
                switch (op) {
                    case "r" ->
                        assertThat(operation.get("value").asText())
                                .isEqualTo(String.valueOf(
                                        rows.get(operation.get("key").asLong())));
                    case "i" -> assertThat(rows.keySet()).doesNotContainAnyElementsOf(matched);
                    default -> assertThat(rows.keySet()).containsAll(matched);
                }
                for (Long key : matched) {
                    if (op.endsWith("d")) {
                        rows.remove(key);
                    } else if (op.endsWith("w") || op.equals("i")) {
                        rows.put(key, operation.get("value").asLong());
                    }
                }
                seen.add(op + (matched.isEmpty() ? " of none" : ""));
            }
            if (!transaction.get("status").asText().equals("committed")) {
                rows.clear();
                rows.putAll(before);
            }
        }
        assertThat(seen)
                .containsExactly("d", "i", "pd", "pd of none", "pr", "pr of none", "pw", "pw of none", "r", "w");
    }

    /** The matching rows that the operation has recorded. */
    private static Set<Long> selected(Map<Long, Long> rows, JsonNode operation) {
        Set<Long> matched = new TreeSet<>();
        Set<String> expected = new TreeSet<>();
        Set<String> recorded = new TreeSet<>();
        rows.forEach((key, value) -> {
            if (value >= operation.get("lo").asLong()
                    && value <= operation.get("hi").asLong()) {
                matched.add(key);
                expected.add(operation.has("rows") ? "[" + key + "," + value + "]" : "" + key);
            }
        });
        operation.get(operation.has("rows") ? "rows" : "keys").forEach(row -> recorded.add(row.toString()));
        assertThat(recorded).isEqualTo(expected);
        return matched;
    }

    @Test
    void endsAfterADuration() throws Exception {
        Path file = folder.resolve("run.jsonl");
        InProcess run = InProcess.run("record", "--duration", "300ms", "--sessions", "2", "-o", file.toString());
        assertThat(run.exitCode()).isZero();
        assertThat(read(file).transactions()).isPositive();
        assertThat(Files.readString(file)).endsWith("]}\n");
    }

    @Test
    void sessionsOfAReplicaOnlyRead() throws Exception {
        Path file = folder.resolve("run.jsonl");
        String url = "jdbc:h2:mem:replicated";
        InProcess run = InProcess.of("record --url " + url + " --replica " + url
                + " --replica-isolation read-committed -w registers --sessions 6 --transactions 300 -o " + file);
        assertThat(run.exitCode()).as(run.err()).isZero();
        HistoryTable table = read(file);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                assertThat(table.isWrite(o) && table.sessionOf(t) % 3 == 2).isFalse();
            }
        }
    }

    @Test
    void theWeakerPromiseCounts() throws Exception {
        Path file = folder.resolve("run.jsonl");
        String url = "jdbc:h2:mem:weaker";
        // By default rows are selected by their values only if all databases document a level that defines this.
        for (String workload : List.of("registers", "rows")) {
            InProcess run = InProcess.of("record --check --overwrite --url " + url + " --replica " + url
                    + " --replica-isolation read-committed -w " + workload
                    + " --sessions 3 --transactions 200 -o " + file);
            assertThat(run.err()).contains("level rc, because the manual");
            assertThat(Files.readString(file)).contains("\"level\":\"rc\"").doesNotContain("\"op\":\"p");
        }
        usage(
                2,
                "no level is known that this database documents for serializable",
                "record",
                "--check",
                "--url",
                "jdbc:hsqldb:mem:mv;hsqldb.tx=mvcc",
                "-o",
                file.toString());
        // An append is an update of the latest list, and the manual describes snapshots of reads.
        for (String server : List.of("jdbc:mariadb://nowhere/db", "jdbc:mysql://nowhere/db")) {
            usage(
                    2,
                    "no level is known that this database documents for repeatable-read with -w append",
                    ("record --check --isolation repeatable-read -w append --url " + server + " -o " + file)
                            .split(" "));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:mem:killed", "jdbc:sqlite:FOLDER/killed.db", "jdbc:hsqldb:mem:killed"})
    void killedConnectionsLeaveUnknownOutcomes(String url) {
        InProcess run = InProcess.run(
                "record",
                "--url",
                url.replace("FOLDER", folder.toString()),
                "--duration",
                "2s",
                "--kill-connections",
                "100ms",
                "--pause",
                "2ms",
                "--sessions",
                "4",
                "-o",
                folder.resolve("run.jsonl").toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("connections killed: ")
                .doesNotContain(" 0 unknown")
                .doesNotContain("killed: 0");
    }

    /** The clients have no right to write: all of their transactions abort. */
    @Test
    void aDatabaseThatRefusesAllIsAnError() throws Exception {
        Path file = folder.resolve("run.jsonl");
        String url = "jdbc:h2:mem:refusing";
        InProcess run = InProcess.of("record --check --url " + url + " --aborted 1 --transactions 20 -o " + file);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(6);
        assertThat(run.err())
                .contains("--url jdbc:h2:...: no transaction committed, so the history shows nothing of it");
    }

    private static void usage(int exitCode, String message, String... words) {
        InProcess run = InProcess.run(words);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
        assertThat(run.err()).contains(message).doesNotContain("\tat ").doesNotContain("s3cret");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void everyDistributionOfGenerate() throws Exception {
        for (List<String> options : List.of(
                List.of("--distribution", "zipf"),
                List.of("--distribution", "hotspot", "--hot", "0.1:0.9"),
                List.of("--distribution", "exponential"),
                List.of("--values", "5"))) {
            Path file = folder.resolve("run.jsonl");
            List<String> words = new java.util.ArrayList<>(List.of(
                    "record", "-w", "registers", "--transactions", "200", "--overwrite", "-o", file.toString()));
            words.addAll(options);
            assertThat(InProcess.run(words).exitCode()).isZero();
            assertThat(read(file).transactions()).isEqualTo(200);
        }
    }
}
