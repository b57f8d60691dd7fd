package org.polygraph.storage.format;

import java.util.Locale;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTable.Unit;

/** The formats of histories, by the name that {@code -f} takes. */
public enum HistoryFormat {
    /** Found out from the content. */
    AUTO("auto", "a history"),
    /** A JSON object a transaction: the format others are asked to write. */
    JSONL("jsonl", "JSON Lines"),
    /** A row a transaction: the archive format. */
    PARQUET("parquet", "Parquet"),
    /** The bincode of dbcop. */
    DBCOP("dbcop", "dbcop bincode"),
    /** A folder of Cobra logs. */
    COBRA("cobra", "a folder of Cobra logs"),
    /** A line an operation: {@code r(key,value,session,txn)}. */
    PLUME("plume", "plume text"),
    /** Jepsen's operations, an invocation and a completion each. */
    EDN("edn", "EDN");

    private final String label;
    private final String content;

    HistoryFormat(String label, String content) {
        this.label = label;
        this.content = content;
    }

    /** The name that {@code -f} takes. */
    public String label() {
        return label;
    }

    /** The unit of the positions in messages and in {@link HistoryTable#source}. */
    public Unit positions() {
        return switch (this) {
            case PARQUET -> Unit.ROW;
            case DBCOP, COBRA -> Unit.BYTE;
            default -> Unit.LINE;
        };
    }

    /** What such a file holds, for messages. */
    String content() {
        return content;
    }

    /**
     * Inverse of {@link #label()}, case ignored.
     *
     * @throws IllegalArgumentException that lists the labels
     */
    public static HistoryFormat ofLabel(String label) {
        for (HistoryFormat format : values()) {
            if (format.label.equals(label.toLowerCase(Locale.ROOT))) {
                return format;
            }
        }
        throw new IllegalArgumentException(
                "unknown format \"" + label + "\"; expected auto, jsonl, parquet, dbcop, cobra, plume or edn");
    }
}
