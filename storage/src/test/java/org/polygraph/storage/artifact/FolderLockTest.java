package org.polygraph.storage.artifact;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderLockTest {
    @TempDir
    private Path folder;

    @Test
    void aFolderIsTakenOnceUntilItsLockIsClosed() throws IOException {
        for (int i = 0; i < 2; i++) {
            try (FolderLock lock = FolderLock.take(folder)) {
                assertThat(lock).isNotNull();
                assertThat(lock.isLocked()).isTrue();
                assertThat(FolderLock.take(folder.resolve("..").resolve(folder.getFileName())))
                        .isNull();
            }
        }
    }
}
