package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;

/** The operations of a slice of keys in the order of places, and within an event in its order. Holds one block of a section. */
final class SliceRows {
    /** States of transactions. */
    static final int COUNTED = 0;
    /** The outcome is unknown, and the transaction does not count at present. */
    static final int OPEN = 1;
    /** It never counts. */
    static final int INACTIVE = 2;
    /** It loads initial rows, so it does not count either. */
    static final int LOADED = 3;

    static final int NUMBER_SHIFT = 2;
    private static final int STATE = 3;

    private final int slice;
    private final Iterator<Section> sections;
    /** A slice has few of the integers between its smallest and its largest key. */
    private final KeyDictionary keys = KeyDictionary.sparse();

    private final ValueDictionary values = new ValueDictionary();
    /** The value of a key before the first transaction, unless it is one of {@link #ownKeys}, which have {@link #ownValues}. */
    private final long common;

    private final KeyDictionary ownKeys = KeyDictionary.sparse();
    private final LongArrayList ownValues = new LongArrayList();
    private BlockReader in = new BlockReader(new byte[0]);

    private long place;
    private int number;
    private int state;
    private boolean isLoaded;
    private int kind;
    private int session;
    private long index;
    private int key;
    private long code;

    /** A slice of sections that {@link Dealer}s wrote, in the order of places. */
    record Slice(int number, ArrayList<Section> sections, Beginning beginning) implements Serializable {
        Slice(int number, List<Section> sections, Beginning beginning) {
            this(number, new ArrayList<>(sections), beginning);
        }

        SliceRows rows() throws IOException {
            return new SliceRows(this);
        }
    }

    private SliceRows(Slice of) throws IOException {
        this.slice = of.number;
        this.sections = of.sections.iterator();
        this.common = new BlockReader(of.beginning.common()).value(values);
        Section others = of.beginning.others();
        if (others != null) {
            for (BlockReader each = new BlockReader(others.block(slice)); each.hasMore(); ) {
                each.key(ownKeys);
                ownValues.add(each.value(values));
            }
        }
    }

    /** Moves to the next operation. @return false if there is none */
    boolean next() throws IOException {
        while (!in.hasMore()) {
            if (!sections.hasNext()) {
                return false;
            }
            in = new BlockReader(sections.next().block(slice));
            place = 0;
        }
        place += in.unsigned();
        int flags = in.count();
        number = flags >>> NUMBER_SHIFT;
        isLoaded = (flags & STATE) == LOADED;
        state = isLoaded ? INACTIVE : flags & STATE;
        long keyAndKind = in.unsigned();
        if (BlockWriter.isMark(keyAndKind)) {
            keyAndKind = in.unsigned();
        }
        kind = BlockWriter.kind(keyAndKind);
        key = in.key(keyAndKind, keys);
        code = kind == Cell.INTENT ? 0 : in.value(values);
        if (kind >= Cell.INTENT || state == OPEN) {
            session = in.count();
        }
        if (state == OPEN) {
            index = in.signed();
        }
        return true;
    }

    KeyDictionary keys() {
        return keys;
    }

    ValueDictionary values() {
        return values;
    }

    /** The value of most keys before the first transaction. */
    long common() {
        return common;
    }

    /** Whether a key has a value of its own before the first transaction. */
    boolean hasOwn(int id) {
        return !ownValues.isEmpty() && ownKeys.id(keys, id) < ownValues.size();
    }

    /** The value of a key before the first transaction. */
    long initial(int id) {
        return hasOwn(id) ? ownValues.getLong(ownKeys.id(keys, id)) : common;
    }

    long place() {
        return place;
    }

    /** The number of the operation in its event. */
    int number() {
        return number;
    }

    int state() {
        return state;
    }

    /** Whether its transaction loads initial rows. */
    boolean isLoaded() {
        return isLoaded;
    }

    /** The number of its session, if it is an intent or has one, or if the outcome of its transaction is unknown. */
    int session() {
        return session;
    }

    /** The index of its transaction, if its outcome is unknown. */
    long index() {
        return index;
    }

    boolean isRead() {
        return kind == Cell.READ;
    }

    boolean isWrite() {
        return Cell.isWriteKind(kind);
    }

    boolean isIntent() {
        return kind == Cell.INTENT;
    }

    /** Whether it is a write with an intent. */
    boolean isIntended() {
        return kind == Cell.INTENDED;
    }

    int key() {
        return key;
    }

    long code() {
        return code;
    }
}
