package org.polygraph.jobs.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.partitioner.isolation.IsolationLevel;

class LiveCheckTest {
    /** The folders that checks have now. */
    private static List<Path> folders() throws IOException {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.filter(each -> each.getFileName().toString().startsWith("live-check"))
                    .toList();
        }
    }

    @Test
    void leavesNothingIfItCannotBegin(@TempDir Path folder) throws IOException {
        List<Path> before = folders();
        assertThatThrownBy(() ->
                        LiveCheck.begin(folder.resolve("none.jsonl"), IsolationLevel.SER, Set.of(), message -> {}))
                .isInstanceOf(IOException.class);
        assertThat(folders()).isSubsetOf(before);
    }
}
