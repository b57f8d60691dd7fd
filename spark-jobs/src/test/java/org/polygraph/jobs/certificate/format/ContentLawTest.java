package org.polygraph.jobs.certificate.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * The hash of the contents identifies what was recorded: any single change of a history changes it, and neither the order
 * of lines nor a conversion does.
 */
class ContentLawTest {
    /** What an operation of a history may be. */
    private enum Family {
        REGISTERS,
        LISTS,
        ROWS
    }

    private static final List<String> VALUES = List.of("1", "2", "\"1\"", "\"\"", "null", "7000000000000000000");

    @TempDir
    private static Path folder;

    /** A transaction, each field as JSON. */
    private record Line(int session, int index, String status, String times, List<String> ops) {
        String json() {
            return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"" + status + "\"" + times
                    + ",\"ops\":[" + String.join(",", ops) + "]}";
        }
    }

    /** Makes random histories of a family, and changes them. */
    private static final class Generator {
        private final Random random;
        private final Family family;
        /** Elements of lists, each of which is appended once. */
        private int element;

        Generator(long seed, Family family) {
            this.random = new Random(seed);
            this.family = family;
        }

        String any(List<String> of) {
            return of.get(random.nextInt(of.size()));
        }

        private String key() {
            return any(List.of("1", "2", "\"1\"", "\"k\""));
        }

        private String integers() {
            int low = random.nextInt(4);
            return "[" + low + "," + (low + random.nextInt(4)) + "]";
        }

        private String columns() {
            return switch (random.nextInt(3)) {
                case 0 -> "";
                case 1 -> ",\"row\":{\"v1\":" + random.nextInt(4) + "}";
                default -> ",\"row\":{\"v1\":" + random.nextInt(4) + ",\"v2\":\"" + any(List.of("a", "b")) + "\"}";
            };
        }

        private String condition() {
            return switch (random.nextInt(3)) {
                case 0 ->
                    "\"lo\":" + random.nextInt(3) + ",\"hi\":" + (3 + random.nextInt(3))
                            + any(List.of("", ",\"mod\":2", ",\"mod\":3"));
                case 1 -> "\"where\":{\"v1\":" + integers() + "}";
                default -> "\"where\":{\"v1\":" + integers() + ",\"v2\":[\"" + any(List.of("a", "b")) + "\"]}";
            };
        }

        private String operation() {
            String key = "\"key\":" + key();
            switch (family) {
                case LISTS -> {
                    if (random.nextInt(3) == 0) {
                        return "{\"op\":\"append\"," + key + ",\"value\":" + ++element + "}";
                    }
                    StringBuilder list = new StringBuilder();
                    for (int i = random.nextInt(4); i > 0; i--) {
                        list.append(list.isEmpty() ? "" : ",").append(any(List.of("1", "2", "\"1\"", "3")));
                    }
                    return "{\"op\":\"r\"," + key + ",\"value\":[" + list + "]}";
                }
                case ROWS -> {
                    String written = "\"value\":" + (1 + random.nextInt(5)) + columns();
                    return switch (random.nextInt(7)) {
                        case 0 -> "{\"op\":\"r\"," + key + ",\"value\":" + any(VALUES) + "}";
                        case 1 -> "{\"op\":\"w\"," + key + "," + written + "}";
                        case 2 -> "{\"op\":\"i\"," + key + "," + written + "}";
                        case 3 -> "{\"op\":\"d\"," + key + "}";
                        case 4 ->
                            "{\"op\":\"pr\"," + condition() + ",\"rows\":["
                                    + (random.nextBoolean() ? "" : "[" + key() + "," + (1 + random.nextInt(5)) + "]")
                                    + "]}";
                        case 5 ->
                            "{\"op\":\"pw\"," + condition() + "," + written
                                    + any(List.of("", ",\"count\":1", ",\"keys\":[1]", ",\"keys\":[2,\"k\"]")) + "}";
                        default ->
                            "{\"op\":\"pd\"," + condition()
                                    + any(List.of("", ",\"count\":1", ",\"count\":0", ",\"keys\":[2]")) + "}";
                    };
                }
                default -> {
                    return switch (random.nextInt(5)) {
                        case 0, 1 -> "{\"op\":\"r\"," + key + ",\"value\":" + any(VALUES) + "}";
                        case 2, 3 -> "{\"op\":\"w\"," + key + ",\"value\":" + any(VALUES) + "}";
                        default -> "{\"op\":\"cas\"," + key + ",\"expected\":" + any(VALUES) + ",\"ok\":false}";
                    };
                }
            }
        }

        List<Line> history() {
            List<Line> lines = new ArrayList<>();
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                List<String> ops = new ArrayList<>();
                for (int o = random.nextInt(5); o > 0; o--) {
                    ops.add(operation());
                }
                String times = random.nextInt(3) == 0 ? ",\"start\":" + random.nextInt(9) : "";
                lines.add(new Line(
                        random.nextInt(3), 2 * i, any(List.of("committed", "aborted", "indeterminate")), times, ops));
            }
            return lines;
        }

        /** The same history with one change. */
        List<Line> changed(List<Line> history) {
            List<Line> changed = new ArrayList<>(history);
            int at = random.nextInt(history.size());
            Line line = history.get(at);
            List<String> ops = new ArrayList<>(line.ops);
            switch (random.nextInt(6)) {
                case 0 -> ops.add(random.nextInt(ops.size() + 1), operation());
                case 1, 2 -> {
                    if (!ops.isEmpty()) {
                        ops.set(random.nextInt(ops.size()), operation());
                    }
                }
                case 3 -> {
                    if (!ops.isEmpty()) {
                        ops.remove(random.nextInt(ops.size()));
                    }
                }
                case 4 -> Collections.shuffle(ops, random);
                default -> {
                    String status = any(List.of("committed", "aborted", "indeterminate"));
                    String times = any(List.of("", ",\"start\":3", ",\"end\":30"));
                    changed.set(at, new Line(line.session, line.index, status, times, line.ops));
                    return changed;
                }
            }
            changed.set(at, new Line(line.session, line.index, line.status, line.times, ops));
            return changed;
        }
    }

    private static String text(List<Line> lines, String initial) {
        StringBuilder text = new StringBuilder(
                "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":null,\"state\":[" + initial + "]}}\n");
        lines.forEach(line -> text.append(line.json()).append('\n'));
        return text.toString();
    }

    /** Returns null if the text is not a history. */
    private static @Nullable HistoryTable read(String text) throws IOException {
        try {
            Path file = Files.writeString(folder.resolve("history.jsonl"), text);
            return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        } catch (HistoryException e) {
            return null;
        }
    }

    @Test
    void aChangeOfOneThingChangesTheHash() throws IOException {
        for (Family each : Family.values()) {
            int compared = 0;
            for (int seed = 0; seed < SuiteScale.of(6_000, 500); seed++) {
                Generator law = new Generator(seed, each);
                List<Line> history = law.history();
                String initial = each == Family.LISTS ? "" : law.any(List.of("", "[1,5]", "[\"1\",5]", "[1,null]"));
                String text = text(history, initial);
                HistoryTable one = read(text);
                if (one == null) {
                    continue;
                }
                String hash = Fingerprint.ofContent(one);
                for (int i = 0; i < 3; i++) {
                    String otherText = text(law.changed(history), initial);
                    HistoryTable other = read(otherText);
                    if (other != null) {
                        assertThat(Fingerprint.ofContent(other).equals(hash))
                                .as("seed %d: the hash of%n%s is that of%n%s", seed, otherText, text)
                                .isEqualTo(otherText.equals(text));
                        compared++;
                    }
                }
            }
            System.out.println(each + ": " + compared + " changes");
            assertThat(compared).isGreaterThan(SuiteScale.of(6_000, 500));
        }
    }

    @Test
    void theOrderOfLinesAndAConversionChangeNothing() throws IOException, HistoryException {
        int compared = 0;
        for (Family each : Family.values()) {
            for (int seed = 0; seed < SuiteScale.of(2_000, 60); seed++) {
                Generator law = new Generator(seed, each);
                List<Line> history = law.history();
                HistoryTable one = read(text(history, ""));
                if (one == null) {
                    continue;
                }
                String hash = Fingerprint.ofContent(one);
                List<Line> shuffled = new ArrayList<>(history);
                Collections.shuffle(shuffled, law.random);
                HistoryTable other = Objects.requireNonNull(read(text(shuffled, "")), "the same history");
                assertThat(Fingerprint.ofContent(other))
                        .as("%s, seed %d: other lines", each, seed)
                        .isEqualTo(hash);
                for (HistoryFormat format : List.of(HistoryFormat.JSONL, HistoryFormat.PARQUET)) {
                    if (format == HistoryFormat.PARQUET && each == Family.LISTS) {
                        continue;
                    }
                    String target = folder.resolve("converted." + (format == HistoryFormat.JSONL ? "jsonl" : "parquet"))
                            .toString();
                    HistoryWriter.write(one.asRead(), target, format);
                    assertThat(Fingerprint.ofContent(HistoryReader.read(target, format)))
                            .as("%s, seed %d, %s: %s", each, seed, format, text(history, ""))
                            .isEqualTo(hash);
                }
                compared++;
            }
        }
        System.out.println(compared + " conversions");
        assertThat(compared).isGreaterThan(SuiteScale.of(2_000, 60));
    }

    private static String hash(String... operations) throws IOException {
        Line line = new Line(0, 0, "committed", "", List.of(operations));
        return Fingerprint.ofContent(Objects.requireNonNull(read(text(List.of(line), "")), "a history"));
    }

    /** A compare-and-set is recorded as what it read and wrote. */
    @Test
    void aCompareAndSetIsAReadAndAWrite() throws IOException {
        String read = "{\"op\":\"r\",\"key\":1,\"value\":5}";
        String write = "{\"op\":\"w\",\"key\":1,\"value\":6}";
        String applied = "{\"op\":\"cas\",\"key\":1,\"expected\":5,\"value\":6,\"ok\":true}";
        assertThat(hash(applied)).isEqualTo(hash(read, write)).isNotEqualTo(hash(write, read));
        String refused = "{\"op\":\"cas\",\"key\":1,\"expected\":6,\"ok\":false";
        assertThat(hash(refused + ",\"found\":5}")).isEqualTo(hash(read)).isNotEqualTo(hash(refused + "}"));
    }

    /** A list is not its last element, and an append is no write. A check hashes a table that has these. */
    @Test
    void aListIsNotTheRegisterThatStandsForIt() throws IOException {
        HistoryTable reduced = HistoryDsl.parse("s0: a(1,5) r(1,[5])");
        assertThat(Fingerprint.ofContent(reduced)).isEqualTo(Fingerprint.ofContent(reduced.asRead()));
        String append = "{\"op\":\"append\",\"key\":1,\"value\":5}";
        String list = "{\"op\":\"r\",\"key\":1,\"value\":[5]}";
        assertThat(hash(append, list))
                .isNotEqualTo(hash(
                        "{\"op\":\"r\",\"key\":1,\"value\":null}",
                        "{\"op\":\"w\",\"key\":1,\"value\":\"[.. 5]\"}",
                        "{\"op\":\"r\",\"key\":1,\"value\":\"[.. 5]\"}"));
    }
}
