package org.polygraph.storage.format.parquet;

import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.format.io.UnwritableException;

/**
 * A history has a string with half of a surrogate pair. The format cannot hold it, because UTF-8 does not encode
 * surrogates.
 */
public final class UnwritableStringException extends UnwritableException {
    private static final long serialVersionUID = 1L;

    private final String text;

    UnwritableStringException(String text) {
        this("", text);
    }

    private UnwritableStringException(String where, String text) {
        super(where + "found half of a surrogate pair in \"" + Shown.text(text)
                + "\"; expected text that UTF-8 has bytes for; keep it as JSON Lines");
        this.text = text;
    }

    /** Returns the exception with the place of the string. */
    UnwritableStringException at(String where) {
        return new UnwritableStringException(where + ": ", text);
    }
}
