package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;

/** Changes of a history that change no verdict. */
final class SameVerdicts {
    private static final Pattern OPERATION = Pattern.compile("([rw])\\((\\w+),(\\w+)\\)");

    private SameVerdicts() {}

    /** Without session order a history has the verdict of the same transactions in sessions of their own. */
    static void withoutSessionOrder(Example history, SplitMix random, Law.Tally tally) throws HistoryException {
        HistoryTable table = history.table();
        int[] session = {100};
        HistoryTable own = HistoryDsl.parse(Pattern.compile(" \\| ")
                .matcher(HistoryDsl.print(table))
                .replaceAll(next -> "; s" + session[0]++ + ": "));
        assertThat(own.sessions()).isEqualTo(table.transactions());
        for (IsolationLevel level : IsolationLevel.values()) {
            if (level != IsolationLevel.LIN && (!level.realTime() || table.starts() != null)) {
                CheckRequest request = CheckRequest.of(level);
                Verdict.Status found = Checks.status(table, request.withoutSessionOrder());
                assertThat(found).as(level + " " + history.text()).isEqualTo(Checks.status(own, request));
                tally.count(found == Checks.status(table, request) ? "the same with it" : "another with it");
            }
        }
    }

    /** A key's initial value and another value change places, in its operations and in the state. */
    static void withOtherInitialValues(Example history, SplitMix random, Law.Tally tally) throws HistoryException {
        HistoryTable table = history.table();
        String initial = table.values().label(table.initialValue());
        Map<String, String> state = new HashMap<>();
        Matcher operations = OPERATION.matcher(HistoryDsl.print(table));
        HistoryTable moved =
                HistoryDsl.parse(operations.replaceAll(operation -> swapped(operation, initial, state, random)));
        Int2LongMap values = new Int2LongOpenHashMap();
        for (int key = 0; key < moved.keys().size(); key++) {
            String own = state.get(moved.keys().label(key).replace("\"", ""));
            values.put(key, moved.values().code(Long.parseLong(own)));
        }
        HistoryTable after = moved.withInitialState(values);
        for (IsolationLevel level : IsolationLevel.values()) {
            if (level != IsolationLevel.LIN && (!level.realTime() || table.starts() != null)) {
                Verdict.Status expected = Checks.status(table, level);
                assertThat(Checks.status(after, level))
                        .as(level + " " + history.text() + " after " + state)
                        .isEqualTo(expected);
                tally.count(expected.name());
            }
        }
    }

    private static String swapped(MatchResult operation, String initial, Map<String, String> state, SplitMix random) {
        String value = operation.group(3);
        String own = state.computeIfAbsent(operation.group(2), key -> Integer.toString(random.between(1, 4)));
        String other = value.equals(initial) ? own : value.equals(own) ? initial : value;
        return operation.group(1) + "(" + operation.group(2) + "," + other + ")";
    }

    /**
     * A transaction that writes the initial value of each key before all others is what the initial transaction is, so
     * the history keeps the same levels with it. It is recognized, or named by its session and index.
     */
    static void withLoader(Example history, SplitMix random, Law.Tally tally) throws HistoryException {
        HistoryTable table = history.table();
        boolean isRowByRow = random.chance(0.5);
        StringBuilder loader = new StringBuilder("; s99: ");
        long first =
                table.starts() == null ? 0 : Arrays.stream(table.starts()).min().orElseThrow() - 100;
        for (int key = 0; key < table.keys().size(); key++) {
            boolean isFirst = key == 0 || isRowByRow;
            loader.append(key > 0 && isRowByRow ? "| " : "")
                    .append(
                            isFirst && table.starts() != null
                                    ? "@" + (first + 2 * key) + ".." + (first + 2 * key + 1)
                                    : "")
                    .append(" w(" + table.keys().label(key) + ","
                            + table.values().label(table.initialValue()) + ") ");
        }
        HistoryTable loaded = HistoryDsl.parse(HistoryDsl.print(table) + loader);
        int last = isRowByRow ? table.keys().size() - 1 : 0;
        InitialChoice named = InitialChoice.ofLabel("99#" + last).orElseThrow();
        for (IsolationLevel level : history.levels()) {
            Boolean holds = level == IsolationLevel.LIN ? null : history.holds(level, 0, true);
            if (holds == null) {
                continue;
            }
            for (InitialChoice choice :
                    List.of(InitialChoice.AUTO, random.chance(0.5) ? named : InitialChoice.IMPLICIT)) {
                TimeMode time = level.realTime() ? TimeMode.STRICT : TimeMode.HINT;
                CheckRequest request = new CheckRequest(level, time, 0, IndeterminateMode.MAYBE, choice, true, 1);
                boolean passes = Checks.status(request.loaders(loaded).applied(), request) == Verdict.Status.PASS;
                assertThat(choice == InitialChoice.IMPLICIT || passes == holds)
                        .as(choice + " " + level + " " + HistoryDsl.print(loaded))
                        .isTrue();
                tally.count(passes == holds ? level + (holds ? " holds" : " violated") : "another as any transaction");
            }
        }
    }
}
