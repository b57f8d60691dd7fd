package org.polygraph.storage.format;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/** TableText as text, to compare them independently of ids and sources. */
public final class TableText {
    private TableText() {}

    /** Lines with the header and each transaction. Opaque values are the strings that writers make of them. */
    public static List<String> rows(HistoryTable table) {
        List<String> rows = new ArrayList<>();
        rows.add("initial " + value(table.values(), table.initialValue()) + " " + table.metadata());
        for (int t = 0; t < table.transactions(); t++) {
            StringBuilder row = new StringBuilder();
            row.append(table.sessionLabel(table.sessionOf(t))).append(' ').append(table.index(t));
            row.append(' ').append(table.status(t).label());
            long[] starts = table.starts();
            long[] ends = table.ends();
            row.append(' ').append(starts == null ? HistoryTable.NO_TIME : starts[t]);
            row.append(' ').append(ends == null ? HistoryTable.NO_TIME : ends[t]);
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.operationKeys()[o];
                if (table.isOfSavepoint(o)) {
                    row.append(' ' + Operations.nameOf(table.kind(o)) + ' ' + value(table.values(), table.value(o)));
                    continue;
                }
                row.append(table.isInsert(o) ? " i " : table.isDelete(o) ? " d " : (key & 1) != 0 ? " w " : " r ");
                row.append(table.keys().label(key >>> 1)).append('=');
                row.append(table.isAppend(o) ? "+" : "");
                long[] elements = table.elements(o);
                if (elements == null) {
                    row.append(value(table.values(), table.value(o)));
                } else {
                    for (long element : elements) {
                        row.append(value(table.values(), element)).append(',');
                    }
                }
            }
            rows.add(row.toString());
        }
        return rows;
    }

    private static String value(ValueDictionary values, long code) {
        return values.isNull(code) || values.isInteger(code) ? values.label(code) : '"' + values.text(code) + '"';
    }
}
