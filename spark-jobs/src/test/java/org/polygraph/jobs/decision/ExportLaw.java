package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.io.UnwritableException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TestFolders;

/**
 * What is written for other checkers is read back as the same history, as far as their formats express it, and has the
 * same verdicts. Otherwise the first transaction that a format cannot express is named, and nothing is written.
 */
final class ExportLaw implements Law.Property<Example> {
    static final Set<HistoryFormat> FORMATS = EnumSet.of(
            HistoryFormat.DBCOP,
            HistoryFormat.COBRA,
            HistoryFormat.PLUME,
            HistoryFormat.EDN,
            HistoryFormat.ELLE_JSON,
            HistoryFormat.PORCUPINE);
    private static final Set<IsolationLevel> LEVELS =
            EnumSet.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RC);
    /** As the tests of Porcupine have it. */
    private static final Pattern CALL =
            Pattern.compile("INFO\\s+jepsen\\.util\\s+-\\s+(\\d+)\\s+:(invoke|ok|fail)\\s+:(read|write|cas)\\s+"
                    + "(nil|\\d+|\\[\\d+ \\d+\\])");

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Histories of all kinds. */
    static Example source(long seed) {
        return Example.of(
                switch ((int) Math.floorMod(seed, 10L)) {
                    case 0, 1 -> Simulator.values(seed);
                    case 2 -> Simulator.lists(seed);
                    case 3 -> Simulator.rows(seed);
                    case 4 -> Simulator.conditions(seed);
                    case 5 -> Simulator.with(EnumSet.of(Simulator.Feature.UPDATES), seed, Simulator.Feature.TIMES);
                    case 6 ->
                        Simulator.with(
                                EnumSet.of(Simulator.Feature.REPEATED, Simulator.Feature.NULLS),
                                seed,
                                Simulator.Feature.ABORTED);
                    default -> Simulator.registers(seed);
                });
    }

    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws Exception {
        HistoryTable table = history.table().asRead();
        for (HistoryFormat format : FORMATS) {
            Path folder = Files.createTempDirectory(TestFolders.root(), "exports");
            try {
                Path out = folder.resolve("h");
                HistoryTable read;
                try {
                    HistoryWriter.write(table, out.toString(), format);
                    read = format == HistoryFormat.PORCUPINE
                            ? registers(Files.readAllLines(out))
                            : HistoryReader.read(out.toString(), HistoryFormat.AUTO);
                } catch (UnwritableException e) {
                    assertThat(e).hasMessageMatching("(?s).+: found .+; expected .+; .+");
                    assertThat(folder).isEmptyDirectory();
                    tally.count(format.label() + " refused");
                    continue;
                }
                same(history, format, read, tally);
                tally.count(format.label());
            } finally {
                Location.of(folder.toString()).delete();
            }
        }
    }

    private static void same(Example history, HistoryFormat format, HistoryTable read, Law.Tally tally)
            throws Exception {
        HistoryTable table = history.table();
        String as = format + " " + history.text();
        if (format == HistoryFormat.PORCUPINE) {
            assertThat(pairs(read)).as(as).isEqualTo(pairs(table));
            verdict(history, read, IsolationLevel.LIN, as, tally);
            return;
        }
        assertThat(normal(read, format)).as(as).isEqualTo(normal(table, format));
        for (IsolationLevel level :
                format.hasTimes() ? IsolationLevel.values() : LEVELS.toArray(new IsolationLevel[0])) {
            verdict(history, read, level, as, tally);
        }
    }

    private static void verdict(Example history, HistoryTable read, IsolationLevel level, String as, Law.Tally tally)
            throws Exception {
        Boolean holds = history.levels().contains(level) ? history.holds(level, 0, true) : null;
        if (holds != null && Example.of(read).levels().contains(level)) {
            assertThat(Checks.status(read, level) == Verdict.Status.PASS)
                    .as(level + " " + as)
                    .isEqualTo(holds);
            tally.count(level + (holds ? " holds" : " violated"));
        }
    }

    /** By session: what a format expresses of its transactions. */
    private static List<List<String>> normal(HistoryTable table, HistoryFormat format) throws IOException {
        TreeMap<Long, List<String>> sessions = new TreeMap<>();
        LongStream times = Stream.of(table.starts(), table.ends())
                .flatMapToLong(each -> each == null ? LongStream.of(HistoryTable.NO_TIME) : LongStream.of(each));
        boolean isTimed = times.distinct().count() > 1;
        String initial = "null";
        for (String line : RecordedPredicates.written(table).lines().toList()) {
            JsonNode json = JSON.readTree(line);
            if (!json.has("ops")) {
                initial = json.at("/initial/value").toString();
                List<String> state = new ArrayList<>();
                json.at("/initial/state").forEach(each -> state.add(each.toString()));
                state.removeIf(each -> each.endsWith(",null]"));
                sessions.put(Long.MIN_VALUE, state);
                continue;
            }
            String status = json.get("status").asText();
            List<String> ops = new ArrayList<>();
            for (JsonNode op : json.get("ops")) {
                ops.add(operation(op, initial));
            }
            List<String> session = sessions.computeIfAbsent(json.get("session").asLong(), unused -> new ArrayList<>());
            if (format.hasTimes()) {
                // In operations of Jepsen nil is no result of an operation that failed.
                boolean isAborted = status.equals("aborted");
                ops.removeIf(op -> isAborted && op.startsWith("r ") && op.endsWith(" initial;"));
                boolean isOpen = status.equals("indeterminate");
                status += isTimed ? " " + json.get("start") + " " + (isOpen ? null : json.get("end")) : "";
            }
            boolean isPlume = format == HistoryFormat.PLUME;
            int last = session.size() - 1;
            if (isPlume
                    && status.equals("aborted")
                    && last >= 0
                    && session.get(last).startsWith(status)) {
                session.set(last, session.get(last) + String.join("", ops));
            } else if (!isPlume || !ops.isEmpty()) {
                session.add(status + String.join("", ops));
            }
        }
        sessions.get(Long.MIN_VALUE).sort(null);
        sessions.values().removeIf(List::isEmpty);
        return new ArrayList<>(sessions.values());
    }

    /** An operation, with a word for the initial value, which formats write in different ways. */
    private static String operation(JsonNode op, String initial) {
        boolean isValue = List.of("r", "w", "i", "append").contains(op.get("op").asText())
                && !op.get("value").isArray();
        String value = op.path("value").toString().replaceAll("^\"(-?\\d+)@\\d+\\.\\d+\"$", "$1");
        return isValue
                ? op.get("op").asText() + " " + op.get("key")
                        + (value.equals(initial) && !op.get("op").asText().equals("append") ? " initial" : " " + value)
                        + ";"
                : op + ";";
    }

    /** Reads the calls of a log as Porcupine's tests do. Their order is that of time. */
    private static HistoryTable registers(List<String> lines) throws Exception {
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            Matcher call = call(lines.get(i));
            if (!call.group(2).equals("invoke")) {
                continue;
            }
            int end = i + 1;
            while (end < lines.size() && !call(lines.get(end)).group(1).equals(call.group(1))) {
                end++;
            }
            Matcher result = end < lines.size() ? call(lines.get(end)) : null;
            assertThat(result == null || !result.group(2).equals("invoke"))
                    .as("an open process invokes")
                    .isTrue();
            String[] values = (result == null ? call : result)
                    .group(4)
                    .replaceAll("[\\[\\]]", "")
                    .replace("nil", "null")
                    .split(" ");
            String operation =
                    switch (call.group(3)) {
                        case "read" -> "\"op\":\"r\",\"value\":" + values[0];
                        case "write" -> "\"op\":\"w\",\"value\":" + values[0];
                        default ->
                            "\"op\":\"cas\",\"expected\":" + values[0] + ",\"value\":" + values[1] + ",\"ok\":"
                                    + (result == null ? null : result.group(2).equals("ok"));
                    };
            json.append("{\"session\":" + i + ",\"index\":0,\"start\":" + i
                    + (result == null
                            ? ",\"status\":\"indeterminate\""
                            : ",\"end\":" + end + ",\"status\":\"committed\"")
                    + ",\"ops\":[{\"key\":0," + operation + "}]}\n");
        }
        return SimulatedHistory.read(json.toString());
    }

    /** The number of pairs of operations of which one ended before the other began, of those that have an effect or a result. */
    private static long pairs(HistoryTable table) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        long pairs = 0;
        for (int a = 0; starts != null && ends != null && a < table.transactions(); a++) {
            for (int b = 0; b < table.transactions(); b++) {
                int last = table.operationsEnd(b) - 1;
                boolean isOpen = table.status(b) == TransactionStatus.INDETERMINATE
                        && last >= table.firstOperation(b)
                        && table.isWrite(last);
                boolean isBefore = ends[a] != HistoryTable.NO_TIME && ends[a] < starts[b];
                boolean isEnded = table.status(a) == TransactionStatus.COMMITTED;
                pairs += isBefore && isEnded && (isOpen || table.status(b) == TransactionStatus.COMMITTED) ? 1 : 0;
            }
        }
        return pairs;
    }

    private static Matcher call(String line) {
        Matcher call = CALL.matcher(line);
        assertThat(call.matches()).as(line).isTrue();
        return call;
    }
}
