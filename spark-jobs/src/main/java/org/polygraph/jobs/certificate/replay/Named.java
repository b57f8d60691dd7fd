package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.nio.ByteBuffer;

/**
 * The place of a transaction, from which a message names it.
 *
 * @param piece the number of the piece of the input that has it
 * @param position its position there
 */
public record Named(long session, long index, int piece, long position) implements Serializable {
    static final int BYTES = 3 * Long.BYTES + Integer.BYTES;

    void put(ByteBuffer out) {
        out.putLong(session).putLong(index).putInt(piece).putLong(position);
    }

    static Named of(ByteBuffer in, int at) {
        return new Named(in.getLong(at), in.getLong(at + 8), in.getInt(at + 16), in.getLong(at + 20));
    }

    boolean isBefore(Named other) {
        return session < other.session || (session == other.session && index < other.index);
    }
}
