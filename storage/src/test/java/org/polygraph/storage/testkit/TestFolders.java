package org.polygraph.storage.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the folders of {@code @TempDir} and of laws in memory if there is a file system in memory with {@value
 * #LEAST_BYTES} bytes left. Output is forced to the disk before it is renamed, which is a fifth of the time of tests that
 * write runs.
 */
public final class TestFolders implements TempDirFactory {
    private static final long LEAST_BYTES = 8L << 30;
    private static final Path ROOT = root(Path.of("/dev/shm"));

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        return Files.createTempDirectory(root(ROOT), "polygraph-test-");
    }

    /** Where a law makes its files. */
    public static Path root() {
        return ROOT;
    }

    private static Path root(Path memory) {
        try {
            boolean fits =
                    Files.isWritable(memory) && Files.getFileStore(memory).getUsableSpace() >= LEAST_BYTES;
            return fits ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
