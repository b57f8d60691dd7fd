package org.polygraph.storage.artifact;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A file or folder by name, in any file system. Obtain one with {@link #of}. Nothing is read before a method asks for
 * it. If a file cannot be reached, the {@link IOException} names it (exit code 6).
 */
public interface Location {
    /** Returns what the user typed, or the parent's name and the child's. */
    String name();

    /** Returns the last part of the name. */
    default String fileName() {
        String name = name();
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /** Returns a name of the same file or folder that does not depend on the working directory. */
    default String absolute() {
        return name();
    }

    /** Returns when it was last changed, in milliseconds since 1970; 0 if that is not known. */
    default long modified() throws IOException {
        return 0;
    }

    /** Whether only this machine may be able to reach it. */
    default boolean isLocal() {
        return true;
    }

    /** Whether this is a folder; false for a file. Throws {@link NoSuchFileException} if neither exists. */
    boolean isFolder() throws IOException;

    /** Whether there is a file or folder of this name. */
    boolean exists() throws IOException;

    /** Whether it is a device or a pipe. What is written there replaces nothing. */
    default boolean isStream() {
        return false;
    }

    /** Returns the files and folders in a folder, ascending by name. */
    List<Location> children() throws IOException;

    /** Returns a child of a folder, which need not exist. */
    Location child(String childName);

    /** Returns the size of a file in bytes, or -1 if it is not known beforehand (a pipe). */
    long length() throws IOException;

    /** Returns the bytes of a file, or of all files in a folder and its folders. A pipe counts as empty. */
    default long bytes() throws IOException {
        if (!isFolder()) {
            return Math.max(0, length());
        }
        long bytes = 0;
        for (Location child : children()) {
            bytes += child.bytes();
        }
        return bytes;
    }

    /** Opens the content from the start; the caller closes it. */
    SeekableInput open() throws IOException;

    /**
     * Begins a new file that replaces this one when it is committed; missing folders above it are created. Until then
     * it has a temporary name beside it, {@code .<name>.<random>.tmp}. If this is a link, its target is replaced. A
     * device or a pipe is written directly.
     */
    AtomicFile create() throws IOException;

    /** Begins a new folder that gets this name when it is committed; until then it has a temporary name beside it. */
    AtomicFolder createFolder() throws IOException;

    /** Returns what a link points to; the same location if it is no link. */
    default Location followed() throws IOException {
        return this;
    }

    /** Removes a file, or a folder and all that is in it; links are not followed. Does nothing if neither exists. */
    void delete() throws IOException;

    /**
     * Makes the folder if it does not exist, and shows other processes by a file in it that this process uses it. The end of the
     * process ends that. Where there are neither locks nor leases, such as in an object store, other processes do not see it.
     *
     * @param stop whether to wait no longer for a process that was killed, which holds a folder on HDFS for a minute
     * @return what ends it; null if this process or another one uses the folder
     */
    default @Nullable Closeable claimed(BooleanSupplier stop) throws IOException {
        return () -> {};
    }

    /** Opens the temporary file, writes it and commits it. On any failure nothing of it is left. */
    default void write(Content content) throws IOException {
        try (AtomicFile file = create()) {
            content.writeTo(file.stream());
            file.commit();
        }
    }

    /** What {@link #write} writes. */
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Returns the file or folder of a name.
     *
     * @param path a local path, {@code -} for standard input, or {@code scheme:...} for Hadoop's FileSystem. A local
     *     path that has a colon before its first slash is written {@code ./a:b}.
     */
    static Location of(String path) throws IOException {
        if (path.equals("-")) {
            return new StandardInput();
        }
        if (hasScheme(path)) {
            return new HadoopLocation(path);
        }
        try {
            return new LocalLocation(path, Path.of(path));
        } catch (InvalidPathException e) {
            throw new NoSuchFileException(path, null, "not a path: " + e.getReason());
        }
    }

    private static boolean hasScheme(String path) {
        int colon = path.indexOf(':');
        // A scheme of one letter is a drive.
        if (colon < 2 || !Character.isLetter(path.charAt(0))) {
            return false;
        }
        for (int i = 1; i < colon; i++) {
            char c = path.charAt(i);
            if (!(c < 128 && Character.isLetterOrDigit(c)) && c != '+' && c != '-' && c != '.') {
                return false;
            }
        }
        return true;
    }
}
