package org.polygraph.jobs.windows;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.ObjectFile.DamagedException;
import org.polygraph.storage.artifact.SeekableInput;

/**
 * A scratch file by which a task gives bytes to other tasks. It has a block for each target, such as a cell or a slice, and a block can be
 * read alone.
 *
 * @param name of the files that one job writes
 * @param number of the file among them
 * @param from the first target
 * @param to the target behind the last
 */
record Section(String folder, String name, int number, int from, int to) implements Serializable {
    /** For each target: where its block begins behind these entries, and its CRC-32C. The end of the last block follows. */
    private static final int ENTRY_BYTES = Long.BYTES + Integer.BYTES;

    /** Sections share their strings, because serialization writes a shared object once. */
    Section {
        folder = folder.intern();
        name = name.intern();
    }

    private Location location() throws IOException {
        return Location.of(toString());
    }

    /** Whether the file is there, in a folder. */
    boolean existsIn(String expected) throws IOException {
        return folder.equals(expected) && location().exists();
    }

    @Override
    public String toString() {
        return folder + "/" + name + "-" + number;
    }

    /** The block of a target; empty if there is none. */
    byte[] block(int target) throws IOException {
        return blocks(target, 1)[0];
    }

    /** The blocks of neighbouring targets, by target; those of targets without bytes are empty. */
    byte[][] blocks(int first, int count) throws IOException {
        byte[][] blocks = new byte[count][0];
        int begin = Math.max(first, from);
        int end = Math.min(first + count, to);
        if (begin >= end) {
            return blocks;
        }
        try (SeekableInput in = location().open()) {
            in.seek((long) ENTRY_BYTES * (begin - from));
            ByteBuffer ends = ByteBuffer.wrap(read(in, ENTRY_BYTES * (end - begin) + Long.BYTES));
            long start = (long) ENTRY_BYTES * (to - from) + Long.BYTES;
            long begins = ends.getLong(0);
            if (begins < 0) {
                throw damaged("a block at " + begins);
            }
            in.seek(start + begins);
            CRC32C sum = new CRC32C();
            for (int target = begin; target < end; target++) {
                long at = ends.getLong();
                int expected = ends.getInt();
                long length = ends.getLong(ends.position()) - at;
                if (length < 0 || length > Integer.MAX_VALUE) {
                    throw damaged("a block of " + length + " bytes");
                }
                byte[] block = read(in, (int) length);
                sum.reset();
                sum.update(block);
                if ((int) sum.getValue() != expected) {
                    throw damaged("a block with another checksum");
                }
                blocks[target - first] = block;
            }
        } catch (EOFException e) {
            throw damaged("a file that ends too soon");
        }
        return blocks;
    }

    /** The length of the blocks of neighbouring targets. */
    long bytes(int first, int count) throws IOException {
        int begin = Math.max(first, from);
        int end = Math.min(first + count, to);
        if (begin >= end) {
            return 0;
        }
        try (SeekableInput in = location().open()) {
            in.seek((long) ENTRY_BYTES * (begin - from));
            ByteBuffer ends = ByteBuffer.wrap(read(in, ENTRY_BYTES * (end - begin) + Long.BYTES));
            return ends.getLong(ends.limit() - Long.BYTES) - ends.getLong(0);
        } catch (EOFException e) {
            throw damaged("a file that ends too soon");
        }
    }

    private byte[] read(SeekableInput in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw damaged(bytes.length + " bytes; expected " + length);
        }
        return bytes;
    }

    private DamagedException damaged(String found) {
        return new DamagedException(this + ": found " + found);
    }

    void delete() throws IOException {
        location().delete();
    }

    /** Deletes files that no task reads any more. */
    static void delete(List<Section> sections) throws IOException {
        for (Section section : sections) {
            section.delete();
        }
    }

    /** The files that one job writes. Each of them has a number. */
    record Files(String folder, String name) implements Serializable {}

    /** Collects the blocks of a section. */
    static final class Output {
        private final @Nullable BlockWriter[] blocks;
        private final int first;

        /** @param first the first target that may have a block */
        Output(int first, int targets) {
            this.first = first;
            this.blocks = new @Nullable BlockWriter[targets];
        }

        BlockWriter block(int target) {
            BlockWriter block = blocks[target - first];
            if (block == null) {
                block = new BlockWriter();
                blocks[target - first] = block;
            }
            return block;
        }

        /** Writes the file of a number. */
        Section write(Files files, int number) throws IOException {
            int from = 0;
            int to = blocks.length;
            while (from < to && blocks[from] == null) {
                from++;
            }
            while (from < to && blocks[to - 1] == null) {
                to--;
            }
            Section section = new Section(files.folder, files.name, number, first + from, first + to);
            ByteBuffer ends = ByteBuffer.allocate(ENTRY_BYTES * (to - from) + Long.BYTES);
            CRC32C sum = new CRC32C();
            long end = 0;
            for (int i = from; i < to; i++) {
                BlockWriter block = blocks[i];
                sum.reset();
                if (block != null) {
                    sum.update(block.array(), 0, block.size());
                }
                ends.putLong(end).putInt((int) sum.getValue());
                end += block == null ? 0 : block.size();
            }
            ends.putLong(end);
            try (AtomicFile file = section.location().create()) {
                OutputStream out = file.stream();
                out.write(ends.array());
                for (int i = from; i < to; i++) {
                    BlockWriter block = blocks[i];
                    if (block != null) {
                        out.write(block.array(), 0, block.size());
                    }
                }
                file.commit();
            }
            return section;
        }
    }
}
