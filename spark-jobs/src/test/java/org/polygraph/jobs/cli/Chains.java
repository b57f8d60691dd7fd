package org.polygraph.jobs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Parts of chains in a folder, and the folder of their runs. */
abstract class Chains {
    @TempDir
    Path folder;

    static String line(int session, int index, String operations) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"committed\",\"ops\":[" + operations
                + "]}\n";
    }

    static String read(String key, Object value) {
        return "{\"op\":\"r\",\"key\":\"" + key + "\",\"value\":" + value + "}";
    }

    static String write(String key, int value) {
        return "{\"op\":\"w\",\"key\":\"" + key + "\",\"value\":" + value + "}";
    }

    String write(String name, String... transactions) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("", transactions))
                .toString();
    }

    /** Hour i increments x from i - 1. */
    String hour(int i) throws IOException {
        return write("hour-" + i + ".jsonl", line(0, i - 1, read("x", i == 1 ? "null" : i - 1) + "," + write("x", i)));
    }

    /** A part in which two transactions of new sessions read the same value of a key and overwrite it. */
    String lost(String key, int session) throws IOException {
        return write(
                key + ".jsonl",
                line(session, 0, read(key, "null") + "," + write(key, 1)),
                line(session + 1, 0, read(key, "null") + "," + write(key, 2)));
    }

    String runs() {
        return folder.resolve("runs").toString();
    }

    InProcess check(String level, String path, String... options) {
        List<String> words = new ArrayList<>(List.of("check", "-q", "-l", level, "-o", runs()));
        words.addAll(List.of(options));
        words.add(path);
        return InProcess.run(words);
    }

    InProcess after(String path, String... options) {
        List<String> words = new ArrayList<>(List.of("--after", runs()));
        words.addAll(List.of(options));
        return check("ser", path, words.toArray(new String[0]));
    }

    /** The run of an answer. */
    static Path run(InProcess answer) {
        return Path.of(answer.out()
                .lines()
                .filter(line -> line.startsWith("  run: "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(answer.toString()))
                .substring(7));
    }

    static void delete(Path run) throws IOException {
        try (Stream<Path> files = Files.walk(run)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
