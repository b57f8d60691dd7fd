package org.polygraph.jobs.certificate.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Certificates in several parts: ranges of any size, any places, and every kind of damage. */
class RankWriterTest {
    private static final long SEED = 0x7a57;

    @TempDir
    private Path folder;

    private Location run(String name) throws IOException {
        return Location.of(folder.resolve(name).toString());
    }

    private static HistoryTable history(int transactions) {
        return new Workload()
                .seed(SEED)
                .timed(false)
                .sessions(7)
                .transactions(transactions)
                .operations(1, 3)
                .keys(9)
                .aborted(0.1)
                .indeterminate(0.1)
                .table();
    }

    /** Places far apart, beyond 2^31. */
    private static long place(int event) {
        return 5_000_000_000L * event + 7;
    }

    /** Writes ranges of transactions, each by a writer of its own. The ranges begin at the given transactions. */
    private static String finish(Location run, HistoryTable table, Guarantee guarantee, int[] begins, int mostRows)
            throws IOException {
        List<RankRange> ranges = new ArrayList<>();
        TransactionHash hash = new TransactionHash();
        byte[] leaf = new byte[TransactionHash.BYTES];
        for (int r = 0; r < begins.length; r++) {
            int end = r + 1 < begins.length ? begins[r + 1] : table.transactions();
            RankWriter writer = new RankWriter(run, guarantee, mostRows);
            for (int t = begins[r]; t < end; t++) {
                long session = table.sessionLabel(table.sessionOf(t));
                int from = table.firstOperation(t);
                hash.begin(
                        session,
                        table.index(t),
                        table.statuses()[t],
                        HistoryTable.NO_TIME,
                        HistoryTable.NO_TIME,
                        table.operationsEnd(t) - from);
                for (int o = from; o < table.operationsEnd(t); o++) {
                    hash.operation(
                            table.keys(), table.values(), table.operationKeys()[o], table.value(o), false, false);
                }
                hash.end(leaf, 0);
                writer.hash(leaf, 0);
                if (table.statuses()[t] == 0) {
                    writer.row(session, table.index(t), place(2 * t), place(2 * t + 1));
                }
            }
            ranges.add(writer.end());
        }
        return RankFile.finish(run, Terms.of(guarantee), ranges, table, "bytes", "test");
    }

    private static int[] begins(Random random, int transactions, int ranges) {
        TreeSet<Integer> begins = new TreeSet<>(List.of(0));
        while (begins.size() < ranges) {
            begins.add(random.nextInt(transactions));
        }
        return begins.stream().mapToInt(i -> i).toArray();
    }

    /** For all ranges and parts, the hash of the contents equals that of the table, and no row is missing. */
    @Test
    void anyRangesGiveOneCertificate() throws Exception {
        HistoryTable table = history(9_000);
        Random random = new Random(SEED);
        for (Guarantee guarantee : List.of(Guarantee.SER, Guarantee.SI, Guarantee.SSER, Guarantee.SSI)) {
            for (int ranges : new int[] {1, 7, 64, Math.min(700, SuiteScale.of(700))}) {
                Location run = run(guarantee + "-" + ranges);
                int[] begins = begins(random, table.transactions(), ranges);
                assertThat(finish(run, table, guarantee, begins, 1 + random.nextInt(2_000)))
                        .isEqualTo("certificate/ranks.parquet");
                RankFile.Content content = RankFile.read(run, table, () -> false);
                assertThat(content.mismatch()).isNull();
                RankHeader header = content.header();
                assertThat(header.fingerprint().content())
                        .as("seed %d, %s, %d ranges", SEED, guarantee, ranges)
                        .isEqualTo(Fingerprint.ofContent(table));
                assertThat(header.transactions()).isEqualTo(table.transactions());
                int events = guarantee.events();
                int rank = 0;
                for (int t = 0; t < table.transactions(); t++) {
                    assertThat(content.counted()[t]).isEqualTo(table.statuses()[t] == 0);
                    for (int e = 0; e < events && content.counted()[t]; e++) {
                        assertThat(content.position()[events * t + e]).isEqualTo(rank++);
                    }
                }
            }
        }
    }

    /** A range may end within a block, at the end of a block, or contain no end of a block. */
    @Test
    void treesAreJoinedAtAnyPlace() {
        Random random = new Random(SEED);
        for (int i = 0; i < 200; i++) {
            int n = 1 + random.nextInt(40);
            byte[][] leaves = new byte[n][TransactionHash.BYTES];
            for (byte[] leaf : leaves) {
                random.nextBytes(leaf);
                if (random.nextInt(3) == 0) {
                    leaf[30] = (byte) 0xFC;
                    leaf[31] = 0;
                }
            }
            String expected = root(leaves, new int[] {0, n});
            int a = random.nextInt(n + 1);
            int b = a + random.nextInt(n + 1 - a);
            assertThat(root(leaves, new int[] {0, a, b, n}))
                    .as("%d %d of %d", a, b, n)
                    .isEqualTo(expected);
            byte[][] fewer = Arrays.copyOf(leaves, n - 1);
            assertThat(root(fewer, new int[] {0, n - 1})).isNotEqualTo(expected);
            leaves[a % n][3] ^= 1;
            assertThat(root(leaves, new int[] {0, a, b, n})).isNotEqualTo(expected);
        }
    }

    private static String root(byte[][] leaves, int[] ends) {
        ContentTree all = new ContentTree();
        for (int r = 0; r + 1 < ends.length; r++) {
            ContentTree range = new ContentTree();
            for (int i = ends[r]; i < ends[r + 1]; i++) {
                range.add(leaves[i], 0);
            }
            all.append(range);
        }
        ContentEncoder out = new ContentEncoder();
        all.encode(out);
        return out.hex();
    }

    @Test
    void integersAreEncodedAsTheirText() {
        SplitMix random = new SplitMix(0xdec);
        ContentEncoder texts = new ContentEncoder();
        ContentEncoder integers = new ContentEncoder();
        for (int i = 0; i < 10_000; i++) {
            long number = i == 0 ? Long.MIN_VALUE : i == 1 ? Long.MAX_VALUE : random.nextLong() >> (i % Long.SIZE);
            texts.text(Long.toString(number));
            integers.decimal(number);
        }
        assertThat(integers.hex()).isEqualTo(texts.hex());
    }

    @Test
    void damagedPartsAreNamed() throws Exception {
        HistoryTable table = history(400);
        Location run = run("run");
        finish(run, table, Guarantee.SI, new int[] {0, 200}, 100);
        List<RankPart> parts = RankReader.header(run, () -> false).parts();
        assertThat(parts).hasSize(4);
        Path first = folder.resolve("run/certificate").resolve(parts.get(0).file());
        Path second = folder.resolve("run/certificate").resolve(parts.get(1).file());
        byte[] whole = Files.readAllBytes(first);
        byte[] other = Files.readAllBytes(second);

        Files.delete(first);
        assertRefused(run, table, first.getFileName() + ": found no file, where the header names part 0");
        Files.write(first, other);
        assertRefused(run, table, first.getFileName() + ": found other bytes than those of part 0");
        Files.write(second, whole);
        assertRefused(run, table, first.getFileName() + ": found other bytes than those of part 0");
        Files.write(second, other);
        Files.write(first, Arrays.copyOf(whole, whole.length - 1));
        assertRefused(run, table, first.getFileName() + ": found other bytes than those of part 0");
        byte[] flipped = whole.clone();
        flipped[whole.length / 2] ^= 4;
        Files.write(first, flipped);
        assertRefused(run, table, first.getFileName() + ": found other bytes than those of part 0");
        Files.write(first, whole);
        assertThat(RankFile.read(run, table, () -> false).mismatch()).isNull();
    }

    /** Changes the header of a certificate and the description of its parts. */
    @Test
    void headersThatContradictTheirPartsAreNamed() throws Exception {
        HistoryTable table = history(400);
        Location run = run("run");
        finish(run, table, Guarantee.SER, new int[] {0}, 100);
        RankHeader header = RankReader.header(run, () -> false);
        List<RankPart> parts = header.parts();
        List<RankPart> exchanged = new ArrayList<>(parts);
        exchanged.set(0, parts.get(1));
        exchanged.set(1, parts.get(0));
        write(run, header, exchanged, header.counted());
        assertRefused(run, table, ", which comes after the first row of the next part");
        write(run, header, List.of(parts.get(0), parts.get(0)), 200);
        assertRefused(run, table, ", which comes after the first row of the next part");
        write(run, header, parts.subList(1, parts.size()), header.counted());
        assertRefused(run, table, " rows, but the header declares " + header.counted());
        RankPart part = parts.get(0);
        write(
                run,
                header,
                List.of(new RankPart(part.file(), part.session(), part.index() + 1, 100, part.sha256())),
                100);
        assertRefused(run, table, "found the first row transaction (session 0, index ");
        write(run, header, List.of(new RankPart(part.file(), part.session(), part.index(), 99, part.sha256())), 99);
        assertRefused(run, table, "found 100 rows, but the header declares 99");
        write(
                run,
                header,
                List.of(new RankPart("../" + part.file(), part.session(), part.index(), 100, part.sha256())),
                100);
        assertRefused(run, table, "found a part with the name ../ranks-");
    }

    private static void write(Location run, RankHeader of, List<RankPart> parts, long counted) throws IOException {
        RankHeader header = new RankHeader(
                of.version(),
                of.terms(),
                of.initial(),
                of.transactions(),
                counted,
                0,
                of.fingerprint(),
                of.tool(),
                parts);
        RankFile.in(run)
                .write(out -> NumberTable.write(
                        out,
                        RankFile.NAME,
                        header.json(),
                        RankFile.columns(of.terms().guarantee()),
                        row -> false));
    }

    private static void assertRefused(Location run, HistoryTable table, String message) {
        assertThatThrownBy(() -> RankFile.read(run, table, () -> false))
                .isInstanceOf(HistoryException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("check the history again");
    }

    @Test
    void rangesOutOfOrderAreRefused() throws Exception {
        Location run = run("run");
        List<RankRange> ranges = new ArrayList<>();
        for (int r = 0; r < 2; r++) {
            RankWriter writer = new RankWriter(run, Guarantee.SER);
            writer.row(1, 5 - r, 0, r);
            ranges.add(writer.end());
        }
        HistoryTable table = history(2);
        assertThatThrownBy(() -> RankFile.finish(run, Terms.of(Guarantee.SER), ranges, table, "bytes", "test"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not come after");
    }
}
