package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * Replays the raw operations of some keys in an order of events: every read returns the last write of the key before
 * it, its transaction's own writes included, or if there is none the initial value. Operations come in the order of the
 * places of their events, and within an event in its order.
 *
 * <p>If a transaction is two events, its snapshot has an intent for each key that its commit writes, and no other
 * transaction writes this key in between. Memory: 20 bytes a key, and 16 bytes for each intent whose write is still to
 * come.
 */
public final class PlacedReplay {
    private static final long NONE = PlacedFault.NONE;

    /** The labels of keys and values, for a message. */
    private final KeyDictionary keyLabels;

    private final ValueDictionary valueLabels;
    private final IntToLongFunction initialValues;
    private final int events;
    /** By key: the number of its last intent whose write is still to come, plus 1; 0 if there is none. */
    private int[] lastIntents = new int[16];

    /** By number of an intent: its session, its place, and the number of the intent of its key before it, plus 1. */
    private int[] sessions = new int[16];

    private long[] intents = new long[16];
    private int[] next = new int[16];
    /** The least number that was never used. */
    private int unused;
    /** The first of the numbers that are free again, plus 1; {@link #next} has the others. 0 if there is none. */
    private int free;

    private int keys;
    /** By key: the last value written. */
    private long[] values = new long[16];
    /** By key: the place of the transaction that wrote it; negative if none did. */
    private long[] writers = new long[16];

    private long place = NONE;
    private int number;
    private long reads;
    private long ownReads;
    private long writes;
    private @Nullable PlacedFault discrepancy;

    /**
     * Begins a replay before the first event.
     *
     * @param keys with {@code values} the labels of what is replayed
     * @param initialValues by key: the code of its value before the first transaction
     * @param events of a transaction: 1, or 2 for its snapshot and its commit
     */
    public PlacedReplay(KeyDictionary keys, ValueDictionary values, IntToLongFunction initialValues, int events) {
        this.keyLabels = keys;
        this.valueLabels = values;
        this.initialValues = initialValues;
        this.events = events;
    }

    /**
     * Replays an intent of a transaction that counts: at its snapshot, it announces that the commit writes the key.
     *
     * @param session number of the session
     */
    public void intent(long at, int numberThere, int key, int session) {
        ordered(at, numberThere);
        if (take(key, session) != NONE) {
            wrong(PlacedFault.of(at, " has a second intent for a key"));
        }
        int slot = free == 0 ? unused++ : free - 1;
        if (slot == sessions.length) {
            sessions = Arrays.copyOf(sessions, 2 * slot);
            intents = Arrays.copyOf(intents, 2 * slot);
            next = Arrays.copyOf(next, 2 * slot);
        }
        free = free == 0 ? 0 : next[slot];
        sessions[slot] = session;
        intents[slot] = at;
        next[slot] = lastIntents[key];
        lastIntents[key] = slot + 1;
    }

    /** Removes the intent of a session for a key. @return its place */
    private long take(int key, int session) {
        if (key >= keys) {
            addKeys(key + 1);
        }
        int before = 0;
        for (int i = lastIntents[key]; i != 0; i = next[i - 1]) {
            if (sessions[i - 1] == session) {
                if (before == 0) {
                    lastIntents[key] = next[i - 1];
                } else {
                    next[before - 1] = next[i - 1];
                }
                next[i - 1] = free;
                free = i;
                return intents[i - 1];
            }
            before = i;
        }
        return NONE;
    }

    /**
     * Replays the next operation of a transaction that counts.
     *
     * @param at the place of its event
     * @param numberThere its number in its event
     * @param key ids are dense
     * @param session number of the session; used if it is a write and a transaction is two events
     */
    public void operation(long at, int numberThere, int key, int session, boolean isWrite, long value) {
        ordered(at, numberThere);
        if (key >= keys) {
            addKeys(key + 1);
        }
        if (isWrite) {
            writes++;
            if (events == 2 && writers[key] != at) {
                long intent = take(key, session);
                if (intent == NONE) {
                    wrong(PlacedFault.of(at, " has a write without an intent at its snapshot"));
                } else if (writers[key] > intent) {
                    wrong(new PlacedFault(
                            "",
                            at,
                            " and ",
                            writers[key],
                            " overlap and both write key " + Names.line(keyLabels.label(key))));
                }
            }
            values[key] = value;
            writers[key] = at;
            return;
        }
        boolean own = writers[key] == at;
        reads++;
        ownReads += own ? 1 : 0;
        if (values[key] != value) {
            wrong(PlacedFault.of(
                    at,
                    Names.misread(
                            keyLabels.label(key), valueLabels.label(value), own, valueLabels.label(values[key]))));
        }
    }

    private void ordered(long at, int numberThere) {
        if (at < place || (at == place && numberThere <= number)) {
            wrong(new PlacedFault("an operation of ", at, " is replayed after a later one of ", place, ""));
        }
        place = at;
        number = numberThere;
    }

    private void addKeys(int count) {
        if (count > values.length) {
            values = Arrays.copyOf(values, 2 * count);
            writers = Arrays.copyOf(writers, 2 * count);
            lastIntents = Arrays.copyOf(lastIntents, 2 * count);
        }
        for (int key = keys; key < count; key++) {
            values[key] = initialValues.applyAsLong(key);
        }
        Arrays.fill(writers, keys, count, NONE);
        keys = count;
    }

    private void wrong(PlacedFault what) {
        if (discrepancy == null) {
            discrepancy = what;
        }
    }

    /** Returns the number of reads so far. */
    public long reads() {
        return reads;
    }

    /** Returns the number of reads so far that follow a write of their transaction to the key. */
    public long ownReads() {
        return ownReads;
    }

    /** Returns the number of writes so far. */
    public long writes() {
        return writes;
    }

    /** Returns the first operation that the order does not explain; null if it explains all. */
    public @Nullable PlacedFault discrepancy() {
        return discrepancy;
    }
}
