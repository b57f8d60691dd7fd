package org.polygraph.jobs.application;

import java.io.IOException;

/**
 * A part of a chain has changed since it was checked, on purpose or by accident. The user can restore it, so this is
 * not a fault of the history.
 */
final class ChangedPartException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the first part that has changed.
     *
     * @param changed its number, from 0
     */
    ChangedPartException(Chain chain, int changed) {
        super(chain.parts().get(changed).location() + ": found part " + (changed + 1) + " of "
                + chain.parts().size()
                + " of the chain, which has changed since it was checked; expected the bytes with SHA-256 "
                + chain.parts().get(changed).input()
                + "; " + Chain.IF_CHANGED);
    }
}
