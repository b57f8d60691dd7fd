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

/**
 * Strings in files without names. A Chronicle Map finds the number of a string by its hash; the strings are in a
 * {@link ScratchFile}, and their places in another one. All three files are mapped, so that the operating system writes
 * pages to disk when memory is short.
 *
 * <p>The keys of the map are 64-bit hashes rather than strings: all entries have one size, so that no string is too
 * long for the map, and each string is stored once. A number that was found is verified by comparing the strings; if
 * another string has the same hash, the next hash is tried. Chronicle's {@code LongValue} and {@code IntValue}, which
 * avoid boxing, were not faster to look up, slower to add and took twice as long to open.
 *
 * <p>Memory: hardly any heap; on disk 28 bytes for each string that there is room for, and 12 bytes and the characters
 * for each string. Time: 0.2 us to find a string, 0.7 us to add it, plus page faults. Opening the first map of a
 * process takes 1 s, in which Chronicle generates and compiles classes. This needs a JDK and the packages that
 * {@code jvm.opens} in pom.xml opens.
 */
public final class PersistedStrings implements StringStore {
    /** Disables Chronicle's analytics, which use the network; it must be set before Chronicle's classes are loaded. */
    private static final String NO_TELEMETRY = "chronicle.analytics.disable";

    private static final int BLOCK = 1 << 26;
    private static final int SMALLEST_BLOCK = 1 << 16;
    private static final int BYTES_PER_ENTRY = 28;

    /** How long to wait for the garbage collector to close dictionaries that are no longer reachable. */
    private static final long WAIT_MILLIS = 500;

    private static final class Closing {
        static final Cleaner CLEANER = Cleaner.create();
    }

    /**
     * Creates a map in memory, once in a process, to load the classes. Otherwise the file of the first map would keep
     * its name while they are loaded.
     */
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
    /** The bytes of a block of places or strings. */
    private final int block;
    /** The used bytes of the last block of strings. */
    private int used;

    private int size;
    private boolean isFull;
    private String whyNoMore = "";

    private PersistedStrings(
            ChronicleMap<Long, Integer> numbers, ScratchFile places, ScratchFile strings, int capacity) {
        this.block = block(capacity);
        this.numbers = numbers;
        this.places = places;
        this.strings = strings;
        this.capacity = capacity;
        Closing.CLEANER.register(this, () -> close(numbers, places, strings));
    }

    /**
     * Creates the files.
     *
     * @param folder for the files, which lose their names at once
     * @param capacity how many strings there is room for
     * @throws IOException if the disk has too little space, or the JVM lacks what Chronicle needs
     */
    static PersistedStrings open(Path folder, int capacity) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException("there is no such folder");
        }
        long needed = (long) BYTES_PER_ENTRY * capacity + 2L * block(capacity);
        if (freed(folder, 0) < needed) {
            // A collection closes the files of dictionaries that are no longer reachable.
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
            // Chronicle makes a new map of an empty file and allocates all of it on disk.
            ChronicleMap<Long, Integer> numbers = ChronicleMapBuilder.of(Long.class, Integer.class)
                    .name("strings")
                    .entries(capacity)
                    // The hook would close the map while a thread reads when a signal ends the process.
                    .skipCloseOnExitHook(true)
                    .createPersistedTo(file.toFile());
            return new PersistedStrings(numbers, places, strings, capacity);
        } catch (LinkageError | AssertionError | RuntimeException e) {
            close(null, places, strings);
            throw new IOException("Chronicle Map does not work in this JVM: " + e, e);
        } catch (IOException e) {
            close(null, places, strings);
            throw e;
        } finally {
            if (file != null) {
                unname(file);
            }
        }
    }

    /** The free bytes of the disk; waits a little until there are as many as needed. */
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

    private static int block(int capacity) {
        return (int) Math.min(BLOCK, Math.max(SMALLEST_BLOCK, (long) Long.BYTES * Integer.highestOneBit(capacity)));
    }

    /** Checked before anything is written, because a mapped file without room on disk crashes the JVM. */
    static void checkRoom(long free, long needed) throws IOException {
        if (free < needed) {
            throw new IOException("there are " + (free >> 20) + " MiB left, and " + (needed >> 20) + " are needed");
        }
    }

    private static void unname(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            // Some systems keep the name of a mapped file until the process ends.
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
            // One of the map's segments is full, and a file without a name cannot grow.
            isFull = true;
            return NO_ROOM;
        } finally {
            Reference.reachabilityFence(this); // the map must not be closed under this call
        }
        return size++;
    }

    /** Why the disk was full before the capacity was reached; empty if it was not. */
    String whyNoMore() {
        return whyNoMore;
    }

    /** @return false if the disk is full */
    private boolean add(String string, boolean marked) {
        int length = string.length();
        byte[] narrow = narrow(string);
        int header = StringStore.header(length, marked, narrow == null);
        int needed = HEADER + (narrow == null ? Character.BYTES * length : length);
        try {
            if (size / (block / Long.BYTES) == places.blocks()) {
                places.add(block);
            }
            if (strings.blocks() == 0 || needed > last().capacity() - used) {
                strings.add(Math.max(block, needed));
                used = 0;
            }
        } catch (IOException e) {
            whyNoMore = String.valueOf(e.getMessage());
            return false;
        }
        ByteBuffer into = last();
        int perBlock = block / Long.BYTES;
        places.block(size / perBlock).putLong(size % perBlock * Long.BYTES, (long) (strings.blocks() - 1) << 32 | used);
        into.putInt(used, header);
        if (narrow != null) {
            into.put(used + HEADER, narrow);
        } else {
            into.slice(used + HEADER, Character.BYTES * length).asCharBuffer().put(string);
        }
        used += needed;
        return true;
    }

    /** One byte for each character; null if a character does not fit. */
    private static byte @Nullable [] narrow(String string) {
        for (int i = 0; i < string.length(); i++) {
            if (string.charAt(i) > 0xff) {
                return null;
            }
        }
        return string.getBytes(StandardCharsets.ISO_8859_1);
    }

    private ByteBuffer last() {
        return strings.block(strings.blocks() - 1);
    }

    private boolean isAt(int id, String string, boolean marked) {
        long place = place(id);
        int header = strings.block((int) (place >>> 32)).getInt((int) place);
        return header >>> FLAG_BITS == string.length()
                && (header & MARKED) != 0 == marked
                && string(id).equals(string);
    }

    private long place(int id) {
        int perBlock = block / Long.BYTES;
        return places.block(id / perBlock).getLong(id % perBlock * Long.BYTES);
    }

    @Override
    public String string(int id) {
        long place = place(id);
        ByteBuffer from = strings.block((int) (place >>> 32));
        int at = (int) place;
        int header = from.getInt(at);
        int length = header >>> FLAG_BITS;
        if ((header & WIDE) == 0) {
            byte[] narrow = new byte[length];
            from.get(at + HEADER, narrow);
            return new String(narrow, StandardCharsets.ISO_8859_1);
        }
        return from.slice(at + HEADER, Character.BYTES * length).asCharBuffer().toString();
    }

    @Override
    public boolean isMarked(int id) {
        long place = place(id);
        return (strings.block((int) (place >>> 32)).getInt((int) place) & MARKED) != 0;
    }

    @Override
    public long bytes() {
        return 0;
    }
}
