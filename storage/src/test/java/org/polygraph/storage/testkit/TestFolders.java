package org.polygraph.storage.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the folders of {@code @TempDir} in memory if there is a file system in memory with {@value #LEAST_BYTES} bytes
 * left. Output is forced to the disk before it is renamed, which is a fifth of the time of tests that write runs.
 */
public final class TestFolders implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long LEAST_BYTES = 8L << 30;

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        boolean fits = Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= LEAST_BYTES;
        return fits
                ? Files.createTempDirectory(MEMORY, "polygraph-test-")
                : Files.createTempDirectory("polygraph-test-");
    }
}
