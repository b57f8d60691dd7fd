package org.polygraph.storage.artifact;

import java.io.Closeable;
import java.io.IOException;

/**
 * A folder that is being filled under a temporary name, {@code .<name>.<random>.tmp}, by any processes that reach it.
 * {@link #commit} renames it at once. {@link #close} without commit removes it and all that is in it, and so does the
 * end of the JVM, including by a signal. A process that is killed by force leaves only the temporary folder.
 */
public final class AtomicFolder implements Closeable {
    private final Location temporary;
    private final Unfinished.Step rename;
    private final Unfinished.Step unfinished;
    private boolean done;

    /** @param rename gives the temporary folder its name; fails if there is a folder of that name */
    AtomicFolder(Location temporary, Unfinished.Step rename) {
        this.temporary = temporary;
        this.rename = rename;
        this.unfinished = temporary::delete;
        Unfinished.addFolder(unfinished);
    }

    /** Returns the place to write to. It is created with the first file in it. */
    public Location location() {
        return temporary;
    }

    /** Completes the folder. It may be called once, and only if nothing has the name. */
    public void commit() throws IOException {
        rename.run();
        Unfinished.remove(unfinished);
        done = true;
    }

    @Override
    public void close() throws IOException {
        if (!done) {
            done = true;
            temporary.delete();
            Unfinished.remove(unfinished);
        }
    }
}
