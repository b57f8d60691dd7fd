package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Replays the raw operations of some keys in a serial order: every read returns the last write of the key before it,
 * its transaction's own writes included, or if there is none the initial value. Operations come in the order of the
 * places of their transactions, and within a transaction in its order. Memory: 16 bytes a key.
 */
public final class PlacedReplay {
    private final long initialValue;
    private int keys;
    /** By key: the last value written. */
    private long[] values = new long[16];
    /** By key: the place of the transaction that wrote it; negative if none did. */
    private long[] writers = new long[16];

    private long place = -1;
    private int number;
    private long reads;
    private long ownReads;
    private long writes;
    private @Nullable String discrepancy;

    /** @param initialValue code of the value of every key before the first transaction */
    public PlacedReplay(long initialValue) {
        this.initialValue = initialValue;
    }

    /**
     * Replays the next operation of a transaction that counts.
     *
     * @param at the place of its transaction
     * @param numberThere its number in its transaction
     * @param key ids are dense
     */
    public void operation(long at, int numberThere, int key, boolean isWrite, long value) {
        if (at < place || (at == place && numberThere <= number)) {
            wrong("operation " + numberThere + " at place " + at + " comes after operation " + number + " at place "
                    + place);
        }
        place = at;
        number = numberThere;
        if (key >= keys) {
            addKeys(key + 1);
        }
        if (isWrite) {
            writes++;
            values[key] = value;
            writers[key] = at;
            return;
        }
        reads++;
        ownReads += writers[key] == at ? 1 : 0;
        if (values[key] != value) {
            wrong("operation " + numberThere + " at place " + at + " does not read the last write before it");
        }
    }

    private void addKeys(int count) {
        if (count > values.length) {
            values = Arrays.copyOf(values, 2 * count);
            writers = Arrays.copyOf(writers, 2 * count);
        }
        Arrays.fill(values, keys, count, initialValue);
        Arrays.fill(writers, keys, count, -1);
        keys = count;
    }

    private void wrong(String what) {
        if (discrepancy == null) {
            discrepancy = what;
        }
    }

    /** The first thing that the order does not explain, one sentence; null if it explains everything. */
    public @Nullable String discrepancy() {
        return discrepancy;
    }

    /** The number of reads. */
    public long reads() {
        return reads;
    }

    /** The number of reads that follow an own write of the key. */
    public long ownReads() {
        return ownReads;
    }

    /** The number of writes. */
    public long writes() {
        return writes;
    }
}
