package org.polygraph.jobs.windows;

import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.HistoryTable;

/**
 * The part of an event in a block that depends on nothing else in the block, so that it can be copied to another one: where its transaction
 * is in the input, its times and its operations with the labels of their keys. {@link EventReader} reads it. One object
 * serves for all events.
 */
final class EventBody {
    private final BlockWriter out = new BlockWriter();

    /** Begins an event, after which its operations must be added.
     *
     * @param clock the times are written as distances from it
     * @param start with {@code end} {@link HistoryTable#NO_TIME} if unknown
     */
    void begin(long clock, int file, long position, long start, long end, int operations) {
        out.clear();
        out.unsigned(file).unsigned(position);
        if (start != HistoryTable.NO_TIME) {
            out.signed(start - clock);
        }
        if (end != HistoryTable.NO_TIME) {
            out.signed(end - clock);
        }
        out.unsigned(operations);
    }

    /** The hash of its transaction, before the operations; see {@link EventReader#hasHash}. */
    void hash(byte[] hash) {
        out.raw(hash, 0, hash.length);
    }

    /** Adds an operation of a kind of {@link Cell}. @param code of its value, which an intent does not have */
    void operation(KeyDictionary keys, int key, int kind, ValueDictionary values, long code) {
        if (keys.isString(key)) {
            out.keyAndKind(keys.string(key), kind);
        } else {
            out.keyAndKind(keys.integer(key), kind);
        }
        if (kind != Cell.INTENT) {
            out.value(values, code);
        }
    }

    /** Marks the next operation, see {@link BlockWriter#mark}. */
    void mark(byte kind) {
        out.mark(kind);
    }

    /**
     * Is called for each operation of a commit, after all of them.
     *
     * @param count the reads of the snapshot that precede this operation, but not the one before it
     */
    void moreReads(int count) {
        out.unsigned(count);
    }

    void copy(BlockWriter to) {
        to.unsigned(out.size()).raw(out.array(), 0, out.size());
    }
}
