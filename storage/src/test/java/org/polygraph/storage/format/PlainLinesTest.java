package org.polygraph.storage.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Lines parsed in place against the same lines parsed by Jackson, which gets all that follows a line with an unknown field, up to
 * the end of a buffer.
 */
class PlainLinesTest {
    private static final String PLAIN = "{\"session\":-1,\"index\":0,\"status\":\"committed\",\"ops\":[]}\n";
    private static final String OTHER = PLAIN.replace("}", ",\"x\":[1]}");
    private static final String[] FRAGMENTS = {
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\\",
        "\n",
        "\r",
        "\r\n",
        " ",
        "\t",
        "0",
        "-",
        "1",
        ".5",
        "e3",
        "null",
        "true",
        "false",
        "é",
        "\u0001",
        "\\u0041",
        "\\n",
        "123456789012345678",
        "1234567890123456789",
        "-0",
        "01",
        "\"x\":1,",
        "\"key\":1,",
        "\"session\":1,",
        "\"ok\":false",
        "\"found\":1,",
        "\uFEFF",
        "//",
        "NaN"
    };

    @Test
    void linesMeanTheSame() throws Exception {
        compare(1, 5_000);
    }

    @Test
    @Tag("full")
    void manyLinesMeanTheSame() throws Exception {
        compare(1_000_000, 100_000);
    }

    private static void compare(long firstSeed, int cases) throws Exception {
        int refused = 0;
        for (long seed = firstSeed; seed < firstSeed + cases; seed++) {
            SplitMix random = new SplitMix(seed);
            StringBuilder text = new StringBuilder();
            for (int i = random.between(0, 4); i >= 0; i--) {
                text.append(transaction(random, i))
                        .append(random.chance(0.9) ? "\n" : random.chance(0.5) ? "\r\n" : "");
            }
            for (int i = random.chance(0.4) ? 0 : random.between(1, 2); i > 0; i--) {
                mutate(text, random);
            }
            List<String> plain = told(PLAIN + text, random);
            assertThat(plain).as("seed %s: %s", seed, text).isEqualTo(told(OTHER + text, random));
            refused += plain.size() == 1 ? 1 : 0;
        }
        // Mutations must leave something to accept and something to refuse.
        assertThat(refused).isBetween(cases / 4, cases * 3 / 4);
    }

    /** Longer than a buffer: in all of the lines, or one of many, or none there is something that is not plain. */
    @Test
    void buffersEndAnywhere() throws Exception {
        for (double odd : new double[] {0, 0.0005, 0.01, 1}) {
            SplitMix random = new SplitMix(7);
            StringBuilder text = new StringBuilder();
            StringBuilder other = new StringBuilder();
            for (int i = 0; i < 9_000; i++) {
                String line = "{\"session\":" + i % 7 + ",\"index\":" + i + ",\"status\":\"committed\",\"ops\":["
                        + operations(random, i % 1_000 == 999 ? 20_000 : random.between(0, 5))
                        + "]";
                String more = (i % 50 == 0 ? "\n" : "") + ",\"x\":1";
                text.append(line)
                        .append(random.chance(odd) ? more : more.replace(",\"x\":1", ""))
                        .append("}\n");
                other.append(line).append(more).append("}\n");
            }
            assertThat(told(text.toString(), random)).isEqualTo(told(other.toString(), random));
        }
    }

    /** What came of it: the table, where its transactions stand and how many lines there are; or why there is none. */
    private static List<String> told(String text, SplitMix random) throws IOException {
        HistoryTableBuilder builder = new HistoryTableBuilder(true);
        builder.file("h");
        try {
            long lines = new JsonlReader(builder).read("h", stream(text.getBytes(UTF_8), random));
            HistoryTable table = builder.build();
            List<String> told = new ArrayList<>(Tables.rows(table));
            told.add("lines " + lines);
            for (int t = 0; t < table.transactions(); t++) {
                told.add(table.whereIs(t));
            }
            for (int o = 0; o < table.operations(); o++) {
                told.add(table.operationKeys()[o] + " " + table.value(o));
            }
            return told;
        } catch (HistoryException e) {
            return List.of(e.getMessage());
        }
    }

    private static InputStream stream(byte[] bytes, SplitMix random) {
        int most = random.chance(0.5) ? Integer.MAX_VALUE : random.between(1, 50_000);
        return new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, most));
            }
        };
    }

    private static String transaction(SplitMix random, int index) {
        List<String> fields = new ArrayList<>();
        fields.add("\"session\":" + random.between(-2, 3));
        fields.add("\"index\":" + index);
        fields.add(
                "\"status\":\"" + one(random, "committed", "committed", "aborted", "indeterminate", "unknown") + "\"");
        fields.add("\"ops\":[" + operations(random, random.between(0, 3)) + "]");
        if (random.chance(0.5)) {
            fields.add("\"start\":" + one(random, "12", "null", "-3"));
            fields.add("\"end\":" + one(random, "1700000000000000000", "null"));
        }
        return object(random, fields, random.chance(0.03));
    }

    private static String operations(SplitMix random, int n) {
        List<String> operations = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            List<String> fields = new ArrayList<>();
            String kind = one(random, "r", "w", "cas");
            fields.add("\"op\":\"" + kind + "\"");
            fields.add("\"key\":" + one(random, "1", "20", "-7", "\"k\"", "\"key two\""));
            fields.add("\"value\":" + value(random));
            if (kind.equals("cas")) {
                fields.add("\"expected\":" + value(random));
                fields.add("\"ok\":" + one(random, "true", "false", "false", "true"));
                if (random.chance(0.3)) {
                    fields.add("\"found\":" + one(random, "9", "\"other\""));
                }
            }
            operations.add(object(random, fields, random.chance(0.02)));
        }
        return String.join(random.chance(0.8) ? "," : " , ", operations);
    }

    private static String value(SplitMix random) {
        return one(random, "1", "2", "345678901", "null", "-5", "\"text\"", "\"\"", "4611686018427387905");
    }

    private static String object(SplitMix random, List<String> fields, boolean hasMore) {
        if (hasMore) {
            fields.add(one(random, "\"x\":{\"y\":[1]}", "\"found\":1", "\"more\":\"\\\"\""));
        }
        for (int i = fields.size() - 1; i > 0 && random.chance(0.5); i--) {
            fields.add(random.nextInt(fields.size()), fields.remove(random.nextInt(fields.size())));
        }
        String text = String.join(random.chance(0.8) ? "," : ", ", fields);
        return "{" + (random.chance(0.8) ? text : text.replace("\":", "\" : ")) + "}";
    }

    private static String one(SplitMix random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private static void mutate(StringBuilder text, SplitMix random) {
        int at = random.nextInt(text.length() + 1);
        int to = Math.min(text.length(), at + (random.chance(0.5) ? 1 : random.between(0, 6)));
        switch (random.nextInt(3)) {
            case 0 -> text.delete(at, to);
            case 1 -> text.insert(at, FRAGMENTS[random.nextInt(FRAGMENTS.length)]);
            default -> text.insert(random.nextInt(text.length() + 1), text.substring(at, to));
        }
    }
}
