package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.storage.artifact.Location;

class LocalWorkersTest {
    private static final long HEAP = 1L << 30;

    @TempDir
    private Path folder;

    private static byte[] heap(Budget budget) {
        return ByteBuffer.allocate(Long.BYTES).putLong(budget.heap()).array();
    }

    /** A task that runs alone may be the window that is the whole history. */
    @Test
    void tasksThatRunAtOnceShareTheMemory() throws IOException {
        try (LocalWorkers workers = new LocalWorkers(2, Budget.starting(Long.MAX_VALUE, HEAP), Progress.NONE)) {
            for (int tasks = 1; tasks <= 3; tasks++) {
                Task task = LocalWorkersTest::heap;
                List<byte[]> heaps = workers.run("a test", Collections.nCopies(tasks, task));
                assertThat(heaps)
                        .hasSize(tasks)
                        .allMatch(heap -> ByteBuffer.wrap(heap).getLong() == (heaps.size() == 1 ? HEAP : HEAP / 2));
            }
        }
    }

    @Test
    void aFolderThatIsInUseIsNotShared() throws IOException {
        Location scratch = Location.of(folder.toString());
        Budget budget = Budget.unlimited();
        try (Workers first = LocalWorkers.of(scratch, budget, Progress.NONE)) {
            assertThat(first.folder()).isEqualTo(scratch.name());
            try (Workers second = LocalWorkers.of(scratch, budget, Progress.NONE)) {
                assertThat(second.folder()).isNotEqualTo(scratch.name());
                assertThat(second.mayKeep()).isFalse();
            }
            try (Workers third = LocalWorkers.of(scratch, budget, Progress.NONE)) {
                assertThat(third.folder()).isNotEqualTo(scratch.name());
            }
        }
    }
}
