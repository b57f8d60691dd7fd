package org.polygraph.storage.artifact;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchFolderTest {
    @TempDir
    private Path parent;

    @Test
    void aFolderIsUsedOnceAndDeletedUnlessItIsKept() throws IOException {
        Path folder = parent.resolve("windows");
        for (boolean forLater : new boolean[] {true, true, false}) {
            try (ScratchFolder used = ScratchFolder.kept(Location.of(folder.toString()), () -> true)) {
                assertThat(used).isNotNull();
                assertThat(ScratchFolder.kept(Location.of(parent + "/./windows"), () -> true))
                        .isNull();
                Files.writeString(folder.resolve("cells"), "a");
                used.keep(forLater);
            }
            assertThat(Files.exists(folder.resolve("cells"))).isEqualTo(forLater);
        }
        Files.createDirectory(folder);
        try (ScratchFolder used = ScratchFolder.temporary(Location.of(folder.toString()))) {
            used.keep(true);
            assertThat(used.mayKeep()).isFalse();
        }
        assertThat(folder).doesNotExist();
    }
}
