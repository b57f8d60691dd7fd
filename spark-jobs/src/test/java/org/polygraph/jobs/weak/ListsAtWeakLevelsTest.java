package org.polygraph.jobs.weak;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Lists at rc, ra and cc against the definition, that some commit order exists: a read of a list reads each element
 * from the transaction that appended it; the commit order has the appends of a list in its order; and where a
 * transaction reads a list and sees another transaction that appends to it, that one commits before the transaction of
 * the last element.
 */
class ListsAtWeakLevelsTest {
    private static final long SEED = 0x1157;
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.RC, IsolationLevel.RA, IsolationLevel.CC);

    /** An append of the only element, or a read. */
    private record Operation(boolean append, int key, List<Integer> elements) {
        int element() {
            return elements.get(0);
        }
    }

    private record Transaction(int session, TransactionStatus status, List<Operation> operations) {}

    @Test
    void verdictsAreThoseOfTheDefinition() throws Exception {
        int[] held = new int[LEVELS.size()];
        int count = SuiteScale.of(15_000);
        for (int i = 0; i < count; i++) {
            long seed = SplitMix.seedOf(SEED, i);
            List<Transaction> history = random(new SplitMix(seed));
            for (IsolationLevel level : LEVELS) {
                boolean expected = new Definition(history, level).holds();
                CheckRequest request = CheckRequest.of(level);
                HistoryTable table = table(history);
                Verdict.Status status = new EmbeddedChecker()
                        .check(table, request, Progress.NONE, Budget.unlimited())
                        .status();
                assertThat(status)
                        .as("%s %s seed %d", level, history, seed)
                        .isEqualTo(expected ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                held[LEVELS.indexOf(level)] += expected ? 1 : 0;
            }
        }
        System.out.println(
                "of " + count + " list histories held at rc, ra, cc: " + Arrays.toString(held) + ", seed " + SEED);
        assertThat(held[0]).isGreaterThan(held[1]).isLessThan(count);
        assertThat(held[2]).isPositive().isLessThan(held[1]);
    }

    /** Lists of a simulated store, whose readers see some state of the past, with a fault now and then. */
    private static List<Transaction> random(SplitMix random) {
        List<Transaction> history = new ArrayList<>();
        Map<Integer, List<Integer>> lists = new HashMap<>();
        lists.put(0, new ArrayList<>());
        lists.put(1, new ArrayList<>());
        int next = 1;
        int transactions = random.between(2, 5);
        for (int t = 0; t < transactions; t++) {
            List<Operation> operations = new ArrayList<>();
            TransactionStatus status = random.chance(0.1)
                    ? TransactionStatus.ABORTED
                    : random.chance(0.15) ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED;
            int count = random.between(1, 3);
            for (int o = 0; o < count; o++) {
                int key = random.nextInt(2);
                List<Integer> list = lists.get(key);
                if (random.chance(0.5)) {
                    operations.add(new Operation(true, key, List.of(next)));
                    if (status != TransactionStatus.ABORTED || random.chance(0.1)) {
                        list.add(random.chance(0.1) ? random.nextInt(list.size() + 1) : list.size(), next);
                    }
                    next++;
                } else {
                    int length = random.chance(0.6) ? list.size() : random.nextInt(list.size() + 1);
                    List<Integer> read = new ArrayList<>(list.subList(0, length));
                    if (random.chance(0.03)) {
                        Collections.reverse(read);
                    }
                    if (random.chance(0.02)) {
                        read.add(99);
                    }
                    operations.add(new Operation(false, key, read));
                }
            }
            history.add(new Transaction(random.nextInt(3), status, operations));
        }
        // Transactions commit in another order than they appear in sessions.
        for (int i = history.size() - 1; random.chance(0.7) && i > 0; i--) {
            Collections.swap(history, i, random.nextInt(i + 1));
        }
        return history;
    }

    private static HistoryTable table(List<Transaction> history) throws Exception {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("lists");
        for (int t = 0; t < history.size(); t++) {
            Transaction transaction = history.get(t);
            builder.begin(transaction.session, t, transaction.status, t + 1);
            for (Operation operation : transaction.operations) {
                int key = builder.keys().id(operation.key);
                if (operation.append) {
                    builder.append(key, builder.values().code(operation.element()));
                } else {
                    LongArrayList elements = new LongArrayList();
                    operation.elements.forEach(
                            element -> elements.add(builder.values().code(element)));
                    builder.readList(key, elements);
                }
            }
            builder.end();
        }
        HistoryTable table = builder.build();
        return CheckRequest.of(IsolationLevel.RC).judged(table);
    }

    /** The definition, on the operations that were recorded. */
    private static final class Definition {
        private final List<Transaction> history;
        private final IsolationLevel level;
        private final int n;
        private final boolean[] counted;
        /** By element: its transaction. */
        private final Map<Integer, Integer> appender = new HashMap<>();
        /** before[a][b]: a commits before b. */
        private final boolean[][] before;

        private final boolean[][] session;
        private final boolean[][] read;
        private boolean wrong;

        Definition(List<Transaction> history, IsolationLevel level) {
            this.history = history;
            this.level = level;
            n = history.size();
            counted = new boolean[n];
            before = new boolean[n][n];
            session = new boolean[n][n];
            read = new boolean[n][n];
        }

        boolean holds() {
            for (int t = 0; t < n; t++) {
                for (Operation operation : history.get(t).operations) {
                    if (operation.append) {
                        appender.put(operation.element(), t);
                    }
                }
                counted[t] = history.get(t).status == TransactionStatus.COMMITTED;
            }
            count();
            for (int t = 0; t < n; t++) {
                for (int later = t + 1; later < n; later++) {
                    session[t][later] =
                            counted[t] && counted[later] && history.get(t).session == history.get(later).session;
                }
            }
            for (int t = 0; t < n && !wrong; t++) {
                for (int o = 0; counted[t] && o < history.get(t).operations.size(); o++) {
                    if (!history.get(t).operations.get(o).append) {
                        readOf(t, o);
                    }
                }
            }
            wrong |= hasTwoPlaces();
            for (int t = 0; t < n && !wrong; t++) {
                for (int o = 0; counted[t] && o < history.get(t).operations.size(); o++) {
                    if (!history.get(t).operations.get(o).append) {
                        axiom(t, o);
                    }
                }
            }
            return !wrong && isOrdered();
        }

        private void count() {
            boolean more = true;
            while (more) {
                more = false;
                for (int t = 0; t < n; t++) {
                    for (Operation operation : history.get(t).operations) {
                        for (int element : operation.append || !counted[t] ? List.<Integer>of() : operation.elements) {
                            int writer = appender.getOrDefault(element, t);
                            if (!counted[writer] && history.get(writer).status == TransactionStatus.INDETERMINATE) {
                                counted[writer] = true;
                                more = true;
                            }
                        }
                    }
                }
            }
        }

        /** Internal consistency, sources of the elements and their order. */
        private void readOf(int t, int o) {
            List<Operation> operations = history.get(t).operations;
            Operation list = operations.get(o);
            int own = -1;
            for (Operation operation : operations.subList(0, o)) {
                if (operation.key == list.key && operation.append) {
                    own = operation.element();
                    wrong |= !list.elements.contains(own);
                }
            }
            int size = list.elements.size();
            wrong |= own >= 0 && (size == 0 || list.elements.get(size - 1) != own);
            for (int i = 0; i < size; i++) {
                Integer writer = appender.get(list.elements.get(i));
                if (writer == null || !counted[writer]) {
                    wrong = true;
                    return;
                }
                int place = place(writer, list.elements.get(i));
                if (writer == t) {
                    wrong |= place > o;
                } else {
                    read[writer][t] = true;
                    wrong |= i == size - 1 && hasLaterAppend(writer, place, list.key);
                }
                if (i > 0) {
                    int previous = appender.get(list.elements.get(i - 1));
                    before[previous][writer] |= previous != writer;
                    wrong |= previous == writer && place(writer, list.elements.get(i - 1)) > place;
                }
            }
        }

        private int place(int t, int element) {
            List<Operation> operations = history.get(t).operations;
            int o = 0;
            while (!operations.get(o).append || operations.get(o).element() != element) {
                o++;
            }
            return o;
        }

        private boolean hasLaterAppend(int t, int place, int key) {
            List<Operation> operations = history.get(t).operations;
            return operations.subList(place + 1, operations.size()).stream()
                    .anyMatch(operation -> operation.append && operation.key == key);
        }

        /** Whether lists show an element behind two different ones. */
        private boolean hasTwoPlaces() {
            Map<Integer, Integer> predecessor = new HashMap<>();
            for (int t = 0; t < n; t++) {
                for (Operation operation : history.get(t).operations) {
                    for (int i = 0; counted[t] && !operation.append && i < operation.elements.size(); i++) {
                        int previous = i == 0 ? -1 : operation.elements.get(i - 1);
                        Integer known = predecessor.put(operation.elements.get(i), previous);
                        if (known != null && known != previous) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        private void axiom(int t, int o) {
            Operation list = history.get(t).operations.get(o);
            int last = list.elements.isEmpty() ? -1 : appender.get(list.elements.get(list.elements.size() - 1));
            if (last == t) {
                return;
            }
            for (int seen = 0; seen < n; seen++) {
                boolean appends = history.get(seen).operations.stream()
                        .anyMatch(operation -> operation.append && operation.key == list.key);
                if (seen != t && seen != last && counted[seen] && appends && sees(t, o, seen)) {
                    wrong |= last < 0;
                    if (last >= 0) {
                        before[seen][last] = true;
                    }
                }
            }
        }

        private boolean sees(int t, int o, int other) {
            return switch (level) {
                case RC ->
                    history.get(t).operations.subList(0, o + 1).stream()
                            .anyMatch(operation -> !operation.append
                                    && operation.elements.stream().anyMatch(e -> appender.get(e) == other));
                case RA -> session[other][t] || read[other][t];
                default -> reaches(other, t, new boolean[n]);
            };
        }

        private boolean reaches(int from, int to, boolean[] visited) {
            visited[from] = true;
            for (int t = 0; t < n; t++) {
                if ((session[from][t] || read[from][t]) && (t == to || (!visited[t] && reaches(t, to, visited)))) {
                    return true;
                }
            }
            return false;
        }

        /** Whether some order has all edges: it is made from its first transaction to its last. */
        private boolean isOrdered() {
            boolean[] placed = new boolean[n];
            for (int i = 0; i < n; i++) {
                int next = -1;
                for (int t = 0; t < n && next < 0; t++) {
                    boolean isFree = !placed[t];
                    for (int other = 0; other < n && isFree; other++) {
                        isFree = placed[other] || !(session[other][t] || read[other][t] || before[other][t]);
                    }
                    next = isFree ? t : next;
                }
                if (next < 0) {
                    return false;
                }
                placed[next] = true;
            }
            return true;
        }
    }
}
