package org.polygraph.storage.format;

import java.io.IOException;

/** A text of a history that a format cannot hold: half of a surrogate pair, which UTF-8 has no bytes for. */
public final class UnwritableTextException extends IOException {
    private static final long serialVersionUID = 1L;

    UnwritableTextException(String text) {
        super("found half of a surrogate pair in \"" + Shown.text(text)
                + "\"; expected text that UTF-8 has bytes for; keep it as JSON Lines");
    }
}
