package org.polygraph.storage.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    Path folder;

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(path -> path.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }

    private List<String> prefixes() {
        return List.of("", "file://");
    }

    @Test
    void aFileIsThereWhenItIsWholeAndNotBefore() throws Exception {
        for (String prefix : prefixes()) {
            Files.writeString(folder.resolve("a"), "old");
            Location location = Location.of(prefix + folder.resolve("a"));
            try (AtomicFile file = location.create()) {
                file.stream().write('n');
                assertThat(Files.readString(folder.resolve("a"))).isEqualTo("old");
                file.commit();
            }
            assertThat(Files.readString(folder.resolve("a"))).isEqualTo("n");
        }
    }

    /** If a process ends between two steps, or the new file is missing, the old file is lost. */
    @Test
    void aFileThatIsReplacedIsAlwaysThere() throws Exception {
        for (String prefix : prefixes()) {
            Location location = Location.of(prefix + folder.resolve("kept"));
            location.write(out -> out.write("old".getBytes(StandardCharsets.UTF_8)));
            AtomicFile twin = location.create();
            twin.stream().write('n');
            twin.stream().close();
            for (String each : names()) {
                if (each.contains(".tmp")) {
                    Files.delete(folder.resolve(each));
                }
            }
            assertThatThrownBy(twin::commit).isInstanceOf(IOException.class);
            twin.close();
            assertThat(folder.resolve("kept")).hasContent("old");
            try (SeekableInput in = location.open()) {
                assertThat(in.readAllBytes()).hasSize(3);
            }
            location.write(out -> out.write("new".getBytes(StandardCharsets.UTF_8)));
            try (SeekableInput in = location.open()) {
                assertThat(in.readAllBytes()).asString().isEqualTo("new");
            }
            location.delete();
            assertThat(names()).isEmpty();
        }
    }

    @Test
    void noMomentWithoutTheFile() throws Exception {
        for (String prefix : prefixes()) {
            Path path = folder.resolve("kept");
            Location location = Location.of(prefix + path);
            location.write(out -> out.write('0'));
            AtomicBoolean ended = new AtomicBoolean();
            AtomicInteger missed = new AtomicInteger();
            Thread watcher = new Thread(() -> {
                while (!ended.get()) {
                    missed.addAndGet(Files.exists(path) ? 0 : 1);
                }
            });
            watcher.start();
            try {
                for (int i = 0; i < 200; i++) {
                    location.write(out -> out.write('n'));
                }
            } finally {
                ended.set(true);
                watcher.join();
            }
            assertThat(missed).as(prefix).hasValue(0);
        }
    }

    /** A file replaces an empty folder, and no other folder. */
    @Test
    void aFolderIsNotReplacedUnlessItIsEmpty() throws Exception {
        Path path = Files.createDirectory(folder.resolve("place"));
        Location location = Location.of("file://" + path);
        location.write(out -> out.write('n'));
        assertThat(path).hasContent("n");
        Files.delete(path);
        Files.writeString(Files.createDirectory(path).resolve("in"), "it");
        assertThatThrownBy(() -> location.write(out -> out.write('n'))).isInstanceOf(IOException.class);
        assertThat(path.resolve("in")).hasContent("it");
        assertThat(names()).filteredOn(each -> each.endsWith(".tmp")).isEmpty();
    }

    @Test
    void aFileThatFailsLeavesNothing() throws Exception {
        for (String prefix : prefixes()) {
            Location location = Location.of(prefix + folder.resolve("b"));
            assertThatThrownBy(() -> location.write(out -> {
                        out.write(new byte[100_000]);
                        throw new IOException("disk is on fire");
                    }))
                    .hasMessage("disk is on fire");
            assertThat(names()).filteredOn(name -> !name.endsWith(".crc")).isEmpty();
            assertThat(location.exists()).isFalse();
        }
    }

    @Test
    void aFolderIsThereWhenItIsWholeAndNotBefore() throws Exception {
        for (String prefix : prefixes()) {
            String name = prefix.isEmpty() ? "local" : "hadoop";
            Location location = Location.of(prefix + folder.resolve(name));
            try (AtomicFolder parts = location.createFolder()) {
                parts.location().child("a").write(out -> out.write('a'));
                assertThat(location.exists()).isFalse();
                parts.commit();
            }
            assertThat(folder.resolve(name + "/a")).hasContent("a");
            try (AtomicFolder parts = location.createFolder()) {
                parts.location().child("b").write(out -> out.write('b'));
                assertThatThrownBy(parts::commit).isInstanceOf(IOException.class);
            }
            assertThat(folder.resolve(name + "/b")).doesNotExist();
            try (AtomicFolder parts = location.createFolder()) {
                parts.location().child("c").write(out -> out.write('c'));
            }
        }
        assertThat(names()).containsExactly("hadoop", "local");
    }

    /** Simulates an interrupted process, which ends while a file is open. */
    static final class Interrupted {
        public static void main(String[] args) throws IOException {
            AtomicFile whole = Location.of(args[0]).create();
            whole.stream().write('n');
            whole.commit();
            Location.of(args[1]).create().stream().write(new byte[100_000]);
            Location parts = Location.of(args[1] + "parts").createFolder().location();
            parts.child("whole").write(out -> out.write('n'));
            parts.child("half").create().stream().write(new byte[100_000]);
            System.exit(130);
        }
    }

    @Test
    void aProcessThatEndsLeavesNothing() throws Exception {
        for (String prefix : prefixes()) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Interrupted.class.getName(),
                            prefix + folder.resolve("whole"),
                            prefix + folder.resolve("half"))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isEqualTo(130);
            assertThat(names()).filteredOn(name -> !name.endsWith(".crc")).containsExactly("whole");
        }
    }

    @Test
    void schemesAreDistinguishedFromPaths() throws Exception {
        assertThat(Location.of("a/b:c")).isInstanceOf(LocalLocation.class);
        assertThat(Location.of("./a:b")).isInstanceOf(LocalLocation.class);
        assertThat(Location.of("C:\\a")).isInstanceOf(LocalLocation.class);
        assertThat(Location.of("-")).isInstanceOf(StandardInput.class);
        assertThat(Location.of("file:/a")).isInstanceOf(HadoopLocation.class);
        assertThat(Location.of("file:/a/b").child("c").name()).isEqualTo("file:/a/b/c");
        assertThat(Location.of("a/").child("c").name()).isEqualTo("a/c");
        assertThat(Location.of("a/b.log").fileName()).isEqualTo("b.log");
    }
}
