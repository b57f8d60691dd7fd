package org.polygraph.storage.format.io;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Reads gzip (RFC 1952), all members to the end of the file. {@link java.util.zip.GZIPInputStream} is not used: it ends
 * without an error at a damaged second member, and after the first member if the stream has no bytes {@code available}.
 * A part of a history would be taken for the whole.
 */
public final class GzipInput extends InputStream {
    private static final int HEADER_CRC = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xE0;

    private final InputStream in;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final byte[] buffer = new byte[1 << 16];
    private final byte[] one = new byte[1];
    private int position;
    private int limit;
    private boolean inMember;
    private boolean ended;

    public GzipInput(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        try {
            while (true) {
                if (ended) {
                    return -1;
                }
                if (!inMember) {
                    // The caller reports an empty file.
                    if (position == limit && !fill()) {
                        ended = true;
                        return -1;
                    }
                    header();
                }
                int n = inflater.inflate(bytes, offset, length);
                if (n > 0) {
                    crc.update(bytes, offset, n);
                    return n;
                }
                if (inflater.finished()) {
                    trailer();
                } else if (inflater.needsDictionary()) {
                    throw corrupt("a preset dictionary");
                } else if (inflater.needsInput()) {
                    if (!fill()) {
                        throw truncated();
                    }
                    inflater.setInput(buffer, 0, limit);
                    position = limit;
                }
            }
        } catch (DataFormatException e) {
            throw corrupt("invalid compressed data" + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")"));
        }
    }

    private void header() throws IOException {
        if (next() != 0x1F || next() != 0x8B) {
            throw corrupt("bytes after the compressed data that are not gzip");
        }
        if (next() != 8) {
            throw corrupt("an unknown compression method");
        }
        int flags = next();
        if ((flags & RESERVED) != 0) {
            throw corrupt("reserved header flags");
        }
        skip(6);
        if ((flags & EXTRA) != 0) {
            skip(next() | next() << 8);
        }
        if ((flags & NAME) != 0) {
            skipText();
        }
        if ((flags & COMMENT) != 0) {
            skipText();
        }
        if ((flags & HEADER_CRC) != 0) {
            skip(2);
        }
        inflater.reset();
        crc.reset();
        inflater.setInput(buffer, position, limit - position);
        position = limit;
        inMember = true;
    }

    private void trailer() throws IOException {
        position = limit - inflater.getRemaining();
        long expectedCrc = fourBytes();
        long expectedLength = fourBytes();
        if (expectedCrc != crc.getValue() || expectedLength != (inflater.getBytesWritten() & 0xFFFFFFFFL)) {
            throw corrupt("a checksum that does not match the data");
        }
        inMember = false;
    }

    private long fourBytes() throws IOException {
        return next() | next() << 8 | next() << 16 | (long) next() << 24;
    }

    private void skip(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            next();
        }
    }

    private void skipText() throws IOException {
        int c;
        do {
            c = next();
        } while (c != 0);
    }

    private int next() throws IOException {
        if (position == limit && !fill()) {
            throw truncated();
        }
        return buffer[position++] & 0xFF;
    }

    private boolean fill() throws IOException {
        position = 0;
        limit = 0;
        int n = in.read(buffer, 0, buffer.length);
        limit = Math.max(0, n);
        return n > 0;
    }

    private static CorruptStreamException truncated() {
        return new CorruptStreamException(
                "a gzip stream that stops in the middle", "a complete one", "the file is cut off: copy it again");
    }

    private static CorruptStreamException corrupt(String found) {
        return new CorruptStreamException(
                "damaged gzip data: " + found, "valid gzip", "the file is damaged: copy it again (gzip -t tests it)");
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }
}
