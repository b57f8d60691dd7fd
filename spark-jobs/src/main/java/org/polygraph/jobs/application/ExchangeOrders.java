package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectRBTreeMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.HistoryException;

/**
 * The orders that {@link Rearrangement} found for exchanges. An order has an entry for each place of the window of its
 * exchange: the old place of the event that moves there. Places count from the first one of the window.
 */
final class ExchangeOrders {
    private static final String NAME = "orders";
    private static final List<String> COLUMNS = List.of("exchange", "place");

    private final Int2ObjectMap<IntArrayList> orders = new Int2ObjectRBTreeMap<>();

    void put(int exchange, int[] order) {
        orders.put(exchange, IntArrayList.wrap(order));
    }

    boolean isEmpty() {
        return orders.isEmpty();
    }

    /** Returns the order of an exchange; null if it is a move of one writer. */
    int @Nullable [] of(int exchange) {
        IntArrayList order = orders.get(exchange);
        return order == null ? null : order.toIntArray();
    }

    void write(Location file) throws IOException {
        Iterator<int[]> rows = orders.int2ObjectEntrySet().stream()
                .flatMap(each -> each.getValue().intStream().mapToObj(place -> new int[] {each.getIntKey(), place}))
                .iterator();
        file.write(out -> NumberTable.write(out, NAME, "", COLUMNS, row -> {
            if (!rows.hasNext()) {
                return false;
            }
            int[] next = rows.next();
            row[0] = next[0];
            row[1] = next[1];
            return true;
        }));
    }

    /** Reads a file whose checksum is known to be right. */
    static ExchangeOrders read(Location file, BooleanSupplier stop) throws IOException, HistoryException {
        ExchangeOrders read = new ExchangeOrders();
        NumberTable.read(file, NAME, stop, new NumberTable.Sink() {
            @Override
            public void header(String text, List<String> columns, long rows) throws HistoryException {
                if (!columns.equals(COLUMNS)) {
                    throw SessionEnds.damaged(file.name());
                }
            }

            @Override
            public void row(long[] row) {
                read.orders
                        .computeIfAbsent((int) row[0], e -> new IntArrayList())
                        .add((int) row[1]);
            }
        });
        return read;
    }
}
