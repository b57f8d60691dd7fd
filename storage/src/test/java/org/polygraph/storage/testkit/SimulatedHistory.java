package org.polygraph.storage.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions.Kind;
import org.polygraph.storage.testkit.Definitions.Op;
import org.polygraph.storage.testkit.Definitions.Result;
import org.polygraph.storage.testkit.Definitions.Row;
import org.polygraph.storage.testkit.Definitions.Transaction;
import org.polygraph.storage.testkit.Definitions.Where;

/**
 * A history of {@link Simulator} in two forms, neither of which is made from the other: as JSON Lines, and as the input
 * of the judges.
 */
public final class SimulatedHistory {
    /** The unwritten value; a missing time. */
    static final long NULL = ValueDictionary.NULL;

    static final long NONE = Definitions.NONE;
    private static final long ABSENT = Definitions.ABSENT;
    private static final String[] NAMES = {"x", "y"};

    /**
     * How the file writes a history.
     *
     * @param choices decides by operation which pair of a read and a write is a compare-and-set, if pairs are
     * @param keys the notation of numbers: as they are, as strings, as either (so that 1 and "1" differ), or at the
     *     ends of the range
     * @param values the same for values
     * @param shuffled whether lines are in another order than that of commits: 0 no, 1 by session, 2 yes
     * @param spreads whether indexes of a session have gaps
     */
    record Style(long choices, boolean comparesAndSets, int keys, int values, int shuffled, boolean spreads) {
        /** @param hasPlainValues whether values stay as they are, because conditions have bounds of them */
        static Style of(SplitMix random, boolean comparesAndSets, boolean isOther, boolean hasPlainValues) {
            return new Style(
                    random.nextLong(),
                    comparesAndSets,
                    isOther && random.chance(0.6) ? random.nextInt(4) : 0,
                    isOther && !hasPlainValues && random.chance(0.6) ? random.nextInt(6) : 0,
                    isOther ? random.nextInt(3) : 0,
                    isOther && random.chance(0.5));
        }
    }

    /** In the order of commits, which within a session is its order. */
    private final List<Transaction> transactions;

    private final long initial;
    /** By key, where a key does not begin with the initial value. */
    private final Map<Integer, Long> initials;

    private final Style style;
    /** With conditions it matters which rows there are. */
    private final int keys;

    private final @Nullable SimulatedVersions versions;

    SimulatedHistory(
            List<Transaction> transactions,
            long initial,
            Map<Integer, Long> initials,
            Style style,
            int keys,
            @Nullable SimulatedVersions versions) {
        this.versions = versions;
        this.transactions = List.copyOf(transactions);
        this.initial = initial;
        this.initials = initials;
        this.style = style;
        this.keys = keys;
    }

    /** Transactions of single values and lists in a random notation; the initial value is 0. */
    public static SimulatedHistory of(List<Transaction> transactions, SplitMix random) {
        return new SimulatedHistory(
                transactions, 0, Map.of(), Style.of(random, random.chance(0.5), true, false), 0, null);
    }

    /** In the order of commits. */
    public List<Transaction> transactions() {
        return transactions;
    }

    /** Whether some transaction has times. */
    public boolean isTimed() {
        return transactions.stream().anyMatch(t -> t.start() != NONE || t.end() != NONE);
    }

    /**
     * The input of the judges.
     *
     * @param refusals whether what a refused compare-and-set did not find is part of it
     */
    public Definitions definitions(boolean refusals) {
        int most = keys;
        List<Transaction> all = new ArrayList<>();
        for (Transaction t : transactions) {
            List<Op> ops = new ArrayList<>(t.ops());
            ops.removeIf(op -> op.kind() == Kind.READ_OTHER && !refusals);
            all.add(new Transaction(t.session(), t.status(), t.start(), t.end(), ops));
            most = Math.max(
                    most, t.ops().stream().mapToInt(op -> op.key() + 1).max().orElse(0));
        }
        Row[] rows = new Row[most];
        Arrays.setAll(rows, key -> row(initials.getOrDefault(key, initial)));
        Definitions definitions = new Definitions(all, rows, initial);
        return versions == null ? definitions : definitions.ordered(versions.before(all));
    }

    /** Whether a level holds; null if there are too many choices to try. */
    public @Nullable Boolean holds(String level) {
        return definitions(level.equals("LIN")).holds(Definitions.Level.valueOf(level), 0, true);
    }

    static @Nullable Row row(long value) {
        return value == NULL ? null : Row.of(value);
    }

    /** The history as the checker reads it. */
    public HistoryTable table() {
        try {
            return read(json());
        } catch (HistoryException e) {
            throw new IllegalStateException("the simulator writes what can be read", e);
        }
    }

    /** Reads JSON Lines. */
    public static HistoryTable read(String lines) throws HistoryException {
        try {
            Path file = Files.createTempFile(TestFolders.root(), "law", ".jsonl");
            try {
                Files.writeString(file, lines);
                return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The histories without one transaction, and those without one operation. */
    public List<SimulatedHistory> smaller() {
        List<SimulatedHistory> all = new ArrayList<>();
        for (int t = 0; t < transactions.size(); t++) {
            List<Transaction> left = new ArrayList<>(transactions);
            Transaction one = left.remove(t);
            all.add(with(left));
            for (int o = 0; o < one.ops().size(); o++) {
                if (one.ops().get(o).kind() == Kind.SAVEPOINT) {
                    continue;
                }
                List<Op> ops = new ArrayList<>(one.ops());
                ops.remove(o);
                left = new ArrayList<>(transactions);
                left.set(t, new Transaction(one.session(), one.status(), one.start(), one.end(), ops));
                all.add(with(left));
            }
        }
        return all;
    }

    private SimulatedHistory with(List<Transaction> others) {
        return new SimulatedHistory(others, initial, initials, style, keys, versions);
    }

    /** The history as a file. */
    public String json() {
        StringBuilder out = new StringBuilder();
        if (initial != NULL || !initials.isEmpty() || keys > 0 || style.choices % 3 == 0) {
            String state = initials.entrySet().stream()
                    .map(each -> "[" + key(each.getKey()) + "," + value(each.getValue()) + "]")
                    .collect(Collectors.joining(","));
            out.append("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":" + value(initial)
                    + (state.isEmpty() ? "" : ",\"state\":[" + state + "]") + "}}\n");
        }
        List<String> lines = new ArrayList<>();
        Map<Integer, Integer> indexes = new HashMap<>();
        for (Transaction t : transactions) {
            int index = indexes.merge(t.session(), 1, Integer::sum) - 1;
            lines.add(line(t, style.spreads ? 7 * index - 3 : index));
        }
        if (style.shuffled == 1) {
            lines.sort(Comparator.comparing(line -> line.split(",", 2)[0]));
        } else if (style.shuffled == 2) {
            lines.sort(Comparator.comparingLong(line -> SplitMix.mix(line.hashCode() ^ style.choices)));
        }
        lines.forEach(line -> out.append(line).append('\n'));
        if (keys > 0) {
            // The table has the keys that some operation names.
            out.append("{\"session\":90,\"index\":0,\"status\":\"aborted\",\"ops\":[");
            for (int k = 0; k < keys; k++) {
                out.append(k == 0 ? "" : ",").append(field("r", k)).append(",\"value\":0}");
            }
            out.append("]}\n");
        }
        return out.toString();
    }

    private String line(Transaction t, long index) {
        StringBuilder out = new StringBuilder("{\"session\":" + t.session() + ",\"index\":" + index);
        out.append(t.start() == NONE ? "" : ",\"start\":" + t.start());
        out.append(t.end() == NONE ? "" : ",\"end\":" + t.end());
        String status =
                switch (t.status()) {
                    case Definitions.COMMITTED -> "committed";
                    case Definitions.ABORTED -> "aborted";
                    default -> "indeterminate";
                };
        List<String> ops = new ArrayList<>();
        for (int o = 0; o < t.ops().size(); o++) {
            Op op = t.ops().get(o);
            Op next = o + 1 < t.ops().size() ? t.ops().get(o + 1) : op;
            boolean isPair = op.kind() == Kind.READ && next.kind() == Kind.WRITE && next.key() == op.key();
            long choice = Math.floorMod(SplitMix.mix(style.choices ^ next.row().value()), 3L);
            if (style.comparesAndSets && isPair && choice > 0) {
                boolean isOpen = t.status() == Definitions.INDETERMINATE && choice > 1;
                ops.add(field("cas", op.key()) + ",\"expected\":"
                        + value(op.row().value()) + ",\"value\":"
                        + value(next.row().value()) + ",\"ok\":" + (isOpen ? "null" : "true") + "}");
                o++;
            } else {
                ops.add(json(op));
            }
        }
        return out + ",\"status\":\"" + status + "\",\"ops\":" + ops + "}";
    }

    private String json(Op op) {
        Row row = op.row();
        String value = ",\"value\":" + value(row.value());
        if (versions != null && (op.kind() == Kind.READ || op.kind() == Kind.WRITE)) {
            SimulatedVersions.Shown shown = versions.shown(op);
            return field(op.kind() == Kind.READ ? "r" : "w", op.key()) + ",\"value\":" + value(shown.value())
                    + (shown.version() == null ? "" : ",\"version\":" + shown.version()) + "}";
        }
        String columns =
                row.v1() == ABSENT ? "" : ",\"row\":{\"v1\":" + row.v1() + ",\"v2\":\"" + NAMES[(int) row.v2()] + "\"}";
        Result result = op.result();
        return switch (op.kind()) {
            case READ ->
                isRefusal(row.value())
                        ? refusal(op, row.value() == 1 ? 2 : 1, ",\"found\":" + value(row.value()))
                        : field("r", op.key()) + value + "}";
            case WRITE -> field("w", op.key()) + value + columns + "}";
            case READ_OTHER -> refusal(op, row.value(), "");
            case ADD ->
                field("add", op.key()) + value
                        + (op.list().isEmpty() ? "" : ",\"result\":" + op.list().get(0)) + "}";
            case APPEND -> field("append", op.key()) + value + "}";
            case READ_LIST ->
                field("r", op.key()) + ",\"value\":"
                        + op.list().stream().map(this::value).toList() + "}";
            case INSERT -> field("i", op.key()) + value + columns + "}";
            case DELETE -> field("d", op.key()) + "}";
            case READ_ROWS -> "{\"op\":\"pr\"" + json(result.where()) + ",\"rows\":" + rows(result, true) + "}";
            case WRITE_ROWS -> "{\"op\":\"pw\"" + json(result.where()) + value + columns + keys(result) + "}";
            case DELETE_ROWS -> "{\"op\":\"pd\"" + json(result.where()) + keys(result) + "}";
            case SAVEPOINT -> "{\"op\":\"savepoint\",\"name\":\"p" + row.value() + "\"}";
            case RELEASE -> "{\"op\":\"release\",\"name\":\"p" + row.value() + "\"}";
            case ROLLBACK_TO -> "{\"name\":\"p" + row.value() + "\",\"op\":\"rollback_to\"}";
        };
    }

    /** Whether a read is written as a compare-and-set that was refused and shows what it found. */
    private boolean isRefusal(long value) {
        return style.comparesAndSets && Math.floorMod(SplitMix.mix(~style.choices ^ value), 5L) == 0;
    }

    private String refusal(Op op, long expected, String found) {
        return field("cas", op.key()) + ",\"expected\":" + value(expected) + ",\"value\":" + value(5) + ",\"ok\":false"
                + found + "}";
    }

    private static String json(Where where) {
        if (!where.ofColumns()) {
            return ",\"lo\":" + where.lo() + ",\"hi\":" + where.hi()
                    + (where.names() == 0 ? "" : ",\"mod\":" + where.names());
        }
        List<String> terms = new ArrayList<>();
        if (where.lo() <= where.hi()) {
            terms.add("\"v1\":[" + where.lo() + "," + where.hi() + "]");
        }
        if (where.names() != 0) {
            terms.add("\"v2\":"
                    + IntStream.range(0, NAMES.length)
                            .filter(i -> (where.names() >> i & 1) != 0)
                            .mapToObj(i -> "\"" + NAMES[i] + "\"")
                            .toList());
        }
        return ",\"where\":{" + String.join(",", terms) + "}";
    }

    private String keys(Result result) {
        return switch (result.count()) {
            case Result.GIVEN -> ",\"keys\":" + rows(result, false);
            case Result.UNKNOWN -> "";
            default -> ",\"count\":" + result.count();
        };
    }

    private List<String> rows(Result result, boolean values) {
        List<String> all = new ArrayList<>();
        for (int k = 0; k < result.rows().length; k++) {
            if (result.rows()[k] != ABSENT) {
                all.add(values ? "[" + key(k) + "," + value(result.rows()[k]) + "]" : key(k));
            }
        }
        return all;
    }

    private String field(String op, int key) {
        return "{\"op\":\"" + op + "\",\"key\":" + key(key);
    }

    private String key(int key) {
        return switch (style.keys) {
            case 1 -> "\"k" + key + "\"";
            case 2 -> key % 2 == 0 ? String.valueOf(key / 2) : "\"" + key / 2 + "\"";
            case 3 -> String.valueOf(Long.MAX_VALUE - key * (key % 2 == 0 ? 1 : 1L << 40));
            default -> String.valueOf(key);
        };
    }

    private String value(long v) {
        if (v == NULL) {
            return "null";
        }
        return switch (style.values) {
            case 1 -> "\"v" + v + "\"";
            case 2 -> v % 2 == 0 ? String.valueOf(v / 2) : "\"" + v / 2 + "\"";
            case 3 -> String.valueOf(v % 2 == 0 ? Long.MAX_VALUE - v : Long.MIN_VALUE + v);
            case 4 -> v == 1 ? "\"null\"" : v == 2 ? "\"\"" : String.valueOf(-v);
            case 5 -> String.valueOf((1L << 62) - 3 + v);
            default -> String.valueOf(v);
        };
    }
}
