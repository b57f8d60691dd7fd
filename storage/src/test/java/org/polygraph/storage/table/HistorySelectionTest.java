package org.polygraph.storage.table;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Workloads;

class HistorySelectionTest {
    @TempDir
    private Path folder;

    @Test
    void keepsWhatIsLeftAsItWas() {
        HistoryTable whole = HistoryDsl.parse(
                "init 0; s3: w(a,1) r(b,0) | w(9000000,2); s5: @5..9 ?r(b,x) w(a,2) | () | !w(7,1); s9: r(a,1)");
        HistorySelection part = HistorySelection.of(whole, new int[] {2, 3, 5, 6});
        assertThat(HistoryDsl.print(part.table()))
                .isEqualTo("init 0; s3: w(9000000,2); s5: @5..9 ?r(b,x) | !w(7,1); s9: r(a,1)");
        assertThat(part.transactions()).containsExactly(1, 2, 4, 5);
        assertThat(part.table().index(2)).isEqualTo(2);
        assertThat(part.table().whereIs(2)).isEqualTo(whole.whereIs(4));
        for (int k = 0; k < part.keys().length; k++) {
            assertThat(part.table().keys().label(k)).isEqualTo(whole.keys().label(part.keys()[k]));
        }
        assertThat(HistorySelection.of(whole, new int[0]).table().transactions())
                .isZero();
    }

    /** They are writes of the whole history, with or without an initial state. */
    @Test
    void hasNoWritesOfUnknownRows() throws IOException, HistoryException {
        String write = "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":"
                + "[{\"op\":\"pw\",\"lo\":1,\"hi\":2,\"value\":3}]}\n";
        Path file = Files.writeString(folder.resolve("unknown.jsonl"), write);
        HistoryTable whole = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        assertThat(whole.unknownRows()).isNotNull();
        assertThat(HistorySelection.of(whole, new int[0]).table().unknownRows()).isNull();
    }

    /** A history whose transactions have sessions of their own has such selections, also where lists were recorded. */
    @Test
    void hasTheSessionsOfTheWhole() {
        HistoryTable recorded = HistoryDsl.parse("init null; s0: a(x,1) | r(x,[]) | r(x,[1]); s1: r(x,[1])");
        HistoryTable whole = ListReduction.ofCommits(recorded).withoutSessionOrder();
        int[] operations = new int[whole.operations()];
        Arrays.setAll(operations, o -> o);
        assertThat(HistorySelection.of(whole, operations).table().sessions()).isEqualTo(4);
        HistoryTable ordered = ListReduction.ofCommits(recorded);
        assertThat(HistorySelection.of(ordered, operations).table().sessions()).isEqualTo(2);
    }

    @Test
    void isReadBackAsItWasWritten() throws IOException, HistoryException {
        HistoryTable whole = Workloads.of(7, "timed false transactions 300 keys 40 aborted 0.1 indeterminate 0.1")
                .table();
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 20; i++) {
            IntArrayList operations = new IntArrayList();
            for (int o = 0; o < whole.operations(); o++) {
                if (random.nextInt(10) == 0) {
                    operations.add(o);
                }
            }
            HistorySelection part = HistorySelection.of(whole, operations.toIntArray());
            for (int o = 0; o < operations.size(); o++) {
                int t = HistorySelection.transactionOf(whole, operations.getInt(o));
                assertThat(whole.firstOperation(t)).isLessThanOrEqualTo(operations.getInt(o));
                assertThat(whole.operationsEnd(t)).isGreaterThan(operations.getInt(o));
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            HistoryWriter.writeJsonl(part.table(), bytes);
            Path file = Files.write(folder.resolve("part" + i + ".jsonl"), bytes.toByteArray());
            HistoryTable read = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
            assertThat(HistoryDsl.print(read)).isEqualTo(HistoryDsl.print(part.table()));
        }
    }
}
