package org.polygraph.storage.format;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Small files that follow the specifications, written by code that shares nothing with the readers. */
public final class TestFiles {
    public static final String HEADER = "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}\n";

    private TestFiles() {}

    public static byte[] decompressed(Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path);
                InputStream content = path.toString().endsWith(".gz")
                        ? new GZIPInputStream(in)
                        : path.toString().endsWith(".zst") ? new ZstdInputStream(in) : in) {
            return content.readAllBytes();
        }
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static byte[] gzip(byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public static byte[] zstd(byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new ZstdOutputStream(bytes)) {
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Bytes of a binary format, field by field. */
    public static final class Binary {
        private ByteBuffer buffer = ByteBuffer.allocate(1 << 10);

        public Binary(ByteOrder order) {
            buffer.order(order);
        }

        private ByteBuffer room(int bytes) {
            if (buffer.remaining() < bytes) {
                ByteBuffer larger = ByteBuffer.allocate(2 * buffer.capacity() + bytes);
                buffer = larger.order(buffer.order()).put(buffer.flip());
            }
            return buffer;
        }

        public Binary u8(int... values) {
            for (int value : values) {
                room(1).put((byte) value);
            }
            return this;
        }

        public Binary i64(long... values) {
            for (long value : values) {
                room(Long.BYTES).putLong(value);
            }
            return this;
        }

        public Binary string(String text) {
            i64(text.length());
            room(text.length()).put(utf8(text));
            return this;
        }

        public byte[] bytes() {
            byte[] bytes = new byte[buffer.position()];
            buffer.flip();
            buffer.get(bytes);
            return bytes;
        }
    }

    /** Calls of registers and transactions in EDN: keyed or not, all outcomes, results, reasons and notations. */
    public static final String CALLS = """
            ; recorded

            #jepsen.history.Op{:type :invoke, :process 0, :f :txn, :value [[:append :k 1] [:r "k7" nil]]}
            {:type :invoke, :process 1, :f :cas, :value [101 [nil "v3"]]} ; done }
            {, :type :info, :process :nemesis, :f :kill, :value ["n1" {:a #{1 2}}]} #_{:a 1}
            {:type :ok, :process 0, :f :txn, :value [[:append :k 1] [:r "k7" [1 "e2"]]]}
            {:type :fail, :process 1, :f :cas, :value [101 [nil "v3"]]}
            {:type :invoke, :process 2, :f :write, :value [:r 9223372036854775807]}
            {:type :invoke, :process 1, :f :read, :value ["r5" nil]}
            {:type :info, :process 2, :f :write, :value :timeout}
            {:type :ok, :process 1, :f :read, :value ["r5" -5]}
            {:type :invoke, :process 0, :value [[:r 900000000000 nil] [:w -7 :v] [:r "odd" nil]]}
            #knossos.op.Op{:type :ok, :process 0, :f nil, :value [[:r 900000000000 ()] [:w -7 :v] [:r "odd" 7]]}
            {:type :invoke, :process 3, :f :r, :value [102 nil]}
            {:type :ok, :process 3, :f :r, :value [102 0]}
            {:type :invoke, :process 4, :f :txn, :value [[:r 1 nil] [:w 1 "no 3"]]}
            {:type :ok, :process 4, :f :txn, :value [[:r 1 nil] [:w 1 "no 3"]]}
            {:type :invoke, :process 3, :f :w, :value [102 "v1"]}
            {:type :fail, :process 3, :f :w, :value "no 8"}""";

    public static Binary dbcopHeader() {
        return new Binary(ByteOrder.LITTLE_ENDIAN)
                .i64(1, 2, 3, 4, 5)
                .string("info")
                .string("2020")
                .string("");
    }

    /** Two sessions: committed w(1,10) r(2,0), aborted with a failed event; then committed r(1,10). */
    public static byte[] dbcop() {
        return dbcopHeader()
                .i64(2)
                .i64(2)
                .i64(2)
                .u8(1)
                .i64(1, 10)
                .u8(1)
                .u8(0)
                .i64(2, 0)
                .u8(1)
                .u8(1)
                .i64(2)
                .u8(1)
                .i64(1, 11)
                .u8(1)
                .u8(0)
                .i64(1, 12)
                .u8(0)
                .u8(0)
                .i64(1)
                .i64(1)
                .u8(0)
                .i64(1, 10)
                .u8(1)
                .u8(1)
                .bytes();
    }

    public static Binary cobra() {
        return new Binary(ByteOrder.BIG_ENDIAN);
    }

    /**
     * A client that writes 7 to key 5 with the id, reads it back from txn 1, and starts a transaction it never ends.
     */
    public static byte[] cobraLog(long writeId) {
        return cobra().u8('S')
                .i64(1)
                .u8('W')
                .i64(writeId, 5, 7)
                .u8('C')
                .i64(1)
                .u8('S')
                .i64(2)
                .u8('R')
                .i64(1, writeId, 5, 7)
                .u8('R')
                .i64(0xBEBEEBEEL, 0xBEBEEBEEL, 6, 99)
                .u8('R')
                .i64(0xDEADBEEFL, 0xDEADBEEFL, 8, 0)
                .u8('C')
                .i64(2)
                .u8('S')
                .i64(3)
                .u8('W')
                .i64(writeId, 5, 7)
                .bytes();
    }
}
