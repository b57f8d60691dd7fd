package org.polygraph.jobs.decision;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** Checkpoints that simulate the end of the process after some of them were kept. */
public final class EndingCheckpoints implements Checkpoints {
    private final Checkpoints kept;
    private final int after;
    private int count;

    /** @param after the number of checkpoints that are kept before the end */
    public EndingCheckpoints(Checkpoints kept, int after) {
        this.kept = kept;
        this.after = after;
    }

    /** The simulated end of the process. */
    public static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Override
    public <K extends Serializable, T, E extends Exception> @Nullable T restored(
            String checkpoint, Class<K> type, Reading<K, T, E> reading) throws E {
        return kept.restored(checkpoint, type, reading);
    }

    @Override
    public boolean keeps() {
        return true;
    }

    @Override
    public void keep(String checkpoint, Serializable state) {
        kept.keep(checkpoint, state);
        if (++count == after) {
            throw new Killed();
        }
    }
}
