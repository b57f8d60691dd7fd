package org.polygraph.storage.format.io;

import java.io.IOException;
import org.polygraph.storage.model.HistoryException;

/** Compressed content is damaged. Callers outside the package get a HistoryException instead. */
public final class CorruptStreamException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String found;
    private final String expected;
    private final String remedy;

    CorruptStreamException(String found, String expected, String remedy) {
        super(found);
        this.found = found;
        this.expected = expected;
        this.remedy = remedy;
    }

    /** Returns the error for the file that has this content. */
    public HistoryException in(String file) {
        return new HistoryException(file, found, expected, remedy);
    }
}
