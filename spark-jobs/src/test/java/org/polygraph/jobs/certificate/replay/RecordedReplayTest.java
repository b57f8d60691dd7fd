package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Predicates that are evaluated row by row: every order of tiny histories, and results that differ. */
class RecordedReplayTest {
    private static final long SEED = 0x4ec04d;

    @TempDir
    private Path folder;

    /** A history holds iff some order and some outcomes are accepted. */
    @Test
    void acceptsAnOrderIffTheDefinitionHolds() throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < SuiteScale.of(2_000); i++) {
            SplitMix random = new SplitMix(SEED + i);
            SimulatedHistory history =
                    i % 4 == 0 ? Simulator.unknownRows(random.nextLong()) : Simulator.conditions(random.nextLong());
            HistoryTable table = read(history.json());
            if (table.recordedPredicates() == null) {
                continue;
            }
            Guarantee guarantee = i % 2 == 0 ? Guarantee.SER : Guarantee.SI;
            Orders orders = new Orders(table, table.asRead(), Terms.of(guarantee));
            boolean holds = history.holds(i % 2 == 0 ? "SER" : "SI");
            assertThat(orders.anyIsAccepted())
                    .as("%s seed %d %s", guarantee, SEED + i, history.json())
                    .isEqualTo(holds);
            counts.merge(guarantee + (holds ? " holds" : " violated"), 1, Integer::sum);
        }
        System.out.println(counts + ", seed " + SEED);
        assertThat(counts.values()).hasSize(4).allMatch(n -> n > SuiteScale.of(2_000) / 100);
    }

    /** All orders of the events of a tiny history, with all outcomes of unknown transactions. */
    private static final class Orders {
        private final HistoryTable table;
        /** The same history with the recorded outcomes. */
        private final HistoryTable read;

        private final Terms terms;
        private final int events;
        private final boolean[] counted;
        private final int[] position;
        /** Whether the reads that express the predicates accept the same orders. */
        private final boolean isReduced;

        Orders(HistoryTable table, HistoryTable read, Terms terms) {
            this.table = table;
            this.read = read;
            this.terms = terms;
            events = terms.guarantee().events();
            counted = new boolean[table.transactions()];
            position = new int[events * counted.length];
            isReduced = table.unknownRows() == null;
        }

        boolean anyIsAccepted() {
            return outcomes(0);
        }

        private boolean outcomes(int t) {
            if (t == counted.length) {
                Arrays.fill(position, -1);
                return extend(0);
            }
            for (boolean counts : new boolean[] {true, false}) {
                TransactionStatus status = read.status(t);
                counted[t] = counts;
                if ((status == TransactionStatus.INDETERMINATE || counts == (status == TransactionStatus.COMMITTED))
                        && outcomes(t + 1)) {
                    return true;
                }
            }
            return false;
        }

        private boolean extend(int place) {
            boolean isComplete = true;
            for (int e = 0; e < position.length; e++) {
                int t = e / events;
                if (!counted[t] || position[e] >= 0) {
                    continue;
                }
                isComplete = false;
                if (e % events != 0 && position[e - 1] < 0) {
                    continue;
                }
                position[e] = place;
                boolean found = extend(place + 1);
                position[e] = -1;
                if (found) {
                    return true;
                }
            }
            return isComplete && isAccepted();
        }

        private boolean isAccepted() {
            int[] places = position.clone();
            int next = Arrays.stream(places).max().orElse(-1) + 1;
            for (int e = 0; e < places.length; e++) {
                places[e] = places[e] < 0 ? next++ : places[e];
            }
            Witness witness = new Witness(table, terms, counted, places);
            RecordedReplay.Result result = RecordedReplay.of(witness);
            boolean isAccepted = result != null && result.discrepancy() == null;
            if (isReduced) {
                assertThat(Replay.of(witness).holds())
                        .as("reads of single rows, %s", result)
                        .isEqualTo(isAccepted);
            }
            return isAccepted;
        }
    }

    private HistoryTable read(String lines) throws IOException, HistoryException {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, lines);
        return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
    }

    /** A load of two rows, and an operation after it. */
    private String discrepancy(String operation) throws Exception {
        HistoryTable table = read("""
                {"session":0,"index":0,"status":"committed","ops":[\
                {"op":"i","key":1,"value":5,"row":{"n":1,"s":"a"}},{"op":"i","key":2,"value":50,"row":{"n":2}}]}
                {"session":1,"index":0,"status":"committed","ops":[OPERATION]}
                """.replace("OPERATION", operation));
        boolean[] counted = {true, true};
        RecordedReplay.Result result =
                RecordedReplay.of(new Witness(table, Terms.of(Guarantee.SI), counted, new int[] {0, 1, 2, 3}));
        assertThat(result).isNotNull();
        String wrong = result.discrepancy();
        return wrong == null ? "" : wrong.substring(wrong.indexOf(": ") + 2);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/recorded-replays.txt", delimiter = '|', quoteCharacter = '\'')
    void acceptsRightResultsOnly(String operation, String wrong) throws Exception {
        assertThat(discrepancy(operation)).isEqualTo(wrong == null ? "" : wrong);
    }
}
