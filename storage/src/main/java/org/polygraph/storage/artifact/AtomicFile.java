package org.polygraph.storage.artifact;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A file that is being written under a temporary name. {@link #commit} flushes it and renames it, replacing a file that
 * has the name. {@link #close} without commit removes it, and so does the end of the JVM, including by a signal. A
 * process that is killed by force leaves only the temporary file.
 */
public abstract class AtomicFile implements Closeable {
    private final OutputStream stream;
    private final Unfinished.Step unfinished = this::discard;
    private boolean done;

    AtomicFile(OutputStream stream) {
        this.stream = stream;
    }

    /** Registers the file. From now on it is removed unless it is committed. */
    final AtomicFile open() throws IOException {
        if (!Unfinished.addFile(unfinished)) {
            close();
            throw new IOException("the process ends");
        }
        return this;
    }

    /** Returns the stream to write to; closing it is harmless. */
    public OutputStream stream() {
        return stream;
    }

    /** Completes the file. It may be called once. */
    public void commit() throws IOException {
        stream.close();
        // If a file is replaced in two steps, the new one must not be removed between them.
        Unfinished.remove(unfinished);
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
                Unfinished.remove(unfinished);
            }
        }
    }

    /** Renames the closed temporary file. */
    abstract void publish() throws IOException;

    /** Removes the temporary file. */
    abstract void discard() throws IOException;
}
