package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.polygraph.jobs.certificate.format.ReadSources;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.table.HistoryTable;

/**
 * Gives each read its source while an order is replayed: the latest one that the certificate names for its statement and
 * that left its value, or else the last writer of its key.
 *
 * <p>Time: in the operations of the named sources. Memory: 8 bytes an operation.
 */
final class NamedSources {
    private record Version(int key, long value) {}

    private final Witness witness;
    private final HistoryTable table;
    private final ReadSources named;
    private final int[] statements;
    /** By operation: the transaction that it read from, {@link ReadSources#INITIAL} or {@link ReadSources#NONE}. */
    final int[] found;

    /** The statement whose sources were looked up last, and the latest of its sources by what they left. */
    private int transaction = -1;

    private int statement;
    private final Map<Version, Integer> latest = new HashMap<>();

    /** @param witness of RC, RA or CC */
    NamedSources(Witness witness, ReadSources named) {
        this.witness = witness;
        this.table = witness.table();
        this.named = named;
        statements = ReadSources.statements(table);
        found = new int[table.operations()];
        Arrays.fill(found, ReadSources.NONE);
    }

    /** By operation: the number of its statement. */
    int[] statements() {
        return statements;
    }

    /**
     * Finds the source of a read.
     *
     * @param t its transaction; all reads of one are asked for in their order
     * @param last the last writer of the key, or {@link ReadSources#INITIAL}
     * @param lastValue the value that it left
     * @return whether a source left the value of the read
     */
    boolean find(int t, int o, int last, long lastValue) {
        int from = named.starts()[t];
        int end = named.starts()[t + 1];
        if (from < end && (t != transaction || statements[o] != statement)) {
            look(t, statements[o], from, end);
        }
        Integer source = from < end && !latest.isEmpty() ? latest.get(new Version(table.key(o), table.value(o))) : null;
        if (source == null && lastValue == table.value(o)) {
            source = last;
        }
        found[o] = source == null ? ReadSources.NONE : source;
        return source != null;
    }

    private void look(int t, int wanted, int from, int end) {
        transaction = t;
        statement = wanted;
        latest.clear();
        boolean isInitial = false;
        for (int i = from; i < end; i++) {
            int writer = named.writers()[i];
            if (named.statements()[i] == wanted) {
                isInitial |= writer == ReadSources.INITIAL;
                if (writer >= 0 && writer != t && witness.counted()[writer]) {
                    leave(writer);
                }
            }
        }
        for (int o = table.firstOperation(t); isInitial && o < table.operationsEnd(t); o++) {
            long initial = table.initialValue(table.key(o));
            latest.putIfAbsent(new Version(table.key(o), initial), ReadSources.INITIAL);
        }
    }

    /** Enters what a transaction left. */
    private void leave(int writer) {
        int[] position = witness.position();
        for (int o = table.firstOperation(writer); o < table.operationsEnd(writer); o++) {
            if (table.isWrite(o) && table.lastWrite(writer, table.key(o)) == o) {
                latest.merge(
                        new Version(table.key(o), table.value(o)),
                        writer,
                        (one, other) -> position[one] > position[other] ? one : other);
            }
        }
    }
}
