package org.polygraph.storage.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Properties that depend on the flags of the JVM and on its end. */
@Tag("process")
class PersistedStringsInAProcessTest {
    @TempDir
    private Path folder;

    /**
     * Numbers args[1] strings of 36 characters, with args[2] bytes of heap and files in args[0]; then waits, or looks
     * up one of them without end.
     */
    public static void main(String[] args) throws IOException {
        StringDictionary dictionary = new StringDictionary(args[0], Long.parseLong(args[2]), 1 << 20);
        int n = Integer.parseInt(args[1]);
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < n; i++) {
                if (dictionary.id(String.format("%036d", i * 7919L), false) != i) {
                    throw new IllegalStateException("text " + i);
                }
            }
        }
        System.out.println(dictionary.size() + " strings, " + (dictionary.bytes() >> 20) + " MiB of heap"
                + (dictionary.whyNoFiles().isEmpty() ? "" : ", " + dictionary.whyNoFiles()));
        if (args.length > 3 && args[3].equals("wait")) {
            System.in.read();
        }
        while (args.length > 3) {
            dictionary.id(String.format("%036d", (n - 1) * 7919L), false);
        }
    }

    private Process start(boolean flags, String... args) throws IOException {
        return start(List.of(), flags, args);
    }

    private Process start(List<String> before, boolean flags, String... args) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(command(flags, args));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private List<String> command(boolean flags, String... args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (flags) {
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                    .filter(flag -> flag.startsWith("--add-"))
                    .forEach(command::add);
        }
        command.addAll(List.of("-Xmx100m", "-Djava.io.tmpdir=" + folder, "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(PersistedStringsInAProcessTest.class.getName(), folder.toString()));
        command.addAll(List.of(args));
        return command;
    }

    private static String line(Process process) throws IOException {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
    }

    /** 1.5M strings are 100 MB of a {@link StringTable}, and its arrays twice while they grow. */
    @Test
    void aHeapNumbersMoreStringsThanItHolds() throws Exception {
        Process process = start(true, "1500000", "1000000");
        assertThat(line(process)).isEqualTo("1500000 strings, 1 MiB of heap");
        assertThat(process.waitFor()).isZero();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void withoutItsFlagsStringsAreInTheHeap() throws Exception {
        Process process = start(false, "100000", "1000000");
        assertThat(line(process))
                .startsWith("100000 strings, ")
                .contains(" MiB of heap, strings are kept in memory, as they could not be in files in " + folder
                        + ": Chronicle Map does not work in this JVM: ");
        assertThat(process.waitFor()).isZero();
        assertThat(folder).isEmptyDirectory();
    }

    /**
     * The map fits the limit and the strings do not. After the first refusal all further strings are in the heap,
     * because otherwise one map after another would fill the disk.
     */
    @Test
    void aLimitToTheSizeOfFilesIsReported() throws Exception {
        Process process =
                start(List.of("bash", "-c", "ulimit -f 29000 -n 400; exec \"$@\"", "-"), true, "1000000", "1000000");
        assertThat(line(process)).startsWith("1000000 strings, ").contains("File too large");
        assertThat(process.waitFor()).isZero();
        assertThat(folder).isEmptyDirectory();
    }

    /** Chronicle closes maps when the process is asked to end, although a thread reads. */
    @Test
    void aSignalIsNoErrorOfTheThreadThatReads() throws Exception {
        Process process = new ProcessBuilder(command(true, "200000", "1000000", "turns"))
                .redirectErrorStream(true)
                .start();
        // Destroying a process by its object closes its stream here.
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("200000 strings, 1 MiB of heap");
            process.toHandle().destroy();
            assertThat(lines.readLine()).isNull();
        }
        assertThat(process.waitFor()).isEqualTo(143);
    }

    @Test
    void aProcessThatIsKilledLeavesNoFiles() throws Exception {
        Process process = start(true, "100000", "1000000", "wait");
        assertThat(line(process)).isEqualTo("100000 strings, 1 MiB of heap");
        process.destroyForcibly().waitFor();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }
}
