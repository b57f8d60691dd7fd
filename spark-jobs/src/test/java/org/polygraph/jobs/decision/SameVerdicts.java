package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
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
                Verdict.Status found = status(table, request.withoutSessionOrder());
                assertThat(found).as(level + " " + history.text()).isEqualTo(status(own, request));
                tally.count(found == status(table, request) ? "the same with it" : "another with it");
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
                Verdict.Status expected = status(table, CheckRequest.of(level));
                assertThat(status(after, CheckRequest.of(level)))
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

    private static Verdict.Status status(HistoryTable table, CheckRequest request) {
        return new EmbeddedChecker()
                .check(table, request, Progress.NONE, Budget.unlimited())
                .status();
    }
}
