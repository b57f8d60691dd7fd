package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.format.jsonl.PredicateReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.table.SourceFiles.Unit;

/** Reads the columns of a file side by side. Each row becomes a transaction of the builder. */
final class ParquetRows {
    private static final int READ = 0;
    private static final int WRITE = 1;
    /** The bits that mark a write as an insert or a delete. */
    private static final int INSERTS = 4;

    private static final int DELETES = 8;
    private static final int INSERT = WRITE | INSERTS;
    private static final int DELETE = WRITE | DELETES;
    private static final int APPENDS = 16;
    private static final int APPEND = WRITE | APPENDS;
    private static final int ADDS = 32;
    private static final int ADD = WRITE | ADDS;
    /** The bit of operations that have fields and no key. Above it is the number of their name in {@link #NAMES}. */
    private static final int OF_FIELDS = 64;

    private static final int NAME = 7;
    private static final List<String> NAMES = List.of("pr", "pw", "pd", "savepoint", "release", "rollback_to");

    /** The bits of operations that are read one by one. */
    private static final int RARE = APPENDS | ADDS | DELETES | OF_FIELDS;

    /** The code of a compare-and-set that did not find the expected value. */
    private static final int REFUSED = 2;

    private static final String OPERATIONS =
            "\"r\", \"w\", \"append\", \"add\", \"i\", \"d\", \"pr\", \"pw\", \"pd\", \"savepoint\", \"release\", \"rollback_to\" or \"cas\"";

    private final ReadContext context;
    private final String file;
    private final HistoryTableBuilder builder;
    /** The row that was begun last. */
    private long row;

    private final ParquetColumn session;
    private final ParquetColumn index;
    private final @Nullable ParquetColumn start;
    private final @Nullable ParquetColumn end;
    private final ParquetColumn status;

    private final ParquetColumn op;
    private final @Nullable ParquetColumn key;
    private final @Nullable ParquetColumn keyString;
    private final @Nullable ParquetColumn value;
    private final @Nullable ParquetColumn valueString;
    private final @Nullable ParquetColumn fields;
    private final @Nullable ParquetColumn version;
    private final PredicateReader predicate;
    /** The strings of {@link #fields} in the row group. The codes of the column are their numbers. */
    private final List<String> texts = new ArrayList<>();

    /** The definition level of an existing operation. Below it, the list is null, is empty or has a null element. */
    private final int operationLevel;

    private final ParquetColumn[] ofRows;
    private final ParquetColumn[] ofOperations;
    /** The number of rows whose columns are decoded; {@code rowsBegun} of them have begun. */
    private int rowsAtHand;

    private int rowsBegun;
    /** Whether any of these rows has a time. */
    private boolean isTimed;

    private int[] kinds = new int[0];
    private int[] keysAndKinds = new int[0];
    private int[] rowStarts = new int[0];

    /** Carries a located error through the decoding, which looks up strings. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final HistoryException reason;

        Refused(HistoryException reason) {
            super(reason);
            this.reason = reason;
        }

        HistoryException reason() {
            return reason;
        }
    }

    /**
     * @param schema the columns to read, checked
     * @param before the number of rows of the file before the first row group that will be read
     */
    ParquetRows(ParquetSchema schema, String file, long before, ReadContext context, HistoryTableBuilder builder) {
        this.row = before - 1;
        this.context = context;
        this.file = file;
        this.builder = builder;
        session = require(schema.column("session", this::none, false));
        index = require(schema.column("index", this::none, false));
        start = schema.column("start", this::none, false);
        end = schema.column("end", this::none, false);
        status = require(schema.column("status", this::outcome, true));
        op = require(schema.column("op", this::kind, true));
        key = schema.column("key", builder.keys()::id, false);
        keyString = schema.column("key_string", builder.keys()::id, false);
        value = schema.column("value", builder.values()::code, false);
        valueString = schema.column("value_string", builder.values()::code, false);
        fields = schema.column("fields", this::text, false);
        version = schema.column("version", this::none, false);
        predicate = new PredicateReader(builder);
        operationLevel = schema.operationLevel();
        ofRows = some(session, index, status, start, end);
        ofOperations = some(op, key, keyString, value, valueString, fields, version);
    }

    private static ParquetColumn[] some(@Nullable ParquetColumn... columns) {
        return Arrays.stream(columns).filter(Objects::nonNull).toArray(ParquetColumn[]::new);
    }

    private static ParquetColumn require(@Nullable ParquetColumn column) {
        if (column == null) {
            throw new IllegalArgumentException("a schema that was not checked");
        }
        return column;
    }

    void read(SeekableInput in, ParquetFooter.Group group) throws IOException {
        for (ParquetColumn column : ofRows) {
            column.open(in, group);
        }
        for (ParquetColumn column : ofOperations) {
            column.open(in, group);
        }
        texts.clear();
        rowsAtHand = 0;
        rowsBegun = 0;
        long first = row;
        long rows = group.rows();
        for (int n; (n = atHand(ofOperations)) > 0; ) {
            context.check(file);
            for (ParquetColumn column : ofOperations) {
                if (!column.isAlike(op, n)) {
                    throw new IOException("columns of one list that are not alike");
                }
            }
            boolean isPlain = isPlain(key, keyString)
                    && isPlain(value, valueString)
                    && some(fields) == null
                    && some(version) == null;
            if (!(isPlain && op.isFull()) || !plainOperations(n, first, first + rows)) {
                operations(n, first, first + rows);
            }
            for (ParquetColumn column : ofOperations) {
                column.advance(n);
            }
        }
        if (row > first) {
            builder.end();
        }
        advanceRows();
        if (row - first != rows || session.available() > 0) {
            throw new IOException((row - first) + " rows in a row group of " + rows);
        }
    }

    /** Reads the transactions of a row group without their operations. */
    void readTransactions(SeekableInput in, ParquetFooter.Group group) throws IOException {
        for (ParquetColumn column : ofRows) {
            column.open(in, group);
        }
        rowsAtHand = 0;
        rowsBegun = 0;
        long first = row;
        for (int n; (n = rowsAtHand()) > 0; ) {
            context.check(file);
            for (int i = 0; i < n; i++) {
                beginRow(first, first + group.rows());
                builder.end();
            }
        }
        if (row - first != group.rows()) {
            throw new IOException((row - first) + " rows in a row group of " + group.rows());
        }
    }

    /**
     * Returns the least number of decoded entries among the columns. It is 0 at the end of the row group. Only this
     * method decodes further entries: the compiler would copy the decoder, which is long, into each caller.
     */
    private static int atHand(ParquetColumn[] columns) throws IOException {
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (ParquetColumn column : columns) {
            int n = column.available();
            least = Math.min(least, n);
            most = Math.max(most, n);
        }
        if (least == 0 && most > 0) {
            throw new IOException("a column that ends before its row group");
        }
        return least;
    }

    /** Reads the next {@code n} entries of lists, and the rows that begin with them. */
    private void operations(int n, long first, long end) throws IOException {
        ParquetColumn integerKey = some(key);
        ParquetColumn textKey = some(keyString);
        ParquetColumn integerValue = some(value);
        ParquetColumn textValue = some(valueString);
        ParquetColumn others = some(fields);
        ParquetColumn versions = some(version);
        for (int i = 0; i < n; i++) {
            if (op.repetition(i) == 0) {
                if (row > first) {
                    builder.end();
                }
                beginRow(first, end);
            } else if (row == first) {
                throw new IOException("a list that begins before its row");
            }
            if (op.definition(i) < operationLevel) {
                continue;
            }
            if (!op.present(i)) {
                throw isNull("op");
            }
            int kind = (int) op.code(i);
            boolean isPredicate = (kind & OF_FIELDS) != 0;
            boolean hasMore = kind == READ && others != null && others.present(i);
            if (isPredicate || hasMore || (others != null && others.present(i) && (kind & WRITE) != 0)) {
                fields(kind, others, i);
            }
            if (isPredicate) {
                continue;
            }
            int k = key(either(integerKey, textKey, i, "key"), i);
            long v = value(either(integerValue, textValue, i, "value"), i);
            if (versions != null && versions.present(i)) {
                v = given(kind, hasMore, v, versions.number(i));
            }
            if (hasMore && predicate.readList(k)) {
                continue;
            }
            if (kind == WRITE) {
                builder.write(k, v);
            } else if (kind == APPEND) {
                if (v == ValueDictionary.NULL) {
                    throw isNull("value");
                }
                builder.append(k, v);
            } else if (kind == ADD) {
                if (!builder.values().isInteger(v) || (others != null && others.present(i))) {
                    throw refused(
                            "an \"add\" of no integer, or with \"fields\"",
                            "an integer",
                            "write additions with their sums as \"r\" and \"w\"");
                }
                builder.add(k, v);
            } else if (kind == INSERT) {
                builder.insert(k, v);
            } else if (kind == DELETE) {
                if (v != ValueDictionary.NULL) {
                    throw refused(
                            "a \"d\" with a value", "null, for a delete leaves no row", "write the value with \"w\"");
                }
                builder.delete(k);
            } else {
                builder.read(k, kind == REFUSED ? builder.values().otherThan(v) : v);
                if (hasMore) {
                    predicate.more(k);
                }
            }
        }
    }

    /** Whether each decoded entry has an integer and no string. */
    private static boolean isPlain(@Nullable ParquetColumn integers, @Nullable ParquetColumn strings) {
        return integers != null && !integers.isString() && integers.isFull() && (strings == null || strings.isEmpty());
    }

    /**
     * Does the same as {@link #operations} if all operations are present and their keys and values are integers. It
     * uses several loops that do one thing each, which the JIT compiler optimizes early. Returns false and does nothing
     * if an operation is of an unknown or rare kind.
     */
    private boolean plainOperations(int n, long first, long end) throws IOException {
        if (kinds.length < n) {
            kinds = new int[n];
            keysAndKinds = new int[n];
            rowStarts = new int[n];
        }
        int all = op.codes(kinds, n);
        if (all < 0 || (all & RARE) != 0) {
            return false;
        }
        int starts = op.rowStarts(rowStarts, n);
        if (row == first && (starts == 0 || rowStarts[0] > 0)) {
            throw new IOException("a list that begins before its row");
        }
        ParquetColumn keysColumn = require(key);
        ParquetColumn valuesColumn = require(value);
        long[] values = valuesColumn.numbers();
        int at = valuesColumn.position();
        for (int from = 0; from < n; from += ParquetColumn.BLOCK) {
            int to = Math.min(n, from + ParquetColumn.BLOCK);
            keys(builder.keys(), keysColumn.numbers(), keysColumn.position(), kinds, keysAndKinds, from, to);
            builder.values().codes(values, at + from, at + to);
        }
        if ((all & REFUSED) != 0) {
            refusals(builder.values(), kinds, values, at, n);
        }
        int before = builder.operations();
        builder.operations(keysAndKinds, 0, values, at, n);
        if ((all & INSERTS) != 0) {
            inserts(before, n);
        }
        for (int i = 0; i < starts; ) {
            int m = rowsAtHand();
            for (int to = Math.min(starts, i + m); i < to; i++) {
                if (row > first) {
                    builder.end(before + rowStarts[i]);
                }
                beginRow(first, end);
            }
        }
        return true;
    }

    private static void keys(KeyDictionary keys, long[] numbers, int at, int[] kinds, int[] into, int from, int to) {
        for (int i = from; i < to; i++) {
            into[i] = Operations.withKey(kinds[i], keys.id(numbers[at + i]));
        }
    }

    private void inserts(int before, int n) {
        for (int i = 0; i < n; i++) {
            if (kinds[i] == INSERT) {
                builder.kind(before + i, Operations.INSERT);
            }
        }
    }

    private static void refusals(ValueDictionary values, int[] kinds, long[] codes, int at, int n) {
        for (int i = 0; i < n; i++) {
            if (kinds[i] == REFUSED) {
                codes[at + i] = values.otherThan(codes[at + i]);
            }
        }
    }

    private static @Nullable ParquetColumn some(@Nullable ParquetColumn column) {
        return column == null || column.isEmpty() ? null : column;
    }

    /** Returns the one of two columns that has a value, or null. */
    private @Nullable ParquetColumn either(
            @Nullable ParquetColumn integers, @Nullable ParquetColumn strings, int i, String what) {
        boolean integer = integers != null && integers.present(i);
        boolean text = strings != null && strings.present(i);
        if (integer && text) {
            throw refused(
                    "an operation with both \"" + what + "\" and \"" + what + "_string\"",
                    "one of them",
                    "see storage/docs/formats.md for the columns");
        }
        return integer ? integers : text ? strings : null;
    }

    private int key(@Nullable ParquetColumn column, int i) {
        if (column == null) {
            throw isNull("key");
        }
        return column.isString() ? (int) column.code(i) : builder.keys().id(column.number(i));
    }

    private long value(@Nullable ParquetColumn column, int i) {
        if (column == null) {
            return ValueDictionary.NULL;
        }
        return column.isString() ? column.code(i) : builder.values().code(column.number(i));
    }

    private long given(int kind, boolean hasMore, long value, long number) {
        if (builder.ignoresVersions() || (kind <= WRITE && !hasMore)) {
            return builder.given(value, number);
        }
        throw refused(
                "a version of another operation than a read or write of a single value",
                "versions of these only",
                "leave it out, or give --versions ignore");
    }

    private void beginRow(long first, long end) throws IOException {
        if (row == end) {
            throw new IOException("more than " + (end - first) + " rows in a row group");
        }
        if (rowsBegun == rowsAtHand && rowsAtHand() == 0) {
            throw new IOException("a column that ends before its row group");
        }
        row++;
        int i = rowsBegun++;
        if (!session.present(i) || !index.present(i) || !status.present(i)) {
            throw isNull(!session.present(i) ? "session" : !index.present(i) ? "index" : "status");
        }
        TransactionStatus outcome = TransactionStatus.ofCode((byte) status.code(i));
        builder.begin(session.number(i), index.number(i), outcome, row);
        if (isTimed) {
            times(i);
        }
    }

    /** Returns the number of rows that are decoded and have not begun. It is 0 only at the end. */
    private int rowsAtHand() throws IOException {
        if (rowsBegun == rowsAtHand) {
            advanceRows();
            rowsAtHand = atHand(ofRows);
            isTimed = (start != null && !start.isEmpty()) || (end != null && !end.isEmpty());
        }
        return rowsAtHand - rowsBegun;
    }

    /** Moves the columns past the rows that have begun. */
    private void advanceRows() {
        for (ParquetColumn column : ofRows) {
            column.advance(rowsBegun);
        }
        rowsAtHand -= rowsBegun;
        rowsBegun = 0;
    }

    private void times(int i) {
        long from = time(start, i, "start");
        long to = time(end, i, "end");
        if (from != HistoryTable.NO_TIME || to != HistoryTable.NO_TIME) {
            builder.times(from, to);
        }
    }

    private long time(@Nullable ParquetColumn column, int i, String name) {
        if (column == null || !column.present(i)) {
            return HistoryTable.NO_TIME;
        }
        long time = column.number(i);
        if (time == HistoryTable.NO_TIME) {
            throw refused(time + " as \"" + name + "\"", "at least " + (time + 1), JsonlReader.NO_TIME_REMEDY);
        }
        return time;
    }

    private Refused refused(String found, String expected, String remedy) {
        return new Refused(new HistoryException(SourceFiles.describe(file, Unit.ROW, row), found, expected, remedy));
    }

    private Refused isNull(String column) {
        return refused("null as \"" + column + "\"", "a value", "see storage/docs/formats.md for the columns");
    }

    private long none(String text) {
        throw new IllegalArgumentException("a column of integers with " + text);
    }

    private long outcome(String text) {
        TransactionStatus outcome = JsonlReader.outcome(text);
        if (outcome == null) {
            throw refused(
                    "\"" + Shown.text(text) + "\" as \"status\"",
                    "committed, aborted or indeterminate",
                    "see storage/docs/formats.md for the columns");
        }
        return outcome.code();
    }

    private long kind(String text) {
        return switch (text) {
            case "r" -> READ;
            case "w" -> WRITE;
            case "i" -> INSERT;
            case "d" -> DELETE;
            case "cas" -> REFUSED;
            case "append" -> APPEND;
            case "add" -> ADD;
            default -> {
                int name = NAMES.indexOf(text);
                if (name < 0) {
                    throw refused(
                            "\"" + Shown.text(text) + "\" as \"op\"",
                            OPERATIONS,
                            "see storage/docs/formats.md for the columns");
                }
                yield OF_FIELDS | name << NAME;
            }
        };
    }

    private long text(String text) {
        texts.add(text);
        return texts.size() - 1;
    }

    /** Reads a predicate, or the columns that the next write leaves. */
    private void fields(int kind, @Nullable ParquetColumn others, int i) {
        if (others == null || !others.present(i)) {
            throw isNull("fields");
        }
        String name = (kind & OF_FIELDS) != 0 ? NAMES.get(kind >> NAME) : kind == READ ? "r" : "w";
        try {
            predicate.read(texts.get((int) others.code(i)), name, SourceFiles.describe(file, Unit.ROW, row));
        } catch (HistoryException e) {
            throw new Refused(e);
        }
    }
}
