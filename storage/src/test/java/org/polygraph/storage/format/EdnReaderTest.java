package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/** Notations, limits and errors of EDN; {@link FormatCasesTest} has what operations mean. */
class EdnReaderTest {
    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    /**
     * A history in two formats.
     *
     * @param jsonl a transaction a line, whose number is that of its completion in the other
     */
    record Twice(String edn, String json, String jsonl) {}

    /** Random transactions of a few processes, in the notations of Jepsen and in others. */
    static Twice some(Random random, int transactions) {
        boolean lists = random.nextBoolean();
        boolean indexed = random.nextBoolean();
        boolean timed = random.nextBoolean();
        Form form = new Form(random);
        StringBuilder jsonl = new StringBuilder();
        List<long[]> open = new ArrayList<>(); // the process, index and start
        List<String[]> invoked = new ArrayList<>(); // as EDN, and as JSON of what is known without a result
        List<Long> free = new ArrayList<>(List.of(0L, 1L, 2L, 3L));
        long processes = 4;
        long next = 0;
        int count = 0;
        int value = 0;
        for (int begun = 0; begun < transactions || !open.isEmpty(); ) {
            if (random.nextInt(9) == 0) {
                form.operation(":info", ":nemesis", ":kill", "[\"n1\" {:a #{1 2}}]", count, indexed, next, timed);
                count++;
            } else if (begun < transactions && !free.isEmpty() && (open.isEmpty() || random.nextBoolean())) {
                long process = free.remove(random.nextInt(free.size()));
                StringBuilder edn = new StringBuilder("[");
                StringBuilder json = new StringBuilder();
                StringBuilder known = new StringBuilder();
                StringBuilder done = new StringBuilder("[");
                for (int o = random.nextInt(4); o >= 0; o--) {
                    int key = random.nextInt(3);
                    if (random.nextBoolean()) {
                        String kind = lists ? "append" : "w";
                        value++;
                        edn.append("[:%s %d %d] ".formatted(kind, key, value));
                        done.append("[:%s %d %d]".formatted(kind, key, value));
                        String write = "{\"op\":\"%s\",\"key\":%d,\"value\":%d},".formatted(kind, key, value);
                        json.append(write);
                        known.append(write);
                    } else {
                        edn.append("[:r %d nil] ".formatted(key));
                        String found = lists
                                ? random.nextInt(3) == 0 ? "[]" : "[" + (1 + random.nextInt(value + 1)) + "]"
                                : random.nextInt(3) == 0 ? "nil" : random.nextInt(3) == 0 ? "\"v\"" : "7";
                        done.append("[:r %d %s]".formatted(key, found));
                        String read = "{\"op\":\"r\",\"key\":%d,\"value\":%s},";
                        json.append(read.formatted(key, found.replace("nil", "null")));
                    }
                }
                form.operation(":invoke", Long.toString(process), ":txn", edn + "]", count, indexed, next, timed);
                open.add(new long[] {process, count, next, count++});
                invoked.add(new String[] {done + "]", json.toString(), known.toString(), edn + "]"});
                begun++;
            } else if (!open.isEmpty()) {
                int which = random.nextInt(open.size());
                long[] of = open.remove(which);
                String[] texts = invoked.remove(which);
                int how = random.nextInt(6);
                String type = how == 0 ? ":fail" : how == 1 ? ":info" : ":ok";
                boolean known = how > 1;
                if (how == 1) {
                    free.add(processes++);
                } else {
                    free.add(of[0]);
                }
                form.operation(
                        type,
                        Long.toString(of[0]),
                        ":txn",
                        known ? texts[0] : random.nextBoolean() ? texts[3] : ":timeout",
                        count,
                        indexed,
                        next,
                        timed);
                String ops = known ? texts[1] : texts[2];
                // Without times, the order of calls serves as times.
                jsonl.append("{\"session\":%d,\"index\":%d,\"start\":%d%s,\"status\":\"%s\",\"ops\":[%s]}\n"
                        .formatted(
                                of[0],
                                of[1],
                                timed ? of[2] : of[3],
                                how == 1 ? "" : ",\"end\":" + (timed ? next : count),
                                known ? "committed" : how == 0 ? "aborted" : "indeterminate",
                                ops.isEmpty() ? "" : ops.substring(0, ops.length() - 1)));
                count++;
            }
            next += 1 + random.nextInt(5);
        }
        return new Twice(form.text(), form.json(), jsonl.toString());
    }

    /** One of several notations of the same value. */
    private static final class Form {
        private final Random random;
        private final StringBuilder text = new StringBuilder();
        private final List<String> json = new ArrayList<>();
        private final boolean enclosed;
        private final boolean tagged;

        Form(Random random) {
            this.random = random;
            enclosed = random.nextBoolean();
            tagged = random.nextBoolean();
            text.append(random.nextInt(4) == 0 ? "; recorded\n" : "").append(enclosed ? "[" : "");
        }

        void operation(
                String type,
                String process,
                String f,
                String value,
                long index,
                boolean indexed,
                long time,
                boolean timed) {
            json.add("{\"type\":" + json(type) + ",\"process\":" + json(process)
                    + ",\"error\":[\"]}\",1.5,{\"type\":1}]"
                    + (indexed ? ",\"index\":" + index : "") + (timed ? ",\"time\":" + time : "") + ",\"value\":"
                    + json(value) + ",\"f\":" + json(f) + "}");
            List<String> fields = new ArrayList<>(List.of(
                    ":type " + type,
                    ":process " + process,
                    ":f " + f,
                    ":value " + value,
                    ":error [:x \"]}\" \\] 1.5 3/4]"));
            if (indexed) {
                fields.add(":index " + index);
            }
            if (timed) {
                fields.add(":time " + time + (random.nextInt(4) == 0 ? "N" : ""));
            }
            if (random.nextInt(4) == 0) {
                fields.add("#_ #_ :type {:value 3} \"k\" #inst \"2026-01-01\"");
            }
            java.util.Collections.shuffle(fields, random);
            text.append(tagged ? "#jepsen.history.Op{" : "{")
                    .append(String.join(random.nextBoolean() ? ", " : "\n  ", fields))
                    .append(random.nextInt(5) == 0 ? " ; }\n" : "")
                    .append("}")
                    .append(random.nextBoolean() ? "\n" : " ");
        }

        /** The same value in JSON: names are strings. */
        private static String json(String edn) {
            return edn.replaceAll(" *\\{.*} *", "")
                    .replaceAll(":([a-z]+)", "\"$1\"")
                    .replace("nil", "null")
                    .replaceAll("] *(?=\\[)", "],")
                    .replaceAll(" +]", "]")
                    .replace(' ', ',');
        }

        String json() {
            return enclosed ? "\uFEFF [" + String.join(",\n", json) + "]" : String.join("\n", json);
        }

        String text() {
            return text + (enclosed ? "]" : "");
        }
    }

    @Test
    void agreesWithTheSameHistoryAsJsonLines() throws Exception {
        for (long seed = 1; seed <= 1500; seed++) {
            Twice twice = some(new Random(seed), 1 + (int) (seed % 12));
            if (twice.jsonl.isEmpty()) {
                continue;
            }
            List<String> expected = outcome("h.jsonl", twice.jsonl, HistoryFormat.JSONL);
            assertThat(outcome("h.edn", twice.edn, HistoryFormat.EDN))
                    .as("seed %d:%n%s%n%s", seed, twice.edn, twice.jsonl)
                    .isEqualTo(expected);
            assertThat(outcome("h.json", twice.json, HistoryFormat.ELLE_JSON))
                    .as("seed %d:%n%s%n%s", seed, twice.json, twice.jsonl)
                    .isEqualTo(expected);
        }
    }

    /** The rows, or the fact that the history is refused: neither format allows a list with the same element twice. */
    private List<String> outcome(String name, String content, HistoryFormat format) throws Exception {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        String refusal = inputs.refusal(name, bytes, format);
        if (!refusal.equals("nothing")) {
            return List.of(refusal.replaceAll("^[^ ]+ ", ""));
        }
        return TableText.rows(inputs.read(name, bytes, format));
    }

    @Test
    void isFoundByItsContent() throws Exception {
        String operation = "{:process 0 :type :ok :f :txn :value [[:w 1 2]]}";
        for (String content : List.of(
                operation,
                "\uFEFF" + operation,
                "; a comment\n" + operation,
                "\n\n,, " + operation,
                "#knossos.op.Op" + operation,
                "[" + operation + "]",
                "[,\n, " + operation + "]",
                "(,{, " + operation.substring(1) + ")",
                "[; a comment\n" + operation + "]",
                "{,, " + operation.substring(1),
                "{; a comment\n" + operation.substring(1),
                "( #jepsen.history.Op" + operation + " )",
                "#jepsen.history.Op" + operation)) {
            assertThat(inputs.rows("h", content)).as(content).hasSize(1);
            assertThat(HistoryReader.detect(inputs.path("h").toString())).isEqualTo(HistoryFormat.EDN);
        }
    }

    @Test
    void nestingAndNamesAreLimited() throws Exception {
        assertThat(inputs.refusal("h.edn", "{:process :x :a " + "[".repeat(1_000_000)))
                .contains("found nesting of more than 100 collections");
        assertThat(inputs.refusal("h.edn", "{:process :x :a " + "#_ ".repeat(1_000_000)))
                .contains("found more than 100 #_ in a row");
        assertThat(inputs.refusal("h.edn", "{:" + "a".repeat(5_000))).contains("found a name of more than 4096 bytes");
        assertThat(inputs.refusal("h.edn", "{:a \"" + "a".repeat((1 << 20) + 1)))
                .contains("found a string of more than 1048576 bytes");
    }

    /** The message of a read with the given bytes of memory. */
    private String refusal(String content, long memoryBytes) throws Exception {
        String path = inputs.write("h.edn", TestFiles.utf8(content));
        Throwable thrown = catchThrowable(() -> HistoryReader.read(path, HistoryFormat.EDN, () -> false, memoryBytes));
        return thrown instanceof BudgetException && thrown.getCause() == null ? thrown.getMessage() : "nothing";
    }

    @Test
    void whatIsHeldCountsAgainstTheMemory() throws Exception {
        String many = "[:r 1 2]".repeat(1_000_000);
        for (String value : List.of(
                "{:process 0, :type :ok, :f :txn, :value [" + many + "]}",
                "{:process :nemesis, :value [" + many + "]}",
                "{:process :nemesis, :value [" + ("\"" + "a".repeat(1 << 20) + "\" ").repeat(50) + "]}")) {
            assertThat(refusal(value, 24 << 20)).contains("give more memory");
            assertThat(refusal(value, 1 << 30)).isEqualTo("nothing");
        }
        // No more bytes are released than were reserved.
        StringBuilder gone = new StringBuilder();
        for (int i = 0; i < 300_000; i++) {
            gone.append("{:process ").append(i).append(", :type :invoke, :f :write, :value 1}\n");
            gone.append("{:process ").append(i).append(", :type :info, :f :write}\n");
        }
        assertThat(refusal(gone.toString(), 28 << 20)).contains("give more memory");
    }

    @Test
    void theErrorOfACallIsKept() throws Exception {
        String call = "{:process 0, :type %s, :f :txn, :value [[:w 1 %d]], :error %s}\n";
        String path = inputs.write(
                "h.edn",
                String.format(call, ":fail", 1, "[:crud {:code 7, :text \"no \u00e9\"} []]")
                        + String.format(call, ":ok", 2, ":none")
                        + String.format(call, ":info", 3, "nil")
                        + String.format(call, ":info", 4, "#x \"" + "a".repeat(500) + "\""));
        HistoryTable table = HistoryReader.read(path, HistoryFormat.EDN);
        assertThat(table.errorOf(0)).isEqualTo("[:crud [:code 7 :text no \u00e9] []]");
        assertThat(table.errorOf(1)).isNull();
        assertThat(table.errorOf(2)).isNull();
        assertThat(table.errorOf(3)).isEqualTo("a".repeat(200));
        assertThat(HistorySelection.of(table, new int[] {0}).table().errorOf(0)).startsWith("[:crud");
    }
}
