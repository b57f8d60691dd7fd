package org.polygraph.jobs.windows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import org.polygraph.jobs.decision.Budget;

/**
 * Work for any process that reaches the input and the scratch files.
 *
 * @param <R> its result, which is small and the same in every process
 */
public interface Task<R extends Serializable> extends Serializable {
    /**
     * Does the work.
     *
     * @param budget its share of the memory of the process, and the time that is left
     * @throws IOException if the input or a scratch file cannot be reached
     */
    R run(Budget budget) throws IOException;

    /** Returns a task, or a result of one, as bytes for another process. */
    static byte[] bytes(Serializable object) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        } catch (IOException e) {
            throw new IllegalStateException("an object that cannot be written", e);
        }
        return bytes.toByteArray();
    }

    /** The inverse of {@link #bytes}. */
    static <T extends Serializable> T object(byte[] bytes, Class<T> type) {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return type.cast(in.readObject());
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException("an object of another version", e);
        }
    }
}
