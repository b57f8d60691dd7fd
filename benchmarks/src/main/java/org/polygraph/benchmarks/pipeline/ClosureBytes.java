package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import org.polygraph.partitioner.closure.TimeClosure;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Measures the bytes of the time closure of timed histories, per transaction: after each of three updates with a
 * round of rules between them, for one event a transaction and for two. During an update the rows before it are in
 * memory as well.
 */
public final class ClosureBytes {
    private static final int UPDATES = 3;

    private ClosureBytes() {}

    /** Arguments: paths or gen: settings of timed histories. */
    public static void main(String[] args) throws IOException, HistoryException {
        for (String name : args) {
            HistoryTable table = Source.read(name).table();
            System.out.println(name);
            for (int perTransaction = 1; perTransaction <= 2; perTransaction++) {
                measure(table, perTransaction);
            }
        }
    }

    private static void measure(HistoryTable table, int perTransaction) {
        IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
        Problem problem = Problem.of(history, perTransaction);
        problem.bind(Objects.requireNonNull(problem.realTime(0), "a history without times"));
        Events events = problem.events();
        TimeClosure closure = TimeClosure.of(problem.graph(), Long.MAX_VALUE);
        Saturation rules = new Saturation(problem, closure, WorkerThreads.all());
        StringBuilder line = new StringBuilder();
        double n = table.transactions();
        for (int i = 0; i < UPDATES; i++) {
            if (!closure.update(() -> false)) {
                line.append(" contradicts real time");
                break;
            }
            long exceptions = 0;
            for (int v = 0; v < events.count(); v++) {
                exceptions += closure.exceptions(v);
            }
            line.append(String.format(
                    Locale.ROOT,
                    " %.1f (%.2f exceptions an event)",
                    closure.bytes() / n,
                    exceptions / (double) events.count()));
            rules.round(() -> false);
        }
        System.out.printf(
                Locale.ROOT,
                "  %d events a transaction, bytes a transaction by update:%s; real time 8%n",
                perTransaction,
                line);
    }
}
