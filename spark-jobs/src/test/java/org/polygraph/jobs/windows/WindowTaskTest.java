package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.ObjectFile;

/** A task requires the memory for many cells before it reads them. */
class WindowTaskTest {
    private static final int CELLS = WindowRepair.CELLS_OF_RUN + 1;
    private static final int BYTES_OF_CELL = 1_000;

    @TempDir
    private Path folder;

    @Test
    void cellsThatDoNotFitAreNotRead() throws IOException {
        Section.Output out = new Section.Output(0, CELLS);
        long[] firsts = new long[CELLS + 1];
        for (int c = 0; c < CELLS; c++) {
            out.block(c).raw(new byte[BYTES_OF_CELL], 0, BYTES_OF_CELL);
            firsts[c + 1] = 10L * (c + 1);
        }
        Section section = out.write(new Section.Files(folder.toString(), "cells"), 0);
        // Each task that reads a cell finds the damage.
        Path file = Path.of(section.toString());
        byte[] bytes = Files.readAllBytes(file);
        for (int i = bytes.length - CELLS * BYTES_OF_CELL; i < bytes.length; i++) {
            bytes[i]++;
        }
        Files.write(file, bytes);
        Cells cells = new Cells(0, firsts, Collections.nCopies(CELLS, section));
        WindowTask task = new WindowTask(
                new ArrayList<>(List.of(cells)),
                0,
                new ArrayList<>(List.of(new WindowStore.Range(0, firsts[CELLS]))),
                new ArrayList<>(),
                new byte[] {BlockWriter.NULL},
                CheckRequest.of(IsolationLevel.SER).terms(),
                WindowTask.Extent.AROUND,
                Long.MAX_VALUE,
                new Section.Files(folder.toString(), "moved"));
        WindowTask.Result result = task.run(Budget.starting(Long.MAX_VALUE, CellRun.bytes(cells) / 2));
        assertThat(result.outcomes()).containsExactly(WindowTask.TOO_LARGE);
        assertThatThrownBy(() -> task.run(Budget.unlimited())).isInstanceOf(ObjectFile.DamagedException.class);
    }
}
