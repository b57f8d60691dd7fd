package org.polygraph.jobs.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output. If its reader ends early, as {@code head} does, further output is dropped without an error. Any
 * other failure is passed on.
 */
final class ReaderMayLeave extends FilterOutputStream {
    private boolean hasLeft;

    ReaderMayLeave(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        if (hasLeft) {
            return;
        }
        try {
            out.write(bytes, from, count);
        } catch (IOException e) {
            // This is the text of EPIPE, for which Java has no exception class.
            if (!"Broken pipe".equals(e.getMessage())) {
                throw e;
            }
            hasLeft = true;
        }
    }
}
