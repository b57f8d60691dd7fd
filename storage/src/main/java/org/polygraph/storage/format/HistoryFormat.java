package org.polygraph.storage.format;

import java.util.StringJoiner;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.SourceFiles.Unit;

/**
 * The formats of histories. Option {@code -f} takes their labels. A new one needs a reader in {@link HistoryFiles}; the
 * README of the module has all steps.
 */
public enum HistoryFormat {
    /** The format is detected from the content. */
    AUTO("auto", "a history"),
    /** Each transaction is a JSON object on a line of its own. Other programs should write this format. */
    JSONL("jsonl", "JSON Lines"),
    /** Each transaction is a row. This is the archive format. */
    PARQUET("parquet", "Parquet"),
    /** Arrow IPC, a file or a stream. Other programs write it from memory. */
    ARROW("arrow", "Arrow"),
    /** The bincode of dbcop. */
    DBCOP("dbcop", "dbcop bincode"),
    /** A folder of Cobra logs. */
    COBRA("cobra", "a folder of Cobra logs"),
    /** Each operation is a line: {@code r(key,value,session,txn)}. */
    PLUME("plume", "plume text"),
    /** Operations of Jepsen, each an invocation and a completion. */
    EDN("edn", "EDN"),
    /** The same operations in JSON, as elle-cli reads them. */
    ELLE_JSON("elle-json", "operations of Jepsen in JSON"),
    /** The log of a register in a test of Jepsen, as the tests of Porcupine read it. It is only written. */
    PORCUPINE("porcupine", "a log of a Jepsen test");

    /** The labels, for messages and help. It is written out, because annotations need a constant. */
    public static final String LABELS = "auto, jsonl, parquet, arrow, dbcop, cobra, plume, edn or elle-json";

    /** The labels of the formats that are written, for messages and help. */
    public static final String WRITTEN = "jsonl, parquet, arrow, dbcop, cobra, plume, edn, elle-json or porcupine";

    private final String label;
    private final String content;

    HistoryFormat(String label, String content) {
        this.label = label;
        this.content = content;
    }

    /** Returns the name that {@code -f} takes. */
    public String label() {
        return label;
    }

    /** Returns the unit of the positions in messages and in {@link HistoryTable#source}. */
    public Unit positions() {
        return switch (this) {
            case PARQUET, ARROW -> Unit.ROW;
            case DBCOP, COBRA -> Unit.BYTE;
            case AUTO, JSONL, PLUME, EDN, ELLE_JSON, PORCUPINE -> Unit.LINE;
        };
    }

    /** Whether histories are read in it. */
    public boolean isRead() {
        return this != PORCUPINE;
    }

    /** Whether it has the times of transactions. */
    public boolean hasTimes() {
        return this != PLUME && this != DBCOP && this != COBRA;
    }

    /** Whether it expresses everything, and tables can be written one after the other, see {@link HistoryAppender}. */
    public boolean isOurs() {
        return this == JSONL || this == PARQUET || this == ARROW;
    }

    /** Describes the content of such a file, for messages. */
    String content() {
        return content;
    }

    /** Returns the labels of the formats of single files, for messages: {@code jsonl, parquet, ...}. */
    static String ofFiles() {
        StringJoiner labels = new StringJoiner(", ");
        for (HistoryFormat format : values()) {
            if (format != AUTO && format != COBRA && format.isRead()) {
                labels.add(format.label);
            }
        }
        return labels.toString();
    }
}
