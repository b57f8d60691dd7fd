package org.polygraph.storage.dictionary;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/**
 * Strings in files without names: a Chronicle Map from hash to number finds them, what they are stands in a {@link ScratchFile},
 * and their places in another. All three are mapped, so that the operating system writes out what is not in use.
 *
 * <p>The map has hashes of 64 bits, not strings: entries of one size, so that no string is too long for it and none is held twice. What
 * is found is compared with the string; where another has its hash, the next hash is taken, and so on. Chronicle's own values for longs and
 * ints, which box nothing, were no faster to look up, slower to add and took twice as long to open.
 *
 * <p>Memory: of the heap next to nothing; on disk 28 bytes a string there is room for, 8 and 4 and its characters a string. Time: 0.2 us
 * to find a string, 0.7 us to add it, plus the pages that are not in memory; the first one of a process takes 1 s, in which Chronicle
 * generates and compiles classes. For that it needs a JDK, and packages that {@code jvm.texts} in pom.xml opens to it.
 */
public final class PersistedStrings implements StringStore {
    /** Chronicle counts its users over the network unless that is set before its classes are loaded. */
    private static final String NO_TELEMETRY = "chronicle.analytics.disable";

    private static final int CHUNK = 1 << 26;
    private static final int SMALLEST_CHUNK = 1 << 16;
    private static final int BYTES_PER_ENTRY = 28;
    private static final int HEADER = Integer.BYTES;
    private static final int WIDE = 1;
    private static final int MARKED = 2;
    private static final int FLAG_BITS = 2;
    private static final int MOST_CHARACTERS = 1 << 28;

    /** How long the collector is waited for, which finds what nobody has any more. */
    private static final long WAIT_MILLIS = 500;

    private static final class Closing {
        static final Cleaner CLEANER = Cleaner.create();
    }

    /** Once a process, in memory: afterwards a file has its name for milliseconds only. */
    private static final class Warm {
        static {
            ChronicleMapBuilder.of(Long.class, Integer.class)
                    .name("strings")
                    .entries(1)
                    .skipCloseOnExitHook(true)
                    .create()
                    .close();
        }

        static void up() {}
    }

    private final ChronicleMap<Long, Integer> numbers;
    private final ScratchFile places;
    private final ScratchFile strings;
    private final int capacity;
    /** Bytes of a chunk of places or strings. */
    private final int chunk;
    /** In the last chunk of strings. */
    private int used;

    private int size;
    private boolean isFull;
    private String whyNoMore = "";

    private PersistedStrings(
            ChronicleMap<Long, Integer> numbers, ScratchFile places, ScratchFile strings, int capacity) {
        this.chunk = chunk(capacity);
        this.numbers = numbers;
        this.places = places;
        this.strings = strings;
        this.capacity = capacity;
        Closing.CLEANER.register(this, () -> close(numbers, places, strings));
    }

    /**
     * Opens one.
     *
     * @param folder where its files are made, and at once lose their names
     * @param capacity strings there is room for
     * @throws IOException if that is not possible, be it for want of disk space or of what Chronicle needs of the JVM
     */
    static PersistedStrings open(Path folder, int capacity) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException("there is no such folder");
        }
        long needed = (long) BYTES_PER_ENTRY * capacity + 2L * chunk(capacity);
        if (freed(folder, 0) < needed) {
            // What an earlier history had there is given back when the collector finds it.
            System.gc();
        }
        checkRoom(freed(folder, needed), needed);
        System.setProperty(NO_TELEMETRY, "true");
        ScratchFile places = new ScratchFile(folder);
        ScratchFile strings = null;
        Path file = null;
        try {
            strings = new ScratchFile(folder);
            Warm.up();
            file = Files.createTempFile(folder, "polygraph-", ".map");
            file.toFile().deleteOnExit();
            // An empty file is a new map to it; its whole room is taken on disk.
            ChronicleMap<Long, Integer> numbers = ChronicleMapBuilder.of(Long.class, Integer.class)
                    .name("strings")
                    .entries(capacity)
                    // It would close the map under the thread that reads when a signal ends the process.
                    .skipCloseOnExitHook(true)
                    .createPersistedTo(file.toFile());
            return new PersistedStrings(numbers, places, strings, capacity);
        } catch (LinkageError | AssertionError | RuntimeException e) {
            close(null, places, strings);
            throw new IOException("Chronicle Map cannot be had in this JVM: " + e, e);
        } catch (IOException e) {
            close(null, places, strings);
            throw e;
        } finally {
            if (file != null) {
                unname(file);
            }
        }
    }

    /** What is left on the disk; waits a little for it to be so much. */
    private static long freed(Path folder, long needed) throws IOException {
        FileStore store = Files.getFileStore(folder);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS);
        try {
            while (store.getUsableSpace() < needed && System.nanoTime() < end) {
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return store.getUsableSpace();
    }

    private static int chunk(int capacity) {
        return (int) Math.min(CHUNK, Math.max(SMALLEST_CHUNK, (long) Long.BYTES * Integer.highestOneBit(capacity)));
    }

    /** Said before anything is written: a file that is mapped and has no room on disk is a fault of the JVM. */
    static void checkRoom(long free, long needed) throws IOException {
        if (free < needed) {
            throw new IOException("there are " + (free >> 20) + " MiB left, and " + (needed >> 20) + " are needed");
        }
    }

    private static void unname(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            // Some systems keep the name of what is mapped: until the process ends.
        }
    }

    private static void close(
            @Nullable ChronicleMap<Long, Integer> numbers, ScratchFile places, @Nullable ScratchFile strings) {
        if (numbers != null) {
            numbers.close();
        }
        places.close();
        if (strings != null) {
            strings.close();
        }
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int id(long hash, String string, boolean marked) {
        long key = hash;
        for (Integer number; (number = numbers.get(key)) != null; key++) {
            if (isAt(number, string, marked)) {
                Reference.reachabilityFence(this);
                return number;
            }
        }
        if (isFull || size == capacity || !add(string, marked)) {
            isFull = true;
            Reference.reachabilityFence(this);
            return NO_ROOM;
        }
        try {
            numbers.put(key, size);
        } catch (RuntimeException e) {
            // One of its segments, of 100,000, has more than its share, and its file, which has no name, cannot grow.
            isFull = true;
            return NO_ROOM;
        } finally {
            Reference.reachabilityFence(this); // the map must not be closed under this call
        }
        return size++;
    }

    /** Why less than its capacity found room on disk; empty if that is not so. */
    String whyNoMore() {
        return whyNoMore;
    }

    /** @return false if its disk is full */
    private boolean add(String string, boolean marked) {
        int length = string.length();
        if (length > MOST_CHARACTERS) {
            throw new BudgetException("a string of " + length + " characters does not fit a table");
        }
        byte[] narrow = narrow(string);
        int needed = HEADER + (narrow == null ? Character.BYTES * length : length);
        try {
            if (size / (chunk / Long.BYTES) == places.chunks()) {
                places.add(chunk);
            }
            if (strings.chunks() == 0 || needed > last().capacity() - used) {
                strings.add(Math.max(chunk, needed));
                used = 0;
            }
        } catch (IOException e) {
            whyNoMore = String.valueOf(e.getMessage());
            return false;
        }
        ByteBuffer into = last();
        int perChunk = chunk / Long.BYTES;
        places.chunk(size / perChunk).putLong(size % perChunk * Long.BYTES, (long) (strings.chunks() - 1) << 32 | used);
        into.putInt(used, length << FLAG_BITS | (marked ? MARKED : 0) | (narrow == null ? WIDE : 0));
        if (narrow != null) {
            into.put(used + HEADER, narrow);
        } else {
            for (int i = 0; i < length; i++) {
                into.putChar(used + HEADER + Character.BYTES * i, string.charAt(i));
            }
        }
        used += needed;
        return true;
    }

    /** A byte a character; null if one of them does not fit. */
    private static byte @Nullable [] narrow(String string) {
        for (int i = 0; i < string.length(); i++) {
            if (string.charAt(i) > 0xff) {
                return null;
            }
        }
        return string.getBytes(StandardCharsets.ISO_8859_1);
    }

    private ByteBuffer last() {
        return strings.chunk(strings.chunks() - 1);
    }

    private boolean isAt(int id, String string, boolean marked) {
        long place = place(id);
        int header = strings.chunk((int) (place >>> 32)).getInt((int) place);
        return header >>> FLAG_BITS == string.length()
                && (header & MARKED) != 0 == marked
                && string(id).equals(string);
    }

    private long place(int id) {
        int perChunk = chunk / Long.BYTES;
        return places.chunk(id / perChunk).getLong(id % perChunk * Long.BYTES);
    }

    @Override
    public String string(int id) {
        long place = place(id);
        ByteBuffer from = strings.chunk((int) (place >>> 32));
        int at = (int) place;
        int header = from.getInt(at);
        int length = header >>> FLAG_BITS;
        if ((header & WIDE) == 0) {
            byte[] narrow = new byte[length];
            from.get(at + HEADER, narrow);
            return new String(narrow, StandardCharsets.ISO_8859_1);
        }
        char[] wide = new char[length];
        for (int i = 0; i < length; i++) {
            wide[i] = from.getChar(at + HEADER + Character.BYTES * i);
        }
        return new String(wide);
    }

    @Override
    public boolean isMarked(int id) {
        long place = place(id);
        return (strings.chunk((int) (place >>> 32)).getInt((int) place) & MARKED) != 0;
    }

    @Override
    public long bytes() {
        return 0;
    }
}
