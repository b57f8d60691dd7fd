package org.polygraph.storage.format;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.pieces.PiecesTest;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * A damaged file of any format gives a HistoryException or a table soon, and nothing else. Failing input is printed.
 */
public class ReaderFuzzTest {
    private static final long MEMORY = 256 << 20;
    private static final Path TEXTS =
            Path.of(System.getProperty("polygraph.root", ".."), "storage/src/test/resources/fuzz");

    @TempDir
    Path folder;

    private final Map<String, byte[]> valid = new LinkedHashMap<>();

    @BeforeEach
    void makeValidFiles() throws Exception {
        StringBuilder jsonl = new StringBuilder(TestFiles.HEADER.replace("}\n", ",\"note\":{\"a\":[1,\"b\"]}}\n"));
        StringBuilder plume = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            jsonl.append(("{\"session\":%d,\"index\":%d,\"start\":%d,\"end\":%d,\"status\":\"committed\",\"ops\":["
                            + "{\"op\":\"w\",\"key\":\"k\",\"value\":%d},{\"op\":\"r\",\"key\":1,\"value\":null}]}\n")
                    .formatted(i % 3, i, i * 10, i * 10 + 5, i));
            plume.append("w(1,%d,%d,%d)\nr(2,0,%d,%d)\n".formatted(i, i % 3, i, i % 3, i));
        }
        valid.put("h.jsonl", TestFiles.utf8(jsonl.toString()));
        valid.put(
                "savepoints.jsonl",
                TestFiles.utf8(jsonl.toString()
                        .replace(
                                "{\"op\":\"r\"",
                                "{\"op\":\"savepoint\",\"name\":\"s\"},{\"op\":\"w\",\"key\":1,\"value\":9},"
                                        + "{\"op\":\"rollback_to\",\"name\":\"s\"},{\"op\":\"r\"")));
        valid.put("h.jsonl.gz", TestFiles.gzip(valid.get("h.jsonl")));
        valid.put("h.jsonl.zst", TestFiles.zstd(valid.get("h.jsonl")));
        valid.put("h.txt", TestFiles.utf8(plume.toString()));
        for (long seed = 0; !valid.containsKey("h.edn"); seed += 2) {
            String edn = EdnReaderTest.written(new Inputs(folder), seed, HistoryFormat.EDN);
            String json = EdnReaderTest.written(new Inputs(folder), seed, HistoryFormat.ELLE_JSON);
            if (edn != null && json != null && edn.contains(":time") && edn.contains(":fail")) {
                valid.put("h.edn", TestFiles.utf8(edn));
                valid.put("h.json", TestFiles.utf8(json));
            }
        }
        try (Stream<Path> texts = Files.list(TEXTS)) {
            for (Path text : texts.sorted().toList()) {
                valid.put(text.getFileName().toString(), Files.readAllBytes(text));
            }
        }
        valid.put("lines.edn", TestFiles.utf8(TestFiles.CALLS));
        valid.put("h.bincode", TestFiles.dbcop());
        valid.put("h.bincode.gz", TestFiles.gzip(TestFiles.dbcop()));
        Inputs inputs = new Inputs(folder);
        valid.put("many.bincode", written(inputs.read("source.txt", plume.toString()), HistoryFormat.DBCOP));
        valid.put("c/T1.log", TestFiles.cobraLog(7));
        HistoryTable undone = inputs.read("undone.jsonl", valid.get("savepoints.jsonl"), HistoryFormat.AUTO);
        valid.put("savepoints.parquet", written(undone.withUndone(), HistoryFormat.PARQUET));
        HistoryTable history = inputs.read("source.jsonl", valid.get("h.jsonl"), HistoryFormat.AUTO);
        valid.put("h.parquet", written(history, HistoryFormat.PARQUET));
        valid.put("h.arrow", written(history, HistoryFormat.ARROW));
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        HistoryWriter.write(history, stream, HistoryFormat.ARROW);
        valid.put("stream.arrow", stream.toByteArray());
        String groups = PiecesTest.whole(PiecesTest.jsonl(new Random(1), 350, 0));
        valid.put("groups.parquet", PiecesTest.parquet(inputs.read("groups.jsonl", groups)));
        Files.createDirectories(folder.resolve("c"));
        Files.write(folder.resolve("c/T0.log"), TestFiles.cobraLog(8));
    }

    private byte[] written(HistoryTable table, HistoryFormat format) throws IOException {
        Path file = folder.resolve("written." + format.label());
        HistoryWriter.write(table, file.toString(), format);
        return Files.readAllBytes(file);
    }

    @Test
    void damagedFilesAreRefusedOrRead() {
        fuzz(1, SuiteScale.of(400));
    }

    private void fuzz(long firstSeed, int rounds) {
        valid.forEach((name, content) -> {
            for (int i = 0; i < rounds; i++) {
                long seed = firstSeed + i;
                byte[] damaged = damaged(content, new Random(seed));
                assertTimeoutPreemptively(
                        Duration.ofSeconds(20),
                        () -> read(name, damaged, seed),
                        () -> "hangs: " + name + " with seed " + seed);
            }
        });
    }

    private void read(String name, byte[] content, long seed) throws IOException {
        Path path = folder.resolve(name);
        Files.write(path, content);
        String given = name.startsWith("c/") ? folder.resolve("c").toString() : path.toString();
        HistoryFormat[] formats = {HistoryFormat.AUTO, formatOf(name)};
        if (seed % 8 < 2) {
            PiecesTest.sameWhateverIsWrong(given, formats[(int) (seed & 1)], name + " with seed " + seed);
        }
        try {
            HistoryTable table = HistoryReader.read(given, formats[(int) (seed & 1)], () -> false, MEMORY);
            TableText.rows(table);
        } catch (HistoryException expected) {
            if (!expected.getMessage().startsWith(folder.toString())
                    || expected.getMessage().contains("\n")) {
                fail(name + " with seed " + seed + ": " + expected.getMessage());
            }
        } catch (BudgetException e) {
            if (content.length < 100_000) {
                fail(name + " with seed " + seed + " takes memory: " + e.getMessage());
            }
        } catch (RuntimeException | Error e) {
            throw new AssertionError(name + " with seed " + seed, e);
        }
    }

    private static HistoryFormat formatOf(String name) {
        Map<String, HistoryFormat> formats = Map.of(
                "jsonl", HistoryFormat.JSONL,
                "edn", HistoryFormat.EDN,
                "json", HistoryFormat.ELLE_JSON,
                "txt", HistoryFormat.PLUME,
                "parquet", HistoryFormat.PARQUET,
                "arrow", HistoryFormat.ARROW,
                "bincode", HistoryFormat.DBCOP,
                "log", HistoryFormat.COBRA);
        return Objects.requireNonNull(formats.get(name.split("\\.")[1]), name);
    }

    /**
     * Makes one to four changes: flips a bit, sets a byte, deletes, inserts, doubles or moves bytes, or removes the
     * end.
     */
    public static byte[] damaged(byte[] content, Random random) {
        byte[] bytes = content.clone();
        for (int n = 1 + random.nextInt(4); n > 0 && bytes.length > 0; n--) {
            int at = random.nextInt(bytes.length);
            int length = Math.min(bytes.length - at, 1 + random.nextInt(12));
            switch (random.nextInt(7)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) new int[] {0, 255, 127, 128, '9', '{', '[', '"'}[random.nextInt(8)];
                case 2 -> bytes = splice(bytes, at, at + length, new byte[0]);
                case 3 -> {
                    byte[] noise = new byte[length];
                    random.nextBytes(noise);
                    bytes = splice(bytes, at, at, noise);
                }
                case 4 -> bytes = splice(bytes, at, at, Arrays.copyOfRange(bytes, at, at + length));
                case 5 -> {
                    int from = random.nextInt(bytes.length - length + 1);
                    bytes = splice(bytes, at, at + length, Arrays.copyOfRange(bytes, from, from + length));
                }
                default -> bytes = Arrays.copyOf(bytes, at);
            }
        }
        return bytes;
    }

    private static byte[] splice(byte[] bytes, int from, int to, byte[] between) {
        byte[] spliced = new byte[bytes.length - (to - from) + between.length];
        System.arraycopy(bytes, 0, spliced, 0, from);
        System.arraycopy(between, 0, spliced, from, between.length);
        System.arraycopy(bytes, to, spliced, from + between.length, bytes.length - to);
        return spliced;
    }
}
