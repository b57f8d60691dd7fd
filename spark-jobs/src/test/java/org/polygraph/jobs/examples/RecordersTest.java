package org.polygraph.jobs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** The recorder for Python records a store of one counter, with a lock and without. */
class RecordersTest {
    private static final Path RECORDERS =
            Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs/docs/recorders");
    private static final String CLIENT = """
            import sys, threading
            sys.path.insert(0, sys.argv[1])
            from recorder import Recorder
            store, locked = {"x": None}, sys.argv[3] == "locked"
            lock, both = threading.Lock(), threading.Barrier(2)
            def client(session, name):
                for i in range(3):
                    if locked: lock.acquire()
                    with session.transaction() as tx:
                        tx.read("x", store["x"])
                        if not locked: both.wait()
                        store["x"] = name + str(i)
                        tx.write("x", name + str(i))
                        tx.commit()
                    if locked: lock.release()
                    else: both.wait()
            with Recorder(sys.argv[2]) as recorder:
                clients = [threading.Thread(target=client, args=(recorder.session(), n)) for n in ("a", "b")]
                for each in clients: each.start()
                for each in clients: each.join()
                session = recorder.session()
                try:
                    with session.transaction() as tx:
                        tx.write("y", 1)
                        raise IOError("lost connection")
                except IOError:
                    pass
                with session.transaction() as tx:
                    tx.write("z", 1)
                    tx.abort()
            """;

    @TempDir
    private Path folder;

    @Test
    void aStoreWithALockIsSerializable() throws Exception {
        HistoryTable history = recorded("locked");
        assertThat(history.transactions()).isEqualTo(8);
        // The transaction after the lost connection belongs to a new session.
        assertThat(history.sessions()).isEqualTo(4);
        assertThat(history.status(7)).isEqualTo(TransactionStatus.ABORTED);
        assertThat(check(history, IsolationLevel.SSER).status()).isEqualTo(Verdict.Status.PASS);
    }

    @Test
    void aStoreWithoutLosesAnUpdate() throws Exception {
        Verdict verdict = check(recorded("free"), IsolationLevel.SI);
        assertThat(verdict.status()).isEqualTo(Verdict.Status.VIOLATION);
        assertThat(verdict.violations().get(0).anomaly().label()).isEqualTo("LostUpdate");
    }

    @Test
    void everyOperation() throws Exception {
        Path file = folder.resolve("run.jsonl");
        execute(file, """
                import sys
                sys.path.insert(0, sys.argv[1])
                from recorder import Recorder
                with Recorder(sys.argv[2]) as recorder:
                    with recorder.session().transaction() as tx:
                        tx.insert("row", 4)
                        tx.read_between(1, 9, {"row": 4})
                        tx.write_between(1, 9, 12, ["row"])
                        tx.read_between(1, 9, {})
                        tx.delete_between(1, 9, [])
                        tx.delete("row")
                        tx.read("row", None)
                        tx.append("list", 3)
                        tx.read("list", [3])
                        tx.commit()
                """);
        assertThat(file)
                .content()
                .contains("[{\"op\":\"i\",\"key\":\"row\",\"value\":4},"
                        + "{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[[\"row\",4]]},"
                        + "{\"op\":\"pw\",\"lo\":1,\"hi\":9,\"value\":12,\"keys\":[\"row\"]},"
                        + "{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[]},"
                        + "{\"op\":\"pd\",\"lo\":1,\"hi\":9,\"keys\":[]},"
                        + "{\"op\":\"d\",\"key\":\"row\"},"
                        + "{\"op\":\"r\",\"key\":\"row\",\"value\":null},"
                        + "{\"op\":\"append\",\"key\":\"list\",\"value\":3},"
                        + "{\"op\":\"r\",\"key\":\"list\",\"value\":[3]}]");
    }

    /** Another client may have read its writes. */
    @Test
    void aTransactionThatIsOpenAtTheEndIsIndeterminate() throws Exception {
        Path file = folder.resolve("run.jsonl");
        execute(file, """
                import sys
                sys.path.insert(0, sys.argv[1])
                from recorder import Recorder
                with Recorder(sys.argv[2]) as recorder:
                    open = recorder.session().transaction()
                    open.write("x", 1)
                    with recorder.session().transaction() as tx:
                        tx.read("x", 1)
                        tx.commit()
                """);
        HistoryTable history = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        assertThat(history.status(0)).isEqualTo(TransactionStatus.INDETERMINATE);
        assertThat(check(history, IsolationLevel.RC).status()).isEqualTo(Verdict.Status.PASS);
    }

    private HistoryTable recorded(String mode) throws Exception {
        Path file = folder.resolve("run.jsonl");
        execute(file, CLIENT, mode);
        return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
    }

    private void execute(Path file, String client, String... words) throws Exception {
        Path script = Files.writeString(folder.resolve("client.py"), client);
        List<String> command =
                new ArrayList<>(List.of("python3", script.toString(), RECORDERS.toString(), file.toString()));
        command.addAll(List.of(words));
        Process python;
        try {
            python = new ProcessBuilder(command).inheritIO().start();
        } catch (IOException e) {
            System.err.println("SKIPPED: there is no python3 here");
            assumeTrue(false, "there is no python3 here");
            throw e;
        }
        assertThat(python.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(python.exitValue()).isZero();
    }

    private static Verdict check(HistoryTable history, IsolationLevel level) {
        CheckRequest request =
                new CheckRequest(level, level.realTime() ? TimeMode.STRICT : TimeMode.NONE, 0, IndeterminateMode.MAYBE);
        return new EmbeddedChecker().check(history, request, Progress.NONE, Budget.unlimited());
    }
}
