package org.polygraph.jobs.application;

import java.io.IOException;
import java.io.Serializable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.ObjectFile;

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
    public <K extends Serializable, T, E extends Exception> @Nullable T restored(
            String name, Class<K> type, Reading<K, T, E> reading) throws E {
        Location file = folder.child(name + ENDING);
        try {
            K found = found(file, type);
            if (found == null) {
                return null;
            }
            T made = reading.of(found);
            messages.accept(file.name() + ": a checkpoint of an earlier process; the check continues from it");
            return made;
        } catch (ObjectFile.DamagedException e) {
            messages.accept(file.name() + ": a damaged checkpoint: " + e.getMessage() + "; its phases run again");
            return null;
        }
    }

    private static <K extends Serializable> @Nullable K found(Location file, Class<K> type)
            throws ObjectFile.DamagedException {
        try {
            return file.exists() ? ObjectFile.read(file, type) : null;
        } catch (ObjectFile.DamagedException e) {
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
    public void keep(String name, Serializable state) {
        Location file = folder.child(name + ENDING);
        try {
            ObjectFile.write(file, state);
        } catch (IOException e) {
            throw new EngineException(
                    file.name() + ": the checkpoint cannot be written there (" + e.getMessage()
                            + "); make room and check again: earlier checkpoints are kept",
                    e);
        }
    }
}
