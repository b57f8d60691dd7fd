package org.polygraph.storage.format.pieces;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.Corpus;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.Inputs;
import org.polygraph.storage.format.TableText;
import org.polygraph.storage.format.TestFiles;
import org.polygraph.storage.format.parquet.ParquetHistoryWriter;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Transactions;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * A history that is read in pieces equals the history that is read in one pass, array by array, or has the same
 * message.
 */
public class PiecesTest {
    static final long MEMORY = 8L << 30;
    private static final int[] COUNTS = {1, 2, 7, 64};

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    private static final String[] KEYS = {
        "0", "1", "7", "-3", "9000000000", "\"k\"", "\"1\"", "\"\\ud800\"", "\"\u00e9\\n\""
    };
    private static final String[] VALUES = {
        "0", "1", "null", "-5", "\"v\"", "\"0\"", "9223372036854775807", "-9000000000000000000", "\"\\udc00\u4e16\""
    };

    private static <T> T one(T[] of, Random random) {
        return of[random.nextInt(of.length)];
    }

    /** Interleaved sessions, indexes with gaps that sometimes do not ascend, and all fields of a line. */
    private static String line(Random random, int i) {
        StringBuilder line = new StringBuilder();
        long session = random.nextInt(9) == 0 ? 0x123456789ABL : random.nextInt(5) - 1;
        line.append("{\"session\":%d,\"index\":%d".formatted(session, i * 3 - random.nextInt(2)));
        if (random.nextInt(3) == 0) {
            long start = random.nextInt(9) == 0 ? random.nextLong() >> 1 : i;
            line.append(",\"start\":").append(start).append(random.nextBoolean() ? ",\"end\":" + (start + 5) : "");
        }
        line.append(random.nextInt(9) == 0 ? ",\"note\":{\"a\":[1,{}]}" : "").append(",\"status\":\"");
        line.append(one(new String[] {"committed", "aborted", "indeterminate"}, random) + "\",\"ops\":[");
        for (int o = random.nextInt(5); o > 0; o--) {
            String key = random.nextInt(3) == 0 ? one(KEYS, random) : Integer.toString(random.nextInt(40));
            String value = random.nextInt(3) == 0 ? one(VALUES, random) : Integer.toString(random.nextInt(9));
            String form = random.nextInt(8) == 0
                    ? "{'op':'cas','key':%s,'expected':%s,'value':3,'ok':false}"
                    : random.nextInt(8) == 0
                            ? "{'op':'d','key':%s}"
                            : random.nextInt(8) == 0
                                    ? "{'op':'i','key':%s,'value':%s}"
                                    : "{'op':'" + (random.nextBoolean() ? 'r' : 'w') + "','key':%s,'value':%s}";
            line.append(form.replace('\'', '"').formatted(key, value));
            line.append(o > 1 ? "," : "");
        }
        line.append("]}").append(one(new String[] {"\n", "\n", "\r\n", " \n\n", "\n \t\n"}, random));
        return line.toString();
    }

    public static String jsonl(Random random, int transactions, int first) {
        StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "\n \n" : "");
        if (random.nextInt(3) > 0) {
            text.append("{\"format\":\"history\",\"initial\":{\"value\":\"none\"},\"n\":{\"a\":[" + first
                    + ",null,\"\\u0000\"]}}\n");
        }
        for (int i = 0; i < transactions; i++) {
            text.append(line(random, first + i));
        }
        return random.nextBoolean() ? text.toString().stripTrailing() : text.toString();
    }

    private byte[] parquet(Random random, int transactions, int first) throws Exception {
        HistoryTable table = inputs.read(
                "source.jsonl",
                TestFiles.HEADER + whole(jsonl(random, transactions, first)).replaceFirst("\\s*\\{\"format.*\n", ""));
        return parquet(table);
    }

    /** The same, without halves of surrogate pairs, because Parquet cannot contain them. */
    public static String whole(String jsonl) {
        return jsonl.replace("\\ud800", "\\ud83d\\ude00").replace("\\udc00", "");
    }

    /** Writes row groups of a hundred rows. */
    public static byte[] parquet(HistoryTable table) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ParquetHistoryWriter writer = new ParquetHistoryWriter(table, out, 100)) {
            writer.append(table);
        }
        return out.toByteArray();
    }

    /** Divides the history so that the largest file has about the given number of pieces. */
    static @Nullable ReadPlan plan(String path, HistoryFormat format, int count) throws IOException {
        long largest = 1;
        try (var files = Files.walk(Path.of(path))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                largest = Math.max(largest, Files.size(file));
            }
        }
        return ReadPlan.of(path, format, Math.max(1, largest / count), () -> false);
    }

    /** The table of the pieces. Null if only a pass over the whole can decide. */
    static @Nullable HistoryTable inPieces(ReadPlan plan) throws HistoryException {
        PieceMerge merge = new PieceMerge(plan, MEMORY);
        try {
            for (Piece piece : plan.pieces()) {
                if (!merge.add(piece.read(() -> false, MEMORY))) {
                    return null;
                }
            }
        } catch (HistoryException | IOException | BudgetException e) {
            return null;
        }
        return merge.table();
    }

    /** @return the most pieces there were */
    static int same(String path, String name) throws Exception {
        HistoryTable expected = HistoryReader.read(path, HistoryFormat.AUTO, () -> false, MEMORY);
        int most = 0;
        for (int count : COUNTS) {
            ReadPlan plan = plan(path, HistoryFormat.AUTO, count);
            if (plan == null) {
                continue;
            }
            String each = name + " in " + plan.pieces().size();
            most = Math.max(most, plan.pieces().size());
            equal(Objects.requireNonNull(inPieces(plan), each), expected, each);
            for (Piece piece : plan.pieces()) {
                alike(piece.readTransactions(() -> false, MEMORY), piece.read(() -> false, MEMORY), each);
            }
        }
        return most;
    }

    /** Transactions that may have been read without their operations. */
    private static void alike(HistoryRows alone, HistoryRows all, String name) {
        assertThat(facts(alone)).as(name).isEqualTo(facts(all));
    }

    private static String facts(HistoryRows rows) {
        Transactions some = rows.transactions();
        return Arrays.deepToString(new Object[] {
            rows.sessionLabels(),
            rows.sessionOf(),
            rows.lines(),
            some.size(),
            some.indexes(),
            some.sources(),
            some.statuses(),
            some.starts(),
            some.ends()
        });
    }

    private static void equal(HistoryTable actual, HistoryTable expected, String name) {
        assertThat(facts(actual)).as(name).isEqualTo(facts(expected));
    }

    /** All that a table holds, with its codes; equal lists may have different codes. */
    private static String facts(HistoryTable table) {
        IntStream sessions = IntStream.range(0, table.sessions());
        IntStream transactions = IntStream.range(0, table.transactions());
        return Arrays.deepToString(new Object[] {
            sessions.mapToLong(table::sessionLabel).toArray(),
            table.sessionStarts(),
            table.statuses(),
            transactions.mapToObj(t -> table.index(t) + " " + table.whereIs(t)).toArray(),
            table.source(),
            table.starts(),
            table.ends(),
            table.operationStarts(),
            table.operationKeys(),
            table.operationKinds(),
            IntStream.range(0, table.keys().size())
                    .mapToObj(k -> table.keys().isString(k) + table.keys().label(k))
                    .toArray(),
            IntStream.range(0, table.operations())
                    .mapToObj(o -> table.elements(o) == null
                            ? value(table, table.value(o))
                            : Arrays.toString(table.elements(o)))
                    .toArray(),
            table.values().hasLists(),
            value(table, table.initialValue())
        });
    }

    private static String value(HistoryTable table, long code) {
        return code + " " + table.values().isString(code) + table.values().label(code);
    }

    /** Writes a file. */
    interface Content {
        byte[] of(Random random) throws Exception;
    }

    /** As {@link #same}, for several histories; returns the most pieces of one history. */
    static int most(Inputs inputs, String name, int seeds, Content content) throws Exception {
        int most = 0;
        for (long seed = 1; seed <= SuiteScale.of(seeds, 12); seed++) {
            String path = inputs.write(name, content.of(new Random(seed)));
            most = Math.max(most, same(path, "seed " + seed));
        }
        return most;
    }

    @Test
    void jsonLines() throws Exception {
        assertThat(most(inputs, "h.jsonl", 60, random -> TestFiles.utf8(jsonl(random, 1 + random.nextInt(200), 0))))
                .isGreaterThan(60);
    }

    /** Each element is appended once; reads return arbitrary lists. */
    private static String lists(Random random, int transactions) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < transactions; i++) {
            text.append("{\"session\":").append(i % 3).append(",\"index\":").append(i);
            text.append(",\"status\":\"").append(random.nextInt(9) == 0 ? "aborted" : "committed");
            text.append("\",\"ops\":[{\"op\":\"append\",\"key\":\"k").append(random.nextInt(4));
            text.append("\",\"value\":").append(random.nextBoolean() ? "\"e" + i + "\"" : Integer.toString(i));
            text.append("},{\"op\":\"r\",\"key\":\"k").append(random.nextInt(4)).append("\",\"value\":[");
            for (int n = random.nextInt(6); n > 0; n--) {
                text.append(random.nextInt(i + 2)).append(n > 1 ? "," : "");
            }
            text.append("]}]}\n");
        }
        return text.toString();
    }

    @Test
    void listsOfJsonLines() throws Exception {
        assertThat(most(inputs, "h.jsonl", 60, random -> TestFiles.utf8(lists(random, 1 + random.nextInt(200)))))
                .isGreaterThan(60);
    }

    @Test
    void rowGroups() throws Exception {
        assertThat(most(inputs, "h.parquet", 12, random -> parquet(random, 50 + random.nextInt(1500), 0)))
                .isGreaterThan(3);
    }

    @Test
    void folders() throws Exception {
        for (long seed = 1; seed <= SuiteScale.of(30, 6); seed++) {
            Random random = new Random(seed);
            boolean isParquet = seed % 3 == 0;
            Path parts = inputs.path("parts" + seed);
            for (int p = 2 + random.nextInt(4); p > 0; p--) {
                int n = random.nextInt(4) == 0 ? 1 : random.nextInt(300) + 1;
                int first = p * 1000;
                String name = parts.getFileName() + "/p" + p;
                if (isParquet) {
                    inputs.write(name, parquet(random, n, first));
                } else if (random.nextInt(4) == 0) {
                    inputs.write(name + ".jsonl.gz", TestFiles.gzip(TestFiles.utf8(jsonl(random, n, first))));
                } else {
                    inputs.write(name + ".jsonl", jsonl(random, n, first));
                }
            }
            assertThat(same(parts.toString(), "seed " + seed)).isGreaterThan(1);
        }
    }

    @Test
    void theCorpus() throws Exception {
        List<Path> texts = new ArrayList<>();
        for (Path path : Corpus.list("real")) {
            String name = path.getFileName().toString();
            if (name.endsWith(".jsonl") && !name.contains("-pred-")) {
                texts.add(path);
            }
        }
        for (Path path : texts) {
            same(path.toString(), path.toString());
        }
    }

    /** A fault of a history, or none. */
    interface Reading {
        HistoryTable read() throws HistoryException, IOException;
    }

    static String reading(Reading reading) {
        try {
            return text(reading.read());
        } catch (HistoryException | IOException | BudgetException e) {
            return e.getClass().getSimpleName() + " " + e.getMessage();
        }
    }

    /** The table as text, without the metadata of its header, which pieces do not keep. */
    private static String text(HistoryTable table) {
        String all = String.join("\n", TableText.rows(table));
        return all.replaceFirst(Pattern.quote(" " + table.metadata()), "");
    }

    /** The table or the message is the same for every fault. */
    public static void sameWhateverIsWrong(String path, HistoryFormat format, String name) throws IOException {
        String expected = reading(() -> HistoryReader.read(path, format, () -> false, MEMORY));
        for (int count : COUNTS) {
            ReadPlan plan = plan(path, format, count);
            HistoryTable table;
            String actual;
            try {
                table = plan == null ? null : inPieces(plan);
                actual = table == null ? expected : text(table);
            } catch (HistoryException e) {
                actual = e.getClass().getSimpleName() + " " + e.getMessage();
            }
            assertThat(actual).as(name + " in " + count).isEqualTo(expected);
        }
    }

    private void damage(long firstSeed, int rounds) throws Exception {
        AtomicInteger refused = new AtomicInteger();
        for (long seed = firstSeed; seed < firstSeed + rounds; seed++) {
            Random random = new Random(seed);
            String text = jsonl(random, 20, 0);
            int at = random.nextInt(text.length());
            int to = Math.min(text.length(), at + random.nextInt(30));
            String changed =
                    switch (random.nextInt(5)) {
                        case 0 -> text.substring(0, at) + text.substring(to);
                        case 1 -> text.substring(0, to) + text.substring(at);
                        case 2 ->
                            text.substring(0, at)
                                    + one(new String[] {"\n", "{", "\"", "\ufeff", "\0", "\r"}, random)
                                    + text.substring(at);
                        // Repeats a line, or exchanges lines.
                        case 3 -> text + text.substring(text.lastIndexOf('\n', at) + 1);
                        default -> text.replaceFirst("\n", "\n\n{\"format\":\"history\",\"initial\":{\"value\":3}}\n");
                    };
            String path = inputs.write("d.jsonl", changed);
            HistoryFormat asked = random.nextInt(4) == 0 ? HistoryFormat.AUTO : HistoryFormat.JSONL;
            sameWhateverIsWrong(path, asked, "seed " + seed);
            if (reading(() -> HistoryReader.read(path, asked)).startsWith("HistoryException")) {
                refused.incrementAndGet();
            }
        }
        assertThat(refused.get()).isBetween(rounds / 4, rounds);
    }

    @Test
    void aFolderAskedForAsAnotherFormatIsPlannedAsIt() throws Exception {
        inputs.write("f/1.log", jsonl(new Random(1), 30, 0));
        inputs.write("f/2.log", jsonl(new Random(1), 30, 1000));
        String path = inputs.path("f").toString();
        assertThat(plan(path, HistoryFormat.JSONL, 7)).isNotNull();
        for (HistoryFormat format : List.of(HistoryFormat.JSONL, HistoryFormat.AUTO, HistoryFormat.COBRA)) {
            sameWhateverIsWrong(path, format, format.label());
        }
    }

    @Test
    void damagedText() throws Exception {
        damage(1, SuiteScale.of(600));
    }

    @Test
    void whatOnlyPiecesTogetherShow() throws Exception {
        String txn = "{\"session\":0,\"index\":%d,\"status\":\"committed\",\"ops\":[]}\n";
        StringBuilder twice = new StringBuilder();
        StringBuilder pretty = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            twice.append(String.format(txn, i % 40));
            pretty.append(String.format(txn, i).replace(",", "\n,").replace("[", "\n[\n"));
        }
        sameWhateverIsWrong(inputs.write("twice.jsonl", twice.toString()), HistoryFormat.AUTO, "an index twice");
        sameWhateverIsWrong(inputs.write("pretty.jsonl", pretty.toString()), HistoryFormat.AUTO, "objects over lines");
        for (String second : List.of("{\"value\":7}", "{\"value\":[1]}", "{}")) {
            String header = "{\"format\":\"history\",\"initial\":%s}\n";
            inputs.write("f/1.jsonl", String.format(header, "{\"value\":5}") + String.format(txn, 1));
            inputs.write("f/2.jsonl", String.format(txn, 2));
            inputs.write("f/3.jsonl", String.format(header, second) + String.format(txn, 3));
            sameWhateverIsWrong(inputs.path("f").toString(), HistoryFormat.AUTO, "headers that differ");
        }
        inputs.write("f/4.jsonl", "r(1,0,0,1)\n");
        sameWhateverIsWrong(inputs.path("f").toString(), HistoryFormat.AUTO, "files of several formats");
    }

    @Test
    void budgetsEndIt() throws Exception {
        String path = inputs.write("h.jsonl", jsonl(new Random(1), 2_000, 0));
        ReadPlan plan = Objects.requireNonNull(plan(path, HistoryFormat.AUTO, 64));
        Piece last = plan.pieces().get(plan.pieces().size() - 1);
        for (Piece piece : List.of(plan.pieces().get(0), last)) {
            assertThatThrownBy(() -> piece.read(() -> true, MEMORY))
                    .isInstanceOf(BudgetException.class)
                    .hasMessageContaining("time ran out");
        }
        assertThatThrownBy(() -> LinesPiece.ofFile(path, 0).read(() -> false, 1000))
                .isInstanceOf(BudgetException.class)
                .hasMessageContaining("more memory");
        String lists = "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":["
                + ("{\"op\":\"r\",\"key\":1,\"value\":[" + "7,".repeat(299_999) + "7]},").repeat(3)
                + "{\"op\":\"r\",\"key\":1,\"value\":[]}]}\n";
        String few = inputs.write("lists.jsonl", lists);
        assertThatThrownBy(() -> LinesPiece.ofFile(few, 0).read(() -> false, 4 << 20))
                .isInstanceOf(BudgetException.class)
                .hasMessageContaining("more memory");
    }

    @Test
    void otherFormatsHaveNoPlan() throws Exception {
        String zipped = inputs.write("h.jsonl.gz", TestFiles.gzip(TestFiles.utf8(jsonl(new Random(1), 200, 0))));
        ReadPlan whole = Objects.requireNonNull(ReadPlan.of(zipped, HistoryFormat.AUTO, 16, () -> false));
        assertThat(whole.pieces()).hasSize(1);
        inputs.write("logs/T1.log", TestFiles.cobraLog(7));
        inputs.write("logs/T2.log", TestFiles.cobraLog(7));
        for (String single : List.of(
                inputs.write("h.bincode", TestFiles.dbcop()),
                inputs.write("h.edn", TestFiles.CALLS),
                inputs.write("calls.json", "{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",1,2]]}"),
                inputs.write("h.txt", "r(1,0,0,1)\n".repeat(40)),
                inputs.path("logs").toString(),
                inputs.path("none").toString(),
                "-")) {
            assertThat(ReadPlan.of(single, HistoryFormat.AUTO, 16, () -> false))
                    .as(single)
                    .isNull();
        }
    }

    /**
     * There are thousands of part files. Each is examined, and none is long enough for the budget to be polled while it
     * is read.
     */
    @Test
    void planningAsksTheBudgetForEachFile() throws Exception {
        for (int part = 0; part < 3; part++) {
            inputs.write("p/part-" + part + ".jsonl", TestFiles.utf8(TestFiles.HEADER));
        }
        String path = inputs.path("p").toString();
        long cut = 1 << 18;
        AtomicInteger asked = new AtomicInteger();
        assertThat(ReadPlan.of(path, HistoryFormat.JSONL, cut, () -> asked.incrementAndGet() < 0))
                .isNotNull();
        int all = asked.get();
        assertThat(all).isGreaterThanOrEqualTo(6);
        for (int most = 0; most < all; most++) {
            int last = most;
            asked.set(0);
            assertThatThrownBy(() -> ReadPlan.of(path, HistoryFormat.JSONL, cut, () -> asked.incrementAndGet() > last))
                    .isInstanceOf(BudgetException.class);
        }
    }
}
