package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/** What {@link PiecesTest} says of texts and Parquet, of dbcop and Cobra. */
class BinaryPiecesTest {
    private static final long INITIAL = 0xBEBEEBEEL;
    private static final long MISSING = 0xDEADBEEFL;
    private static final long BY_VALUE = 0xABDDEFEEL;

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    private static long key(Random random) {
        return random.nextInt(5) == 0 ? random.nextLong() : random.nextInt(30);
    }

    private static long value(Random random) {
        return random.nextInt(5) == 0 ? Long.MAX_VALUE - random.nextInt(4) : random.nextInt(50);
    }

    /** Sessions with and without transactions, these with and without events, one with many; some failed. */
    static byte[] dbcop(Random random, int transactions) {
        TestFiles.Binary file = new TestFiles.Binary(java.nio.ByteOrder.LITTLE_ENDIAN)
                .i64(1, 2, 3, 4, 5)
                .string("i".repeat(random.nextInt(40)))
                .string("")
                .string("now");
        int sessions = random.nextInt(7);
        int large = random.nextInt(3 * transactions);
        int number = 0;
        file.i64(sessions);
        for (int s = 0; s < sessions; s++) {
            int n = random.nextInt(3) == 0 ? 0 : random.nextInt(transactions);
            file.i64(n);
            for (int t = 0; t < n; t++) {
                int events = number++ == large ? 5000 : random.nextInt(7);
                file.i64(events);
                for (int e = 0; e < events; e++) {
                    file.u8(random.nextInt(2)).i64(key(random), value(random)).u8(random.nextInt(9) == 0 ? 0 : 1);
                }
                file.u8(random.nextInt(9) == 0 ? 0 : 1);
            }
        }
        return file.bytes();
    }

    @Test
    void dbcop() throws Exception {
        assertThat(PiecesTest.most(inputs, "h.bincode", 80, random -> dbcop(random, 1 + random.nextInt(120))))
                .isGreaterThan(50);
    }

    @Test
    void dbcopIsCutWhereTransactionsBegin() throws Exception {
        String path = inputs.write("h.bincode", TestFiles.dbcop());
        ReadPlan plan =
                Objects.requireNonNull(ReadPlan.of(path, HistoryFormat.AUTO, new ReadPlan.Cut(0, 1), () -> false));
        assertThat(plan.pieces())
                .containsExactly(
                        new DbcopPiece(path, 0, new DbcopCursor.Place(88, 0, 2, 0, 2), 133),
                        new DbcopPiece(path, 0, new DbcopCursor.Place(133, 0, 2, 1, 2), 178),
                        new DbcopPiece(path, 0, new DbcopCursor.Place(186, 1, 2, 0, 1), 213));
    }

    /** A session of Cobra's. Writers are all clients' transactions, so that there are reads of what other logs write. */
    private static TestFiles.Binary log(Random random, int client, int transactions, boolean byValue, boolean writes) {
        TestFiles.Binary log = TestFiles.cobra();
        for (int t = 0; t < transactions; t++) {
            log.u8('S').i64(client * 1000L + t);
            int operations = random.nextInt(40) == 0 ? 700 : random.nextInt(6);
            for (int o = 0; o < operations; o++) {
                long id = byValue ? BY_VALUE : random.nextInt(50);
                if (writes && random.nextBoolean()) {
                    log.u8('W').i64(id, key(random), value(random));
                } else {
                    long writer = random.nextInt(4) * 1000L + random.nextInt(Math.max(1, transactions));
                    if (random.nextInt(5) == 0) {
                        writer = random.nextBoolean() ? INITIAL : MISSING;
                        id = writer;
                    }
                    log.u8('R').i64(writer, id, key(random), value(random));
                }
            }
            if (random.nextInt(9) > 0) {
                log.u8('C').i64(client * 1000L + t);
            }
        }
        if (random.nextInt(3) == 0) {
            log.u8(0xFF);
            for (int i = random.nextInt(50); i > 0; i--) {
                log.u8(random.nextInt(256));
            }
        }
        return log;
    }

    private static final String[] NAMES = {"T%d.log", "%dx%d.log", "a1-%c.log", "client-%c.log", "T0%d.log"};

    private static String name(String names, int client) {
        return names.replace("%d", Integer.toString(13 * client % 17))
                .replace("%c", Character.toString((char) ('a' + client)));
    }

    private String cobra(Random random, String name, int most, boolean byValue) throws Exception {
        String names = NAMES[random.nextInt(NAMES.length)];
        boolean writes = random.nextInt(6) > 0;
        for (int client = 2 + random.nextInt(5); client > 0; client--) {
            int transactions = random.nextInt(5) == 0 ? 0 : random.nextInt(most);
            inputs.write(
                    name + "/" + name(names, client),
                    log(random, client, transactions, byValue, writes).bytes());
        }
        inputs.write(name + "/notes.txt", "ignored");
        return inputs.path(name).toString();
    }

    @Test
    void cobra() throws Exception {
        for (long seed = 1; seed <= 160; seed++) {
            Random random = new Random(seed);
            String path = cobra(random, "c" + seed, 1 + random.nextInt(80), seed > 80);
            assertThat(PiecesTest.same(path, "seed " + seed)).as("seed " + seed).isGreaterThan(1);
        }
    }

    @Test
    void aLaterWriteWithAnIdTakesTheWhole() throws Exception {
        inputs.write("c/a.log", TestFiles.cobraLog(BY_VALUE));
        inputs.write("c/b.log", TestFiles.cobraLog(9));
        String path = inputs.path("c").toString();
        ReadPlan plan = Objects.requireNonNull(PiecesTest.plan(path, HistoryFormat.AUTO, 1));
        assertThat(PiecesTest.inPieces(plan)).isNull();
        inputs.write("d/a.log", TestFiles.cobraLog(9));
        inputs.write("d/b.log", TestFiles.cobraLog(BY_VALUE));
        assertThat(PiecesTest.same(inputs.path("d").toString(), "the first has an id"))
                .isEqualTo(2);
    }

    @Test
    void aFolderAskedForAsAnotherFormatIsPlannedAsIt() throws Exception {
        inputs.write("f/1.log", PiecesTest.jsonl(new Random(1), 30, 0));
        inputs.write("f/2.log", PiecesTest.jsonl(new Random(1), 30, 1000));
        String path = inputs.path("f").toString();
        assertThat(PiecesTest.plan(path, HistoryFormat.JSONL, 7)).isNotNull();
        for (HistoryFormat format : List.of(HistoryFormat.JSONL, HistoryFormat.AUTO, HistoryFormat.COBRA)) {
            PiecesTest.sameWhateverIsWrong(path, format, format.label());
        }
    }

    @Test
    void dbcopLengthsThatLieHaveNoPlan() throws Exception {
        byte[] valid = TestFiles.dbcop();
        byte[][] lies = {
            TestFiles.dbcopHeader().i64(-1, 0, 0, 0).bytes(),
            TestFiles.dbcopHeader().i64(1L << 50, 0, 0, 0).bytes(),
            TestFiles.dbcopHeader().i64(2, 1L << 60, 0, 0).bytes(),
            TestFiles.dbcopHeader().i64(1, 2, Long.MAX_VALUE, 0, 0).bytes(),
            TestFiles.dbcopHeader().i64(1, 2, 0).u8(1).i64(2).bytes(),
            Arrays.copyOf(valid, valid.length + 3),
            Arrays.copyOf(valid, valid.length - 1),
            Arrays.copyOf(valid, valid.length - 30),
        };
        for (int i = 0; i < lies.length; i++) {
            String path = inputs.write("h.bincode", lies[i]);
            assertThat(PiecesTest.plan(path, HistoryFormat.DBCOP, 7))
                    .as("lie " + i)
                    .isNull();
            assertThat(PiecesTest.told(() -> HistoryReader.read(path, HistoryFormat.DBCOP)))
                    .startsWith("HistoryException");
        }
    }

    @Test
    void aFileThatChangedIsNoLongerThePieces() throws Exception {
        byte[] content = TestFiles.dbcop();
        String path = inputs.write("h.bincode", content);
        ReadPlan plan = Objects.requireNonNull(PiecesTest.plan(path, HistoryFormat.AUTO, 64));
        Piece shorter = new DbcopPiece(path, 0, new DbcopCursor.Place(88, 0, 2, 0, 2), 132);
        assertThatThrownBy(() -> shorter.read(() -> false, PiecesTest.MEMORY))
                .isInstanceOf(HistoryException.class)
                .hasMessage(path
                        + ":byte 133: found the end of a transaction; expected one at byte 132, as when the file was"
                        + " cut into pieces; the file has changed: read it when it is complete");
        // The first transaction has one event less.
        content[88] = 1;
        inputs.write("h.bincode", content);
        Piece first = plan.pieces().get(0);
        assertThatThrownBy(() -> first.read(() -> false, PiecesTest.MEMORY)).isInstanceOf(HistoryException.class);
        inputs.write("h.bincode", Arrays.copyOf(TestFiles.dbcop(), 133));
        assertThat(first.read(() -> false, PiecesTest.MEMORY).operations()).isEqualTo(2);
        Piece second = plan.pieces().get(1);
        assertThatThrownBy(() -> second.read(() -> false, PiecesTest.MEMORY)).hasMessageContaining("cut off");
    }

    private void damage(long firstSeed, int rounds) throws Exception {
        int refused = 0;
        for (long seed = firstSeed; seed < firstSeed + rounds; seed++) {
            Random random = new Random(seed);
            boolean isCobra = random.nextBoolean();
            String path;
            HistoryFormat format = isCobra ? HistoryFormat.COBRA : HistoryFormat.DBCOP;
            if (isCobra) {
                boolean byValue = random.nextBoolean();
                for (int client = 0; client < 3; client++) {
                    byte[] log = log(random, client, 1 + random.nextInt(9), byValue, true)
                            .bytes();
                    inputs.write(
                            "c/T" + client + ".log", client == seed % 4 ? ReaderFuzzTest.damaged(log, random) : log);
                }
                path = inputs.path("c").toString();
            } else {
                path = inputs.write("d.bincode", ReaderFuzzTest.damaged(dbcop(random, 9), random));
            }
            PiecesTest.sameWhateverIsWrong(path, format, "seed " + seed);
            if (PiecesTest.told(() -> HistoryReader.read(path, format)).startsWith("HistoryException")) {
                refused++;
            }
        }
        assertThat(refused).isBetween(rounds / 4, rounds);
    }

    @Test
    void damagedBytes() throws Exception {
        damage(1, 600);
    }

    @Test
    @Tag("full")
    void muchDamagedBytes() throws Exception {
        damage(1_000_000, 20_000);
    }

    @Test
    void planningAndReadingAskForTheBudget() throws Exception {
        TestFiles.Binary events = TestFiles.dbcopHeader().i64(1, 1000);
        for (int t = 0; t < 1000; t++) {
            events.i64(50);
            for (int e = 0; e < 50; e++) {
                events.u8(0).i64(1, 2).u8(1);
            }
            events.u8(1);
        }
        // Logs without a write have to be passed over to their ends.
        TestFiles.Binary reads = TestFiles.cobra();
        for (int t = 0; t < 20_000; t++) {
            reads.u8('S').i64(t).u8('R').i64(1, 2, 3, 4).u8('C').i64(t);
        }
        inputs.write("c/T1.log", reads.bytes());
        inputs.write("c/T2.log", reads.bytes());
        for (String path : List.of(
                inputs.write("h.bincode", events.bytes()), inputs.path("c").toString())) {
            ReadPlan.Cut cut = new ReadPlan.Cut(0, 1 << 18);
            assertThatThrownBy(() -> ReadPlan.of(path, HistoryFormat.AUTO, cut, () -> true))
                    .isInstanceOf(BudgetException.class)
                    .hasMessageContaining("time ran out");
            AtomicInteger asked = new AtomicInteger();
            ReadPlan plan = Objects.requireNonNull(
                    ReadPlan.of(path, HistoryFormat.AUTO, cut, () -> asked.incrementAndGet() < 0));
            assertThat(asked.get()).as(path).isGreaterThan(12);
            asked.set(0);
            assertThatThrownBy(() -> ReadPlan.of(path, HistoryFormat.AUTO, cut, () -> asked.incrementAndGet() > 9))
                    .isInstanceOf(BudgetException.class);
            Piece last = plan.pieces().get(plan.pieces().size() - 1);
            assertThatThrownBy(() -> last.read(() -> true, PiecesTest.MEMORY))
                    .isInstanceOf(BudgetException.class)
                    .hasMessageContaining("time ran out");
            assertThatThrownBy(() -> last.read(() -> false, 1000))
                    .isInstanceOf(BudgetException.class)
                    .hasMessageContaining("more memory");
        }
    }
}
