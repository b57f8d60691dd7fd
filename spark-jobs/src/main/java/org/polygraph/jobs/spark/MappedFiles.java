package org.polygraph.jobs.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.hadoop.util.CleanerUtil;
import org.jspecify.annotations.Nullable;

/**
 * The scratch files that this process has mapped for reading; all its tasks share one mapping of a file. A file stays
 * mapped for the next task until it is outdated by a newer generation, by another folder or by the end of the executor.
 * An outdated file is unmapped when its last reader has closed it, because a read of unmapped memory would end the
 * process. Thread-safe.
 */
final class MappedFiles {
    static final MappedFiles OF_THIS_PROCESS = new MappedFiles();

    /** The files that are not outdated, by name, of the folder that was read last. */
    private final Map<String, Entry> files = new HashMap<>();

    private String folder = "";

    /** Maps a file. */
    @FunctionalInterface
    interface Mapping {
        /** @param mappings gets the mappings, which have to be unmapped even if this method fails */
        IntBuffer[] map(List<ByteBuffer> mappings) throws IOException;
    }

    /** A file that is being read: it stays mapped until this is closed. */
    final class Reading implements AutoCloseable {
        private final Entry entry;
        private final IntBuffer[] parts;
        private boolean closed;

        private Reading(Entry entry, IntBuffer[] shared) {
            this.entry = entry;
            this.parts = new IntBuffer[shared.length];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = shared[i].duplicate();
            }
        }

        /** The mapped ints, which must not be read after this reader is closed. */
        IntBuffer[] parts() {
            return parts;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                release(entry);
            }
        }
    }

    /**
     * The lock of the files guards readers and state. The lock of the entry guards its mapping, so that several files
     * are copied at once.
     */
    private static final class Entry {
        private int readers;
        private boolean outdated;
        private IntBuffer @Nullable [] parts;
        private List<ByteBuffer> mappings = List.of();

        private synchronized IntBuffer[] mapped(Mapping mapping) throws IOException {
            IntBuffer[] known = parts;
            if (known == null) {
                List<ByteBuffer> made = new ArrayList<>();
                try {
                    known = mapping.map(made);
                } catch (IOException | RuntimeException | Error e) {
                    MappedFiles.unmap(made);
                    throw e;
                }
                mappings = made;
                parts = known;
            }
            return known;
        }

        private synchronized void unmap() {
            MappedFiles.unmap(mappings);
            mappings = List.of();
            parts = null;
        }
    }

    /**
     * Unmaps buffers. If the collector unmapped them, they would count as resident until it runs, and copies would take
     * space on a disk.
     */
    static void unmap(List<ByteBuffer> mappings) {
        if (CleanerUtil.UNMAP_SUPPORTED) {
            for (ByteBuffer mapping : mappings) {
                free(mapping);
            }
        }
    }

    /** Frees memory outside of the heap. */
    static void free(ByteBuffer direct) {
        if (CleanerUtil.UNMAP_SUPPORTED) {
            try {
                CleanerUtil.getCleaner().freeBuffer(direct);
            } catch (IOException e) {
                throw new IllegalStateException("a buffer cannot be freed", e);
            }
        }
    }

    /**
     * Reads a file, mapped now if it is not yet. Files of other folders are outdated: a process works on one history.
     *
     * @param mapping called by one reader, the others wait; if it fails the next one tries again
     */
    Reading read(String from, String name, Mapping mapping) throws IOException {
        Entry entry;
        List<Entry> unread = new ArrayList<>();
        synchronized (files) {
            take(from, unread);
            folder = from;
            entry = files.computeIfAbsent(name, unknown -> new Entry());
            entry.readers++;
        }
        unread.forEach(Entry::unmap);
        try {
            return new Reading(entry, entry.mapped(mapping));
        } catch (IOException | RuntimeException | Error e) {
            release(entry);
            throw e;
        }
    }

    private void release(Entry entry) {
        synchronized (files) {
            entry.readers--;
            if (entry.readers > 0 || !entry.outdated) {
                return;
            }
        }
        // No reader can find it any more.
        entry.unmap();
    }

    /** Outdates files of a folder. */
    void outdate(String of, Predicate<String> names) {
        List<Entry> unread = new ArrayList<>();
        synchronized (files) {
            if (of.equals(folder)) {
                take(names, unread);
            }
        }
        unread.forEach(Entry::unmap);
    }

    /** Outdates all files but those of a folder. */
    void keepOnly(String of) {
        List<Entry> unread = new ArrayList<>();
        synchronized (files) {
            take(of, unread);
        }
        unread.forEach(Entry::unmap);
    }

    private void take(String allBut, List<Entry> unread) {
        if (!allBut.equals(folder)) {
            take(all -> true, unread);
            folder = "";
        }
    }

    /** Outdates all files. */
    void close() {
        keepOnly("");
    }

    private void take(Predicate<String> names, List<Entry> unread) {
        files.entrySet().removeIf(file -> {
            if (!names.test(file.getKey())) {
                return false;
            }
            Entry entry = file.getValue();
            entry.outdated = true;
            if (entry.readers == 0) {
                unread.add(entry);
            }
            return true;
        });
    }

    /** How many files are mapped and not outdated. */
    int count() {
        synchronized (files) {
            return files.size();
        }
    }
}
