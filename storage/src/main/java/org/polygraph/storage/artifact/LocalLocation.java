package org.polygraph.storage.artifact;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A path of the local file system. */
final class LocalLocation implements Location {
    private static final int MOST_LINKS = 40;

    private final String name;
    private final Path path;

    LocalLocation(String name, Path path) {
        this.name = name;
        this.path = path;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String absolute() {
        return path.toAbsolutePath().normalize().toString();
    }

    @Override
    public long modified() throws IOException {
        return Files.getLastModifiedTime(path).toMillis();
    }

    @Override
    public boolean isFolder() throws IOException {
        if (!Files.exists(path)) {
            throw missing();
        }
        return Files.isDirectory(path);
    }

    private NoSuchFileException missing() {
        return new NoSuchFileException(name, null, "no such file or folder");
    }

    @Override
    public boolean exists() {
        return Files.exists(path);
    }

    @Override
    public boolean isStream() {
        return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
    }

    @Override
    public List<Location> children() throws IOException {
        List<Location> children = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                children.add(child(entry.getFileName().toString()));
            }
        } catch (java.nio.file.DirectoryIteratorException e) {
            throw e.getCause();
        }
        children.sort(Comparator.comparing(Location::fileName));
        return children;
    }

    @Override
    public Location child(String childName) {
        return new LocalLocation(
                name.endsWith("/") ? name + childName : name + "/" + childName, path.resolve(childName));
    }

    @Override
    public long length() throws IOException {
        return Files.isRegularFile(path) ? Files.size(path) : -1;
    }

    @Override
    public SeekableInput open() throws IOException {
        if (!Files.exists(path)) {
            throw missing();
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        return new SeekableInput(
                Channels.newInputStream(channel), Files.isRegularFile(path) ? channel::position : null);
    }

    @Override
    public void delete() throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try {
                for (Location child : children()) {
                    child.delete();
                }
            } catch (NoSuchFileException e) {
                // Another process has deleted the folder.
            }
        }
        Files.deleteIfExists(path);
    }

    @Override
    public @Nullable Closeable claimed(BooleanSupplier stop) throws IOException {
        return FolderLock.take(Files.createDirectories(path));
    }

    /** Returns the name that a file has until it is complete. */
    static String temporary(String fileName) {
        return "." + fileName + "."
                + Long.toHexString(ThreadLocalRandom.current().nextLong()) + ".tmp";
    }

    @Override
    public AtomicFile create() throws IOException {
        if (isStream()) {
            return new AtomicFile(Files.newOutputStream(path, StandardOpenOption.WRITE)) {
                @Override
                void publish() {}

                @Override
                void discard() {}
            }.open();
        }
        Path target = target();
        Path folder = target.getParent();
        if (folder == null) {
            throw new IOException(name + ": a file cannot be written there");
        }
        Files.createDirectories(folder);
        Path temporary = folder.resolve(temporary(target.getFileName().toString()));
        OutputStream out = new BufferedOutputStream(
                Files.newOutputStream(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), 1 << 16);
        return new AtomicFile(out) {
            @Override
            void publish() throws IOException {
                try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                    channel.force(true);
                }
                try {
                    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
                } catch (AtomicMoveNotSupportedException e) {
                    Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }

            @Override
            void discard() throws IOException {
                Files.deleteIfExists(temporary);
            }
        }.open();
    }

    /** Follows a chain of links to a name, which need not exist. */
    private Path target() throws IOException {
        Path target = path.toAbsolutePath();
        for (int links = 0; Files.isSymbolicLink(target); links++) {
            if (links == MOST_LINKS) {
                throw new IOException(name + ": a link to itself");
            }
            target = target.resolveSibling(Files.readSymbolicLink(target)).normalize();
        }
        return target;
    }

    @Override
    public Location followed() throws IOException {
        return Files.isSymbolicLink(path) ? new LocalLocation(name, target()) : this;
    }

    @Override
    public AtomicFolder createFolder() throws IOException {
        Path target = path.toAbsolutePath();
        if (target.getFileName() == null) {
            throw new IOException(name + ": a folder cannot be written there");
        }
        Path temporary = target.resolveSibling(temporary(target.getFileName().toString()));
        return new AtomicFolder(new LocalLocation(temporary.toString(), temporary), () -> {
            if (Files.exists(target)) {
                throw new FileAlreadyExistsException(name);
            }
            Files.move(temporary, target);
        });
    }
}
