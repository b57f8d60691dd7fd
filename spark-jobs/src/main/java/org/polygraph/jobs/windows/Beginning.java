package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;

/**
 * The values of keys before the first transaction, as the tasks of slices read them.
 *
 * @param common the value of most keys, as a block
 * @param others a block for each slice, with items of a key and its own value; null if all keys have the common one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Beginning(byte[] common, @Nullable Section others) implements Serializable {
    /** Deals the initial values of all keys of a history. */
    static Beginning of(HistoryTable table, int slices, Section.Files files) throws IOException {
        Section.Output out = new Section.Output(0, slices);
        for (int key = 0; key < table.keys().size(); key++) {
            out.block(DealTask.slice(table.keys(), key, slices))
                    .key(table.keys(), key)
                    .value(table.values(), table.initialValue(key));
        }
        byte[] common =
                new BlockWriter().value(table.values(), table.initialValue()).toBytes();
        return new Beginning(common, out.write(files, 0));
    }
}
