package org.polygraph.solver;

/** Where the order puts the items of keys. */
final class Ranks {
    private final Polygraph p;
    private final int[] position;

    /** @param position event to position; live */
    Ranks(Polygraph p, int[] position) {
        this.p = p;
        this.position = position;
    }

    /** Twice the position, one more for a writer: no two items of a key are equal. */
    int of(KeyItems items, int item) {
        return items.isReader(item)
                ? ofReader(p.readerTxn[items.reader(item)])
                : ofWriter(p.writerTxn[items.writer(item)]);
    }

    /** Of what a transaction reads. */
    int ofReader(int txn) {
        return 2 * position[p.snapshot(txn)];
    }

    /** Of what a transaction writes. */
    int ofWriter(int txn) {
        return 2 * position[p.commit(txn)] + 1;
    }
}
