package org.polygraph.jobs.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The launcher, the archive and a cluster on this machine: cases whose commands are of the shell, see {@link CasesTest}. */
class LauncherIT {
    @TestFactory
    Stream<DynamicTest> prints(@TempDir Path folder) throws IOException {
        return CasesTest.of("launcher", folder);
    }

    @TestFactory
    @Tag("process")
    Stream<DynamicTest> printsInCi(@TempDir Path folder) throws IOException {
        return CasesTest.of("launcher/ci", folder);
    }
}
