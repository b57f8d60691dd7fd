package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Predicates;
import org.polygraph.storage.table.RecordedCounts;
import org.polygraph.storage.table.RecordedSelection;

/**
 * Replays a history with predicates as it was recorded. Each predicate is evaluated on each row of the state in which
 * its transaction ran, its own earlier writes included. The order is accepted iff
 *
 * <ul>
 *   <li>each result has exactly the rows that match, and as many as it counted;
 *   <li>each read returns the value of the row, or null if there is none; a read of a refused compare-and-set that only
 *       excludes a value is not checked;
 *   <li>each insert finds no row at the commit, each delete finds one, and a write of a row that exists is one of a
 *       version that was committed before the snapshot.
 * </ul>
 *
 * <p>A write by a condition that does not name its rows writes those that match. This class shares no code with the
 * decision: neither the reads of single rows that express predicates, nor the search for rows by their columns.
 *
 * <p>Time: the predicates times the rows. Memory: 18 bytes a row, 8 more for each column that a condition names, and 8
 * bytes a transaction.
 */
public final class RecordedReplay {
    private static final int NONE = Placement.NONE;
    /** The content of a column that a row lacks; no value has this code. */
    private static final long ABSENT = Long.MAX_VALUE;

    /**
     * The result.
     *
     * @param discrepancy the first thing that the order does not explain, one sentence; null if it explains everything
     * @param predicates number of those that were evaluated
     * @param rows number that each was evaluated on
     */
    public record Result(@Nullable String discrepancy, long predicates, int rows) {}

    private final Witness witness;
    private final HistoryTable table;
    private final Predicates recorded;
    private final int rows;
    /** By name of each column in a condition: its number here. The value of the row has number 0. */
    private final Map<String, Integer> columns = new HashMap<>();
    /** By number of a column, by row: the content. */
    private long[][] contents;

    /** By number of a column: {@link #ABSENT}. */
    private final long[] none;
    /** By number of the columns that a write carries: their contents; null if no write had them yet. */
    private long[] @Nullable [] ofWrites = new long[16][];

    /** By row: whether it exists, and the transaction that wrote it last. */
    private final boolean[] exists;

    private final int[] writers;
    /** By transaction: the places of its events. */
    private final int[] snapshots;

    private final int[] commits;
    /** By write that does not name its rows, of a transaction that has not committed: the rows that matched. */
    private final Map<Integer, int[]> found = new HashMap<>();

    /** Earlier states of rows, to undo the writes that a transaction makes at its snapshot. */
    private long[] undo = new long[64];

    private int undoSize;
    private final int[] matched;
    private final boolean[] isNamed;
    private long evaluated;

    private RecordedReplay(Witness witness, HistoryTable table, Predicates recorded) {
        this.witness = witness;
        this.table = table;
        this.recorded = recorded;
        rows = RecordedCounts.of(witness.table()).keys();
        exists = new boolean[rows];
        writers = new int[rows];
        Arrays.fill(writers, NONE);
        matched = new int[rows];
        isNamed = new boolean[rows];
        snapshots = new int[table.transactions()];
        commits = new int[table.transactions()];
        contents = new long[1][rows];
        for (int row = 0; row < rows; row++) {
            exists[row] = table.existsAtFirst(row);
            contents[0][row] = table.initialValue(row);
        }
        for (int o = 0; o < table.operations(); o++) {
            if (Predicates.isOne(table.value(o))) {
                recorded.recording(table.value(o)).condition().terms().forEach(this::name);
            }
        }
        contents = Arrays.copyOf(contents, columns.size() + 1);
        none = new long[contents.length];
        Arrays.fill(none, ABSENT);
        for (int column = 1; column < contents.length; column++) {
            contents[column] = new long[rows];
            Arrays.fill(contents[column], ABSENT);
        }
    }

    private void name(Condition.Term term) {
        if (term.column() != Condition.VALUE) {
            columns.putIfAbsent(recorded.column(term.column()), columns.size() + 1);
        }
    }

    /**
     * Replays an order.
     *
     * @param witness of a history, which may have reads in place of its predicates
     * @return null if the history has no predicates
     */
    public static @Nullable Result of(Witness witness) {
        Predicates recorded = witness.table().recordedPredicates();
        if (recorded == null) {
            return null;
        }
        HistoryTable read = witness.table().asRead();
        Placement placement = new Placement(new Witness(read, witness.terms(), witness.counted(), witness.position()));
        if (placement.discrepancy() != null) {
            return new Result(placement.discrepancy(), 0, 0);
        }
        RecordedReplay replay = new RecordedReplay(witness, read, recorded);
        String wrong = replay.run(placement);
        return new Result(wrong, replay.evaluated, replay.rows);
    }

    /** The number of predicates of a history times that of its rows. */
    public static long cost(HistoryTable table) {
        HistoryTable read = table.asRead();
        long predicates = 0;
        for (int o = 0; o < read.operations(); o++) {
            predicates += Predicates.isOne(read.value(o)) ? 1 : 0;
        }
        return predicates * RecordedCounts.of(table).keys();
    }

    private @Nullable String run(Placement placement) {
        int[] eventAt = placement.eventAt();
        for (int place = 0; place < eventAt.length; place++) {
            int event = eventAt[place];
            if (event == NONE) {
                continue;
            }
            int t = placement.transactionOf(event);
            String wrong = null;
            if (placement.isSnapshot(event)) {
                snapshots[t] = place;
                wrong = read(t);
                giveBack();
            }
            if (wrong == null && placement.isCommit(event)) {
                commits[t] = place;
                wrong = commit(t);
            }
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** Compares the results of a transaction with the state. Its writes stay there until {@link #giveBack}. */
    private @Nullable String read(int t) {
        int columnsOfNext = NONE;
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            long code = table.value(o);
            if (Predicates.isRow(code)) {
                columnsOfNext = Predicates.rowNumber(code);
            } else if (Predicates.isOne(code)) {
                String wrong = evaluate(t, o, recorded.recording(code));
                if (wrong != null) {
                    return wrong;
                }
            } else if (table.isWrite(o)) {
                keep(table.key(o));
                put(table.key(o), t, !table.isDelete(o), code, columnsOfNext);
                columnsOfNext = NONE;
            } else if (!table.values().isOther(code)) {
                int row = table.key(o);
                long expected = contents[0][row];
                if (code != expected) {
                    return Names.misread(table, t, o, writers[row] == t, expected);
                }
            }
        }
        return null;
    }

    private @Nullable String evaluate(int t, int o, Predicates.Recording recording) {
        evaluated++;
        int count = match(recording.condition());
        int[] keys = recording.keys();
        Predicates.Unknown write = recording.write();
        if (keys == null && write != null) {
            if (write.count() >= 0 && write.count() != count) {
                return Names.transaction(table, t) + ": a condition, " + label(recording) + ", matches " + count
                        + " rows, but it counted " + write.count();
            }
            int[] rowsOfIt = Arrays.copyOf(matched, count);
            found.put(o, rowsOfIt);
            for (int row : rowsOfIt) {
                keep(row);
                putUnknown(row, t, write);
            }
            return null;
        }
        int[] named = keys == null ? new int[0] : keys;
        for (int row : named) {
            isNamed[row] = true;
        }
        String wrong = null;
        int both = 0;
        for (int i = 0; i < count; i++) {
            if (isNamed[matched[i]]) {
                both++;
            } else if (wrong == null) {
                wrong = result(t, recording, matched[i], " lacks the row ", ", which matches");
            }
            isNamed[matched[i]] = false;
        }
        for (int i = 0; wrong == null && both < named.length && i < named.length; i++) {
            if (isNamed[named[i]]) {
                wrong = result(t, recording, named[i], " has the row ", ", which does not match");
            }
        }
        return wrong;
    }

    private String result(int t, Predicates.Recording recording, int row, String how, String why) {
        return Names.transaction(table, t) + ": the result of a condition, " + label(recording) + "," + how
                + Names.key(table, row) + why + " at its place in the order";
    }

    private static String label(Predicates.Recording recording) {
        return Names.line(recording.condition().label());
    }

    /** Finds the rows that match. @return their number; they begin {@link #matched} */
    private int match(Condition condition) {
        int count = 0;
        for (int row = 0; row < rows; row++) {
            if (exists[row]) {
                matched[count++] = row;
            }
        }
        for (Condition.Term term : condition.terms()) {
            int column = term.column() == Condition.VALUE ? 0 : columns.get(recorded.column(term.column()));
            long[] content = contents[column];
            long[] any = term.codes();
            int left = 0;
            for (int i = 0; i < count; i++) {
                long code = content[matched[i]];
                if (any == null ? isWithin(code, term) : isOneOf(code, any)) {
                    matched[left++] = matched[i];
                }
            }
            count = left;
        }
        return count;
    }

    private boolean isWithin(long code, Condition.Term term) {
        if (code == ABSENT || !table.values().isInteger(code)) {
            return false;
        }
        long integer = table.values().integer(code);
        if (term.modulus() != 0) {
            long remainder = integer % term.modulus();
            integer = remainder < 0 ? remainder + term.modulus() : remainder;
        }
        return term.low() <= integer && integer <= term.high();
    }

    private static boolean isOneOf(long code, long[] any) {
        for (long each : any) {
            if (code == each) {
                return true;
            }
        }
        return false;
    }

    /** Runs the writes of a transaction. */
    private @Nullable String commit(int t) {
        int columnsOfNext = NONE;
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            long code = table.value(o);
            if (Predicates.isRow(code)) {
                columnsOfNext = Predicates.rowNumber(code);
                continue;
            }
            Predicates.Unknown write =
                    Predicates.isOne(code) ? recorded.recording(code).write() : null;
            int[] rowsOfIt = write == null ? null : found.remove(o);
            if (write != null && rowsOfIt != null) {
                for (int row : rowsOfIt) {
                    String wrong = wrongWrite(t, row, false, write.isDelete());
                    if (wrong != null) {
                        return wrong;
                    }
                    putUnknown(row, t, write);
                }
            } else if (!Predicates.isOne(code) && table.isWrite(o)) {
                int row = table.key(o);
                String wrong = wrongWrite(t, row, table.isInsert(o), table.isDelete(o));
                if (wrong != null) {
                    return wrong;
                }
                put(row, t, !table.isDelete(o), code, columnsOfNext);
                columnsOfNext = NONE;
            }
        }
        return null;
    }

    private @Nullable String wrongWrite(int t, int row, boolean isInsert, boolean isDelete) {
        boolean isOfWrites = witness.terms().guarantee().events() == 1 && RecordedSelection.isOfWrites(table);
        if (!isOfWrites && (isInsert ? exists[row] : isDelete && !exists[row])) {
            return Names.transaction(table, t) + (isInsert ? " inserts" : " deletes") + " key "
                    + Names.key(table, row)
                    + (isInsert ? ", which exists when it commits" : ", which does not exist when it commits");
        }
        int writer = writers[row];
        boolean overlaps = exists[row]
                && writer != NONE
                && writer != t
                && witness.terms().guarantee().events() == 2
                && commits[writer] > snapshots[t];
        return overlaps ? Names.overlap(table, t, writer, row) : null;
    }

    private void putUnknown(int row, int t, Predicates.Unknown write) {
        put(row, t, !write.isDelete(), write.value(), write.row());
    }

    /** @param columnsOfIt the number of the columns that the write carries; negative for none */
    private void put(int row, int writer, boolean lives, long value, int columnsOfIt) {
        exists[row] = lives;
        writers[row] = writer;
        contents[0][row] = lives ? value : ValueDictionary.NULL;
        long[] of = lives && columnsOfIt >= 0 ? columnsOf(columnsOfIt) : none;
        for (int column = 1; column < contents.length; column++) {
            contents[column][row] = of[column];
        }
    }

    /** The contents of the columns that a write carries, by number of a column. */
    private long[] columnsOf(int number) {
        if (number >= ofWrites.length) {
            ofWrites = Arrays.copyOf(ofWrites, Math.max(number + 1, 2 * ofWrites.length));
        }
        long[] known = ofWrites[number];
        if (known != null) {
            return known;
        }
        long[] of = none.clone();
        recorded.columns(number, (name, code) -> {
            Integer column = columns.get(name);
            if (column != null && of[column] == ABSENT) {
                of[column] = code;
            }
        });
        ofWrites[number] = of;
        return of;
    }

    /** Saves the state of a row for {@link #giveBack}. */
    private void keep(int row) {
        int size = contents.length + 3;
        if (undoSize + size > undo.length) {
            undo = Arrays.copyOf(undo, 2 * (undoSize + size));
        }
        for (long[] content : contents) {
            undo[undoSize++] = content[row];
        }
        undo[undoSize++] = exists[row] ? 1 : 0;
        undo[undoSize++] = writers[row];
        undo[undoSize++] = row;
    }

    /** Undoes the writes since the snapshot. */
    private void giveBack() {
        while (undoSize > 0) {
            int row = (int) undo[--undoSize];
            writers[row] = (int) undo[--undoSize];
            exists[row] = undo[--undoSize] != 0;
            for (int column = contents.length - 1; column >= 0; column--) {
                contents[column][row] = undo[--undoSize];
            }
        }
    }
}
