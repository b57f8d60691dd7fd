package org.polygraph.storage.artifact;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A file being written under a temporary name. {@link #commit} flushes it and gives it its name, replacing what had it;
 * {@link #close} without commit removes it, and so does the end of the JVM, by a signal too. A process that is killed without
 * notice leaves only the temporary file.
 */
public abstract class AtomicFile implements Closeable {
    private final OutputStream stream;
    private final Unfinished.Output unfinished = this::discard;
    private boolean done;

    AtomicFile(OutputStream stream) {
        this.stream = stream;
    }

    /** Begins: from here on it is removed unless it is completed. */
    final AtomicFile open() throws IOException {
        if (!Unfinished.addFile(unfinished)) {
            close();
            throw new IOException("the process ends");
        }
        return this;
    }

    /** Where to write; closing it is harmless. */
    public OutputStream stream() {
        return stream;
    }

    /** Completes the file. Once. */
    public void commit() throws IOException {
        stream.close();
        // Where a file is replaced in two steps, the new one must not be removed between them.
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
