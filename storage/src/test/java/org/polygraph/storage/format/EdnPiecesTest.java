package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** EDN that is read in pieces is what one pass reads, or the same message: whatever stands at the ends of lines. */
class EdnPiecesTest {
    /** What begins at the end of a line may end on another one. */
    private static final String[] SCRAPS = {
        "#_\n",
        "#_ \\\n",
        "#t\n",
        "#_ #t\n",
        "#_ #_\n",
        "#_ \"a\n{:process 9 :type :ok :f :read}\n\"\n",
        "#_ {:a\n{:process 9}}\n",
        "; \"\n",
        "\"\n",
        "{:process :a\n}",
        "#{\n",
        "[\n",
        "]\n",
        "\uFEFF",
        "\r",
        ",\n",
        "#_ nil",
        "{:process 9, :type :info, :f :read}\n",
        "{:process 9, :type :invoke, :f :read}\n",
        "{:process 9, :type :ok, :f :read, :value [1 [2]]}\n",
    };

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    private static boolean isRefused(String path) {
        return PiecesTest.told(() -> HistoryReader.read(path, HistoryFormat.EDN))
                .startsWith("HistoryException");
    }

    /** Of a map a line; others are one piece. */
    @Test
    void invocationsAndCompletions() throws Exception {
        int most = 0;
        int refused = 0;
        for (long seed = 1; seed <= 400; seed++) {
            Random random = new Random(seed);
            String path = inputs.write("h.edn", EdnLines.of(random, 1 + random.nextInt(120)));
            if (isRefused(path)) {
                refused++;
                PiecesTest.sameWhateverIsWrong(path, HistoryFormat.EDN, "seed " + seed);
            } else {
                most = Math.max(most, PiecesTest.same(path, "seed " + seed));
            }
        }
        assertThat(most).isGreaterThan(60);
        assertThat(refused).isBetween(20, 200);
    }

    private void scraps(long firstSeed, int rounds) throws Exception {
        int refused = 0;
        for (long seed = firstSeed; seed < firstSeed + rounds; seed++) {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder(EdnLines.of(random, 2 + random.nextInt(12)));
            for (int i = random.nextInt(3); i >= 0; i--) {
                int at = text.indexOf("\n", random.nextInt(text.length())) + 1;
                text.insert(at, SCRAPS[random.nextInt(SCRAPS.length)]);
            }
            String path = inputs.write("h.edn", text.toString());
            refused += isRefused(path) ? 1 : 0;
            PiecesTest.sameWhateverIsWrong(path, HistoryFormat.EDN, "seed " + seed);
        }
        assertThat(refused).isBetween(rounds / 4, rounds * 9 / 10);
    }

    @Test
    void whateverStandsBetweenLines() throws Exception {
        scraps(1, 300);
    }

    @Test
    @Tag("full")
    void muchThatStandsBetweenLines() throws Exception {
        scraps(1_000_000, 10_000);
    }

    /** With it the first line would take the beginning of the second: what that discards would be there. */
    @Test
    void noCharacterGoesOverTheEndOfALine() throws Exception {
        String operation = "{:process 0, :type :ok, :f :txn, :value [[:w 1 %d]]}\n";
        String path = inputs.write("h.edn", String.format(operation + "#_ \\\n#_" + operation + operation, 1, 2, 3));
        PiecesTest.sameWhateverIsWrong(path, HistoryFormat.EDN, "a character that is a line end");
        assertThat(inputs.refusal("h.edn", HistoryFormat.EDN))
                .startsWith("h.edn:2:4: found '\\' at the end of a line; expected a character");
    }

    @Test
    void aVectorBehindAMarkHasNoPlan() throws Exception {
        String path = inputs.write(
                "h.edn", "\uFEFF\n[" + EdnLines.of(new Random(2), 40).replace("\uFEFF", "") + "]");
        assertThat(PiecesTest.plan(path, HistoryFormat.EDN, 7)).isNull();
    }

    /** What nobody has done says nothing, here or there. */
    @Test
    void listsOfInvocationsAlone() throws Exception {
        String invoke = "{:process 0, :type :invoke, :f :txn, :value [[:r 1 [5]] [:append 2 3]]}\n";
        String ok = "{:process 0, :type :ok, :f :txn, :value [[:r 1 5] [:w 2 3]]}\n";
        String path = inputs.write("h.edn", invoke + ok + invoke + ok);
        assertThat(HistoryReader.read(path, HistoryFormat.EDN).values().hasLists())
                .isFalse();
        assertThat(PiecesTest.same(path, "lists that nobody has read")).isGreaterThan(1);
        String lists = inputs.write("h.edn", invoke + ok + invoke + ok.replace("5] [:w", "[5]] [:append"));
        assertThat(PiecesTest.told(() -> HistoryReader.read(lists, HistoryFormat.EDN)))
                .contains("with lists and with other values");
        assertThat(Objects.requireNonNull(PiecesTest.plan(lists, HistoryFormat.EDN, 4)))
                .isNotNull();
        PiecesTest.sameWhateverIsWrong(lists, HistoryFormat.EDN, "lists and other values");
    }
}
