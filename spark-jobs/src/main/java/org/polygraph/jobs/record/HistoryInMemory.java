package org.polygraph.jobs.record;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/** A table in memory. The position of a transaction is its number, from 1, in the order in which transactions ended. */
final class HistoryInMemory implements HistorySink {
    private final HistoryTableBuilder builder = new HistoryTableBuilder();
    private long transactions;

    /** @param initial the value of every key before the first transaction; null for none */
    HistoryInMemory(@Nullable Object initial) {
        builder.file("memory");
        builder.initialValue(code(initial));
    }

    @Override
    public void add(
            long session,
            long index,
            long start,
            @Nullable Long end,
            TransactionStatus status,
            List<Operation> operations) {
        builder.begin(session, index, status, ++transactions);
        builder.times(start, end == null ? HistoryTable.NO_TIME : end);
        for (Operation operation : operations) {
            if (operation instanceof OfKey one) {
                add(one);
            } else if (operation instanceof OfBounds bounds) {
                add(bounds);
            }
        }
        builder.end();
    }

    private void add(OfKey operation) {
        int key = key(operation.key());
        switch (operation.kind()) {
            case READ -> {
                if (operation.value() instanceof List<?> list) {
                    LongArrayList elements = new LongArrayList(list.size());
                    list.forEach(element -> elements.add(code(element)));
                    builder.readList(key, elements);
                } else {
                    builder.read(key, code(operation.value()));
                }
            }
            case WRITE -> builder.write(key, code(operation.value()));
            case INSERT -> builder.insert(key, code(operation.value()));
            case DELETE -> builder.delete(key);
            case APPEND -> builder.append(key, code(operation.value()));
        }
    }

    private void add(OfBounds operation) {
        IntArrayList matched = new IntArrayList();
        for (Object row : operation.rows()) {
            if (row instanceof List<?> pair) {
                int key = key(pair.get(0));
                builder.read(key, code(pair.get(1)));
                matched.add(key);
            } else {
                matched.add(key(row));
            }
        }
        builder.predicate(Condition.between(operation.lo(), operation.hi()), matched, operation.kind() == Kind.READ);
        for (int i = 0; i < matched.size(); i++) {
            switch (operation.kind()) {
                case WRITE -> builder.write(matched.getInt(i), code(operation.written()));
                case DELETE -> builder.delete(matched.getInt(i));
                default -> {}
            }
        }
    }

    private int key(Object key) {
        return key instanceof Long number
                ? builder.keys().id(number)
                : builder.keys().id((String) key);
    }

    private long code(@Nullable Object value) {
        if (value == null) {
            return ValueDictionary.NULL;
        }
        return value instanceof Long number
                ? builder.values().code(number)
                : builder.values().code((String) value);
    }

    HistoryTable table() throws HistoryException {
        return builder.build();
    }

    @Override
    public void close() {}
}
