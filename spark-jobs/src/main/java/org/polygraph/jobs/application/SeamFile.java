package org.polygraph.jobs.application;

import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/**
 * A file of a seam. A check reads it for the verdict and again for the seam that it writes, so its content stays in
 * memory while there is room.
 *
 * @param <T> its content
 */
final class SeamFile<T> {
    private final String what;
    private final Location location;
    private final String input;
    private final Reader<T> reader;
    private SoftReference<@Nullable T> content = new SoftReference<>(null);

    /** Reads the content of a file. */
    @FunctionalInterface
    interface Reader<T> {
        T read(Location file, BooleanSupplier stop, long memoryBytes) throws IOException, HistoryException;
    }

    /**
     * Reads nothing yet.
     *
     * @param what it is, for messages
     * @param input SHA-256 of its bytes; empty if the seam does not have it
     */
    SeamFile(String what, Location location, String input, Reader<T> reader) {
        this.what = what;
        this.location = location;
        this.input = input;
        this.reader = reader;
    }

    /** Whether the seam has it. */
    boolean isStored() {
        return !input.isEmpty();
    }

    /** SHA-256 of its bytes; empty if the seam does not have it. */
    String input() {
        return input;
    }

    Location location() {
        return location;
    }

    /**
     * Returns the file and requires that it has the bytes that were written.
     *
     * @throws IOException if it has changed
     * @throws BudgetException if it is gone
     */
    Location present(BooleanSupplier stop) throws IOException {
        return new Chain.Part(input, location.absolute()).present(what, stop);
    }

    /** Returns the content. The caller does not change it. */
    T read(BooleanSupplier stop, long memoryBytes) throws IOException, HistoryException {
        T known = content.get();
        if (known != null) {
            return known;
        }
        T read = reader.read(present(stop), stop, memoryBytes);
        content = new SoftReference<>(read);
        return read;
    }
}
