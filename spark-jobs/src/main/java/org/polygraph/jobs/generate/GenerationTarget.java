package org.polygraph.jobs.generate;

import java.io.IOException;
import java.io.Serializable;
import java.util.Locale;
import org.polygraph.storage.format.HistoryAppender;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.generate.GeneratedRows;

/**
 * The destination of a generated history: one file, or a folder of part files, whose rows ascend by (session, index)
 * from the first part to the last. Each file is written under a temporary name and then renamed.
 *
 * @param path of the file, or of the folder; as {@link org.polygraph.storage.artifact.Location#of} takes it
 * @param format jsonl or parquet
 * @param rowsPerPart of every part except perhaps the last
 */
public record GenerationTarget(String path, HistoryFormat format, boolean folder, long rows, long rowsPerPart)
        implements Serializable {
    private static final int MOST_OPERATIONS = Integer.MAX_VALUE - 8;

    /**
     * Divides rows into part files.
     *
     * @param parts the least number of parts, 0 for one file; there are more if a part would not fit an array
     */
    public static GenerationTarget of(String path, HistoryFormat format, int parts, long rows, int operations) {
        long most = MOST_OPERATIONS / operations;
        long each = parts == 0 ? rows : Math.min(most, (rows - 1) / parts + 1);
        return new GenerationTarget(path, format, parts > 0, rows, each);
    }

    /** Returns the same parts in another folder. */
    public GenerationTarget in(String otherFolder) {
        return new GenerationTarget(otherFolder, format, folder, rows, rowsPerPart);
    }

    /** Returns the number of files. */
    public int parts() {
        return Math.toIntExact((rows - 1) / rowsPerPart + 1);
    }

    /** Returns the first row of a part. */
    public long from(int part) {
        return part * rowsPerPart;
    }

    /** Returns the row after the last of a part. */
    public long to(int part) {
        return Math.min(rows, (part + 1) * rowsPerPart);
    }

    /** Writes a part whose rows are known. */
    public void write(int part, GeneratedRows known) throws IOException {
        String file = folder ? String.format(Locale.ROOT, "%s/part-%05d.%s", path, part, format.label()) : path;
        try (HistoryAppender out = HistoryAppender.open(file, format)) {
            known.writeTo(from(part), to(part), out::append);
            out.commit();
        }
    }
}
