package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.ConditionHistories;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Many writes of unknown rows. Tiny histories that share no row, no column, no value and no
 * session are one history, which keeps a level iff each of them does.
 */
class ManyUnknownRowsTest {
    private static final long SEED = 0x3a417;
    private static final int OPEN_WRITES = 80;

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private final StringBuilder lines = new StringBuilder();
    private final ArrayNode state = JSON.createArrayNode();
    private int parts;
    private int open;

    @Test
    void isTheConjunctionOfItsParts() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        int next = 0;
        for (int i = 0; i < SuiteScale.of(4, 2); i++) {
            IsolationLevel level = i % 4 < 2 ? IsolationLevel.SER : IsolationLevel.SI;
            boolean isViolated = i % 2 == 0;
            lines.setLength(0);
            state.removeAll();
            parts = 0;
            open = 0;
            boolean holds = true;
            while (open < OPEN_WRITES || holds == isViolated) {
                ConditionHistories part =
                        ConditionHistories.withUnknownRows(new SplitMix(SplitMix.seedOf(SEED, next++)));
                boolean partHolds = part.holds(level);
                boolean isWanted = partHolds || (isViolated && holds);
                if (isWanted && part.isTimed() && add(part.lines())) {
                    holds &= partHolds;
                }
            }
            String header =
                    "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":null,\"state\":" + state + "}}\n";
            Path path = Files.writeString(folder.resolve("history.jsonl"), header + lines);
            Path runs = folder.resolve("runs-" + i);
            InProcess check = InProcess.run(
                    "check",
                    "-q",
                    "--initial",
                    "implicit",
                    "-l",
                    level.label(),
                    "-o",
                    runs.toString(),
                    path.toString());
            String what = "seed " + SEED + " to " + next + ", " + level + ", " + parts + " parts: " + check;
            assertThat(check.word()).as(what).isIn("UNKNOWN", holds ? "PASS" : "VIOLATION");
            counts.merge(level.label() + " " + check.word() + (holds ? " holds" : " violated"), 1, Integer::sum);
            if (!check.word().equals("UNKNOWN")) {
                InProcess verify = InProcess.run("verify", Faults.run(runs).toString(), path.toString());
                assertThat(verify.word()).as(what + verify).isEqualTo("VERIFIED");
            }
        }
        System.out.println(counts + ", seed " + SEED);
        assertThat(counts).containsKeys("ser PASS holds", "ser VIOLATION violated");
    }

    /**
     * Adds a history with its own keys, values, columns and sessions.
     *
     * @return false if keys have initial values, or a condition is one of remainders, which larger values change
     */
    private boolean add(String text) throws IOException {
        if (text.contains("\"mod\"")) {
            return false;
        }
        String[] all = text.split("\n");
        JsonNode initial = JSON.readTree(all[0]).get("initial");
        if (!initial.get("value").isNull()) {
            return false;
        }
        for (JsonNode row : initial.get("state")) {
            state.add(row(row));
        }
        // The last line names both keys of a tiny history, without times.
        for (int i = 1; i < all.length - 1; i++) {
            ObjectNode transaction = (ObjectNode) JSON.readTree(all[i]);
            transaction.put("session", 100 * parts + transaction.get("session").intValue());
            for (String time : new String[] {"start", "end"}) {
                if (transaction.has(time)) {
                    transaction.put(time, 1_000 * parts + transaction.get(time).intValue());
                }
            }
            for (JsonNode operation : transaction.get("ops")) {
                change((ObjectNode) operation);
                boolean isWrite = operation.get("op").textValue().matches("p[wd]");
                boolean mayCount = !transaction.get("status").textValue().equals("aborted");
                open += isWrite && mayCount && !operation.has("keys") ? 1 : 0;
            }
            lines.append(transaction).append('\n');
        }
        parts++;
        return true;
    }

    private void change(ObjectNode operation) {
        for (String field : new String[] {"value", "lo", "hi"}) {
            if (operation.has(field)) {
                operation.set(field, value(operation.get(field)));
            }
        }
        if (operation.has("key")) {
            operation.put("key", key(operation.get("key")));
        }
        for (String field : new String[] {"row", "where"}) {
            if (operation.has(field)) {
                ObjectNode named = JSON.createObjectNode();
                for (Iterator<String> names = operation.get(field).fieldNames(); names.hasNext(); ) {
                    String name = names.next();
                    named.set(name + "of" + parts, operation.get(field).get(name));
                }
                operation.set(field, named);
            }
        }
        for (String field : new String[] {"keys", "rows"}) {
            if (operation.has(field)) {
                ArrayNode changed = JSON.createArrayNode();
                for (JsonNode each : operation.get(field)) {
                    changed.add(each.isArray() ? row(each) : IntNode.valueOf(key(each)));
                }
                operation.set(field, changed);
            }
        }
    }

    private JsonNode row(JsonNode keyAndValue) {
        return JSON.createArrayNode().add(key(keyAndValue.get(0))).add(value(keyAndValue.get(1)));
    }

    private int key(JsonNode key) {
        return 2 * parts + key.intValue();
    }

    private JsonNode value(JsonNode value) {
        return value.isNull() ? value : IntNode.valueOf(1_000 * parts + value.intValue());
    }
}
