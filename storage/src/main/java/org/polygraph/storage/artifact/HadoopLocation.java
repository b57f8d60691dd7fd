package org.polygraph.storage.artifact;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/**
 * A path of any file system that Hadoop knows ({@code hdfs:}, {@code s3a:}, {@code file:}...), configured by {@code
 * core-site.xml} and similar files on the class path. This is the only class of the package that uses Hadoop.
 */
final class HadoopLocation implements Location {
    /** What the name node of HDFS answers to one who wants to write to a file that another process holds, or held until now. */
    private static final Set<String> HELD = Set.of(
            "org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException",
            "org.apache.hadoop.hdfs.protocol.RecoveryInProgressException");
    /** Longer than the minute without a sign of its writer after which the name node gives a file to another one. */
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(75);

    private static final long POLL_MILLIS = 1_000;

    private final String name;
    private final Path path;
    private final FileSystem fileSystem;

    HadoopLocation(String name) throws IOException {
        this.name = name;
        try {
            this.path = new Path(name);
            this.fileSystem = path.getFileSystem(new Configuration());
        } catch (IllegalArgumentException e) {
            throw new IOException(name + ": not a path Hadoop understands: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(name + ": cannot be reached: " + e.getMessage(), e);
        } catch (RuntimeException | LinkageError e) {
            // This is Hadoop's message if the jar of a file system is missing.
            throw new IOException(
                    name + ": cannot be reached: " + e.getMessage() + "; add the file system's jars to the class path",
                    e);
        }
    }

    private HadoopLocation(String name, Path path, FileSystem fileSystem) {
        this.name = name;
        this.path = path;
        this.fileSystem = fileSystem;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isLocal() {
        return false;
    }

    private FileStatus status() throws IOException {
        try {
            return fileSystem.getFileStatus(path);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private IOException explained(IOException e) {
        if (e instanceof FileNotFoundException) {
            return new NoSuchFileException(name, null, "no such file or folder");
        }
        if (e instanceof AccessControlException) {
            return new AccessDeniedException(name);
        }
        if (e instanceof UnknownHostException) {
            return new IOException(
                    name + ": cannot be reached: unknown host " + e.getMessage() + "; check the name", e);
        }
        return new IOException(name + ": " + e.getMessage(), e);
    }

    @Override
    public String absolute() {
        return fileSystem.makeQualified(path).toString();
    }

    @Override
    public long modified() throws IOException {
        return status().getModificationTime();
    }

    @Override
    public boolean isFolder() throws IOException {
        return status().isDirectory();
    }

    @Override
    public boolean exists() throws IOException {
        return fileSystem.exists(path);
    }

    @Override
    public List<Location> children() throws IOException {
        List<Location> children = new ArrayList<>();
        try {
            for (FileStatus entry : fileSystem.listStatus(path)) {
                children.add(child(entry.getPath().getName()));
            }
        } catch (IOException e) {
            throw explained(e);
        }
        children.sort(Comparator.comparing(Location::fileName));
        return children;
    }

    @Override
    public Location child(String childName) {
        return new HadoopLocation(
                name.endsWith("/") ? name + childName : name + "/" + childName, new Path(path, childName), fileSystem);
    }

    @Override
    public long length() throws IOException {
        return status().getLen();
    }

    @Override
    public SeekableInput open() throws IOException {
        try {
            FSDataInputStream in = fileSystem.open(path);
            return new SeekableInput(in, in::seek);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    @Override
    public void delete() throws IOException {
        try {
            fileSystem.delete(path, true);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    @Override
    public @Nullable Closeable claimed(BooleanSupplier stop) throws IOException {
        Path file = new Path(path, FolderLock.FILE);
        for (long start = System.nanoTime(); fileSystem instanceof LeaseRecoverable; ) {
            try {
                return fileSystem.exists(file) ? fileSystem.append(file) : fileSystem.create(file);
            } catch (RemoteException e) {
                if (!HELD.contains(e.getClassName())) {
                    throw explained(e);
                }
            }
            if (System.nanoTime() - start > MOST_WAIT_NANOS || stop.getAsBoolean()) {
                return null;
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
        return () -> {};
    }

    @Override
    public AtomicFile create() throws IOException {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IOException(name + ": a file cannot be written there");
        }
        Path temporary = new Path(parent, LocalLocation.temporary(path.getName()));
        OutputStream out = new BufferedOutputStream(new HadoopOutput(fileSystem.create(temporary, false)), 1 << 16);
        return new AtomicFile(out) {
            @Override
            void publish() throws IOException {
                if (fileSystem.exists(path) && status().isDirectory()) {
                    // An empty folder is replaced by the file; any other folder is an error.
                    fileSystem.delete(path, false);
                }
                new Replacing(fileSystem).replace(temporary, path);
            }

            @Override
            void discard() throws IOException {
                fileSystem.delete(temporary, false);
            }
        }.open();
    }

    @Override
    public AtomicFolder createFolder() throws IOException {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IOException(name + ": a folder cannot be written there");
        }
        Path temporary = new Path(parent, LocalLocation.temporary(path.getName()));
        return new AtomicFolder(new HadoopLocation(temporary.toString(), temporary, fileSystem), () -> {
            // If the target folder existed, Hadoop would move the temporary folder into it.
            if (fileSystem.exists(path) || !fileSystem.rename(temporary, path)) {
                throw new IOException(name + ": could not be renamed from " + temporary);
            }
        });
    }

    /**
     * Renames a file to a name that another file may have. HDFS and a local disk do this in one step, so a process that
     * is killed, such as a speculative task, leaves either the old or the new file complete. Elsewhere, such as in an
     * object store, the old file is deleted first.
     */
    private static final class Replacing extends FilterFileSystem {
        Replacing(FileSystem files) {
            super(files);
        }

        void replace(Path temporary, Path path) throws IOException {
            if (fs instanceof ChecksumFileSystem files) {
                // The checksums are in a separate file, which is renamed afterwards. Until then, the checksums of the
                // old file would make the new one look damaged.
                files.getRawFileSystem().delete(files.getChecksumFile(path), false);
            }
            if (fs instanceof ChecksumFileSystem || fs instanceof RawLocalFileSystem) {
                // This is POSIX's rename. Hadoop's rename with options deletes the old file first.
                if (!fs.rename(temporary, path)) {
                    throw new IOException(path + ": could not be renamed from " + temporary);
                }
                return;
            }
            rename(temporary, path, Options.Rename.OVERWRITE);
        }
    }

    /** Hadoop's local file system throws an Error if a disk is full. */
    private static final class HadoopOutput extends FilterOutputStream {
        HadoopOutput(OutputStream out) {
            super(out);
        }

        private static void io(Unfinished.Step step) throws IOException {
            try {
                step.run();
            } catch (FSError e) {
                throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
            }
        }

        @Override
        public void write(int b) throws IOException {
            io(() -> out.write(b));
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            io(() -> out.write(bytes, offset, length));
        }

        @Override
        public void flush() throws IOException {
            io(out::flush);
        }

        @Override
        public void close() throws IOException {
            io(out::close);
        }
    }
}
