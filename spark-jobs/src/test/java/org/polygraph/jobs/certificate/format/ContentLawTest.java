package org.polygraph.jobs.certificate.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * The hash of the contents identifies what was recorded: any single change of a history changes it, and neither the order
 * of lines nor a conversion does.
 */
class ContentLawTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> KEYS = List.of("1", "2", "\"1\"", "\"k\"");
    private static final List<String> VALUES = List.of("1", "2", "\"1\"", "\"\"", "null", "7000000000000000000", "[1]");
    private static final List<String> STATUSES = List.of("committed", "aborted", "indeterminate");
    private static final List<LongFunction<SimulatedHistory>> FAMILIES = List.of(
            seed -> Simulator.of(seed, Feature.REPEATED, Feature.ABORTED, Feature.TIMES, Feature.INITIAL),
            seed -> Simulator.with(EnumSet.of(Feature.LISTS), seed, Feature.ABORTED, Feature.TIMES),
            seed -> Simulator.rows(seed),
            Simulator::unknownRows);

    @TempDir
    private static Path folder;

    /** The lines of a history. */
    private static List<String> lines(int family, long seed) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line : FAMILIES.get(family).apply(seed).json().split("\n")) {
            lines.add(JSON.readTree(line).toString());
        }
        return lines;
    }

    /** The same history with one change. */
    private static List<String> changed(List<String> lines, Random random) throws IOException {
        int at = random.nextInt(lines.size());
        ObjectNode line = (ObjectNode) JSON.readTree(lines.get(at));
        if (!line.has("ops")) {
            return lines;
        }
        ArrayNode ops = (ArrayNode) line.get("ops");
        int o = random.nextInt(Math.max(1, ops.size()));
        int other = random.nextInt(Math.max(1, ops.size()));
        switch (ops.isEmpty() ? 0 : random.nextInt(7)) {
            case 0 -> line.put("status", any(STATUSES, random));
            case 1 -> line.put(random.nextBoolean() ? "start" : "end", random.nextInt(99));
            case 2 -> ops.remove(o);
            case 3 -> ops.insert(o, ops.get(other));
            case 4 -> {
                JsonNode moved = ops.get(o);
                ops.set(o, ops.get(other));
                ops.set(other, moved);
            }
            default -> {
                ObjectNode op = (ObjectNode) ops.get(o);
                List<String> fields = new ArrayList<>();
                op.fieldNames().forEachRemaining(fields::add);
                String field = any(fields, random);
                switch (field) {
                    case "op" -> op.put("op", op.get("op").textValue().equals("w") ? "i" : "w");
                    case "key" -> op.set("key", JSON.readTree(any(KEYS, random)));
                    case "value" -> op.set("value", JSON.readTree(any(VALUES, random)));
                    case "lo", "hi", "mod", "count" ->
                        op.put(field, op.get(field).intValue() + 1);
                    default -> op.remove(field);
                }
            }
        }
        List<String> changed = new ArrayList<>(lines);
        changed.set(at, line.toString());
        return changed;
    }

    private static <T> T any(List<T> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    /** Returns null if the text is not a history. */
    private static @Nullable HistoryTable read(List<String> lines) throws IOException {
        try {
            Path file = Files.write(folder.resolve("history.jsonl"), lines);
            return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        } catch (HistoryException e) {
            return null;
        }
    }

    @Test
    void aChangeOfOneThingChangesTheHash() throws IOException {
        for (int family = 0; family < FAMILIES.size(); family++) {
            int compared = 0;
            for (int seed = 0; seed < SuiteScale.of(1_200, 400); seed++) {
                Random random = new Random(seed);
                List<String> history = lines(family, seed);
                String hash = Fingerprint.ofContent(Objects.requireNonNull(read(history)));
                for (int i = 0; i < 3; i++) {
                    List<String> changed = changed(history, random);
                    HistoryTable other = read(changed);
                    if (other != null) {
                        assertThat(Fingerprint.ofContent(other).equals(hash))
                                .as("seed %d: the hash of%n%s is that of%n%s", seed, changed, history)
                                .isEqualTo(changed.equals(history));
                        compared++;
                    }
                }
            }
            System.out.println("family " + family + ": " + compared + " changes");
            assertThat(compared).isGreaterThan(SuiteScale.of(1_200, 400));
        }
    }

    @Test
    void theOrderOfLinesAndAConversionChangeNothing() throws IOException, HistoryException {
        for (int family = 0; family < FAMILIES.size(); family++) {
            for (int seed = 0; seed < SuiteScale.of(200, 60); seed++) {
                List<String> history = lines(family, seed);
                String what = "seed " + seed + ": " + history;
                HistoryTable one = Objects.requireNonNull(read(history), what);
                String hash = Fingerprint.ofContent(one);
                List<String> shuffled = new ArrayList<>(history);
                int first = history.get(0).contains("\"ops\"") ? 0 : 1;
                Collections.shuffle(shuffled.subList(first, shuffled.size()), new Random(seed));
                assertThat(Fingerprint.ofContent(Objects.requireNonNull(read(shuffled), what)))
                        .as(what)
                        .isEqualTo(hash);
                for (HistoryFormat format : List.of(HistoryFormat.JSONL, HistoryFormat.PARQUET)) {
                    if (format == HistoryFormat.JSONL || !one.hasLists()) {
                        String target =
                                folder.resolve("converted." + format.label()).toString();
                        HistoryWriter.write(one.asRead(), target, format);
                        assertThat(Fingerprint.ofContent(HistoryReader.read(target, format)))
                                .as(format + " " + what)
                                .isEqualTo(hash);
                    }
                }
            }
        }
    }

    private static String hash(String... operations) throws IOException {
        String line =
                "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[" + String.join(",", operations) + "]}";
        return Fingerprint.ofContent(Objects.requireNonNull(read(List.of(line)), "a history"));
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
