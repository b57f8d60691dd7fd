package org.polygraph.storage.format;

import java.io.IOException;

/** Compressed or framed content that is not what it claims to be. Leaves the package as a HistoryException. */
final class CorruptStreamException extends IOException {
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

    String found() {
        return found;
    }

    String expected() {
        return expected;
    }

    String remedy() {
        return remedy;
    }
}
