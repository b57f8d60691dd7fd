package org.polygraph.storage.format.parquet;

import java.io.IOException;
import shaded.parquet.org.apache.thrift.TBase;
import shaded.parquet.org.apache.thrift.TConfiguration;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;
import shaded.parquet.org.apache.thrift.protocol.TList;
import shaded.parquet.org.apache.thrift.protocol.TProtocolException;
import shaded.parquet.org.apache.thrift.protocol.TProtocolUtil;
import shaded.parquet.org.apache.thrift.transport.TTransport;
import shaded.parquet.org.apache.thrift.transport.TTransportException;

/**
 * Reads a struct of Parquet's metadata, such as a footer or the header of a page, into an object of Parquet's library.
 * The library allocates what a list announces, so its size is checked first: each element takes at least one byte. The
 * transports of the library are not used, because their logger costs 0.4 s.
 */
final class MetadataReader extends TCompactProtocol {
    static {
        // Of fields that are not known. Known ones are not nested in themselves.
        TProtocolUtil.setMaxSkipDepth(64);
    }

    private final Bytes in;

    private MetadataReader(Bytes in) {
        super(in);
        this.in = in;
    }

    /** Reads a struct. Returns the index of the byte after it. */
    static int read(TBase<?, ?> into, byte[] bytes, int from, int end) throws IOException {
        Bytes in = new Bytes(bytes, from, end);
        try {
            into.read(new MetadataReader(in));
        } catch (TException e) {
            throw new IOException("metadata that is cut off or damaged");
        }
        return in.at;
    }

    @Override
    public TList readListBegin() throws TException {
        TList list = super.readListBegin();
        if (list.size > in.getBytesRemainingInBuffer()) {
            throw new TProtocolException("a list of " + list.size);
        }
        return list;
    }

    private static final class Bytes extends TTransport {
        private final byte[] bytes;
        private final int end;
        private int at;

        Bytes(byte[] bytes, int from, int end) {
            this.bytes = bytes;
            this.end = end;
            at = from;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws TTransportException {
            checkReadBytesAvailable(length);
            System.arraycopy(bytes, at, into, offset, length);
            at += length;
            return length;
        }

        @Override
        public byte[] getBuffer() {
            return bytes;
        }

        @Override
        public int getBufferPosition() {
            return at;
        }

        @Override
        public int getBytesRemainingInBuffer() {
            return end - at;
        }

        @Override
        public void consumeBuffer(int length) {
            at += length;
        }

        @Override
        public void checkReadBytesAvailable(long length) throws TTransportException {
            if (length < 0 || length > end - at) {
                throw new TTransportException("cut off");
            }
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void open() {}

        @Override
        public void close() {}

        @Override
        public void write(byte[] from, int offset, int length) {
            throw new UnsupportedOperationException("metadata are only read");
        }

        @Override
        public TConfiguration getConfiguration() {
            return TConfiguration.DEFAULT;
        }

        @Override
        public void updateKnownMessageSize(long size) {}
    }
}
