package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.artifact.Location;

/** Checkpoints as files of a folder, {@code <stage>.stage} each: whole or absent, with a checksum. */
public final class CheckpointFiles implements Checkpoints {
    private static final String ENDING = ".stage";

    private final Location folder;
    private final Consumer<String> messages;

    /**
     * Touches nothing yet.
     *
     * @param folder of this question alone
     * @param messages hears, a line each, of files that are damaged
     */
    public CheckpointFiles(Location folder, Consumer<String> messages) {
        this.folder = folder;
        this.messages = messages;
    }

    @Override
    public @Nullable ArrayFile find(String stage) {
        Location file = folder.child(stage + ENDING);
        try {
            if (!file.exists()) {
                return null;
            }
            ArrayFile found = ArrayFile.read(file);
            messages.accept(file.name() + ": a stage that an earlier try has finished; going on from it");
            return found;
        } catch (ArrayFile.DamagedException e) {
            reject(stage, String.valueOf(e.getMessage()));
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
    public void keep(String stage, ArrayFile data) {
        Location file = folder.child(stage + ENDING);
        try {
            file.write(data::writeTo);
        } catch (IOException e) {
            throw new EngineException(
                    file.name() + ": the stage cannot be written there (" + e.getMessage()
                            + "); make room and check again: finished stages are kept",
                    e);
        }
    }

    @Override
    public void reject(String stage, String why) {
        messages.accept(
                folder.child(stage + ENDING).name() + ": a damaged stage file: " + why + "; the stage is done again");
    }
}
