package org.polygraph.storage.format.parquet;

import java.io.IOException;
import org.polygraph.storage.format.io.Shown;

/** A text of a history that a format cannot hold: half of a surrogate pair, which UTF-8 has no bytes for. */
public final class UnwritableStringException extends IOException {
    private static final long serialVersionUID = 1L;

    UnwritableStringException(String text) {
        super("found half of a surrogate pair in \"" + Shown.text(text)
                + "\"; expected text that UTF-8 has bytes for; keep it as JSON Lines");
    }
}
