package org.polygraph.jobs.watch;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;

/** Gives the lines of a stream that grows. The last line is complete when its end was read. */
abstract class Source implements Closeable {
    private static final int BUFFER = 1 << 16;
    private static final int LONGEST = 64 << 20;

    private final String name;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private byte[] begun = new byte[BUFFER];
    private int length;
    private Place read;
    private Place taken;
    private boolean hasEnded;
    private long bytesWaiting;
    private final Deque<Line> waiting = new ArrayDeque<>();

    Source(String name, Place begin) {
        this.name = name;
        this.read = begin;
        this.taken = begin;
    }

    /** Reads bytes that are there. @return their number, 0 if there are none now, -1 if there will be none */
    abstract int bytes(ByteBuffer into) throws IOException;

    /** When the bytes that can be read now were there at the latest, in milliseconds since 1970. */
    abstract long arrivedMillis() throws IOException;

    /** The place behind a line of that many bytes. */
    Place behind(Place before, int bytes) {
        return before.behind(bytes);
    }

    /** What it is called in messages. */
    final String name() {
        return name;
    }

    /** The place behind the last line that was taken. */
    final Place taken() {
        return taken;
    }

    /** Whether all lines were taken and no line will follow. */
    final boolean isDone() {
        return hasEnded && waiting.isEmpty();
    }

    final boolean hasEnded() {
        return hasEnded;
    }

    /** Lines that were read and not taken. */
    final Deque<Line> waiting() {
        return waiting;
    }

    final long bytesWaiting() {
        return bytesWaiting;
    }

    /**
     * Reads lines that are there, until that many bytes wait.
     *
     * @param each gets each of them
     * @return whether there was one
     */
    final boolean read(long mostWaiting, Consumer<Line> each) throws IOException, HistoryException {
        boolean any = false;
        while (!hasEnded && bytesWaiting < mostWaiting) {
            long arrived = arrivedMillis();
            int count = bytes(buffer.clear());
            if (count == 0) {
                break;
            }
            if (count < 0) {
                hasEnded = true;
                if (length > 0) {
                    // The last line of a stream that ended needs no end.
                    any = true;
                    add(arrived, 0, each);
                }
                break;
            }
            any |= split(buffer.flip(), arrived, each);
        }
        return any;
    }

    private boolean split(ByteBuffer bytes, long arrived, Consumer<Line> each) throws IOException, HistoryException {
        boolean any = false;
        while (bytes.hasRemaining()) {
            byte b = bytes.get();
            if (b == '\n') {
                any = true;
                add(arrived, 1, each);
                continue;
            }
            if (length == begun.length) {
                if (length >= LONGEST) {
                    throw new HistoryException(
                            name + ":" + (read.lines() + 1),
                            "a line of more than " + (LONGEST >> 20) + " MiB",
                            "a transaction in each line",
                            "check whether this is JSON Lines");
                }
                begun = Arrays.copyOf(begun, 2 * length);
            }
            begun[length++] = b;
        }
        return any;
    }

    private void add(long arrived, int end, Consumer<Line> each) throws IOException, HistoryException {
        read = behind(read, length + end);
        Line line = Line.of(Arrays.copyOf(begun, length), read, arrived, name);
        length = 0;
        waiting.add(line);
        bytesWaiting += line.bytes().length;
        each.accept(line);
    }

    /** Takes the first line that waits; null if there is none. */
    final @Nullable Line take() {
        Line line = waiting.poll();
        if (line != null) {
            bytesWaiting -= line.bytes().length;
            taken = line.behind();
        }
        return line;
    }

    /** The source goes on with another file. @return the number of bytes of a last line without an end, which are lost */
    final int continueWith(String file) {
        int lost = length;
        length = 0;
        read = Place.startOf(file);
        if (waiting.isEmpty()) {
            taken = read;
        }
        return lost;
    }

    /** The file that is being read. */
    final String reading() {
        return read.file();
    }

    /** Where reading goes on. */
    final long offset() {
        return read.offset() + length;
    }
}
