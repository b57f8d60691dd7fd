package org.polygraph.storage.artifact;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A file being written under a temporary name. {@link #commit} flushes it and gives it its name, replacing what had it;
 * {@link #close} without commit removes it. A process that is killed in between leaves only the temporary file.
 */
public abstract class AtomicFile implements Closeable {
    private final OutputStream stream;
    private boolean done;

    AtomicFile(OutputStream stream) {
        this.stream = stream;
    }

    /** Where to write; closing it is harmless. */
    public OutputStream stream() {
        return stream;
    }

    /** Completes the file. Once. */
    public void commit() throws IOException {
        stream.close();
        publish();
        done = true;
    }

    @Override
    public void close() throws IOException {
        if (!done) {
            done = true;
            try {
                stream.close();
            } finally {
                discard();
            }
        }
    }

    /** Renames the closed temporary file. */
    abstract void publish() throws IOException;

    /** Removes the temporary file. */
    abstract void discard() throws IOException;
}
