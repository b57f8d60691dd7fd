package org.polygraph.jobs.spark;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.polygraph.storage.model.BudgetException;

/**
 * Files of little-endian ints in a folder that driver and executors see. Processes map them to read or fill them. If
 * the folder is not on a local file system, each process copies a file once, to a temporary file without a name that
 * ends with the process.
 *
 * <p>A file is filled under a temporary name and renamed when it is complete, so that any of several attempts of a task
 * may succeed. Its space is allocated before it is mapped, so that a full disk causes an {@link IOException} and not a
 * fault.
 *
 * <p>The ints are followed by a footer, little-endian: int magic, int CRC-32C of all bytes before it, long number of
 * ints. Files that are filled in place have another magic and no checksum, because only single cells of them are read,
 * and computing the checksum would read all.
 */
final class IntFiles implements Closeable {
    private static final int BLOCK = 1 << 20;
    /** The most ints in one mapping. */
    private static final long MOST_MAPPED = (Integer.MAX_VALUE - 8) / 4;

    private static final int FOOTER_BYTES = 16;
    private static final int SUMMED = 0x53494750;
    private static final int FILLED = 0x46494750;

    private final Path folder;
    private final FileSystem fileSystem;
    private final MappedFiles mapped;
    private final List<MappedFiles.Reading> held = new ArrayList<>();

    IntFiles(Path folder, Configuration configuration) throws IOException {
        this(folder, configuration, MappedFiles.OF_THIS_PROCESS);
    }

    /** For tests: a new instance behaves like another process. */
    IntFiles(Path folder, Configuration configuration, MappedFiles mapped) throws IOException {
        this.mapped = mapped;
        this.folder = folder;
        this.fileSystem = folder.getFileSystem(configuration);
    }

    /** Fills a new file. */
    @FunctionalInterface
    interface Filling {
        /**
         * Fills the buffers. It must not keep them, because they are unmapped afterwards.
         *
         * @param parts buffers of the requested lengths
         */
        void fill(IntBuffer[] parts) throws IOException;
    }

    private boolean isLocal() {
        return "file".equals(fileSystem.getUri().getScheme());
    }

    /** Makes a file of buffers with these lengths, filled in place. */
    void create(String name, long[] lengths, Filling filling) throws IOException {
        String temporary = temporary(name);
        if (!isLocal()) {
            try (FileChannel channel = unlinked()) {
                fill(channel, lengths, filling);
                channel.position(0);
                try (OutputStream out = fileSystem.create(new Path(folder, temporary))) {
                    Channels.newInputStream(channel).transferTo(out);
                }
            }
            publish(temporary, name);
            return;
        }
        try {
            try (FileChannel channel = FileChannel.open(
                    local(temporary), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                fill(channel, lengths, filling);
            }
            publish(temporary, name);
        } finally {
            Files.deleteIfExists(local(temporary));
        }
    }

    private static String temporary(String name) {
        return "." + name + "." + UUID.randomUUID() + ".tmp";
    }

    private java.nio.file.Path local(String name) {
        return java.nio.file.Path.of(folder.toUri().getPath(), name);
    }

    /** Makes a temporary file without a name, which ends with the process. */
    private static FileChannel unlinked() throws IOException {
        java.nio.file.Path file =
                java.nio.file.Path.of(System.getProperty("java.io.tmpdir"), "polygraph-" + UUID.randomUUID() + ".tmp");
        return FileChannel.open(
                file,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    private void publish(String temporary, String name) throws IOException {
        if (isLocal()) {
            Files.move(
                    local(temporary), local(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        Path there = new Path(folder, temporary);
        Path target = new Path(folder, name);
        if (!fileSystem.rename(there, target)) {
            // Another attempt has renamed its file first. Both files are equal.
            fileSystem.delete(there, false);
            if (!fileSystem.exists(target)) {
                throw new IOException(target + ": cannot be renamed from " + there);
            }
        }
    }

    /** Writes a file from beginning to end. */
    void write(String name, Source source) throws IOException {
        String temporary = temporary(name);
        try (Sink sink = new Sink(
                isLocal() ? Files.newOutputStream(local(temporary)) : fileSystem.create(new Path(folder, temporary)))) {
            source.writeTo(sink);
            sink.end();
        }
        publish(temporary, name);
    }

    /** The content that {@link #write} writes. */
    @FunctionalInterface
    interface Source {
        void writeTo(Sink sink) throws IOException;
    }

    /** A stream of ints to a file. */
    static final class Sink implements AutoCloseable {
        private final OutputStream out;
        private final ByteBuffer buffer = ByteBuffer.allocate(BLOCK >> 4).order(ByteOrder.LITTLE_ENDIAN);
        private final CRC32C sum = new CRC32C();
        private long ints;

        Sink(OutputStream out) {
            this.out = out;
        }

        void put(int value) throws IOException {
            if (buffer.remaining() < Integer.BYTES) {
                flush();
            }
            buffer.putInt(value);
            ints++;
        }

        void put(int[] values) throws IOException {
            for (int value : values) {
                put(value);
            }
        }

        private void flush() throws IOException {
            sum.update(buffer.array(), 0, buffer.position());
            out.write(buffer.array(), 0, buffer.position());
            buffer.clear();
        }

        /** Writes the footer, without which the file is incomplete. */
        private void end() throws IOException {
            flush();
            out.write(footer(SUMMED, (int) sum.getValue(), ints).array());
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    private static ByteBuffer footer(int magic, int sum, long ints) {
        return ByteBuffer.allocate(FOOTER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(magic)
                .putInt(sum)
                .putLong(ints)
                .flip();
    }

    /**
     * Maps a file of buffers with these lengths for reading, once in each process. A task may read until it ends, other
     * callers until this object is closed, even if the file is deleted.
     */
    IntBuffer[] read(String name, long[] lengths) throws IOException {
        MappedFiles.Reading reading = mapped.read(folder.toString(), name, mappings -> map(name, lengths, mappings));
        TaskContext task = TaskContext.get();
        if (task == null) {
            held.add(reading);
        } else {
            task.addTaskCompletionListener((TaskCompletionListener) ended -> reading.close());
        }
        return reading.parts();
    }

    private IntBuffer[] map(String name, long[] lengths, List<ByteBuffer> mappings) throws IOException {
        if (isLocal()) {
            try (FileChannel channel = FileChannel.open(local(name), StandardOpenOption.READ)) {
                return checked(name, channel, lengths, mappings);
            }
        }
        try (FileChannel channel = unlinked();
                InputStream in = fileSystem.open(new Path(folder, name))) {
            in.transferTo(Channels.newOutputStream(channel));
            return checked(name, channel, lengths, mappings);
        }
    }

    /** Maps a file after checking that it is complete and has the written content. */
    private IntBuffer[] checked(String name, FileChannel channel, long[] lengths, List<ByteBuffer> mappings)
            throws IOException {
        long ints = 0;
        for (long length : lengths) {
            ints += length;
        }
        long bytes = Integer.BYTES * ints;
        if (channel.size() != bytes + FOOTER_BYTES) {
            throw damaged(name, "found " + channel.size() + " bytes, expected " + (bytes + FOOTER_BYTES));
        }
        ByteBuffer footer = ByteBuffer.allocate(FOOTER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        while (footer.hasRemaining() && channel.read(footer, bytes + footer.position()) >= 0) {
            // A read may return fewer bytes than requested.
        }
        footer.flip();
        int magic = footer.getInt();
        int written = footer.getInt();
        if (magic != SUMMED && magic != FILLED || footer.getLong() != ints) {
            throw damaged(name, "found another footer, expected that of " + ints + " ints");
        }
        IntBuffer[] parts = map(channel, FileChannel.MapMode.READ_ONLY, lengths, mappings);
        if (magic == SUMMED) {
            CRC32C sum = new CRC32C();
            for (ByteBuffer mapping : mappings) {
                sum.update(mapping.duplicate());
            }
            if ((int) sum.getValue() != written) {
                throw damaged(name, "found ints with another checksum, expected that in the footer");
            }
        }
        return parts;
    }

    private IOException damaged(String name, String what) {
        return new IOException(new Path(folder, name) + ": " + what + "; it was damaged after it was written");
    }

    /** Marks files that no task of this process will open again. They are unmapped when their last reader has ended. */
    void outdate(Predicate<String> names) {
        mapped.outdate(folder.toString(), names);
    }

    /** Outdates and deletes the files whose names have this prefix. */
    void delete(String prefix) throws IOException {
        outdate(name -> name.startsWith(prefix));
        for (var status : fileSystem.listStatus(folder)) {
            if (status.getPath().getName().startsWith(prefix)) {
                fileSystem.delete(status.getPath(), false);
            }
        }
    }

    /** Closes the files that were read outside of tasks. */
    @Override
    public void close() {
        held.forEach(MappedFiles.Reading::close);
        held.clear();
    }

    /**
     * Fills a file through mappings that end with this method. If the collector ended them, they would count as
     * resident beside the mappings for reading (100M operations: 17.1 GB, 7.7 of them mapped, for rows of 2.5 GB).
     */
    private static void fill(FileChannel channel, long[] lengths, Filling filling) throws IOException {
        long ints = reserve(channel, lengths);
        channel.write(footer(FILLED, 0, ints), Integer.BYTES * ints);
        List<ByteBuffer> mappings = new ArrayList<>();
        try {
            filling.fill(map(channel, FileChannel.MapMode.READ_WRITE, lengths, mappings));
        } finally {
            MappedFiles.unmap(mappings);
        }
    }

    /** @return the number of ints */
    private static long reserve(FileChannel channel, long[] lengths) throws IOException {
        long bytes = 0;
        for (long length : lengths) {
            bytes += Integer.BYTES * length;
        }
        ByteBuffer zeros = ByteBuffer.allocateDirect(BLOCK);
        try {
            for (long at = 0; at < bytes; ) {
                zeros.clear().limit((int) Math.min(BLOCK, bytes - at));
                at += channel.write(zeros, at);
            }
        } finally {
            MappedFiles.free(zeros);
        }
        return bytes / Integer.BYTES;
    }

    /**
     * Makes as few mappings as their size allows, because a process can have only some ten thousand.
     *
     * @param mappings gets the mappings that were made
     */
    private static IntBuffer[] map(
            FileChannel channel, FileChannel.MapMode mode, long[] lengths, List<ByteBuffer> mappings)
            throws IOException {
        IntBuffer[] parts = new IntBuffer[lengths.length];
        long at = 0;
        for (int first = 0; first < lengths.length; ) {
            long together = 0;
            int end = first;
            while (end < lengths.length && together + lengths[end] <= MOST_MAPPED) {
                together += lengths[end++];
            }
            if (end == first) {
                throw new BudgetException(
                        "one part of a stage has " + lengths[first] + " numbers; expected no more than the "
                                + MOST_MAPPED
                                + " that can be mapped at once, be they transactions, edges between them or those of"
                                + " a session; give --engine embedded, which maps nothing");
            }
            ByteBuffer mapping = channel.map(mode, Integer.BYTES * at, Integer.BYTES * together);
            mappings.add(mapping);
            IntBuffer mapped = mapping.order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
            int offset = 0;
            for (int i = first; i < end; i++) {
                parts[i] = mapped.slice(offset, (int) lengths[i]);
                offset += (int) lengths[i];
            }
            at += together;
            first = end;
        }
        return parts;
    }
}
