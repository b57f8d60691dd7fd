package org.polygraph.solver;

/** The ranks of the items of keys in the current order. */
final class Ranks {
    private final Polygraph p;
    private final int[] position;

    /** @param position the position of each event; the search changes it */
    Ranks(Polygraph p, int[] position) {
        this.p = p;
        this.position = position;
    }

    /** Twice the position, one more for a writer: no two items of a key are equal. */
    int of(KeyItems items, int item) {
        return items.isReader(item)
                ? ofReader(items.key, p.readerTxn[items.reader(item)])
                : ofWriter(p.writerTxn[items.writer(item)]);
    }

    /** The rank of a transaction's read of a key. */
    int ofReader(int key, int txn) {
        return 2 * position[p.readAt(key, txn)];
    }

    /** The rank of a transaction's writes. */
    int ofWriter(int txn) {
        return 2 * position[p.commit(txn)] + 1;
    }
}
