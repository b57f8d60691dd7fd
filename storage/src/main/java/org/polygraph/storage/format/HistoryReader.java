package org.polygraph.storage.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.binary.CobraReader;
import org.polygraph.storage.format.io.CorruptStreamException;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.format.parquet.ParquetHistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Reads a history of any format into a table. A path is a local path, {@code -} for standard input, or {@code
 * scheme:...} through Hadoop's FileSystem. It names a file, a folder of Cobra logs, or a folder of part files (JSON
 * Lines or Parquet).
 *
 * <p>Failures: {@link HistoryException} if the content is wrong (exit 5); {@link IOException} if the path cannot be
 * read, such as {@link java.nio.file.NoSuchFileException} and {@link java.nio.file.AccessDeniedException} (exit 6);
 * {@link BudgetException} if memory or time ran out (exit 4). Nothing else is thrown, whatever the bytes are.
 */
public final class HistoryReader {
    private static final int MAX_PARTS = 1 << 19;
    private static final int MOST_HEADER = 1 << 16;

    private HistoryReader() {}

    /** Reads with 85 % of the heap and without a deadline. */
    public static HistoryTable read(String path, HistoryFormat format) throws HistoryException, IOException {
        return read(path, format, () -> false, Runtime.getRuntime().maxMemory() / 20 * 17);
    }

    /**
     * Reads a history. The time is linear in its size; sessions that are not in order are sorted.
     *
     * @param stop asked for every 64 KiB or so of input; true ends the read with a {@link BudgetException}
     * @param memoryBytes what the table may take while it is built
     */
    public static HistoryTable read(String path, HistoryFormat format, BooleanSupplier stop, long memoryBytes)
            throws HistoryException, IOException {
        return read(List.of(path), format, stop, memoryBytes);
    }

    /**
     * Reads several paths, one after another, as one history.
     *
     * @param paths one or more; if there are several, none may be standard input or a folder of Cobra logs, and files
     *     without content are left out
     */
    public static HistoryTable read(List<String> paths, HistoryFormat format, BooleanSupplier stop, long memoryBytes)
            throws HistoryException, IOException {
        return read(paths, format, new ReadContext(stop, memoryBytes));
    }

    /** Does the same, perhaps without the versions that the database gave. */
    public static HistoryTable read(List<String> paths, HistoryFormat format, ReadContext context)
            throws HistoryException, IOException {
        try {
            return paths.size() == 1 ? read(context, Location.of(paths.get(0)), format) : read(context, paths, format);
        } catch (OutOfMemoryError e) {
            // What was read is garbage now. The budget did not include other objects on the heap.
            BudgetException budget = new BudgetException(paths.get(paths.size() - 1)
                    + ": reading stopped: the heap is full; " + BudgetException.MORE_MEMORY);
            budget.initCause(e);
            throw budget;
        }
    }

    /**
     * Returns the format that the first bytes show; never AUTO. Standard input is not supported, because it can be read
     * only once.
     */
    public static HistoryFormat detect(String path) throws HistoryException, IOException {
        Location location = onceMore(path);
        List<Location> files = List.of(location);
        if (location.isFolder()) {
            List<Location> children = location.children();
            if (!logs(children).isEmpty()) {
                return HistoryFormat.COBRA;
            }
            files = parts(location, children);
        }
        return new HistoryFiles(new ReadContext(() -> false, Long.MAX_VALUE), files, HistoryFormat.AUTO).detect();
    }

    /** Whether a file has no transaction: it is blank, or is at most 64 KiB long and has only a header. */
    public static boolean isEmpty(Location file) throws IOException {
        if (file.isFolder() || file.isStream() || file.length() > MOST_HEADER) {
            return false;
        }
        ReadContext context = new ReadContext(() -> false, Long.MAX_VALUE);
        try {
            HistoryFiles files = new HistoryFiles(context, List.of(file), HistoryFormat.AUTO);
            return file.length() == 0
                    || files.isBlank()
                    || read(file.name(), HistoryFormat.AUTO).transactions() == 0;
        } catch (HistoryException e) {
            // Reading the history reports the failure.
            return false;
        }
    }

    private static Location onceMore(String path) throws IOException {
        if (path.equals("-")) {
            throw new IOException("-: standard input is read once; give its format with -f or let read find it");
        }
        return Location.of(path);
    }

    /**
     * Returns the fields of the header as JSON; none if the format has none. Reads no transaction. Standard input is
     * not supported.
     */
    public static Map<String, String> header(String path, HistoryFormat format) throws HistoryException, IOException {
        Location location = onceMore(path);
        HistoryFormat found = format == HistoryFormat.AUTO ? detect(path) : format;
        if (found != HistoryFormat.JSONL && found != HistoryFormat.PARQUET) {
            return Map.of();
        }
        Location file =
                location.isFolder() ? parts(location, location.children()).get(0) : location;
        ReadContext context = new ReadContext(() -> false, Long.MAX_VALUE);
        HistoryTableBuilder builder = context.builder(found.positions());
        if (found == HistoryFormat.PARQUET) {
            new ParquetHistoryReader(context, builder).read(file, 0, 0);
        } else {
            try (InputStream content = HistoryFiles.open(context, file, found).content()) {
                new JsonlReader(builder).readHeader(file.name(), content);
            } catch (CorruptStreamException e) {
                throw e.in(file.name());
            }
        }
        return builder.build().metadata();
    }

    /** Returns the Cobra logs among the files of a folder, ascending by name. */
    public static List<Location> logs(List<Location> children) throws IOException {
        List<Location> logs = new ArrayList<>();
        for (Location child : children) {
            if (child.fileName().endsWith(".log") && !child.isFolder()) {
                logs.add(child);
            }
        }
        return logs;
    }

    /** Whether a folder is read as a folder of Cobra logs. */
    public static boolean isOfLogs(List<Location> logs, HistoryFormat asked) {
        return asked == HistoryFormat.COBRA || (asked == HistoryFormat.AUTO && !logs.isEmpty());
    }

    /**
     * Returns the files of a folder that hold rows: not hidden ({@code .x}, {@code _SUCCESS}) and not empty; at least
     * one.
     */
    public static List<Location> parts(Location folder, List<Location> children) throws HistoryException, IOException {
        List<Location> parts = new ArrayList<>();
        for (Location child : children) {
            char first = child.fileName().charAt(0);
            if (first == '.' || first == '_') {
                continue;
            }
            if (child.isFolder()) {
                throw new HistoryException(
                        child.name(),
                        "a folder within a folder",
                        "*.log files, or part files only",
                        "give the inner folder, or each history as its own path");
            }
            if (child.length() != 0) {
                parts.add(child);
            }
        }
        if (parts.isEmpty()) {
            throw new HistoryException(
                    folder.name(),
                    "a folder without any history",
                    "*.log files (cobra) or part files (jsonl, parquet)",
                    "check the path");
        }
        if (parts.size() > MAX_PARTS) {
            throw new HistoryException(
                    folder.name(), parts.size() + " part files", "at most " + MAX_PARTS, "merge the parts");
        }
        return parts;
    }

    private static HistoryTable read(ReadContext context, Location location, HistoryFormat format)
            throws HistoryException, IOException {
        if (!location.isFolder()) {
            if (format == HistoryFormat.COBRA) {
                throw new HistoryException(
                        location.name(),
                        "a file",
                        "a folder of *.log files (-f cobra)",
                        "give the folder, or another format with -f");
            }
            return new HistoryFiles(context, List.of(location), format).read();
        }
        List<Location> children = location.children();
        List<Location> logs = logs(children);
        if (isOfLogs(logs, format)) {
            return readLogs(context, location, logs);
        }
        return new HistoryFiles(context, parts(location, children), format).read();
    }

    private static HistoryTable read(ReadContext context, List<String> paths, HistoryFormat format)
            throws HistoryException, IOException {
        List<Location> files = new ArrayList<>();
        for (String path : paths) {
            Location location = Location.of(path);
            if (location.isFolder()) {
                files.addAll(parts(location, location.children()));
            } else if (location.length() != 0) {
                files.add(location);
            }
        }
        if (files.isEmpty()) {
            files.add(Location.of(paths.get(0)));
        }
        return new HistoryFiles(context, files, format).read();
    }

    private static HistoryTable readLogs(ReadContext context, Location folder, List<Location> logs)
            throws HistoryException, IOException {
        if (logs.isEmpty()) {
            throw new HistoryException(
                    folder.name(), "a folder without *.log files", "one *.log a client (-f cobra)", "check the path");
        }
        HistoryTableBuilder builder = context.builder(HistoryFormat.COBRA.positions());
        new CobraReader(context, builder).read(logs);
        return builder.build();
    }
}
