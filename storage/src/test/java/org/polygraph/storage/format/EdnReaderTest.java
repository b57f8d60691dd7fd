package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.io.UnwritableException;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SuiteScale;

/** Notations, limits and errors of EDN; {@link FormatCasesTest} has what operations mean. */
class EdnReaderTest {
    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    /** A history of lists or values in a format that has it; null if the format does not express it. */
    static @Nullable String written(Inputs inputs, long seed, HistoryFormat format) throws Exception {
        SimulatedHistory history = seed % 2 == 0 ? Simulator.lists(seed) : Simulator.values(seed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            HistoryWriter.write(inputs.read("h.jsonl", history.json()).asRead(), out, format);
        } catch (UnwritableException e) {
            return null;
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The same operations in another notation of EDN, and among some of the nemesis. */
    private static String otherEdn(String edn, Random random) {
        boolean isEnclosed = random.nextBoolean();
        boolean isTagged = random.nextBoolean();
        StringBuilder text =
                new StringBuilder(random.nextInt(4) == 0 ? "; recorded\n" : "").append(isEnclosed ? "[" : "");
        for (String line : edn.lines().toList()) {
            if (random.nextInt(9) == 0) {
                text.append("{:type :info, :process :nemesis, :f :kill, :value [\"n1\" {:a #{1 2}}]}\n");
            }
            String call = line.substring(1, line.length() - 1);
            if (random.nextBoolean()) {
                call = call.replaceAll("(:time -?\\d+)", "$1N");
            }
            // The operations of an invocation count where the completion has no result.
            if (call.startsWith(":type :fail") && !call.contains("[:r ") && call.contains(":time")) {
                call = call.replaceFirst(":value \\[.*]", ":value :timeout");
            }
            List<String> fields = new ArrayList<>(List.of(call.split(", (?=:)")));
            fields.add(":note [:x \"]}\" \\] 1.5 3/4]");
            if (random.nextInt(4) == 0) {
                fields.add("#_ #_ :type {:value 3} \"k\" #inst \"2026-01-01\"");
            }
            Collections.shuffle(fields, random);
            text.append(isTagged ? "#jepsen.history.Op{" : "{")
                    .append(String.join(random.nextBoolean() ? ", " : "\n  ", fields))
                    .append(random.nextInt(5) == 0 ? " ; }\n" : "")
                    .append(random.nextBoolean() ? "}\n" : "} ");
        }
        return text + (isEnclosed ? "]" : "");
    }

    /** The same operations one after the other, or in a list with a byte order mark. */
    private static String otherJson(String json, Random random) {
        String fields = json.replace("{\"type\":", "{\"note\":[\"]}\",1.5,{\"type\":1}],\"type\":");
        return random.nextBoolean() ? "\uFEFF " + fields : fields.replaceAll("(?m)^\\[|[,\\]]$", "");
    }

    /** The law "exports" has that what is written is the history. */
    @Test
    void otherNotationsAreTheSameHistory() throws Exception {
        int compared = 0;
        int rounds = SuiteScale.of(800);
        for (long seed = 1; seed <= rounds; seed++) {
            for (HistoryFormat format : List.of(HistoryFormat.EDN, HistoryFormat.ELLE_JSON)) {
                String text = written(inputs, seed, format);
                if (text != null) {
                    boolean isEdn = format == HistoryFormat.EDN;
                    String other = isEdn ? otherEdn(text, new Random(seed)) : otherJson(text, new Random(seed));
                    assertThat(TableText.rows(inputs.read("other", TestFiles.utf8(other), format)))
                            .as(other)
                            .isEqualTo(TableText.rows(inputs.read("h", TestFiles.utf8(text), format)));
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(rounds * 5 / 8);
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
        int part = SuiteScale.isReduced() ? 8 : 1;
        String many = "[:r 1 2]".repeat(1_000_000 / part);
        for (String value : List.of(
                "{:process 0, :type :ok, :f :txn, :value [" + many + "]}",
                "{:process :nemesis, :value [" + many + "]}",
                "{:process :nemesis, :value [" + ("\"" + "a".repeat(1 << 20) + "\" ").repeat(48 / part) + "]}")) {
            assertThat(refusal(value, (24 << 20) / part)).contains("give more memory");
            assertThat(refusal(value, 1 << 30)).isEqualTo("nothing");
        }
        // No more bytes are released than were reserved.
        StringBuilder gone = new StringBuilder();
        for (int i = 0; i < 300_000 / part; i++) {
            gone.append("{:process ").append(i).append(", :type :invoke, :f :write, :value 1}\n");
            gone.append("{:process ").append(i).append(", :type :info, :f :write}\n");
        }
        assertThat(refusal(gone.toString(), (28 << 20) / part)).contains("give more memory");
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
