package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;

/**
 * What reads show of the rows of unknown writes. A value that only one such write can have written names its rows where
 * committed transactions read it.
 */
final class ShownRows {
    private final HistoryTable raw;
    private final Predicates predicates;
    /** By number of an unknown write: the keys of its rows, as far as reads show them. */
    private final Int2ObjectMap<IntLinkedOpenHashSet> shown = new Int2ObjectOpenHashMap<>();
    /** Values that an unknown write and another write may have written, or that are initial ones. */
    private final LongOpenHashSet ambiguous = new LongOpenHashSet();
    /** By value: the unknown write of this value; if there are several, one of them, not an aborted one if possible. */
    private final Long2IntOpenHashMap writers = new Long2IntOpenHashMap();

    private final IntOpenHashSet ofAborted = new IntOpenHashSet();

    ShownRows(HistoryTable raw, Predicates predicates) {
        this.raw = raw;
        this.predicates = predicates;
        writers.defaultReturnValue(-1);
        collectWriters();
        collectReads();
    }

    /** By number of an unknown write: the keys of its rows, as far as reads show them. Not a copy. */
    Int2ObjectMap<IntLinkedOpenHashSet> rows() {
        return shown;
    }

    /** Whether a value may have been written by other writes than one unknown write, or may be an initial one. */
    boolean isAmbiguous(long value) {
        return ambiguous.contains(value);
    }

    /** The number of an unknown write of a value; -1 if there is none. */
    int writerOf(long value) {
        return writers.get(value);
    }

    /** Whether an unknown write belongs to an aborted transaction. */
    boolean isOfAborted(int number) {
        return ofAborted.contains(number);
    }

    private void collectWriters() {
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                long code = raw.value(o);
                if (!predicates.isUnknown(code)) {
                    continue;
                }
                int number = Predicates.number(code);
                Predicates.Unknown write = predicates.unknown(number);
                shown.put(number, new IntLinkedOpenHashSet());
                if (raw.status(t) == TransactionStatus.ABORTED) {
                    ofAborted.add(number);
                }
                if (write != null && !write.isDelete()) {
                    addWriter(write.value(), number);
                }
            }
        }
        mark(raw.initialValue());
        // A row that was deleted is read as null too, as is one that does not exist yet.
        mark(ValueDictionary.NULL);
        var state = raw.initialState();
        if (state != null) {
            state.values().forEach(this::mark);
        }
        for (int o = 0; o < raw.operations(); o++) {
            if (raw.isWrite(o) && !Predicates.isStandIn(raw.value(o))) {
                mark(raw.value(o));
            }
        }
    }

    private void addWriter(long value, int number) {
        boolean isFirst = !writers.containsKey(value);
        if (isFirst || !ofAborted.contains(number)) {
            writers.put(value, number);
        }
        if (!isFirst) {
            ambiguous.add(value);
        }
    }

    /** Records a value that is initial, or that a write of known rows may have written. */
    private void mark(long value) {
        if (writers.containsKey(value)) {
            ambiguous.add(value);
        }
    }

    private void collectReads() {
        for (int t = 0; t < raw.transactions(); t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                int writer = Predicates.isReadOfRow(raw, o) && raw.status(t) == TransactionStatus.COMMITTED
                        ? writers.get(raw.value(o))
                        : -1;
                if (writer >= 0 && !ambiguous.contains(raw.value(o))) {
                    shown.get(writer).add(raw.key(o));
                }
            }
        }
    }
}
