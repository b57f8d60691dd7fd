package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lifetime of mappings, in a driver that makes generations of rows and in an executor that reads them. */
@Timeout(60)
@Tag("spark")
class MappedFilesTest {
    private static final int[] CHAINS = {0, 3, 5};
    private static final int[] GROUPS = {0, 1, 2};

    @TempDir
    Path folder;

    /** The files as seen by another process. */
    private final MappedFiles executor = new MappedFiles();

    private RuleFiles files() {
        return new RuleFiles(folder.toUri().toString(), CHAINS, GROUPS);
    }

    private IntFiles reader() throws IOException {
        return new IntFiles(new org.apache.hadoop.fs.Path(files().folder()), new Configuration(), executor);
    }

    private void make(int generation) throws IOException {
        try (IntFiles own = files().open()) {
            own.write(RuleFiles.plan(generation), sink -> sink.put(generation));
            for (int g = 0; g < 2; g++) {
                own.create(RuleFiles.rows(generation, g), files().rowLengths(g), parts -> {
                    for (IntBuffer part : parts) {
                        for (int i = 0; i < part.limit(); i++) {
                            part.put(i, generation);
                        }
                    }
                });
            }
        }
    }

    /** The number of mappings of files in the folder in this process, by the kernel. */
    private long mapped(String name) throws IOException {
        Path maps = Path.of("/proc/self/maps");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(maps), "skipped: no /proc");
        try (var lines = Files.lines(maps)) {
            return lines.filter(line -> line.contains(folder + "/" + name)).count();
        }
    }

    @Test
    void anExecutorHasTheLatestGenerationAndWhatItStillReads() throws IOException {
        make(0);
        IntFiles task = reader();
        IntBuffer old = task.read(RuleFiles.rows(0, 0), files().rowLengths(0))[0];
        try (IntFiles other = reader()) {
            assertThat(other.read(RuleFiles.plan(0), new long[] {1})[0].get(0)).isZero();
            files().rows(other, 0);
        }
        assertThat(mapped("plan-0")).isZero();
        assertThat(mapped("rows-0-0")).isOne();
        assertThat(mapped("rows-0-1")).isOne();

        make(1);
        try (IntFiles closing = reader()) {
            closing.read(RuleFiles.plan(1), new long[] {1});
            assertThat(mapped("rows-0-1"))
                    .as("what the next task may compare with")
                    .isOne();
        }
        make(2);
        // The driver deletes files without notifying the executor.
        try (IntFiles driver = files().open()) {
            driver.delete(RuleFiles.ROWS + "0-");
            driver.delete(RuleFiles.ROWS + "1-");
        }
        try (IntFiles other = reader()) {
            assertThat(files().rows(other, 2).chains()).isEqualTo(2);
        }
        assertThat(mapped("rows-0-1")).isZero();
        assertThat(mapped("plan-1")).isZero();
        assertThat(mapped("rows-0-0")).as("still read").isOne();
        assertThat(old.get(2)).isZero();
        assertThat(executor.count()).isEqualTo(2);
        task.close();
        assertThat(mapped("rows-0-0")).isZero();
        assertThat(mapped("rows-2-")).isEqualTo(2);
    }

    /** The solver's threads read the driver's rows at the same time: the rows are mapped once, and released. */
    @Test
    void theDriversRowsAreOpenedOnce() throws Exception {
        make(0);
        int threads = 8;
        for (int round = 0; round < 20; round++) {
            AtomicInteger opened = new AtomicInteger();
            DriverRows rows = new DriverRows(files().folder(), own -> {
                opened.incrementAndGet();
                return files().rows(own, 0);
            });
            CyclicBarrier begin = new CyclicBarrier(threads);
            ExecutorService solver = Executors.newFixedThreadPool(threads);
            List<Future<Boolean>> answers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                answers.add(solver.submit(() -> {
                    begin.await();
                    return rows.reaches(0, 4);
                }));
            }
            for (Future<Boolean> each : answers) {
                assertThat(each.get()).isFalse();
            }
            solver.shutdown();
            assertThat(opened).hasValue(1);
            rows.release();
            MappedFiles.OF_THIS_PROCESS.close();
            assertThat(mapped("rows-0-")).isZero();
        }
    }

    @Test
    void nothingOutlivesTheExecutorOrItsHistory() throws IOException {
        make(0);
        try (IntFiles task = reader()) {
            IntBuffer rows = task.read(RuleFiles.rows(0, 0), files().rowLengths(0))[0];
            executor.close();
            assertThat(rows.get(0)).isZero();
            assertThat(mapped("rows-0-0")).isOne();
        }
        assertThat(mapped("rows-0-0")).isZero();
        try (IntFiles task = reader()) {
            task.read(RuleFiles.rows(0, 0), files().rowLengths(0));
        }
        executor.keepOnly(new org.apache.hadoop.fs.Path(files().folder()).toString());
        assertThat(mapped("rows-0-0")).isOne();
        executor.keepOnly("another");
        assertThat(executor.count()).isZero();
        assertThat(mapped("rows-0-0")).isZero();
    }

    /** The driver has mapped rows because the solver reads single cells. */
    @Test
    void sharedReadersCloseOnce() throws IOException {
        make(0);
        IntFiles a = reader();
        IntFiles b = reader();
        a.read(RuleFiles.rows(0, 0), files().rowLengths(0));
        IntBuffer rows = b.read(RuleFiles.rows(0, 0), files().rowLengths(0))[0];
        executor.outdate(new org.apache.hadoop.fs.Path(files().folder()).toString(), name -> true);
        a.close();
        a.close();
        assertThat(rows.get(1)).isZero();
        assertThat(mapped("rows-0-0")).isOne();
        b.close();
        assertThat(mapped("rows-0-0")).isZero();
    }

    @Test
    void filesAreCopiedSideBySide() throws Exception {
        MappedFiles.Mapping[] both = new MappedFiles.Mapping[1];
        CyclicBarrier inside = new CyclicBarrier(2);
        both[0] = mappings -> {
            try {
                inside.await(30, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IOException("not side by side", e);
            }
            return new IntBuffer[] {IntBuffer.allocate(1)};
        };
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<MappedFiles.Reading>> readings = new ArrayList<>();
            for (String name : List.of("a", "b")) {
                readings.add(threads.submit(() -> executor.read("folder", name, both[0])));
            }
            for (Future<MappedFiles.Reading> reading : readings) {
                assertThat(reading.get().parts()).hasSize(1);
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void whatFailsToBeMappedIsTriedAgain() throws IOException {
        List<ByteBuffer> half = new ArrayList<>();
        assertThatThrownBy(() -> executor.read("folder", "a", mappings -> {
                    mappings.add(ByteBuffer.allocateDirect(8));
                    half.addAll(mappings);
                    throw new IOException("no room");
                }))
                .hasMessage("no room");
        assertThat(half).hasSize(1);
        try (MappedFiles.Reading reading =
                executor.read("folder", "a", mappings -> new IntBuffer[] {IntBuffer.wrap(new int[] {7})})) {
            assertThat(reading.parts()[0].get(0)).isEqualTo(7);
        }
    }

    @Test
    void damagedFilesAreNotMapped() throws IOException {
        make(0);
        int[] many = new int[100_000];
        java.util.Arrays.setAll(many, i -> i);
        try (IntFiles own = files().open()) {
            own.write("plan-1", sink -> {
                sink.put(many);
                sink.put(7);
            });
        }
        long[] lengths = {0, 99_999, 2};
        try (IntFiles own = reader()) {
            IntBuffer[] parts = own.read("plan-1", lengths);
            assertThat(parts[1].get(99_998)).isEqualTo(99_998);
            assertThat(parts[2].get(1)).isEqualTo(7);
        }
        executor.close();
        Path file = folder.resolve("plan-1");
        byte[] whole = Files.readAllBytes(file);
        assertThat(whole).hasSize(4 * 100_001 + 16);
        refused("plan-1", new long[] {99_999, 1}, "found 400020 bytes, expected 400016");
        Random random = new Random(0xda3a);
        for (int i = 0; i < 200; i++) {
            byte[] other = whole.clone();
            int at = i < 16 ? whole.length - 1 - i : random.nextInt(whole.length);
            other[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, other);
            refused("plan-1", lengths, "expected that");
        }
        for (int length : new int[] {0, 1, 15, 16, whole.length - 16, whole.length - 1}) {
            Files.write(file, java.util.Arrays.copyOf(whole, length));
            refused("plan-1", lengths, "found " + length + " bytes, expected 400020");
        }
        Path rows = folder.resolve("rows-0-0");
        byte[] filled = Files.readAllBytes(rows);
        Files.write(rows, java.util.Arrays.copyOf(filled, filled.length + 4));
        refused("rows-0-0", files().rowLengths(0), "bytes, expected");
        filled[filled.length - 16] ^= 1;
        Files.write(rows, filled);
        refused("rows-0-0", files().rowLengths(0), "another footer");
        assertThat(mapped("")).isZero();
    }

    private void refused(String name, long[] lengths, String... message) throws IOException {
        try (IntFiles own = reader()) {
            assertThatThrownBy(() -> own.read(name, lengths))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(folder + "/" + name + ": found ")
                    .hasMessageContainingAll(message);
        }
    }

    /**
     * Readers of ascending generations in all orders: each sees its own rows, whatever the others outdate, and no
     * mapping is left.
     */
    @Test
    void manyReaders() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        int generations = 6;
        for (int i = 0; i < generations; i++) {
            make(i);
        }
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CountDownLatch begin = new CountDownLatch(1);
        List<Future<?>> all = new ArrayList<>();
        try {
            for (int t = 0; t < 4; t++) {
                Random random = new Random(seed + t);
                all.add(threads.submit(() -> {
                    begin.await();
                    for (int i = 0; i < 500; i++) {
                        int generation = random.nextInt(generations);
                        try (IntFiles own = reader()) {
                            IntBuffer[] rows = own.read(RuleFiles.rows(generation, 0), files().rowLengths(0));
                            files().rows(own, generation);
                            assertThat(rows[1].get(1)).isEqualTo(generation);
                        }
                    }
                    return null;
                }));
            }
            begin.countDown();
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        executor.close();
        assertThat(mapped("rows-")).isZero();
    }
}
