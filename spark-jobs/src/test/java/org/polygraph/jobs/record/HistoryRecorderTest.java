package org.polygraph.jobs.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

class HistoryRecorderTest {
    @TempDir
    private Path folder;

    private static void record(HistoryRecorder recorder) {
        HistoryRecorder.Session first = recorder.session();
        HistoryRecorder.Session second = recorder.session();
        HistoryRecorder.Transaction a = first.begin();
        HistoryRecorder.Transaction b = second.begin();
        a.read("x", null);
        a.write("x", 1);
        a.append(7, 3);
        a.write("y", 1, 5);
        b.write(9, "text");
        b.abort();
        a.commit();
        try (HistoryRecorder.Transaction lost = first.begin()) {
            lost.write("x", 2);
        }
        try (HistoryRecorder.Transaction next = first.begin()) {
            next.read(7, List.of(3));
            next.read("y", 1, 5);
            next.commit();
        }
    }

    /** What a file and memory hold, which is the same. */
    private HistoryTable recorded(Consumer<HistoryRecorder> calls) throws Exception {
        Path file = folder.resolve("run.jsonl");
        try (HistoryRecorder recorder = HistoryRecorder.toFile(file, Map.of("initial", Map.of("value", 0)))) {
            calls.accept(recorder);
        }
        HistoryRecorder memory = HistoryRecorder.inMemory(0);
        calls.accept(memory);
        HistoryTable held = memory.history();
        assertThat(lines(held)).isEqualTo(lines(HistoryReader.read(file.toString(), HistoryFormat.AUTO)));
        return held;
    }

    private HistoryTable recordedAlone(Consumer<HistoryRecorder.Transaction> calls) throws Exception {
        return recorded(recorder -> {
            try (HistoryRecorder.Transaction transaction = recorder.session().begin()) {
                calls.accept(transaction);
                transaction.commit();
            }
        });
    }

    @Test
    void aFileAndMemoryHoldTheSameHistory() throws Exception {
        assertThat(recorded(HistoryRecorderTest::record).transactions()).isEqualTo(4);
    }

    @Test
    void rowsAreInsertedAndDeleted() throws Exception {
        HistoryTable held = recordedAlone(transaction -> {
            transaction.insert("row", 4);
            transaction.delete("row");
            transaction.read("row", null);
            transaction.savepoint("s");
            transaction.insert("row", 5);
            transaction.rollbackTo("s");
            transaction.release("s");
        });
        assertThat(held.isInsert(0)).isTrue();
        assertThat(held.isDelete(1)).isTrue();
    }

    @Test
    void queriesAndUpdatesByValue() throws Exception {
        HistoryTable held = recordedAlone(transaction -> {
            transaction.write("a", 7);
            transaction.readBetween(5, 9, Map.of("a", 7L));
            transaction.writeBetween(5, 9, 3, Set.of("a"));
            transaction.readBetween(5, 9, Map.of());
            transaction.writeBetween(5, 9, 3, Set.of());
            transaction.deleteBetween(3, 3, Set.of("a"));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> transaction.readBetween(5, 9, Map.of("a", 4L)))
                    .withMessageContaining("a=4 is not between 5 and 9");
        });
        assertThat(held.values().hasPredicates()).isTrue();
        assertThat(Files.readString(folder.resolve("run.jsonl")))
                .contains("{\"op\":\"pr\",\"lo\":5,\"hi\":9,\"rows\":[[\"a\",7]]}")
                .contains("{\"op\":\"pw\",\"lo\":5,\"hi\":9,\"value\":3,\"keys\":[\"a\"]}")
                .contains("{\"op\":\"pd\",\"lo\":3,\"hi\":3,\"keys\":[\"a\"]}");
    }

    /** Each transaction without its times. */
    private static List<String> lines(HistoryTable table) {
        List<String> lines = new ArrayList<>();
        for (int t = 0; t < table.transactions(); t++) {
            StringWriter line = new StringWriter();
            line.append(table.status(t) + " " + table.index(t));
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                line.append(" " + table.isWrite(o) + table.isInsert(o) + table.isDelete(o)
                        + table.keys().label(table.key(o)) + "="
                        + table.values().label(table.value(o)));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    @Test
    void aSessionContinuesAsANewOneAfterAnUnknownOutcome() throws Exception {
        HistoryRecorder recorder = HistoryRecorder.inMemory();
        record(recorder);
        HistoryTable table = recorder.history();
        assertThat(table.sessions()).isEqualTo(3);
        assertThat(table.status(1)).isEqualTo(TransactionStatus.INDETERMINATE);
        assertThat(table.status(3)).isEqualTo(TransactionStatus.COMMITTED);
    }

    @Test
    void theFileHasOnlyWholeLinesAtAnyMoment() throws Exception {
        Path file = folder.resolve("run.jsonl");
        Random random = new Random(1);
        try (HistoryRecorder recorder = HistoryRecorder.toFile(file, Map.of("initial", Map.of("value", 0)))) {
            HistoryRecorder.Session session = recorder.session();
            for (int i = 0; i < 20; i++) {
                HistoryRecorder.Transaction transaction = session.begin();
                // The string is longer than a buffer of the generator.
                int writes = random.nextInt(2000);
                for (int w = 0; w < writes; w++) {
                    transaction.write("key" + w, i * 2000 + w);
                }
                transaction.commit();
                assertThat(Files.readString(file)).endsWith("]}\n");
                assertThat(HistoryReader.read(file.toString(), HistoryFormat.AUTO)
                                .transactions())
                        .isEqualTo(i + 1);
            }
        }
    }

    /** Other transactions may have read its writes. */
    @Test
    void closingRecordsWhatHasNotEndedAsIndeterminate() throws Exception {
        Path file = folder.resolve("run.jsonl");
        HistoryRecorder recorder = HistoryRecorder.toFile(file);
        HistoryRecorder.Session session = recorder.session();
        HistoryRecorder.Transaction open = session.begin();
        open.write("x", 1);
        recorder.close();
        HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.AUTO);
        assertThat(table.status(0)).isEqualTo(TransactionStatus.INDETERMINATE);
        assertThat(table.operations()).isEqualTo(1);
        assertThatIllegalStateException().isThrownBy(open::commit);
        assertThatIllegalStateException().isThrownBy(session::begin);
        recorder.close();
    }

    /** The thread that closes the recorder waits for the transaction, which its client then commits. */
    @Test
    @Timeout(60)
    void aTransactionThatEndsAtTheSameMomentIsNotCountedAsUnended() throws Exception {
        HistoryRecorder recorder = HistoryRecorder.inMemory();
        HistoryRecorder.Transaction transaction = recorder.session().begin();
        FutureTask<Integer> unended = new FutureTask<>(recorder::end);
        Thread closing = new Thread(unended);
        synchronized (transaction) {
            closing.start();
            while (closing.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            transaction.commit();
        }
        assertThat(unended.get()).isZero();
        assertThat(recorder.history().status(0)).isEqualTo(TransactionStatus.COMMITTED);
    }

    @Test
    void mistakesOfTheClientAreReported() throws Exception {
        HistoryRecorder recorder = HistoryRecorder.inMemory(0);
        HistoryRecorder.Session session = recorder.session();
        HistoryRecorder.Transaction transaction = session.begin();
        assertThatIllegalStateException().isThrownBy(session::begin);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> transaction.write("x", 1.5))
                .withMessageContaining("java.lang.Double");
        transaction.commit();
        assertThatIllegalStateException().isThrownBy(() -> transaction.write("x", 1));
        assertThatIllegalStateException().isThrownBy(transaction::abort);
        transaction.close();
        assertThat(recorder.history().transactions()).isEqualTo(1);
    }

    /** At whatever moment the recorder is closed, every write that a recorded transaction read is recorded. */
    @Test
    void noTransactionIsLostIfTheRecorderIsClosedWhileThreadsRecord() throws Exception {
        for (int seed = 0; seed < 20; seed++) {
            HistoryRecorder recorder = HistoryRecorder.inMemory(0);
            ExecutorService clients = Executors.newFixedThreadPool(4);
            long[] store = new long[1];
            List<Future<?>> ends = new ArrayList<>();
            for (int c = 0; c < 4; c++) {
                HistoryRecorder.Session session = recorder.session();
                int client = c;
                ends.add(clients.submit(() -> {
                    try {
                        for (long i = 0; ; i++) {
                            HistoryRecorder.Transaction transaction = session.begin();
                            synchronized (store) {
                                transaction.read("x", store[0]);
                                transaction.write("x", i * 4 + client + 1);
                                store[0] = i * 4 + client + 1;
                            }
                            transaction.commit();
                        }
                    } catch (IllegalStateException closed) {
                        return;
                    }
                }));
            }
            Thread.sleep(5);
            HistoryTable table = recorder.history();
            clients.shutdown();
            for (Future<?> end : ends) {
                end.get();
            }
            Set<Long> written = new HashSet<>(Set.of(0L));
            for (int o = 0; o < table.operations(); o++) {
                if (table.isWrite(o)) {
                    written.add(table.value(o));
                }
            }
            for (int o = 0; o < table.operations(); o++) {
                if (!table.isWrite(o) && !written.contains(table.value(o))) {
                    fail("seed " + seed + ": the write of " + table.value(o) + " is lost");
                }
            }
        }
    }

    @Test
    void clientsHaveRandomNumbersOfTheirOwnThatDependOnTheSeed() throws Exception {
        Set<List<Integer>> first = numbers(7);
        assertThat(first).hasSize(3).isEqualTo(numbers(7)).isNotEqualTo(numbers(8));
    }

    /** The numbers that each of three threads draws in four runs. */
    private static Set<List<Integer>> numbers(long seed) throws Exception {
        Map<HistoryRecorder.Session, List<Integer>> drawn = new ConcurrentHashMap<>();
        Clients.run(HistoryRecorder.inMemory(), 3, 4, seed, (session, random) -> drawn.computeIfAbsent(
                        session, none -> new ArrayList<>())
                .add(random.nextInt()));
        return Set.copyOf(drawn.values());
    }

    @Test
    void aBodyThatFailsEndsItsClients() {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> Clients.run(HistoryRecorder.inMemory(), 1, 9, 5, (session, random) -> {
                    if (runs.incrementAndGet() == 3) {
                        throw new IOException("connection lost");
                    }
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("thread 0 of 1, run 2 of 9, seed 5: java.io.IOException: connection lost")
                .hasRootCauseInstanceOf(IOException.class);
        assertThat(runs).hasValue(3);
    }
}
