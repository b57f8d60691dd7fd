package org.polygraph.jobs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    String runs() {
        return folder.resolve("runs").toString();
    }

    /** Checks the next part at ser. */
    InProcess after(String path) {
        return InProcess.run("check", "-q", "-l", "ser", "-o", runs(), "--after", runs(), path);
    }
}
