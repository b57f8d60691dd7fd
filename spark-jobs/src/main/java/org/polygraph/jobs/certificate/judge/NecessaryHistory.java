package org.polygraph.jobs.certificate.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Predicates;

/**
 * The reads and writes that every serial execution of a history explains, whatever rows its writes by a condition wrote
 * (docs/predicates.md, Writes of unknown rows). They are made from the operations as they were recorded, for the keys
 * that some sub-histories name. This class shares no code with the decision.
 *
 * <ul>
 *   <li>{@code row R C found}: each result of condition C that has the row reads yes. A known write of the row writes
 *       yes or no, as it leaves a match or not; a write that may have the row writes yes if it leaves a match.
 *   <li>{@code row R C missing}: each result that lacks the row reads no. A known write of the row writes the same as
 *       above; a write that may have the row writes no if it leaves no match.
 *   <li>{@code row R = V}: a read of the value V, which one known write leaves in the row, reads yes. That write writes
 *       yes, and a write that is not known to have the row writes no if V satisfies its condition.
 * </ul>
 */
final class NecessaryHistory {
    private static final String FOUND = " found";
    private static final String MISSING = " missing";

    /** A write by a condition that does not name its rows. */
    private static final class Unknown {
        private final Condition condition;
        private final Predicates.Unknown write;
        private final boolean isAborted;
        /** The rows in which committed transactions read its value. No other write leaves this value. */
        private final TreeSet<Integer> shown = new TreeSet<>();

        private boolean isOpen = true;

        Unknown(Condition condition, Predicates.Unknown write, boolean isAborted) {
            this.condition = condition;
            this.write = write;
            this.isAborted = isAborted;
        }
    }

    /** What a known write leaves in a row, or what is there at first. @param unknown null if the write names the row */
    private record Version(
            long value,
            int columns,
            boolean mayCount,
            @Nullable Unknown unknown) {}

    /** A row and a condition, with the numbers of their keys. */
    private record Match(int row, Condition condition, int found, int missing) {}

    /** A row and the value of one of its versions, with the number of its key. */
    private record Read(int row, long value, int columns, int key) {}

    private final HistoryTable read;
    private final Predicates recorded;
    /** The keys of the history, without quotes. */
    private final Set<String> labels = new HashSet<>();
    /** By operation. */
    private final Map<Integer, Unknown> unknown = new TreeMap<>();
    /** By value of such a write: the only one that leaves it; null if others do, or if it is there at first. */
    private final Map<Long, @Nullable Unknown> writers = new HashMap<>();
    /** Values of open writes. */
    private final Set<Long> openValues = new HashSet<>();

    private final Map<String, Condition> conditions = new HashMap<>();
    private final Map<Integer, Map<String, Long>> contents = new HashMap<>();
    private final HistoryTableBuilder builder = new HistoryTableBuilder();
    private final ValueDictionary.Codes codes;
    private final long yes;
    private final long no;
    private boolean hasOpenDelete;

    /** By row, by label of a condition; and by row, by label of a value. */
    private final Map<Integer, TreeMap<String, Match>> matches = new TreeMap<>();

    private final Map<Integer, TreeMap<String, Read>> reads = new TreeMap<>();
    /** By row: its versions. */
    private final List<List<Version>> versions = new ArrayList<>();
    /** By operation: the number of the columns that the next write carries; negative for none. */
    private final int[] columns;
    /** By row of a match: the open writes that may have it. */
    private final Map<Integer, Set<Unknown>> candidates = new HashMap<>();

    private NecessaryHistory(HistoryTable table) {
        read = table.asRead();
        recorded = Objects.requireNonNull(table.recordedPredicates(), "a history with predicates");
        columns = new int[read.operations()];
        builder.keys().addAll(read.keys().labels());
        for (int row = 0; row < read.keys().size(); row++) {
            labels.add(text(read.keys(), row));
        }
        codes = builder.values().addAll(read.values().labels());
        yes = builder.values().code("yes");
        no = builder.values().code("no");
        collect();
    }

    /**
     * Makes the history.
     *
     * @param labels the keys of sub-histories, without quotes
     * @return null if a label is neither a recorded key nor of the three forms
     */
    static @Nullable HistoryTable of(HistoryTable table, Set<String> labels) throws HistoryException {
        NecessaryHistory history = new NecessaryHistory(table);
        for (String label : new TreeSet<>(labels)) {
            if (!history.labels.contains(label) && !history.name(label)) {
                return null;
            }
        }
        return history.built();
    }

    /** A key without quotes. */
    static String text(KeyDictionary keys, int key) {
        return keys.isString(key) ? keys.string(key) : keys.label(key);
    }

    private boolean mayCount(int t) {
        return read.status(t) != TransactionStatus.ABORTED;
    }

    private void collect() {
        Set<Long> others = new HashSet<>();
        others.add(read.initialValue());
        // A row that does not exist is read as null too.
        others.add(ValueDictionary.NULL);
        for (int row = 0; row < read.keys().size(); row++) {
            others.add(read.initialValue(row));
            versions.add(new ArrayList<>());
            if (read.existsAtFirst(row)) {
                versions.get(row).add(new Version(read.initialValue(row), -1, true, null));
            }
        }
        for (int t = 0; t < read.transactions(); t++) {
            int carried = -1;
            for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
                long code = read.value(o);
                columns[o] = carried;
                if (Predicates.isRow(code)) {
                    carried = Predicates.rowNumber(code);
                } else if (Predicates.isOne(code)) {
                    collect(t, o, recorded.recording(code));
                } else if (read.isWrite(o)) {
                    others.add(code);
                    if (!read.isDelete(o)) {
                        versions.get(read.key(o)).add(new Version(code, carried, mayCount(t), null));
                    }
                    carried = -1;
                }
            }
        }
        others.stream().filter(writers::containsKey).forEach(value -> writers.put(value, null));
        for (int t = 0; t < read.transactions(); t++) {
            for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
                Unknown writer = isRead(o) ? writers.get(read.value(o)) : null;
                if (writer != null && read.status(t) == TransactionStatus.COMMITTED) {
                    writer.shown.add(read.key(o));
                }
            }
        }
        for (Unknown one : unknown.values()) {
            boolean isKnown = !one.write.isDelete()
                    && writers.get(one.write.value()) == one
                    && one.shown.size() == one.write.count();
            one.isOpen = !one.isAborted && !isKnown;
            hasOpenDelete |= one.isOpen && one.write.isDelete();
            if (one.isOpen && !one.write.isDelete()) {
                openValues.add(one.write.value());
            }
            for (int row : one.shown) {
                versions.get(row).add(new Version(one.write.value(), one.write.row(), !one.isAborted, one));
            }
        }
    }

    private void collect(int t, int o, Predicates.Recording recording) {
        conditions.put(recording.condition().label(), recording.condition());
        Predicates.Unknown write = recording.write();
        if (recording.keys() == null && write != null) {
            Unknown one = new Unknown(recording.condition(), write, !mayCount(t));
            unknown.put(o, one);
            if (!write.isDelete()) {
                writers.put(write.value(), writers.containsKey(write.value()) ? null : one);
            }
        }
    }

    private boolean isRead(int o) {
        return !read.isWrite(o) && !Predicates.isOne(read.value(o)) && !Predicates.isRow(read.value(o));
    }

    /** Whether an open write that is not known to have a row may have left a value there. */
    private boolean isOfOpen(int row, long value) {
        Unknown writer = writers.get(value);
        return openValues.contains(value) && (writer == null || !writer.shown.contains(row));
    }

    /** The label, followed by apostrophes as long as the history has a key of this name. */
    private String free(String label) {
        String free = label;
        while (labels.contains(free)) {
            free += "'";
        }
        return free;
    }

    /** Finds the row and match or value that a name means, and makes its keys. @return false unless it means one */
    private boolean name(String name) {
        boolean isFound = false;
        String label = name;
        while (label.endsWith("'") && labels.contains(label.substring(0, label.length() - 1))) {
            label = label.substring(0, label.length() - 1);
        }
        if (!free(label).equals(name)) {
            return false;
        }
        for (int row = 0; row < read.keys().size(); row++) {
            String start = "row " + read.keys().label(row) + " ";
            if (label.startsWith(start)) {
                String rest = label.substring(start.length());
                boolean isOne =
                        rest.startsWith("= ") ? nameRead(row, rest.substring(2), name) : nameMatch(row, rest, start);
                if (isOne && isFound) {
                    return false;
                }
                isFound |= isOne;
            }
        }
        return isFound;
    }

    private boolean nameMatch(int row, String rest, String start) {
        String suffix = rest.endsWith(FOUND) ? FOUND : MISSING;
        String of = rest.endsWith(suffix) ? rest.substring(0, rest.length() - suffix.length()) : "";
        Condition condition = conditions.get(of);
        if (condition == null) {
            return false;
        }
        TreeMap<String, Match> all = matches.computeIfAbsent(row, unused -> new TreeMap<>());
        if (!all.containsKey(of)) {
            Match match = new Match(
                    row,
                    condition,
                    builder.keys().id(free(start + of + FOUND)),
                    builder.keys().id(free(start + of + MISSING)));
            all.put(of, match);
            boolean isMatch = read.existsAtFirst(row) && satisfies(condition, read.initialValue(row), -1);
            builder.initialValue(match.found, isMatch ? yes : no);
            builder.initialValue(match.missing, isMatch ? yes : no);
            candidates.computeIfAbsent(row, this::candidates);
        }
        return true;
    }

    private boolean nameRead(int row, String text, String name) {
        Version only = null;
        int writes = 0;
        for (Version version : versions.get(row)) {
            if (version.mayCount && read.values().label(version.value).equals(text)) {
                only = version;
                writes++;
            }
        }
        if (only == null || writes != 1 || only.value == ValueDictionary.NULL || isOfOpen(row, only.value)) {
            return false;
        }
        int key = builder.keys().id(name);
        boolean isInitial = read.existsAtFirst(row) && read.initialValue(row) == only.value;
        builder.initialValue(key, isInitial ? yes : no);
        reads.computeIfAbsent(row, unused -> new TreeMap<>()).put(text, new Read(row, only.value, only.columns, key));
        return true;
    }

    /** The open writes that may have a row: some version of it may satisfy their condition. */
    private Set<Unknown> candidates(int row) {
        List<Version> known = new ArrayList<>();
        for (Version version : versions.get(row)) {
            Unknown writer = version.unknown;
            if (writer == null || (!writer.isOpen && !writer.isAborted)) {
                known.add(version);
            }
        }
        Set<Unknown> found = new HashSet<>();
        for (int next = 0; next < known.size(); next++) {
            Version version = known.get(next);
            for (Unknown one : unknown.values()) {
                if (one.isOpen && satisfies(one.condition, version.value, version.columns) && found.add(one)) {
                    if (!one.write.isDelete()) {
                        known.add(new Version(one.write.value(), one.write.row(), true, one));
                    }
                }
            }
        }
        return found;
    }

    private boolean satisfies(Condition condition, long value, int columns) {
        for (Condition.Term term : condition.terms()) {
            Long code = term.column() == Condition.VALUE
                    ? (Long) value
                    : columns < 0 ? null : contents(columns).get(recorded.column(term.column()));
            if (code == null || !isOf(term, code)) {
                return false;
            }
        }
        return true;
    }

    private boolean isOf(Condition.Term term, long code) {
        long[] any = term.codes();
        if (any == null) {
            if (!read.values().isInteger(code)) {
                return false;
            }
            long integer = read.values().integer(code);
            long bounded = term.modulus() == 0 ? integer : Math.floorMod(integer, term.modulus());
            return bounded >= term.low() && bounded <= term.high();
        }
        boolean isOne = false;
        for (long each : any) {
            isOne |= each == code;
        }
        return isOne;
    }

    private Map<String, Long> contents(int columns) {
        return contents.computeIfAbsent(columns, number -> {
            Map<String, Long> all = new HashMap<>();
            recorded.columns(number, (name, code) -> all.putIfAbsent(name, code));
            return all;
        });
    }

    private HistoryTable built() throws HistoryException {
        builder.file("history");
        builder.initialValue(codes.of(read.initialValue()));
        for (int row = 0; row < read.keys().size(); row++) {
            if (read.initialValue(row) != read.initialValue()) {
                builder.initialValue(row, codes.of(read.initialValue(row)));
            }
        }
        long[] starts = read.starts();
        long[] ends = read.ends();
        for (int t = 0; t < read.transactions(); t++) {
            builder.begin(read.sessionLabel(read.sessionOf(t)), read.index(t), read.status(t), t + 1L);
            if (starts != null && ends != null) {
                builder.times(starts[t], ends[t]);
            }
            add(t);
            builder.end();
        }
        return builder.build();
    }

    private void add(int t) {
        for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
            long code = read.value(o);
            Unknown one = unknown.get(o);
            if (one != null) {
                addUnknown(t, one);
            } else if (Predicates.isOne(code)) {
                Predicates.Recording recording = recorded.recording(code);
                int[] keys = recording.keys();
                Set<Integer> rows = new HashSet<>();
                for (int i = 0; keys != null && i < keys.length; i++) {
                    rows.add(keys[i]);
                }
                addMatches(t, recording.condition(), rows, true);
            } else if (read.isWrite(o)) {
                addWrite(t, read.key(o), read.isDelete(o), read.isInsert(o) && !hasOpenDelete, code, columns[o]);
            } else if (!Predicates.isRow(code)) {
                addRead(t, read.key(o), code);
            }
        }
    }

    private void addRead(int t, int row, long value) {
        if ((value == ValueDictionary.NULL && hasOpenDelete) || isOfOpen(row, value)) {
            return;
        }
        builder.read(row, codes.of(value));
        for (Read one : reads.getOrDefault(row, new TreeMap<>()).values()) {
            if (mayCount(t) && one.value == value) {
                builder.read(one.key, yes);
            }
        }
    }

    /** @param areAll whether the result lacks all other rows */
    private void addMatches(int t, Condition condition, Set<Integer> rows, boolean areAll) {
        for (TreeMap<String, Match> ofRow : matches.values()) {
            Match match = ofRow.get(condition.label());
            if (match != null && mayCount(t)) {
                if (rows.contains(match.row)) {
                    builder.read(match.found, yes);
                } else if (areAll) {
                    builder.read(match.missing, no);
                }
            }
        }
    }

    private void addWrite(int t, int row, boolean isDelete, boolean isInsert, long value, int columns) {
        if (isDelete) {
            builder.delete(row);
        } else if (isInsert) {
            builder.insert(row, codes.of(value));
        } else {
            builder.write(row, codes.of(value));
        }
        if (!mayCount(t)) {
            return;
        }
        for (Match match : matches.getOrDefault(row, new TreeMap<>()).values()) {
            long code = !isDelete && satisfies(match.condition, value, columns) ? yes : no;
            builder.write(match.found, code);
            builder.write(match.missing, code);
        }
        for (Read one : reads.getOrDefault(row, new TreeMap<>()).values()) {
            if (!isDelete && one.value == value) {
                builder.write(one.key, yes);
            }
        }
    }

    private void addUnknown(int t, Unknown one) {
        addMatches(t, one.condition, one.shown, !one.isOpen);
        for (int row : one.shown) {
            addWrite(t, row, one.write.isDelete(), false, one.write.value(), one.write.row());
        }
        if (!one.isOpen || !mayCount(t)) {
            return;
        }
        matches.forEach((row, ofRow) -> {
            boolean mayHave = candidates.getOrDefault(row, Set.of()).contains(one) && !one.shown.contains(row);
            for (Match match : ofRow.values()) {
                boolean isMatch =
                        !one.write.isDelete() && satisfies(match.condition, one.write.value(), one.write.row());
                if (mayHave) {
                    builder.write(isMatch ? match.found : match.missing, isMatch ? yes : no);
                }
            }
        });
        reads.forEach((row, ofRow) -> {
            for (Read version : ofRow.values()) {
                if (!one.shown.contains(row) && satisfies(one.condition, version.value, version.columns)) {
                    builder.write(version.key, no);
                }
            }
        });
    }
}
