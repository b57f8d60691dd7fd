package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.artifact.Location;

/** Checkpoints as files of a folder, {@code <name>.stage} each. A file is complete or absent, and has a checksum. */
public final class CheckpointFiles implements Checkpoints {
    private static final String ENDING = ".stage";

    private final Location folder;
    private final Consumer<String> messages;

    /**
     * Creates the object without access to files.
     *
     * @param folder of this request alone
     * @param messages receives a line for each checkpoint that is used or damaged
     */
    public CheckpointFiles(Location folder, Consumer<String> messages) {
        this.folder = folder;
        this.messages = messages;
    }

    @Override
    public @Nullable ArrayFile find(String name) {
        Location file = folder.child(name + ENDING);
        try {
            if (!file.exists()) {
                return null;
            }
            ArrayFile found = ArrayFile.read(file);
            messages.accept(file.name() + ": a checkpoint of an earlier process; the check continues from it");
            return found;
        } catch (ArrayFile.DamagedException e) {
            reject(name, String.valueOf(e.getMessage()));
            return null;
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

    @Override
    public void reject(String name, String why) {
        messages.accept(
                folder.child(name + ENDING).name() + ": a damaged checkpoint: " + why + "; its phases run again");
    }
}
