package org.polygraph.jobs.application;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The largest resident memory of this process so far. */
final class PeakMemory {
    private PeakMemory() {}

    /** Returns bytes. Without /proc, it is the heap that the JVM has taken. */
    static long bytes() {
        @Nullable String line = null;
        try (BufferedReader lines = Files.newBufferedReader(Path.of("/proc/self/status"))) {
            do {
                line = lines.readLine();
            } while (line != null && !line.startsWith("VmHWM:"));
        } catch (IOException e) {
            line = null;
        }
        return line == null ? Runtime.getRuntime().totalMemory() : Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
    }
}
