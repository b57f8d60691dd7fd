package org.polygraph.jobs.watch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file that grows. If another file takes its name, as when logs are rotated, the old one is read to its end first. If
 * it becomes shorter, it is read again from its beginning.
 */
final class WatchedFile extends Source {
    private final Path path;
    private final Consumer<String> notice;
    private FileChannel channel;

    private WatchedFile(Path path, FileChannel channel, Place begin, Consumer<String> notice) {
        super(path.toString(), begin);
        this.path = path;
        this.channel = channel;
        this.notice = notice;
    }

    /**
     * Opens a file.
     *
     * @param behind where an earlier watch ended; null if there was none
     * @param notice gets what people should know
     */
    static WatchedFile open(Path path, @Nullable Place behind, Consumer<String> notice) throws IOException {
        String current = identity(path);
        Path file = path;
        Place begin = Place.startOf(current);
        if (behind != null && behind.file().equals(current)) {
            begin = behind;
        } else if (behind != null) {
            Path renamed = renamed(path, behind.file());
            if (renamed == null) {
                notice.accept(path + ": another file has this name than when the last watch ended, so lines after line "
                        + behind.lines() + " of that file are not known; the new file is read from its beginning");
            } else {
                file = renamed;
                begin = behind;
            }
        }
        FileChannel channel = FileChannel.open(file);
        if (begin.offset() > channel.size()) {
            notice.accept(path + ": it is shorter than when the last watch ended, so it is read from its beginning");
            begin = Place.startOf(begin.file());
        }
        channel.position(begin.offset());
        return new WatchedFile(path, channel, begin, notice);
    }

    /** What stays the same when a file is renamed. */
    static String identity(Path path) throws IOException {
        return Objects.toString(
                Files.readAttributes(path, BasicFileAttributes.class).fileKey(), "");
    }

    private static @Nullable Path renamed(Path path, String identity) throws IOException {
        Path folder = Objects.requireNonNullElse(path.toAbsolutePath().getParent(), path);
        try (Stream<Path> all = Files.list(folder)) {
            for (Path each : List.of(all.toArray(Path[]::new))) {
                if (!identity.isEmpty()
                        && Files.isRegularFile(each)
                        && identity(each).equals(identity)) {
                    return each;
                }
            }
        }
        return null;
    }

    @Override
    int bytes(ByteBuffer into) throws IOException {
        if (channel.size() < offset()) {
            notice.accept(path + ": it became shorter, so it is read again from its beginning; lines that were"
                    + " written and removed since are not known");
            channel.position(0);
            continueWith(reading());
        }
        int count = channel.read(into);
        if (count > 0) {
            return count;
        }
        String current;
        try {
            current = identity(path);
        } catch (NoSuchFileException e) {
            // It may come again.
            return 0;
        }
        if (current.equals(reading()) || channel.read(into) > 0) {
            return into.position();
        }
        FileChannel next = FileChannel.open(path);
        channel.close();
        channel = next;
        int lost = continueWith(current);
        notice.accept(path + ": another file has taken this name, and is read now"
                + (lost == 0 ? "" : "; the last line of the old one had no end, so it is left out"));
        return channel.read(into) > 0 ? into.position() : 0;
    }

    @Override
    long arrivedMillis() throws IOException {
        // Lines of a file that was not written for long are old, also if they are read now.
        try {
            return Math.min(
                    System.currentTimeMillis(), Files.getLastModifiedTime(path).toMillis());
        } catch (NoSuchFileException e) {
            return System.currentTimeMillis();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
