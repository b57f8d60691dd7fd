package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Folders of live processes stay; those of ended processes are deleted. */
@Tag("process")
class ScratchFolderTest {
    /** Another process, which makes a folder, prints its name, and waits to be killed. */
    static final class Other {
        public static void main(String[] words) throws IOException, InterruptedException {
            ScratchFolder folder =
                    ScratchFolder.in(new org.apache.hadoop.fs.Path("file://" + words[0]), new Configuration(false));
            System.out.println(folder.path());
            Thread.sleep(600_000);
        }
    }

    @TempDir
    private Path parent;

    private ScratchFolder folder() throws IOException {
        return ScratchFolder.in(new org.apache.hadoop.fs.Path(parent.toUri()), new Configuration(false));
    }

    private long folders() throws IOException {
        try (Stream<Path> all = Files.list(parent)) {
            return all.count();
        }
    }

    @Test
    void aFolderThatThisProcessUsesIsNotTakenAgain() throws IOException {
        org.apache.hadoop.fs.Path folder =
                new org.apache.hadoop.fs.Path(parent.resolve("windows").toUri());
        Configuration configuration = new Configuration(false);
        for (int i = 0; i < 2; i++) {
            try (ScratchFolder used = ScratchFolder.kept(folder, configuration, () -> true)) {
                assertThat(used).isNotNull();
                assertThat(ScratchFolder.kept(folder, configuration, () -> true))
                        .isNull();
            }
        }
    }

    @Test
    @Timeout(120)
    void onlyTheDeadAreSwept() throws IOException, InterruptedException {
        // The owners of these folders cannot be determined, so the folders stay.
        Files.createDirectory(parent.resolve("polygraph-scratch-of-old"));
        Files.createDirectory(parent.resolve("mine"));
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Other.class.getName(),
                        parent.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (ScratchFolder own = folder()) {
            BufferedReader out = other.inputReader(StandardCharsets.UTF_8);
            Path made = Path.of(java.net.URI.create(out.readLine()));
            assertThat(made).isDirectory();
            folder().close();
            folder().close();
            assertThat(made).as("of a process that lives").isDirectory();
            assertThat(Path.of(own.path().toUri().getPath())).isDirectory();
            assertThat(folders()).isEqualTo(4);
            other.destroyForcibly();
            assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(made).as("killed: nothing of it has run").isDirectory();
            folder().close();
            assertThat(made).as("of a process that was killed").doesNotExist();
            assertThat(Path.of(own.path().toUri().getPath())).isDirectory();
        } finally {
            other.destroyForcibly();
        }
        assertThat(folders()).isEqualTo(2);
    }
}
