package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides the levels of transactions by sat4j: a variable for each pair of events, clauses for transitivity, a variable
 * for each transaction of unknown outcome, and for every read a variable for each writer that it may have read from. At
 * CC there is another for each pair of transactions, the first of which causally precedes the second. For histories
 * that brute force cannot reach: up to some 100 events, more than 64 sessions among them. Knows neither graphs nor
 * rules.
 *
 * <p>Clauses: a third of the cube of the events. Milliseconds for 30 events, seconds for 140.
 */
public final class SatChecker {
    /** An external read. @param choices by candidate, -1 for the initial version: the variable of the choice */
    private record Read(int reader, int key, long value, Map<Integer, Integer> choices) {}

    private static final int INITIAL = -1;

    private final Definitions.Level level;
    private final HistoryTable history;
    /** The transactions that are not aborted. */
    private final List<Integer> transactions = new ArrayList<>();

    private final int perTransaction;
    private final List<Read> reads = new ArrayList<>();
    private final List<Map<Integer, Long>> writes = new ArrayList<>();
    /** By transaction: the variable of its commit, or 0 if it committed. */
    private final List<Integer> commits = new ArrayList<>();

    private final List<int[]> clauses = new ArrayList<>();
    private int variables;

    private SatChecker(HistoryTable history, Definitions.Level level) {
        this.history = history;
        this.level = level;
        perTransaction = level.isSnapshot() ? 2 : 1;
        for (int t = 0; t < history.transactions(); t++) {
            if (history.status(t) != TransactionStatus.ABORTED) {
                transactions.add(t);
            }
        }
        int events = perTransaction * transactions.size();
        variables = events * (events - 1) / 2;
    }

    /** Whether the level, which is not LIN, holds. */
    public static boolean accepts(HistoryTable history, Definitions.Level level) {
        if (level == Definitions.Level.LIN) {
            throw new IllegalArgumentException("no clauses for " + level);
        }
        return new SatChecker(history, level).holds();
    }

    private boolean holds() {
        order();
        for (int i = 0; i < transactions.size(); i++) {
            commits.add(history.status(transactions.get(i)) == TransactionStatus.COMMITTED ? 0 : ++variables);
            add(i);
        }
        for (Read read : reads) {
            choices(read);
        }
        sessions();
        if (level.isAxiom()) {
            axiom();
        } else {
            for (Read read : reads) {
                explain(read);
            }
        }
        return Sat4j.isSatisfiable(variables, clauses);
    }

    /** External reads and final writes. */
    private void add(int i) {
        int t = transactions.get(i);
        Map<Integer, Long> read = new LinkedHashMap<>();
        Map<Integer, Long> written = new LinkedHashMap<>();
        boolean agrees = true;
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int key = history.key(o);
            long value = history.value(o);
            if (history.isWrite(o)) {
                written.put(key, value);
            } else if (written.containsKey(key)) {
                agrees &= written.get(key) == value;
            } else {
                Long seen = read.put(key, value);
                if (seen == null || level.readsAlone()) {
                    reads.add(new Read(i, key, value, new LinkedHashMap<>()));
                } else {
                    agrees &= seen == value;
                }
            }
        }
        writes.add(written);
        if (!agrees) {
            clause(-commits.get(i));
        }
    }

    /** Adds a clause; a literal 0 is false. */
    private void clause(int... literals) {
        int n = 0;
        for (int literal : literals) {
            n += literal == 0 ? 0 : 1;
        }
        int[] some = new int[n];
        int at = 0;
        for (int literal : literals) {
            if (literal != 0) {
                some[at++] = literal;
            }
        }
        clauses.add(some);
    }

    private int begin(int i) {
        return perTransaction * i;
    }

    private int commit(int i) {
        return perTransaction * i + perTransaction - 1;
    }

    /** The literal that a is before b. */
    private int before(int a, int b) {
        return a < b ? pair(a, b) : -pair(b, a);
    }

    private int pair(int low, int high) {
        return high * (high - 1) / 2 + low + 1;
    }

    private void order() {
        int events = perTransaction * transactions.size();
        for (int c = 2; c < events; c++) {
            for (int b = 1; b < c; b++) {
                for (int a = 0; a < b; a++) {
                    clause(-before(a, b), -before(b, c), before(a, c));
                    clause(before(a, b), before(b, c), -before(a, c));
                }
            }
        }
    }

    private void choices(Read read) {
        if (read.value == history.initialValue(read.key)) {
            read.choices.put(INITIAL, ++variables);
        }
        for (int i = 0; i < transactions.size(); i++) {
            Long written = writes.get(i).get(read.key);
            if (i != read.reader && written != null && written == read.value) {
                int choice = ++variables;
                read.choices.put(i, choice);
                clause(-choice, before(commit(i), begin(read.reader)));
                if (commits.get(i) != 0) {
                    clause(-choice, commits.get(i));
                }
            }
        }
        int[] some = new int[read.choices.size() + 1];
        int n = 0;
        for (int choice : read.choices.values()) {
            some[n++] = choice;
        }
        some[n] = -commits.get(read.reader);
        clause(some);
    }

    /** Sessions, real time, and at SI and SSI the writers of a key, which do not overlap. */
    private void sessions() {
        for (int i = 0; i < transactions.size(); i++) {
            if (begin(i) != commit(i)) {
                clause(before(begin(i), commit(i)));
            }
            for (int j = 0; j < transactions.size(); j++) {
                int a = transactions.get(i);
                int b = transactions.get(j);
                boolean session =
                        a < b && history.sessionOf(a) == history.sessionOf(b) && level != Definitions.Level.PL2;
                if (session || precedes(a, b)) {
                    clause(before(commit(i), begin(j)), -commits.get(i), -commits.get(j));
                }
                if (level.isSnapshot() && level != Definitions.Level.PC && i < j && shareAKey(i, j)) {
                    clause(before(commit(i), begin(j)), before(commit(j), begin(i)), -commits.get(i), -commits.get(j));
                }
            }
        }
    }

    private boolean precedes(int a, int b) {
        long[] starts = history.starts();
        long[] ends = history.ends();
        return level.realTime
                && starts != null
                && ends != null
                && history.status(a) == TransactionStatus.COMMITTED
                && ends[a] != HistoryTable.NO_TIME
                && starts[b] != HistoryTable.NO_TIME
                && ends[a] < starts[b];
    }

    private boolean shareAKey(int a, int b) {
        return writes.get(a).keySet().stream().anyMatch(writes.get(b)::containsKey);
    }

    /** Every writer of another value is before the chosen one or after the reader. */
    private void explain(Read read) {
        read.choices.forEach((source, choice) -> {
            for (int i = 0; i < transactions.size(); i++) {
                Long written = writes.get(i).get(read.key);
                if (i != read.reader && written != null && written != read.value) {
                    clause(
                            -choice,
                            -commits.get(i),
                            before(begin(read.reader), commit(i)),
                            source == INITIAL ? 0 : before(commit(i), commit(source)));
                }
            }
        });
    }

    /** A writer that a read sees, other than the source of the read, is before that source. */
    private void axiom() {
        int n = transactions.size();
        int[] precedes = new int[level == Definitions.Level.CC ? n * n : 0];
        for (int i = 0; i < precedes.length; i++) {
            precedes[i] = ++variables;
        }
        if (precedes.length > 0) {
            causes(precedes);
        }
        for (int r = 0; r < reads.size(); r++) {
            Read read = reads.get(r);
            for (int i = 0; i < n; i++) {
                if (i == read.reader || !writes.get(i).containsKey(read.key)) {
                    continue;
                }
                if (precedes.length > 0) {
                    seen(read, i, precedes[i * n + read.reader]);
                    continue;
                }
                int end = level == Definitions.Level.PL2 ? 0 : level == Definitions.Level.RC ? r : reads.size();
                for (int other = 0; other < end; other++) {
                    Integer choice = reads.get(other).choices.get(i);
                    if (reads.get(other).reader == read.reader && choice != null) {
                        seen(read, i, choice);
                    }
                }
                int a = transactions.get(i);
                int b = transactions.get(read.reader);
                if (level == Definitions.Level.RA && a < b && history.sessionOf(a) == history.sessionOf(b)) {
                    seen(read, i, 0);
                }
            }
        }
    }

    /** @param sees the literal under which the read sees writer i; 0: always */
    private void seen(Read read, int i, int sees) {
        read.choices.forEach((source, choice) -> {
            if (source != i) {
                clause(
                        -choice,
                        -sees,
                        -commits.get(i),
                        -commits.get(read.reader),
                        source == INITIAL ? 0 : before(i, source));
            }
        });
    }

    private void causes(int[] precedes) {
        int n = transactions.size();
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) {
                if (a < b && history.sessionOf(transactions.get(a)) == history.sessionOf(transactions.get(b))) {
                    clause(precedes[a * n + b], -commits.get(a), -commits.get(b));
                }
                for (int c = 0; c < n; c++) {
                    clause(-precedes[a * n + b], -precedes[b * n + c], precedes[a * n + c]);
                }
            }
        }
        for (Read read : reads) {
            read.choices.forEach((source, choice) -> {
                if (source != INITIAL) {
                    clause(-choice, precedes[source * n + read.reader], -commits.get(read.reader));
                }
            });
        }
    }
}
