package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SuiteScale;

/** Verdicts on tiny histories of lists against every execution, which knows lists and nothing of how we tell them. */
class ListsAgainstBruteForceTest {
    private static final long SEED = 0x115757;

    @TempDir
    private Path folder;

    /** @param read null: an append of the element */
    private record Operation(int key, int element, List<Integer> read, boolean isRead) {
        String json() {
            return isRead
                    ? "{\"op\":\"r\",\"key\":" + key + ",\"value\":" + (read.isEmpty() && element == 1 ? "null" : read)
                            + "}"
                    : "{\"op\":\"append\",\"key\":" + key + ",\"value\":" + element + "}";
        }
    }

    private record Transaction(int session, int index, String status, List<Operation> operations) {
        String json() {
            return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"" + status + "\",\"ops\":["
                    + String.join(",", operations.stream().map(Operation::json).toList()) + "]}";
        }
    }

    @Test
    void verdictsAreThoseOfAllExecutions() throws Exception {
        run(SuiteScale.of(4_000));
    }

    private void run(int rounds) throws Exception {
        int[] held = new int[2];
        Path file = folder.resolve("lists.jsonl");
        for (int round = 0; round < rounds; round++) {
            Random random = new Random(SEED + round);
            List<Transaction> history = history(random);
            String text =
                    String.join("\n", history.stream().map(Transaction::json).toList());
            if (history.stream().noneMatch(t -> t.status.equals("committed"))) {
                continue;
            }
            Files.writeString(file, "{\"format\":\"history\",\"initial\":{\"value\":[]}}\n" + text + "\n");
            HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
            for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
                boolean expected = holds(history, level == IsolationLevel.SI);
                Verdict verdict =
                        new EmbeddedChecker().check(table, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
                assertThat(verdict.status())
                        .as("seed %d, round %d, %s:%n%s", SEED, round, level, text)
                        .isEqualTo(expected ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                held[level == IsolationLevel.SI ? 1 : 0] += expected ? 1 : 0;
            }
        }
        System.out.printf("lists: %d histories, %d SER, %d SI, seed %d%n", rounds, held[0], held[1], SEED);
        assertThat(held[0]).isBetween(rounds / 5, rounds * 4 / 5);
        assertThat(held[1]).isGreaterThan(held[0] + rounds / 200);
    }

    /** A run of snapshots, now and then of none, a read of which may have been tampered with. */
    private static List<Transaction> history(Random random) {
        int sessions = 1 + random.nextInt(3);
        int keys = 1 + random.nextInt(2);
        boolean snapshots = random.nextInt(4) > 0;
        int[] index = new int[sessions];
        Map<Integer, List<Integer>> store = new HashMap<>();
        List<Map<Integer, List<Integer>>> states = new ArrayList<>(List.of(Map.of()));
        List<Transaction> history = new ArrayList<>();
        int element = 0;
        for (int n = 2 + random.nextInt(4); n > 0; n--) {
            int session = random.nextInt(sessions);
            Map<Integer, List<Integer>> seen = new HashMap<>(
                    snapshots || random.nextBoolean()
                            ? states.get(Math.max(0, states.size() - 1 - random.nextInt(3)))
                            : store);
            List<Operation> operations = new ArrayList<>();
            List<Operation> appends = new ArrayList<>();
            for (int i = 2 + random.nextInt(3); i > 0; i--) {
                int key = random.nextInt(keys);
                // A database at SI appends to what its snapshot has, or aborts.
                boolean lost = !seen.getOrDefault(key, List.of()).equals(store.getOrDefault(key, List.of()));
                if (random.nextBoolean() || lost && random.nextInt(9) > 0 && appends.isEmpty()) {
                    operations.add(new Operation(
                            key, random.nextInt(2), List.copyOf(seen.getOrDefault(key, List.of())), true));
                } else {
                    Operation append = new Operation(key, ++element, List.of(), false);
                    operations.add(append);
                    appends.add(append);
                    seen.merge(key, List.of(element), ListsAgainstBruteForceTest::both);
                }
            }
            int fate = random.nextInt(12);
            String status = fate == 0 ? "aborted" : fate <= 2 ? "indeterminate" : "committed";
            if (fate > 1) {
                appends.forEach(a -> store.merge(a.key, List.of(a.element), ListsAgainstBruteForceTest::both));
                states.add(new HashMap<>(store));
            }
            history.add(new Transaction(session, index[session]++, status, operations));
        }
        if (random.nextInt(4) == 0) {
            tamper(random, history, element);
        }
        return history;
    }

    private static void tamper(Random random, List<Transaction> history, int elements) {
        List<Operation> operations = history.get(random.nextInt(history.size())).operations;
        int i = random.nextInt(operations.size());
        Operation operation = operations.get(i);
        if (operation.isRead) {
            List<Integer> read = new ArrayList<>(operation.read);
            if (!read.isEmpty() && random.nextBoolean()) {
                read.remove(random.nextInt(read.size()));
            } else {
                read.add(random.nextInt(read.size() + 1), 1 + random.nextInt(elements + 1));
            }
            operations.set(i, new Operation(operation.key, 0, read, true));
        }
    }

    private static List<Integer> both(List<Integer> first, List<Integer> second) {
        List<Integer> both = new ArrayList<>(first);
        both.addAll(second);
        return both;
    }

    // --- every execution ---

    private static boolean holds(List<Transaction> history, boolean snapshots) {
        return run(history, snapshots, new int[history.size()], Map.of());
    }

    /**
     * Reads are those of the snapshot and of the transaction's own appends, so they are judged when it begins.
     *
     * @param done by transaction: 0 not begun, 1 open, 2 over
     */
    private static boolean run(
            List<Transaction> history, boolean snapshots, int[] done, Map<Integer, List<Integer>> store) {
        boolean over = true;
        for (int t = 0; t < done.length; t++) {
            Transaction transaction = history.get(t);
            if (done[t] == 2) {
                continue;
            }
            over &= !transaction.status.equals("committed");
            if (done[t] == 0) {
                if (!mayBegin(history, done, t)) {
                    continue;
                }
                if (!transaction.status.equals("committed")) {
                    done[t] = 2;
                    boolean found = run(history, snapshots, done, store);
                    done[t] = 0;
                    if (found) {
                        return true;
                    }
                }
                if (transaction.status.equals("aborted")
                        || snapshots && isOverlapped(history, done, t)
                        || !seesWhatItRead(transaction, store)) {
                    continue;
                }
                if (snapshots) {
                    done[t] = 1;
                    boolean found = run(history, true, done, store);
                    done[t] = 0;
                    if (found) {
                        return true;
                    }
                    continue;
                }
            }
            Map<Integer, List<Integer>> after = new HashMap<>(store);
            transaction.operations.stream()
                    .filter(o -> !o.isRead)
                    .forEach(o -> after.merge(o.key, List.of(o.element), ListsAgainstBruteForceTest::both));
            int before = done[t];
            done[t] = 2;
            boolean found = run(history, snapshots, done, after);
            done[t] = before;
            if (found) {
                return true;
            }
        }
        return over;
    }

    private static boolean mayBegin(List<Transaction> history, int[] done, int t) {
        for (int other = 0; other < t; other++) {
            if (history.get(other).session == history.get(t).session && done[other] != 2) {
                return false;
            }
        }
        return true;
    }

    /** Whether another transaction that appends to one of its lists is open. */
    private static boolean isOverlapped(List<Transaction> history, int[] done, int t) {
        for (int other = 0; other < done.length; other++) {
            if (done[other] == 1) {
                for (Operation mine : history.get(t).operations) {
                    for (Operation theirs : history.get(other).operations) {
                        if (!mine.isRead && !theirs.isRead && mine.key == theirs.key) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    private static boolean seesWhatItRead(Transaction transaction, Map<Integer, List<Integer>> store) {
        Map<Integer, List<Integer>> own = new HashMap<>(store);
        for (Operation operation : transaction.operations) {
            if (!operation.isRead) {
                own.merge(operation.key, List.of(operation.element), ListsAgainstBruteForceTest::both);
            } else if (!own.getOrDefault(operation.key, List.of()).equals(operation.read)) {
                return false;
            }
        }
        return true;
    }
}
