package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.report.wording.Expectation;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Phenomenon;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Every clause of the sentence and of the advice of random violations is compared with the operations of the
 * transactions that it names. A name is one that the decision table has at the
 * level, a G0 or G1c violates every level, and a minimal sub-history has the name of its violation when it is checked again. If the advice accuses one read, then another value of that
 * read must satisfy the level.
 */
class AnomalyLawsTest {
    private static final long SEED = 20;
    private static final String T = "(s\\d+#\\d+)";
    private static final String KEY = "key (\\S+?)";
    private static final Pattern MISSED =
            Pattern.compile(T + " read (\\S+) from " + KEY + ", which " + T + " overwrote");
    private static final Pattern READ =
            Pattern.compile("(?:" + T + "|it) (?:also )?read (\\S+) from " + KEY + ", which " + T + " wrote");
    private static final Pattern BOTH =
            Pattern.compile(T + " and " + T + " both read (\\S+) from " + KEY + " and overwrote it");
    private static final Pattern OVERWROTE = Pattern.compile(T + " overwrote what " + T + " wrote to " + KEY + "[;,.]");
    private static final Pattern SESSION =
            Pattern.compile("^" + T + ".* although its session had run " + T + " before");
    private static final Pattern TIME = Pattern.compile(T + " had ended when " + T + " started");
    private static final Pattern WRITERS = Pattern.compile(T + " and " + T + " wrote the same key, (\\S+), and");
    private static final Pattern LATER =
            Pattern.compile("read of " + KEY + " by " + T + " had to return what " + T + " wrote, or a later version");
    private static final Pattern EARLIER =
            Pattern.compile("read of " + KEY + " by " + T + " had to return an earlier version");

    private static final Set<Anomaly> LATER_THAN_LOST_UPDATES = EnumSet.of(
            Anomaly.READ_SKEW,
            Anomaly.SINGLE,
            Anomaly.LONG_FORK,
            Anomaly.NON_ADJACENT,
            Anomaly.WRITE_SKEW,
            Anomaly.READ_ONLY_ANOMALY,
            Anomaly.ITEM_CYCLE);

    private final Map<Anomaly, Integer> named = new EnumMap<>(Anomaly.class);
    private int accused;
    private int rechecked;
    private int compared;

    @Test
    void sentencesAndAdviceAreTrue() {
        for (long i = 0; i < SuiteScale.of(2_200, 600); i++) {
            HistoryTable table = Simulator.tiny(SplitMix.seedOf(SEED, i)).table();
            for (IsolationLevel level : IsolationLevel.values()) {
                if (level == IsolationLevel.LIN || (level.realTime() && table.starts() == null)) {
                    continue;
                }
                List<Violation> violations =
                        AnomalyTableTest.check(table, level).violations();
                // The other violations are found in the history without the reads that no order explains.
                boolean hasAllReads =
                        violations.stream().noneMatch(v -> v.cycle().isEmpty());
                boolean isLost = violations.stream().anyMatch(v -> v.anomaly() == Anomaly.LOST_UPDATE);
                for (Violation violation : violations) {
                    if (hasAllReads && (level == IsolationLevel.SER || level == IsolationLevel.SI)) {
                        isSimplest(table, violation, isLost, "seed " + SEED + " #" + i);
                    }
                    holds(
                            table,
                            level,
                            violation,
                            "seed " + SEED + " #" + i + " " + level + ": " + HistoryDsl.print(table));
                }
            }
        }
        System.out.println("named " + named + ", checked again " + rechecked + ", reads accused " + accused);
        assertThat(named).hasSizeGreaterThan(12);
        assertThat(compared).isGreaterThan(SuiteScale.of(110, 30));
        assertThat(accused).isGreaterThan(SuiteScale.of(370, 100));
    }

    private void holds(HistoryTable table, IsolationLevel level, Violation violation, String context) {
        Facts facts = new Facts(table);
        String sentence = Phenomenon.of(violation, facts) + ".";
        String advice = Expectation.of(violation, level, facts);
        String at = context + "\n" + violation.anomaly().label() + ": " + sentence + "\n" + advice + "\n";
        named.merge(violation.anomaly(), 1, Integer::sum);
        assertThat(sentence).as(at).doesNotMatch(".* read (\\S+) from key (\\S+),.* also read \\1 from key \\2,.*");
        assertThat(isViolationOf(level, violation.anomaly())).as(at).isTrue();
        if (violation.anomaly() == Anomaly.DIRTY_WRITE || violation.anomaly() == Anomaly.CIRCULAR_INFORMATION_FLOW) {
            // Transactions that saw or overwrote each other break every level.
            assertThat(AnomalyTableTest.check(table, IsolationLevel.RC).status())
                    .as(at)
                    .isEqualTo(Verdict.Status.VIOLATION);
        }
        SubHistory sub = violation.minimal();
        if (sub != null && sub.minimal()) {
            HistoryTable small = HistorySelection.of(table, sub.operations()).table();
            List<Violation> again = AnomalyTableTest.check(small, level).violations();
            rechecked++;
            assertThat(again.isEmpty() ? null : again.get(0).anomaly())
                    .as(at + HistoryDsl.print(small))
                    .isEqualTo(violation.anomaly());
        }
        for (Matcher m = MISSED.matcher(sentence); m.find(); ) {
            assertThat(reads(table, m.group(1), m.group(3), m.group(2))).as(at).isTrue();
            assertThat(writes(table, m.group(4), m.group(3), null)).as(at).isTrue();
        }
        for (Matcher m = READ.matcher(sentence); m.find(); ) {
            String reader = m.group(1) == null ? sentence.split(" ", 2)[0] : m.group(1);
            assertThat(reads(table, reader, m.group(3), m.group(2))).as(at).isTrue();
            assertThat(writes(table, m.group(4), m.group(3), m.group(2))).as(at).isTrue();
        }
        for (Matcher m = BOTH.matcher(sentence); m.find(); ) {
            for (int t = 1; t <= 2; t++) {
                assertThat(reads(table, m.group(t), m.group(4), m.group(3)))
                        .as(at)
                        .isTrue();
                assertThat(writes(table, m.group(t), m.group(4), null)).as(at).isTrue();
            }
        }
        for (Matcher m = OVERWROTE.matcher(sentence); m.find(); ) {
            assertThat(writes(table, m.group(1), m.group(3), null)).as(at).isTrue();
            assertThat(writes(table, m.group(2), m.group(3), null)).as(at).isTrue();
        }
        for (Matcher m = SESSION.matcher(sentence); m.find(); ) {
            int first = transaction(table, m.group(2));
            int second = transaction(table, m.group(1));
            assertThat(first < second && table.sessionOf(first) == table.sessionOf(second))
                    .as(at)
                    .isTrue();
        }
        for (Matcher m = TIME.matcher(sentence); m.find(); ) {
            assertThat(table.ends()[transaction(table, m.group(1))])
                    .as(at)
                    .isLessThan(table.starts()[transaction(table, m.group(2))]);
        }
        for (Matcher m = WRITERS.matcher(advice); m.find(); ) {
            assertThat(writes(table, m.group(1), m.group(3), null)).as(at).isTrue();
            assertThat(writes(table, m.group(2), m.group(3), null)).as(at).isTrue();
            assertThat(table.sessionOf(transaction(table, m.group(1))))
                    .as(at)
                    .isNotEqualTo(table.sessionOf(transaction(table, m.group(2))));
        }
        SubHistory part = violation.minimal();
        Matcher later = LATER.matcher(advice);
        if (later.find() && part != null) {
            accuses(table, part, level, later.group(1), later.group(2), at);
        }
        Matcher earlier = EARLIER.matcher(advice);
        if (earlier.find() && part != null) {
            accuses(table, part, level, earlier.group(1), earlier.group(2), at);
        }
    }

    /** The decision table: whether a level forbids what a name stands for. */
    private static boolean isViolationOf(IsolationLevel level, Anomaly name) {
        return switch (name) {
            case DIRTY_WRITE,
                    THIN_AIR_READ,
                    ABORTED_READ,
                    INTERMEDIATE_READ,
                    FUTURE_READ,
                    NOT_MY_OWN_WRITE,
                    NOT_MY_LAST_WRITE,
                    INCOMPATIBLE_ORDER,
                    DUPLICATE_ELEMENT,
                    DUPLICATE_ROW,
                    CIRCULAR_INFORMATION_FLOW,
                    NON_MONOTONIC_READ,
                    NO_VALID_ORDER -> true;
            case NON_REPEATABLE_READ, FRACTURED_READ, SESSION_GUARANTEE_VIOLATION -> !level.readsAlone();
            case CAUSALITY_VIOLATION -> !level.readsAlone() && level != IsolationLevel.RA;
            case LONG_FORK, NON_ADJACENT, READ_SKEW, SINGLE -> !level.isAxiom() || level == IsolationLevel.PC;
            case LOST_UPDATE, PHANTOM, DUPLICATE_INSERT, MISSING_ROW -> !level.isAxiom();
            case WRITE_SKEW, ITEM_CYCLE, PREDICATE_CYCLE, READ_ONLY_ANOMALY ->
                level == IsolationLevel.SER || level == IsolationLevel.SSER;
            case REAL_TIME_VIOLATION -> level.realTime();
        };
    }

    /**
     * A history with a lost update shows one, and no two transactions of a violation that is harder to understand have
     * lost an update.
     *
     * @param isLost whether a lost update is shown
     */
    private void isSimplest(HistoryTable table, Violation violation, boolean isLost, String context) {
        if (LATER_THAN_LOST_UPDATES.contains(violation.anomaly())) {
            compared++;
            List<Integer> all = IntStream.range(0, table.transactions()).boxed().toList();
            assertThat(lostUpdate(table, isLost ? violation.transactions() : all))
                    .as(context + ": " + HistoryDsl.print(table) + "\n" + violation.anomaly())
                    .isNull();
        }
    }

    /** Two committed transactions of two sessions that read one version and overwrote it; null if there are none. */
    private static @Nullable String lostUpdate(HistoryTable table, List<Integer> transactions) {
        for (int t : transactions) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                for (int u : transactions) {
                    for (int p = table.firstOperation(u); p < table.operationsEnd(u); p++) {
                        if (isUpdate(table, o, t)
                                && isUpdate(table, p, u)
                                && table.key(o) == table.key(p)
                                && table.value(o) == table.value(p)
                                && table.sessionOf(t) != table.sessionOf(u)) {
                            return Facts.id(t, table) + " and " + Facts.id(u, table);
                        }
                    }
                }
            }
        }
        return null;
    }

    /** Whether an operation reads a value of one writer from a key that its transaction writes only later. */
    private static boolean isUpdate(HistoryTable table, int o, int t) {
        if (table.isWrite(o) || table.status(t) != TransactionStatus.COMMITTED) {
            return false;
        }
        int writers = table.value(o) == table.initialValue() ? 1 : 0;
        boolean isUpdated = false;
        for (int p = 0; p < table.operations(); p++) {
            boolean isOwn = table.firstOperation(t) <= p && p < table.operationsEnd(t);
            if (table.isWriteOf(p, table.key(o))) {
                writers += table.value(p) == table.value(o) ? 1 : 0;
                isUpdated |= isOwn;
                if (isOwn && p < o) {
                    return false;
                }
            }
        }
        return isUpdated && writers == 1;
    }

    /** Whether some other value of the key, returned by the read, satisfies the level in the sub-history. */
    private void accuses(
            HistoryTable table, SubHistory part, IsolationLevel level, String key, String reader, String at) {
        accused++;
        HistoryTable small = HistorySelection.of(table, part.operations()).table();
        LongStream tried = LongStream.concat(
                LongStream.of(small.initialValue()),
                IntStream.range(0, small.operations())
                        .filter(o ->
                                small.isWrite(o) && label(small, small.key(o)).equals(key))
                        .mapToLong(small::value));
        assertThat(tried.anyMatch(value -> holdsWith(table, part, reader, key, value, level)))
                .as(at + HistoryDsl.print(small))
                .isTrue();
    }

    private static boolean holdsWith(
            HistoryTable table, SubHistory part, String reader, String key, long value, IsolationLevel level) {
        HistoryTable small = HistorySelection.of(table, part.operations()).table();
        int t = transaction(small, reader);
        for (int o = small.firstOperation(t); o < small.operationsEnd(t); o++) {
            if (label(small, small.key(o)).equals(key)) {
                if (small.isWrite(o)) {
                    break;
                }
                small.operationValues()[o] = value;
            }
        }
        return AnomalyTableTest.check(small, level).status() == Verdict.Status.PASS;
    }

    private static String label(HistoryTable table, int key) {
        return table.keys().label(key).toString();
    }

    private static int transaction(HistoryTable table, String name) {
        for (int t = 0; t < table.transactions(); t++) {
            if (Facts.id(t, table).equals(name)) {
                return t;
            }
        }
        throw new AssertionError("no transaction " + name);
    }

    /** Whether a transaction reads the value before it writes the key. */
    private static boolean reads(HistoryTable table, String name, String key, String value) {
        int t = transaction(table, name);
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (label(table, table.key(o)).equals(key)) {
                if (table.isWrite(o)) {
                    return false;
                }
                if (table.values().label(table.value(o)).toString().equals(value)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a transaction wrote the value to the key, or any value if that is null. */
    private static boolean writes(HistoryTable table, String name, String key, @Nullable String value) {
        int t = transaction(table, name);
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.isWrite(o)
                    && label(table, table.key(o)).equals(key)
                    && (value == null
                            || table.values().label(table.value(o)).toString().equals(value))) {
                return true;
            }
        }
        return false;
    }
}
