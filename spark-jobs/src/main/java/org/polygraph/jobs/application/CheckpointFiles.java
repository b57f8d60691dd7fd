package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.artifact.Location;

/** Checkpoints as files {@code <name>.checkpoint} of a folder. A file is complete or absent, and has a checksum. */
public final class CheckpointFiles implements Checkpoints {
    private static final String ENDING = ".checkpoint";

    private final Location folder;
    private final Consumer<String> messages;

    /**
     * Creates the object; accesses no file.
     *
     * @param folder of this request alone
     * @param messages receives a line for each checkpoint that is used or damaged
     */
    public CheckpointFiles(Location folder, Consumer<String> messages) {
        this.folder = folder;
        this.messages = messages;
    }

    @Override
    public <T, E extends Exception> @Nullable T restored(String name, Reading<T, E> reading) throws E {
        Location file = folder.child(name + ENDING);
        try {
            ArrayFile found = found(file);
            if (found == null) {
                return null;
            }
            T made = reading.of(found);
            messages.accept(file.name() + ": a checkpoint of an earlier process; the check continues from it");
            return made;
        } catch (ArrayFile.DamagedException e) {
            messages.accept(file.name() + ": a damaged checkpoint: " + e.getMessage() + "; its phases run again");
            return null;
        }
    }

    private static @Nullable ArrayFile found(Location file) throws ArrayFile.DamagedException {
        try {
            return file.exists() ? ArrayFile.read(file) : null;
        } catch (ArrayFile.DamagedException e) {
            throw e;
        } catch (IOException e) {
            throw new EngineException(file.name() + ": " + e.getMessage() + "; check it, or give --overwrite", e);
        }
    }

    @Override
    public boolean keeps() {
        return true;
    }

    @Override
    public void keep(String name, ArrayFile data) {
        Location file = folder.child(name + ENDING);
        try {
            file.write(data::writeTo);
        } catch (IOException e) {
            throw new EngineException(
                    file.name() + ": the checkpoint cannot be written there (" + e.getMessage()
                            + "); make room and check again: earlier checkpoints are kept",
                    e);
        }
    }
}
