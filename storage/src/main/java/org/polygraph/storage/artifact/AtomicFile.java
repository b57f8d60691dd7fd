package org.polygraph.storage.artifact;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file being written under a temporary name. {@link #commit} flushes it and gives it its name, replacing what had it;
 * {@link #close} without commit removes it, and so does the end of the JVM, by a signal too. A process that is killed without
 * notice leaves only the temporary file.
 */
public abstract class AtomicFile implements Closeable {
    private final OutputStream stream;
    private boolean done;

    AtomicFile(OutputStream stream) {
        this.stream = stream;
    }

    /** Those that are neither complete nor removed, for the end of the JVM. */
    private static final class Unfinished {
        private static final Set<AtomicFile> FILES = ConcurrentHashMap.newKeySet();

        static {
            Thread end = new Thread(Unfinished::discardAll, "unfinished-files");
            try {
                Runtime.getRuntime().addShutdownHook(end);
            } catch (IllegalStateException ends) {
                // The JVM ends already: a file that is begun now stays.
            }
        }

        private static void discardAll() {
            for (AtomicFile file : FILES) {
                try {
                    file.discard();
                } catch (IOException e) {
                    // Nobody is there to be told; the file has a temporary name.
                    continue;
                }
            }
        }
    }

    /** Begins: from here on it is removed unless it is completed. */
    final AtomicFile open() {
        Unfinished.FILES.add(this);
        return this;
    }

    /** Where to write; closing it is harmless. */
    public OutputStream stream() {
        return stream;
    }

    /** Completes the file. Once. */
    public void commit() throws IOException {
        stream.close();
        // Where a file is replaced in two steps, nobody may remove the new one between them.
        Unfinished.FILES.remove(this);
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
                Unfinished.FILES.remove(this);
            }
        }
    }

    /** Renames the closed temporary file. */
    abstract void publish() throws IOException;

    /** Removes the temporary file. */
    abstract void discard() throws IOException;
}
