package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;

/** What is judged of random histories with savepoints is what their rollbacks leave, and nothing else is. */
class SavepointReplayTest {
    @TempDir
    private Path folder;

    @Test
    void onlyWhatIsLeftIsJudged() throws IOException, HistoryException {
        int changed = 0;
        for (long seed = 1; seed <= 300; seed++) {
            EnumSet<Feature> features =
                    EnumSet.of(Feature.SAVEPOINTS, seed % 3 == 0 ? Feature.LISTS : Feature.REPEATED);
            if (seed % 3 == 1) {
                features.add(Feature.ROWS);
            }
            Path file = folder.resolve("h.jsonl");
            Files.writeString(file, Simulator.with(features, seed).json());
            HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.AUTO);
            assertThat(SavepointReplay.discrepancy(table)).as("seed %s", seed).isNull();
            Operations recorded = table.withUndone().allOperations();
            Operations judged = table.allOperations();
            for (int o = 0; o < judged.size(); o++) {
                long[] values = judged.values().clone();
                values[o]++;
                int[] keys = judged.keys().clone();
                keys[o] ^= 1;
                for (Operations other : new Operations[] {
                    new Operations(judged.starts(), judged.keys(), values, judged.kinds()),
                    new Operations(judged.starts(), keys, judged.values(), judged.kinds())
                }) {
                    boolean isOfWrong = table.keys().label(table.key(o)).contains("(undone");
                    assertThat(isOfWrong
                                    || SavepointReplay.first(recorded, other, table.values(), table::elementsOf) >= 0)
                            .as("seed %s, operation %s", seed, o)
                            .isTrue();
                    changed++;
                }
            }
        }
        assertThat(changed).isGreaterThan(1_000);
    }
}
