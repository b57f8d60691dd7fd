package org.polygraph.jobs.application;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.SourceFiles;

/**
 * The files of a seam beside {@code seam.parquet}.
 *
 * @param state the values of keys at the cut
 */
record SeamFiles(SeamFile<InitialState> state, SeamFile<HistoryTable> tail, SeamFile<HistoryTable> exchanges) {
    static final String STATE = "state.parquet";
    static final String EXCHANGES = "moves.parquet";
    /** Exchanges of earlier versions, which listed no events. */
    static final String OLD_EXCHANGES = "exchanges.parquet";

    private static final String OLD_ORDERS = "orders.parquet";

    /**
     * Returns the files of the seam of a run.
     *
     * @param tail the name of the tail's file
     * @param input by name of a file: SHA-256 of its bytes; empty if the seam does not have it
     * @throws IllegalArgumentException if no tail has this name
     */
    static SeamFiles of(Location run, String tail, UnaryOperator<String> input) {
        for (SourceFiles.Unit unit : SourceFiles.Unit.values()) {
            if (tail(unit).equals(tail)) {
                return new SeamFiles(
                        file(run, STATE, "the state of a seam", input, InitialState::read),
                        file(
                                run,
                                tail,
                                "the tail of a seam",
                                input,
                                (file, stop, memory) ->
                                        HistoryReader.read(file.name(), HistoryFormat.AUTO, stop, memory)),
                        file(run, EXCHANGES, "the exchanges of a seam", input, Exchanges::read));
            }
        }
        throw new IllegalArgumentException(tail);
    }

    /** The names of all files that a seam may have, also one of an earlier version. */
    static Set<String> names() {
        Set<String> names = new TreeSet<>(List.of(STATE, EXCHANGES, OLD_EXCHANGES, OLD_ORDERS));
        for (SourceFiles.Unit unit : SourceFiles.Unit.values()) {
            names.add(tail(unit));
        }
        return names;
    }

    private static <T> SeamFile<T> file(
            Location run, String name, String what, UnaryOperator<String> input, SeamFile.Reader<T> reader) {
        return new SeamFile<>(what, Seam.file(run, name), input.apply(name), reader);
    }

    /** Returns the name of the tail's file, for a history whose sources have this unit. */
    static String tail(SourceFiles.Unit unit) {
        return unit == SourceFiles.Unit.ROW ? "tail.parquet" : "tail.jsonl.zst";
    }
}
