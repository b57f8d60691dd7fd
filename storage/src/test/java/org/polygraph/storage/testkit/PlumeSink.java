package org.polygraph.storage.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Streams the plume text format, {@code r|w(key,value,session,txn)} a line: no times, transaction ids from 0 over all
 * sessions, -1 for aborted. It cannot express indeterminate. Memory: one 64 KiB buffer.
 */
final class PlumeSink implements TransactionSink {
    /** Longer than any line: 4 numbers of at most 20 characters. */
    private static final int LINE = 96;

    private final OutputStream out;
    private final byte[] buffer = new byte[1 << 16];
    private int length;
    private long transactions;
    private long transaction;
    private int session;

    PlumeSink(OutputStream out) {
        this.out = out;
    }

    @Override
    public void begin(int session, long index, TransactionStatus outcome, long start, long end) {
        this.session = session;
        transaction = outcome == TransactionStatus.ABORTED ? -1 : transactions++;
    }

    @Override
    public void operation(boolean write, int key, long value) {
        if (length > buffer.length - LINE) {
            flush();
        }
        buffer[length++] = (byte) (write ? 'w' : 'r');
        buffer[length++] = '(';
        number(key, ',');
        number(value, ',');
        number(session, ',');
        number(transaction, ')');
        buffer[length++] = '\n';
    }

    private void number(long number, char after) {
        long rest = number;
        if (rest < 0) {
            buffer[length++] = '-';
            rest = -rest;
        }
        int digits = 1;
        for (long power = 10; digits < 19 && rest >= power; power *= 10) {
            digits++;
        }
        for (int i = length + digits - 1; i >= length; i--) {
            buffer[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        buffer[length++] = (byte) after;
    }

    @Override
    public void end() {}

    void flush() {
        try {
            out.write(buffer, 0, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        length = 0;
    }
}
