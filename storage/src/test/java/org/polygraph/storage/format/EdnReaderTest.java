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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

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
                        edn.append("[:")
                                .append(kind)
                                .append(' ')
                                .append(key)
                                .append(' ')
                                .append(value)
                                .append("] ");
                        done.append("[:")
                                .append(kind)
                                .append(' ')
                                .append(key)
                                .append(' ')
                                .append(value)
                                .append("]");
                        String write = "{\"op\":\"" + kind + "\",\"key\":" + key + ",\"value\":" + value + "},";
                        json.append(write);
                        known.append(write);
                    } else {
                        edn.append("[:r ").append(key).append(" nil] ");
                        String found = lists
                                ? random.nextInt(3) == 0 ? "[]" : "[" + (1 + random.nextInt(value + 1)) + "]"
                                : random.nextInt(3) == 0 ? "nil" : random.nextInt(3) == 0 ? "\"v\"" : "7";
                        done.append("[:r ")
                                .append(key)
                                .append(' ')
                                .append(found)
                                .append("]");
                        json.append("{\"op\":\"r\",\"key\":")
                                .append(key)
                                .append(",\"value\":")
                                .append(found.replace("nil", "null"))
                                .append("},");
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
                jsonl.append("{\"session\":")
                        .append(of[0])
                        .append(",\"index\":")
                        .append(of[1]);
                // Without times, the order of calls serves as times.
                jsonl.append(",\"start\":").append(timed ? of[2] : of[3]);
                jsonl.append(how == 1 ? "" : ",\"end\":" + (timed ? next : count));
                jsonl.append(",\"status\":\"")
                        .append(known ? "committed" : how == 0 ? "aborted" : "indeterminate")
                        .append("\",\"ops\":[")
                        .append(ops.isEmpty() ? "" : ops.substring(0, ops.length() - 1))
                        .append("]}\n");
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
    void readsRegisters() throws Exception {
        assertThat(inputs.rows("lin.edn", """
                {:process 0, :type :invoke, :f :write, :value 3}
                {:process 1, :type :invoke, :f :read}
                {:process 0, :type :ok, :f :write, :value 3}
                {:process 1, :type :ok, :f :read, :value 3}
                {:process 0, :type :invoke, :f :cas, :value [3 4]}
                {:process 1, :type :invoke, :f :cas, :value [9 5]}
                {:process 0, :type :info, :f :cas, :value :timed-out}
                {:process 1, :type :fail, :f :cas, :value [9 5]}
                {:process 3, :type :invoke, :f :write, :value 8}
                """)).isEqualTo(inputs.rows("lin.jsonl", """
                {"session":0,"index":0,"start":0,"end":2,"status":"committed","ops":[{"op":"w","key":"register","value":3}]}
                {"session":1,"index":1,"start":1,"end":3,"status":"committed","ops":[{"op":"r","key":"register","value":3}]}
                {"session":0,"index":4,"start":4,"status":"indeterminate","ops":[{"op":"r","key":"register","value":3},{"op":"w","key":"register","value":4}]}
                {"session":1,"index":5,"start":5,"end":7,"status":"aborted","ops":[{"op":"r","key":"register","value":9},{"op":"w","key":"register","value":5}]}
                {"session":3,"index":8,"start":8,"status":"indeterminate","ops":[{"op":"w","key":"register","value":8}]}
                """));
        assertThat(inputs.rows("keyed.edn", """
                {:process 2, :type :invoke, :f :cas, :value [:k [nil 1]]}
                {:process 2, :type :ok, :f :cas, :value [:k [nil 1]]}
                {:process 2, :type :invoke, :f :read, :value [:k nil]}
                {:process 2, :type :ok, :f :read, :value [:k 1]}
                """)).isEqualTo(inputs.rows("keyed.jsonl", """
                {"session":2,"index":0,"start":0,"end":1,"status":"committed","ops":[{"op":"r","key":":k","value":null},{"op":"w","key":":k","value":1}]}
                {"session":2,"index":2,"start":2,"end":3,"status":"committed","ops":[{"op":"r","key":":k","value":1}]}
                """));
    }

    /** The vector may be a key and its value, or a list of two elements. */
    @Test
    void aReadOfAVectorIsNoReadOfAKeyIfRegistersHaveNone() throws Exception {
        String write = "{:process 0, :type :ok, :f :write, :value 7}\n";
        String read = "{:process 0, :type :ok, :f :read, :value [7 8]}\n";
        String expected = "expected [key value] in all operations of registers, or in none; state reads of a list as";
        assertThat(inputs.refusal("h.edn", write + read))
                .startsWith("h.edn:2:42: found a vector, where other operations access a single register; " + expected);
        assertThat(inputs.refusal("h.edn", read + write))
                .startsWith("h.edn:2:43: found an operation without a key; " + expected);
        assertThat(inputs.refusal("h.edn", "{:process 0, :type :invoke, :f :read}\n" + read))
                .startsWith("h.edn:2:42: found a vector");
        assertThat(inputs.refusal("h.edn", read + "{:process 0, :type :ok, :f :read}"))
                .startsWith("h.edn:2:1: found an operation without a key");
    }

    @Test
    void theNameOfATransactionIsFree() throws Exception {
        for (String name : List.of(":write", ":read", ":transfer")) {
            String named = "{:process 0, :type :invoke, :f %s, :value [[:w 1 2] [:r 1 nil]]}\n"
                    + "{:process 0, :type :ok, :f %s, :value [[:w 1 2] [:r 1 2]]}\n"
                    + "{:process 0, :type :invoke, :f %s, :value [[:w 1 3]]}\n"
                    + "{:process 0, :type :info, :f %s, :value :timeout}\n";
            assertThat(rows(named.replace("%s", name))).hasSize(2).isEqualTo(rows(named.replace("%s", ":txn")));
        }
        assertThat(inputs.refusal("h.edn", "{:process 0, :type :info, :f :transfer, :value :timeout}"))
                .startsWith("h.edn:1:1: found the operation :transfer");
    }

    @Test
    void withoutAProcessEachOperationIsASession() throws Exception {
        String calls = """
                {:type :invoke, :value [[:w 1 2]]}
                {:type :ok, :value [[:w 1 2]]}
                {:process :nemesis, :type :info, :f :kill}
                {:type :invoke, :value [[:w 1 3]]}
                {:type :info, :value nil}
                {:type :invoke, :value [[:r 1 nil]]}
                """;
        assertThat(inputs.rows("h.edn", calls)).isEqualTo(inputs.rows("h.jsonl", """
                {"session":0,"index":0,"start":0,"end":1,"status":"committed","ops":[{"op":"w","key":1,"value":2}]}
                {"session":3,"index":3,"start":3,"status":"indeterminate","ops":[{"op":"w","key":1,"value":3}]}
                {"session":5,"index":5,"start":5,"status":"indeterminate","ops":[]}
                """));
        assertThat(rows("{:type :ok, :value [[:w 1 2]]}", "{:type :ok, :value [[:w 1 3]]}"))
                .hasSize(2);
        assertThat(inputs.refusal("h.edn", calls + "{:type :invoke, :value [[:r 1 nil]]}\n"))
                .startsWith(
                        "h.edn:7:1: found an invocation while that of line 6 is open; expected its completion first");
        assertThat(inputs.refusal("h.edn", calls + "{:process 1, :type :ok, :value [[:r 1 2]]}\n"))
                .startsWith("h.edn:7:1: found an operation with :process; expected :process in all or in none");
    }

    @Test
    void readsOperationsInJson() throws Exception {
        String array = """
                [{"index":0,"type":"invoke","f":"cas","process":4,"value":["r",["w","x"]]},
                 {"index":1,"type":"ok","f":"cas","process":4,"value":["r",["w","x"]]},
                 {"index":2,"type":"info","f":"kill","process":"nemesis","value":{"type":["ok"]}},
                 {"index":3,"type":"invoke","f":"mixed","process":5,"value":[["r","append",null],["w","r","w"]]},
                 {"index":4,"type":"ok","f":"mixed","process":5,"value":[["r","append",null],["w","r","w"]]}]""";
        List<String> rows = inputs.rows("calls.jsonl", """
                {"session":4,"index":0,"start":0,"end":1,"status":"committed","ops":[{"op":"r","key":"r","value":"w"},{"op":"w","key":"r","value":"x"}]}
                {"session":5,"index":3,"start":3,"end":4,"status":"committed","ops":[{"op":"r","key":"append","value":null},{"op":"w","key":"r","value":"w"}]}
                """);
        assertThat(inputs.rows("h.json", array)).isEqualTo(rows);
        String lines = array.replaceAll("(?m)^ *\\[|[],]$", "");
        assertThat(inputs.rows("lines.json", lines)).isEqualTo(rows);
        assertThat(inputs.refusal(
                        "h.json",
                        array.replace(
                                "\"mixed\",\"process\":5,\"value\":[[\"r\"",
                                "\"txn\",\"process\":5,\"value\":[[\"x\"")))
                .startsWith(
                        "h.json:5:57: found :x as a micro-operation; expected :r, :w, :append, :add, :rp, :insert or :delete")
                .endsWith(
                        "an operation is {\"type\":\"ok\",\"process\":0,\"f\":\"txn\",\"value\":[[\"r\",1,2],[\"w\",1,3]]}");
        assertThat(inputs.refusal("h.json", array.replace("\"w\"]]}]", "\"\\ud83d\"]]}]")))
                .startsWith("h.json:5:")
                .contains("found half of a surrogate pair");
        assertThat(inputs.refusal("h.json", array.substring(0, 200)))
                .startsWith("h.json:3:")
                .contains("found the end of the file in the middle of a JSON object");
        assertThat(inputs.refusal("h.json", array.replace("\"process\":4,", "\"process\":4.5,")))
                .startsWith("h.json:1:49: found the number 4.5 as :process");
    }

    private List<String> rows(String... calls) throws Exception {
        List<String> rows = new ArrayList<>(inputs.rows("h.edn", String.join("\n", calls)));
        return rows;
    }

    private int keys(String value) throws Exception {
        return inputs.read("h.edn", ok(value)).keys().size();
    }

    private static String ok(String value) {
        return "{:process 0, :type :ok, :f :txn, :value " + value + "}";
    }

    @Test
    void theValueMayShowWhatACallIs() throws Exception {
        String named = "{:process 0, :type :invoke, :f :txn, :value [[:w 1 2]]} " + ok("[[:w 1 2]]");
        assertThat(rows(named.replace(":f :txn, ", ""))).isEqualTo(rows(named));
        assertThat(rows(named.replace(":f :txn", ":f nil"))).isEqualTo(rows(named));
        assertThat(rows("{:process 0, :type :invoke, :value [[:w 1 2]]} {:process 0, :type :info, :value :timeout}"))
                .hasSize(1);
        // A read whose value is not known is left out.
        assertThat(rows(ok("[[:r 1] [:w 2 3]]"))).isEqualTo(rows(ok("[[:w 2 3]]")));
    }

    @Test
    void differentKeysAndValuesStayDifferent() throws Exception {
        List<String> names = List.of(
                ":x",
                "\":x\"",
                "\"x\"",
                "\"#true\"",
                "true",
                "false",
                "\"true\"",
                "1",
                "1.5",
                "\"1.5\"",
                "[1 2]",
                "[1 [2]]",
                "[\"1\" 2]",
                "\"[1 2]\"",
                "nil",
                "\\a",
                "99999999999999999999",
                "\"\\\"\"",
                "\"\\\"\\\"\"");
        StringBuilder writes = new StringBuilder();
        for (String name : names) {
            writes.append("[:w ").append(name).append(" 1]");
        }
        assertThat(keys("[" + writes + "]")).isEqualTo(names.size());
        assertThat(keys("[[:w 1.50 1] [:w 15e-1 2] [:w [1 2] 3] [:w (1 2) 4]]")).isEqualTo(2);
        assertThat(rows(ok("[[:w 1 true] [:w 1 2.5] [:w 1 :a]]"))).hasSize(1);
    }

    @Test
    void aCharacterMayBeEscapedAsASurrogatePair() throws Exception {
        assertThat(rows(ok("[[:w \"\\ud83d\\ude00\\u00e9\\u20ac\" 1]]")))
                .isEqualTo(rows(ok("[[:w \"\ud83d\ude00\u00e9\u20ac\" 1]]")));
    }

    @Test
    void numbersThatBeginWithZeroAreOctal() throws Exception {
        assertThat(rows(ok("[[:w 017 1] [:w -017 2] [:w 0x1F 3] [:w 0 4]]")))
                .isEqualTo(rows(ok("[[:w 15 1] [:w -15 2] [:w 31 3] [:w 0 4]]")));
    }

    /** The order of calls counts, because Jepsen guarantees it. */
    @Test
    void withoutTimesTheOrderOfCallsIsTheirTime() throws Exception {
        String calls = "{:process 0, :type :invoke, :f :txn, T:value [[:w 1 2]]}\n"
                + "{:process 1, :type :invoke, :f :txn, T:value [[:w 1 3]]}\n"
                + "{:process 0, :type :ok, :f :txn, T:value [[:w 1 2]]}\n"
                + "{:process 1, :type :ok, :f :txn, T:value [[:w 1 3]]}\n"
                + "{:process 0, :type :invoke, :f :txn, T:value [[:w 1 4]]}\n"
                + "{:process 0, :type :ok, :f :txn, U:value [[:w 1 4]]}\n";
        List<String> none = rows(calls.replace("T", "").replace("U", ""));
        assertThat(none.get(0)).contains(" 0 2 ");
        assertThat(none.get(1)).contains(" 4 5 ");
        assertThat(none.get(2)).contains(" 1 3 ");
        assertThat(rows(calls.replace("T", ":time 7, ").replace("U", ":time 7, ")))
                .isEqualTo(none);
        // If times differ, they count from the first call on.
        List<String> timed = rows(calls.replace("T", ":time 7, ").replace("U", ":time 9, "));
        assertThat(timed.get(0)).contains(" 7 7 ");
        assertThat(timed.get(1)).contains(" 7 9 ");
        assertThat(timed.get(2)).contains(" 7 7 ");
        List<String> late = rows(calls.replace("T", "").replace("U", ":time 9, "));
        assertThat(late.get(0)).contains(" -9223372036854775808 -9223372036854775808 ");
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{:type :ok, :process 0, :f :txn, :value [[:r 1 2]]|1:50: found the end of the file within a collection",
                "{:type :ok, :process 0, :f :txn, :value [[:r 1 2})}|1:49: found '}'; expected ']' or a value",
                "{:type :done, :process 0, :f :txn, :value []}|1:8: found :done as :type; expected :invoke, :ok, :fail or :info",
                "{:process 0, :f :txn, :value []}|1:1: found an operation without :type",
                "{:type :ok, :process 0, :value []}|1:1: found an operation without :f",
                "{:type :ok, :process 0, :f \"txn\", :value []}|1:1: found an operation whose :f is no keyword; expected a"
                        + " keyword such as :txn",
                "{:type :ok, :process 0, :f nil, :value []}|1:1: found an operation without :f",
                "{:type :ok, :process 1.5, :f :txn, :value []}|1:22: found the number 1.5 as :process",
                "{:type :ok, :process 0, :f :txn, :value [[:w 1 08]]}|1:48: found the number 08; expected a value",
                "{:type :ok, :process 0, :f :txn, :value [[:inc 1 2]]}|1:43: found :inc as a micro-operation; expected :r, :w, :append, :add, :rp, :insert or :delete",
                "{:type :ok, :process 0, :f :txn, :value [[:add :a 1]]}|1:48: found :a; expected the key of a set, an integer",
                "{:type :ok, :process 0, :f :txn, :value [[:r 5 [1]] [:add 5 2]]}|1:48: found a read of a vector, in a history that adds to sets",
                "{:type :ok, :process 0, :f :txn, :value [[:add 5 2] [:add 5 2]]}|1:1: found the element",
                "{:type :ok, :process 0, :f :txn, :value [[:w 1 2 3]]}|1:50: found the number 3; expected the end of the micro-operation",
                "{:type :ok, :process 0, :f :txn, :value [[:append 1 nil]]}|1:53: found nil; expected a value",
                "{:type :ok, :process 0, :f :txn, :value [:w 1 2]}|1:42: found :w; expected [:r key value]",
                "{:type :ok, :process 0, :f :txn}|1:1: found :txn without a :value",
                "{:type :ok, :process 0, :f :enqueue, :value 1}|1:1: found the operation :enqueue; expected :txn, :read, :write, :cas or :add",
                "{:type :ok, :process 0, :f :cas, :value 1}|1:41: found the number 1; expected [old new]",
                "{:type :ok, :type :ok}|1:13: found :type a second time",
                "{:type}|1:7: found the end of a map after a key",
                "{:type :ok, :process 0, :f :txn, :value [[:w #x]]}|1:48: found the end of a collection after a tag or #_",
                "{:type :ok :process \"\\q\"}|1:21: found the escape \\'q' in a string",
                "{:type :ok :process \"\\ud800\"}|1:21: found half of a surrogate pair",
                "{:type :ok :process \"\\ude00\\ud83d\"}|1:21: found half of a surrogate pair",
                "{:a 1} 5|1:1: found an operation without :type",
                "{:process :nemesis} 5|1:21: found the number 5; expected an operation, a map",
            })
    void refusesWhatIsNone(String content, String message) throws Exception {
        assertThat(inputs.refusal("h.edn", content.getBytes(StandardCharsets.UTF_8), HistoryFormat.EDN))
                .startsWith("h.edn:" + message);
    }

    @Test
    void refusesWhatAProcessCannotDo() throws Exception {
        String invoke = "{:type :invoke, :process 0, :f :txn, :value [[:w 1 2]]}\n";
        assertThat(inputs.refusal("h.edn", invoke + invoke))
                .startsWith("h.edn:2:1: found process 0 invoking an operation while that of line 1 is open");
        assertThat(inputs.refusal("h.edn", invoke + "{:type :ok, :process 0, :f :read, :value 2}"))
                .startsWith("h.edn:2:1: found :read completing :txn of line 1");
        String ok = invoke.replace(":invoke", ":ok");
        assertThat(inputs.rows("h.edn", ok + ok)).as("completions alone").hasSize(2);
        assertThat(inputs.refusal("h.edn", invoke + ok + ok))
                .startsWith("h.edn:3:1: found the completion of an operation that process 0 has not open");
        assertThat(inputs.refusal("h.edn", invoke + "{:type :ok, :process 0, :f :txn, :value [], :index 3}"))
                .startsWith("h.edn:2:1: found an operation with :index; expected :index in all or in none");
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

    /** Sets and rows of a map have each element once; their texts do not end in the middle. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{:type :ok, :process 0, :f :txn, :value [[:rp :true {1 2 1 3}]]}|1:58: found a key a second time",
                "{:type :ok, :process 0, :f :txn, :value [[:rp :true nil]]}|1:53: found nil; expected the rows that matched",
                "{:type :ok, :process 0, :f :txn, :value [[:rp [:mod 0 1] {}]]}|1:55: found the modulus 0; expected 1 or more",
                "{:type :ok, :process 0, :f :txn, :value [[:rp [:< 1] {}]]}|1:48: found :<; expected a predicate",
                "{:type :ok, :process 0, :f :txn, :value [[:rp [:= 1 2] {}]]}|1:53: found the number 2; expected a predicate",
                "{:type :ok, :process 0, :f :txn, :value [[:rp :true {1}]]}|1:55: found the end of a collection; expected the rows",
                "{:type :ok, :process 0, :f :txn, :value [[:rp :true {1 :a}]]}|1:56: found :a; expected the rows that matched",
                "{:type :ok, :process 0, :f :txn, :value [[:rp :true]]}|1:52: found the end of a collection; expected the rows",
                "{:type :ok, :process 0, :f :txn, :value [[:delete]]}|1:50: found the end of a collection; expected a key",
                "{:type :ok, :process 0, :f :txn, :value [[:delete 1 2]]}|1:53: found the number 2; expected the end of the",
                "{:type :ok, :process 0, :f :add, :value {1 2}}|1:41: found a map; expected a key",
                "{:type :ok, :process 0, :f :add}|1:1: found :add without a :value",
                "{:type :ok, :process 0, :f :add, :value [:a 1]}|1:42: found :a; expected the key of a set, an integer",
                "{:type :ok, :process 0, :f :read, :value #{1 1}}|1:46: found an element of a set a second time",
                "{:type :ok, :process 0, :f :read, :value #{nil}}|1:44: found nil; expected an element",
                "{:type :ok, :process 0, :f :init, :value 1}|1:42: found the number 1; expected the rows that matched",
                "{:type :info, :process 0, :f :init, :value {1 1}}|1:1: found :init that is not :ok",
                "{:type :invoke :process 0 :f :init} {:type :invoke :process 1 :f :write :value 1} {:type :ok :process 0 :f :init :value {1 1}}|1:83: found :init after",
                "{:type :ok :process 1 :f :write :value :a} {:type :ok :process 0 :value [[:rp :true {}]]}|1:40: found :a; expected an",
                "{:type :invoke, :process 0, :f :init, :value {1 1}}|1:1: found an :init without a completion",
                "{:type :invoke, :process 0, :f :init, :value {1 1} :error #\"\\\"}|1:59: found the end of the file",
            })
    void refusesWhatIsNoSetOfRows(String content, String message) throws Exception {
        assertThat(inputs.refusal("h.edn", content.getBytes(StandardCharsets.UTF_8), HistoryFormat.EDN))
                .startsWith("h.edn:" + message);
    }

    @Test
    void rowsAreThoseOfJsonLines() throws Exception {
        String header = "{\"format\":\"history\",\"version\":1,\"initial\":{\"state\":[[1,0],[\"x\",5]]}}\n";
        String edn = """
                {:process 9, :type :ok, :f :init, :value {1 0, "x" 5}}
                {:process 0, :type :ok, :f :txn, :value [[:rp [:mod 3 -2] {}] [:insert 2 7] [:rp :true ([1 0] [2 7] [1 4])]]}
                {:process 1, :type :info, :f :txn, :value [[:delete 1] [:rp [:= 5] nil] [:rp [:mod 2 1] {"x" 5}]]}
                """;
        String json = """
                {"session":0,"index":1,"status":"committed","ops":[{"op":"pr","mod":3,"lo":-2,"hi":-2,"rows":[]},{"op":"i","key":2,"value":7},\
                {"op":"pr","lo":-9223372036854775808,"hi":9223372036854775807,"rows":[[1,0],[2,7],[1,4]]}]}
                {"session":1,"index":2,"status":"indeterminate","ops":[{"op":"d","key":1},{"rows":[["x",5]],"hi":1,"mod":2,"lo":1,"op":"pr"}]}
                """;
        assertThat(inputs.rows("h.edn", edn)).isEqualTo(inputs.rows("h.jsonl", header + json));
    }

    @Test
    void elementsOfSetsAreRows() throws Exception {
        String edn = """
                {:process 0, :type :invoke, :f :add, :value [3 :a]}
                {:process 1, :type :ok, :f :read, :value [4 nil]}
                """;
        assertThat(inputs.refusal("h.edn", edn)).contains("h.edn:2:1: found the completion of an operation");
        assertThat(inputs.rows("h.edn", """
                {:process 0, :type :ok, :f :add, :value [3 :a]}
                {:process 0, :type :fail, :f :add, :value [4 6]}
                {:process 0, :type :ok, :f :add, :value [4 6]}
                {:process 1, :type :ok, :f :read, :value [4 #{}]}
                {:process 1, :type :ok, :f :read, :value [3 [:a]]}
                """)).isEqualTo(inputs.rows("h.jsonl", """
                {"session":0,"index":0,"status":"committed","ops":[{"op":"i","key":"#[3 :a]","value":3}]}
                {"session":0,"index":1,"status":"aborted","ops":[{"op":"i","key":"#[4 6]","value":4}]}
                {"session":0,"index":2,"status":"committed","ops":[{"op":"i","key":"#[4 6]","value":4}]}
                {"session":1,"index":3,"status":"committed","ops":[{"op":"pr","lo":4,"hi":4,"rows":[]}]}
                {"session":1,"index":4,"status":"committed","ops":[{"op":"pr","lo":3,"hi":3,"rows":[["#[3 :a]",3]]}]}
                """));
        assertThat(inputs.rows("h.edn", """
                {:process 0, :type :ok, :f :txn, :value [[:add 3 :a] [:r 4 #{}] [:w 4 1]]}
                {:process 1, :type :ok, :f :add, :value [[:add 3 :b] [:r 3 #{:a :b}]]}
                """)).isEqualTo(inputs.rows("h.jsonl", """
                {"session":0,"index":0,"status":"committed","ops":[{"op":"i","key":"#[3 :a]","value":3},\
                {"op":"pr","lo":4,"hi":4,"rows":[]},{"op":"w","key":4,"value":1}]}
                {"session":1,"index":1,"status":"committed","ops":[{"op":"i","key":"#[3 :b]","value":3},\
                {"op":"pr","lo":3,"hi":3,"rows":[["#[3 :a]",3],["#[3 :b]",3]]}]}
                """));
    }

    @Test
    void noCharacterGoesOverTheEndOfALine() throws Exception {
        String operation = "{:process 0, :type :ok, :f :txn, :value [[:w 1 %d]]}\n";
        inputs.write("h.edn", String.format(operation + "#_ \\\n#_" + operation + operation, 1, 2, 3));
        assertThat(inputs.refusal("h.edn", HistoryFormat.EDN))
                .startsWith("h.edn:2:4: found '\\' at the end of a line; expected a character");
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

    @Test
    void listsOfAnInvocationWithAResultDoNotCount() throws Exception {
        String invoke = "{:process 0, :type :invoke, :f :txn, :value [[:r 1 [5]] [:append 2 3]]}\n";
        String ok = "{:process 0, :type :ok, :f :txn, :value [[:r 1 5] [:w 2 3]]}\n";
        String path = inputs.write("h.edn", invoke + ok + invoke + ok);
        assertThat(HistoryReader.read(path, HistoryFormat.EDN).values().hasLists())
                .isFalse();
        inputs.write("h.edn", invoke + ok + invoke + ok.replace("5] [:w", "[5]] [:append"));
        assertThat(inputs.refusal("h.edn", HistoryFormat.EDN)).contains("with lists and with other values");
    }
}
