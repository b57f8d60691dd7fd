package org.polygraph.storage.format.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;

/** Tasks of an executor and tests of a build write Parquet at the same time. The bytes are those of one thread. */
class ConcurrentWritersTest {
    private static final int THREADS = 4;
    private static final int FILES = 400;

    @Test
    void writersOfBothVersionsDoNotDisturbEachOther() throws Exception {
        HistoryTable table =
                new Workload().seed(7).timed(false).transactions(20).keys(5).table();
        byte[] history = history(table);
        byte[] numbers = numbers();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            boolean isOfHistories = i % 2 == 0;
            running.add(threads.submit(() -> {
                for (int n = 0; n < FILES; n++) {
                    assertThat(isOfHistories ? history(table) : numbers()).isEqualTo(isOfHistories ? history : numbers);
                }
                return null;
            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
        threads.shutdown();
    }

    private static byte[] history(HistoryTable table) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ParquetHistoryWriter writer = new ParquetHistoryWriter(table, out)) {
            writer.append(table);
        }
        return out.toByteArray();
    }

    private static byte[] numbers() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int[] next = new int[1];
        NumberTable.write(out, "test", "{}", List.of("a", "b"), row -> {
            row[0] = next[0];
            row[1] = 1000 - next[0];
            return next[0]++ < 50;
        });
        return out.toByteArray();
    }
}
