package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads Thrift's compact protocol, in which Parquet's footers and page headers are written: structs of numbered fields.
 * Unknown fields are skipped. A length is checked against the bytes that are left, and the nesting against {@value
 * #MOST_DEPTH}.
 *
 * <p>Source: thrift/doc/specs/thrift-compact-protocol.md.
 */
final class CompactReader {
    private static final int TRUE = 1;
    private static final int FALSE = 2;
    private static final int BYTE = 3;
    private static final int I16 = 4;
    private static final int I64 = 6;
    private static final int DOUBLE = 7;
    private static final int BINARY = 8;
    private static final int LIST = 9;
    private static final int SET = 10;
    private static final int MAP = 11;
    private static final int STRUCT = 12;
    private static final int UUID = 13;
    private static final int MOST_DEPTH = 64;
    private static final int LONG_LIST = 15;

    private final byte[] bytes;
    private final ByteCursor in;
    /** The type of the field or list element that comes next. */
    private int type = STRUCT;

    private int depth;

    CompactReader(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        in = new ByteCursor(bytes, from, end, "metadata that is cut off");
    }

    /** Returns the array index of the next byte. */
    int position() {
        return in.at();
    }

    /** Enters a struct, which is the next field or the next element of a list. */
    void enter() throws IOException {
        require(STRUCT);
        if (++depth > MOST_DEPTH) {
            throw new IOException("metadata nested deeper than " + MOST_DEPTH);
        }
    }

    /**
     * Reads the number of the next field of the struct that was entered last. The caller then reads the field with one
     * of the methods below. At the end of the struct the result is 0, and the struct is left.
     *
     * @param previous the number of the previous field; 0 for the first one
     */
    int field(int previous) throws IOException {
        int header = in.next();
        type = header & 15;
        if (type == 0) {
            depth--;
            // If the struct was an element of a list, the next element is a struct too.
            type = STRUCT;
            return 0;
        }
        int field = header >>> 4 == 0 ? (int) in.signed() : previous + (header >>> 4);
        if (field <= 0 || field > Short.MAX_VALUE) {
            throw new IOException("metadata with a field " + field);
        }
        return field;
    }

    /** Reads an integer. */
    long number() throws IOException {
        if (type < BYTE || type > I64) {
            throw unexpected("an integer");
        }
        return type == BYTE ? (byte) in.next() : in.signed();
    }

    /** Reads an integer of 32 bits. */
    int number32() throws IOException {
        long number = number();
        if (number != (int) number) {
            throw new IOException("metadata with " + number + " where 32 bits are expected");
        }
        return (int) number;
    }

    boolean flag() throws IOException {
        if (type != TRUE && type != FALSE) {
            throw unexpected("a flag");
        }
        return type == TRUE;
    }

    /** Reads a string. */
    String text() throws IOException {
        int length = length();
        String text = new String(bytes, in.at(), length, StandardCharsets.UTF_8);
        in.step(length);
        return text;
    }

    /** Reads an array of bytes. */
    byte[] binary() throws IOException {
        int length = length();
        byte[] copy = Arrays.copyOfRange(bytes, in.at(), in.at() + length);
        in.step(length);
        return copy;
    }

    /**
     * Enters a list and returns the number of its elements. The elements are read one by one, like fields. Each takes
     * at least one byte.
     */
    int list() throws IOException {
        if (type != LIST && type != SET) {
            throw unexpected("a list");
        }
        int header = in.next();
        type = header & 15;
        long size = header >>> 4 == LONG_LIST ? in.unsigned() : header >>> 4;
        if (size < 0 || size > in.left()) {
            throw new IOException("metadata with a list of " + size + " in " + in.left() + " bytes");
        }
        // A flag in a list takes a byte of its own. No list of flags is read, so flag() ignores this case.
        return (int) size;
    }

    /** Skips the next field or element. */
    void skip() throws IOException {
        skip(type, false);
    }

    private void skip(int what, boolean isElement) throws IOException {
        if (++depth > MOST_DEPTH) {
            throw new IOException("metadata nested deeper than " + MOST_DEPTH);
        }
        switch (what) {
            case TRUE, FALSE -> in.step(isElement ? 1 : 0);
            case BYTE -> in.step(1);
            case I16, I16 + 1, I64 -> in.signed();
            case DOUBLE -> in.step(Double.BYTES);
            case BINARY -> in.step(in.unsigned());
            case LIST, SET -> {
                int header = in.next();
                long size = header >>> 4 == LONG_LIST ? in.unsigned() : header >>> 4;
                for (long i = 0; i < size; i++) {
                    skip(header & 15, true);
                }
            }
            case MAP -> {
                long size = in.unsigned();
                int types = size == 0 ? 0 : in.next();
                for (long i = 0; i < size; i++) {
                    skip(types >>> 4, true);
                    skip(types & 15, true);
                }
            }
            case STRUCT -> {
                for (int header; (header = in.next()) != 0; ) {
                    if (header >>> 4 == 0) {
                        in.signed();
                    }
                    skip(header & 15, false);
                }
            }
            case UUID -> in.step(2 * Long.BYTES);
            default -> throw new IOException("metadata with the type " + what);
        }
        depth--;
    }

    private int length() throws IOException {
        require(BINARY);
        long length = in.unsigned();
        if (length < 0 || length > in.left()) {
            throw new IOException("metadata with a text of " + length + " in " + in.left() + " bytes");
        }
        return (int) length;
    }

    private void require(int wanted) throws IOException {
        if (type != wanted) {
            throw unexpected("the type " + wanted);
        }
    }

    private IOException unexpected(String wanted) {
        return new IOException("metadata with the type " + type + " where " + wanted + " is expected");
    }
}
