package org.polygraph.jobs.spark;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkException;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.polygraph.jobs.application.EngineException;

/**
 * A folder for scratch files between the driver and the tasks. Closing deletes it, and so does the end of the process.
 * The folder of a killed process is deleted by the next process that makes such a folder beside it ({@link
 * ScratchOwner}).
 */
final class ScratchFolder implements Closeable {
    /** The end of every remedy. */
    static final String AGAIN = ", then run the command again: a check with --out continues from its checkpoints";

    private static final String PREFIX = "polygraph-stage-";
    /** Spark's error condition for a folder that does not exist. */
    private static final String MISSING = "PATH_NOT_FOUND";

    /** The special characters of Hadoop's patterns, and their escape character. */
    private static final Pattern PATTERN = Pattern.compile("[\\[\\]{}*?\\\\]");

    private final FileSystem fileSystem;
    private final Path folder;
    private final ScratchOwner owner;

    /** @param parent a folder that the driver and all tasks see; it is made if it does not exist */
    ScratchFolder(Path parent, Configuration configuration) throws IOException {
        this.fileSystem = parent.getFileSystem(configuration);
        Path beside = fileSystem.makeQualified(parent);
        ScratchOwner taken;
        Path made;
        do {
            made = new Path(beside, PREFIX + UUID.randomUUID());
            taken = ScratchOwner.take(fileSystem, made);
        } while (taken == null);
        this.owner = taken;
        this.folder = made;
        fileSystem.deleteOnExit(folder);
        sweep(fileSystem, beside);
    }

    /** Deletes the folders of processes that have ended. */
    static void sweep(FileSystem fileSystem, Path parent) {
        try {
            for (FileStatus each :
                    fileSystem.listStatus(parent, path -> path.getName().startsWith(PREFIX))) {
                try {
                    ScratchOwner.sweep(fileSystem, each.getPath());
                } catch (IOException e) {
                    // The folder belongs to another user, or another process has deleted it.
                }
            }
        } catch (IOException e) {
            // Folders that other processes left are no reason to fail.
        }
    }

    /**
     * The content of a folder. Its name may have any characters, also those that Spark takes for a pattern.
     *
     * @param columns the columns to read; all if none is given
     * @throws IOException if the folder is gone
     * @throws EngineException if the folder exists but cannot be read
     * @throws IllegalStateException if Spark rejects the request: a bug, not a property of the folder
     */
    static Dataset<Row> load(DataFrameReader reader, Path folder, String... columns) throws IOException {
        try {
            Dataset<Row> rows = reader.load(PATTERN.matcher(folder.toString()).replaceAll("\\\\$0"));
            return columns.length == 0
                    ? rows
                    : rows.select(Arrays.stream(columns).map(functions::col).toArray(Column[]::new));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            // Scala declares no checked exceptions: this is an AnalysisException, or one from reading the footers of
            // files.
            throw notLoaded(folder, e);
        }
    }

    private static RuntimeException notLoaded(Path folder, Exception failure) throws IOException {
        if (is(failure, MISSING)) {
            throw new IOException(folder + ": found no such folder; something else removes files there", failure);
        }
        Throwable found = failure;
        Throwable root = failure;
        boolean io = false;
        for (Throwable t = failure; t != null && t != t.getCause(); t = t.getCause()) {
            io |= t instanceof IOException || is(t, Jobs.UNREADABLE);
            found = is(t, Jobs.UNREADABLE) ? t : found;
            root = t;
        }
        String what = "scratch files in " + folder + ": found ";
        return io || root instanceof SparkException
                ? new EngineException(
                        what + Jobs.firstLine(found == failure ? root : found)
                                + "; expected them as they were written; see what else writes there, or give another "
                                + LazySession.STAGE_FOLDER + AGAIN,
                        failure)
                : new IllegalStateException(
                        what + Jobs.firstLine(failure)
                                + "; expected what this version writes; run it with the Spark that it was built for, or report it",
                        failure);
    }

    private static boolean is(Throwable t, String condition) {
        return t instanceof SparkThrowable known
                && String.valueOf(known.getCondition()).startsWith(condition);
    }

    /** The message when scratch files cannot be written or read. */
    static EngineException failed(Path where, IOException e) {
        String found = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return new EngineException(
                "scratch files in " + where + ": found "
                        + found.strip().lines().findFirst().orElse("")
                        + "; expected a folder with room that driver and executors can write; " + remedy(),
                e);
    }

    /** Hadoop's local file system throws an Error if a disk is full. */
    static IOException io(FSError e) {
        return e.getCause() instanceof IOException cause ? cause : new IOException(e);
    }

    /** The remedy for a file system that is full or gone. */
    private static String remedy() {
        return "make room or give another " + LazySession.STAGE_FOLDER + AGAIN;
    }

    FileSystem fileSystem() {
        return fileSystem;
    }

    Path path() {
        return folder;
    }

    /** Deletes the folder; if that fails, the end of the process tries again. */
    @Override
    public void close() {
        try {
            fileSystem.delete(folder, true);
            fileSystem.cancelDeleteOnExit(folder);
        } catch (IOException e) {
            // A failure to delete temporary files does not change the verdict.
        }
        owner.close();
    }
}
