package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker.Level;
import org.polygraph.storage.testkit.BruteForceChecker.Verdict;

/**
 * {@link BruteForceChecker} against something blunter still: every order of begins and commits, nothing remembered,
 * operations run one by one on copied maps, first committer wins instead of overlap, and indeterminate transactions that
 * must really be observed, link by link from a committed one, instead of any subset that has an execution.
 */
class LiteralExecutionsTest {
    private static final long SEED = 7;
    private static final int COUNT = 20_000;
    private static final int MAX_COUNTED = 5;

    @Test
    void agreesWithBruteForce() {
        TinyHistories histories = new TinyHistories(SEED);
        int accepted = 0;
        int judged = 0;
        for (long i = 0; judged < COUNT; i++) {
            HistoryTable history = histories.at(i);
            int notAborted = 0;
            for (byte outcome : history.statuses()) {
                notAborted += outcome == TransactionStatus.ABORTED.code() ? 0 : 1;
            }
            if (notAborted > MAX_COUNTED) {
                continue;
            }
            for (Level level : Level.values()) {
                Verdict expected = new Executions(history, level).judge();
                assertThat(BruteForceChecker.judge(history, level))
                        .as("seed %d #%d at %s: %s", SEED, i, level, HistoryDsl.print(history))
                        .isEqualTo(expected);
                accepted += expected == Verdict.ACCEPTED ? 1 : 0;
                judged++;
            }
        }
        assertThat(accepted).isBetween(COUNT / 5, COUNT * 4 / 5);
    }

    private record Version(int writer, long value) {}

    private static final class Executions {
        private final HistoryTable history;
        private final Level level;
        private final List<Integer> counted = new ArrayList<>();
        private final Map<Integer, Map<Integer, Version>> snapshots = new HashMap<>();
        private final Map<Integer, Map<Integer, Version>> written = new HashMap<>();
        private final Map<Integer, Set<Integer>> readFrom = new HashMap<>();

        Executions(HistoryTable history, Level level) {
            this.history = history;
            this.level = level;
        }

        Verdict judge() {
            List<Integer> committed = new ArrayList<>();
            List<Integer> indeterminate = new ArrayList<>();
            for (int t = 0; t < history.transactions(); t++) {
                if (history.status(t) != TransactionStatus.ABORTED) {
                    (history.status(t) == TransactionStatus.COMMITTED ? committed : indeterminate).add(t);
                }
            }
            if (committed.isEmpty()) {
                return Verdict.INVALID;
            }
            for (int subset = 0; subset < 1 << indeterminate.size(); subset++) {
                counted.clear();
                counted.addAll(committed);
                for (int i = 0; i < indeterminate.size(); i++) {
                    if ((subset >> i & 1) != 0) {
                        counted.add(indeterminate.get(i));
                    }
                }
                if (exists(new ArrayList<>(), new HashSet<>(), new HashMap<>())) {
                    return Verdict.ACCEPTED;
                }
            }
            return Verdict.REJECTED;
        }

        private boolean exists(List<Integer> open, Set<Integer> over, Map<Integer, Version> map) {
            if (over.size() == counted.size()) {
                return allObserved();
            }
            boolean serial = level == Level.SER || level == Level.SSER;
            for (int t : counted) {
                boolean mayBegin = !over.contains(t) && !open.contains(t) && (!serial || open.isEmpty());
                if (mayBegin && predecessorsOver(t, over) && begin(t, map)) {
                    List<Integer> nowOpen = new ArrayList<>(open);
                    nowOpen.add(t);
                    if (exists(nowOpen, over, map)) {
                        return true;
                    }
                }
            }
            for (int t : open) {
                Map<Integer, Version> snapshot = snapshots.get(t);
                boolean first = true;
                for (Integer key : written.get(t).keySet()) {
                    first &= Objects.equals(snapshot.get(key), map.get(key));
                }
                if (first) {
                    List<Integer> stillOpen = new ArrayList<>(open);
                    stillOpen.remove((Integer) t);
                    Set<Integer> nowOver = new HashSet<>(over);
                    nowOver.add(t);
                    Map<Integer, Version> after = new HashMap<>(map);
                    after.putAll(written.get(t));
                    if (exists(stillOpen, nowOver, after)) {
                        return true;
                    }
                }
            }
            return false;
        }

        private boolean predecessorsOver(int t, Set<Integer> over) {
            for (int other : counted) {
                boolean session =
                        history.sessionOf(other) == history.sessionOf(t) && history.index(other) < history.index(t);
                boolean strict = (level == Level.SSER || level == Level.SSI) && history.starts() != null;
                boolean time = strict
                        && history.status(other) == TransactionStatus.COMMITTED
                        && history.ends()[other] < history.starts()[t];
                if ((session || time) && !over.contains(other)) {
                    return false;
                }
            }
            return true;
        }

        /** Runs all operations of t on the map as it is now; false if a read returned something else. */
        private boolean begin(int t, Map<Integer, Version> map) {
            Map<Integer, Version> own = new HashMap<>();
            Set<Integer> sources = new HashSet<>();
            for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                int key = history.key(o);
                long value = history.value(o);
                if (history.isWrite(o)) {
                    own.put(key, new Version(t, value));
                } else {
                    Version version = own.containsKey(key) ? own.get(key) : map.get(key);
                    if ((version == null ? history.initialValue() : version.value) != value) {
                        return false;
                    }
                    if (version != null) {
                        sources.add(version.writer);
                    }
                }
            }
            snapshots.put(t, map);
            written.put(t, own);
            readFrom.put(t, sources);
            return true;
        }

        /** Whether every counted transaction is committed, or read by one that is observed itself, to a fixpoint. */
        private boolean allObserved() {
            List<Integer> observed = new ArrayList<>();
            for (int t : counted) {
                if (history.status(t) == TransactionStatus.COMMITTED) {
                    observed.add(t);
                }
            }
            for (int i = 0; i < observed.size(); i++) {
                for (int writer : readFrom.get(observed.get(i))) {
                    if (!observed.contains(writer)) {
                        observed.add(writer);
                    }
                }
            }
            return observed.size() == counted.size();
        }
    }
}
