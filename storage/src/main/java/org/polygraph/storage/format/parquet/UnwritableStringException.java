package org.polygraph.storage.format.parquet;

import java.io.IOException;
import org.polygraph.storage.format.io.Shown;

/**
 * A history has a string with half of a surrogate pair. The format cannot hold it, because UTF-8 does not encode
 * surrogates.
 */
public final class UnwritableStringException extends IOException {
    private static final long serialVersionUID = 1L;

    UnwritableStringException(String text) {
        super("found half of a surrogate pair in \"" + Shown.text(text)
                + "\"; expected text that UTF-8 has bytes for; keep it as JSON Lines");
    }
}
