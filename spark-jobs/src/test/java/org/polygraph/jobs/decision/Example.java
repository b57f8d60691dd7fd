package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SimulatedHistory;

/** A tiny history of a law, and its judge. */
public interface Example extends Law.Input<Example> {
    /** As the checker reads it. */
    HistoryTable table() throws HistoryException;

    /** For the judges. At lin, a refused compare-and-set is a read of another value. */
    Definitions definitions(IsolationLevel level);

    /** Its parts without one transaction, and those without one operation. */
    @Override
    List<Example> smaller();

    /** The levels that can be asked about it. */
    default Set<IsolationLevel> levels() throws HistoryException {
        HistoryTable table = table();
        Set<IsolationLevel> levels = EnumSet.allOf(IsolationLevel.class);
        if (table.starts() == null || table.ends() == null) {
            levels.removeIf(IsolationLevel::realTime);
        }
        if (Linearizability.problem(CheckRequest.of(IsolationLevel.LIN).judged(table)) != null) {
            levels.remove(IsolationLevel.LIN);
        }
        if (IntStream.range(0, table.transactions()).noneMatch(t -> table.status(t) == TransactionStatus.COMMITTED)) {
            levels.clear();
        }
        return levels;
    }

    /** Whether a level holds; null if that takes too long. */
    default @Nullable Boolean holds(IsolationLevel level, long skew, boolean maybe) {
        return definitions(level).holds(Definitions.Level.valueOf(level.name()), skew, maybe);
    }

    /** Whether a violation may be shown. */
    default boolean mayShow(Violation violation, CheckRequest request, HistoryTable table) {
        return true;
    }

    /** Whether a level may stay undecided. */
    default boolean mayBeOpen(IsolationLevel level) {
        return false;
    }

    /** A table that some generator made. */
    static Example of(HistoryTable table) {
        return new OfTable(table);
    }

    /** A history of the simulator. */
    static Example of(SimulatedHistory history) {
        return new Simulated(history);
    }

    /** See {@link Example#of}. */
    class OfTable implements Example {
        private final HistoryTable table;

        OfTable(HistoryTable table) {
            this.table = table;
        }

        @Override
        public HistoryTable table() {
            return table;
        }

        @Override
        public Definitions definitions(IsolationLevel level) {
            return Definitions.of(level == IsolationLevel.LIN ? table : table.withoutRefusals());
        }

        @Override
        public List<Example> smaller() {
            List<Example> all = new ArrayList<>();
            for (int t = 0; t < table.transactions(); t++) {
                add(all, table.firstOperation(t), table.operationsEnd(t));
            }
            for (int o = 0; o < table.operations(); o++) {
                add(all, o, o + 1);
            }
            return all;
        }

        private void add(List<Example> all, int from, int to) {
            int[] left = IntStream.range(0, table.operations())
                    .filter(o -> o < from || o >= to)
                    .toArray();
            if (left.length > 0 && left.length < table.operations()) {
                all.add(new OfTable(HistorySelection.of(table, left).table()));
            }
        }

        @Override
        public String text() {
            return HistoryDsl.print(table);
        }
    }

    /** See {@link Example#of}. */
    record Simulated(SimulatedHistory history) implements Example {
        @Override
        public HistoryTable table() throws HistoryException {
            return SimulatedHistory.read(text());
        }

        @Override
        public Definitions definitions(IsolationLevel level) {
            return history.definitions(level == IsolationLevel.LIN);
        }

        @Override
        public List<Example> smaller() {
            return history.smaller().stream().<Example>map(Simulated::new).toList();
        }

        @Override
        public String text() {
            return history.json();
        }
    }
}
