package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankPart;
import org.polygraph.jobs.certificate.format.RankWriter;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.certificate.replay.Execution;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares the replay of a certificate by workers with the replay of a table, on random orders: right ones, and ones with two events
 * exchanged, a place used twice or out of range, or another set of transactions.
 */
class CertifiedOrderTest {
    private static final long SEED = 0xce47;
    private static final List<Guarantee> ORDERS =
            Arrays.stream(Guarantee.values()).filter(p -> !p.hasPlainWrites()).toList();
    private static final Pattern NAME = Pattern.compile("transaction \\(session (\\d+), index (\\d+)\\)");

    @TempDir
    private Path folder;

    /** Writes a certificate whose parts have so many rows, at places that exceed 2^31. */
    private static RankHeader certificate(Location run, Witness witness, int rows) throws IOException {
        HistoryTable table = witness.table();
        int events = witness.terms().guarantee().events();
        RankWriter writer = new RankWriter(run, witness.terms().guarantee());
        List<RankPart> parts = new ArrayList<>();
        int inPart = 0;
        for (int t = 0; t < table.transactions(); t++) {
            if (!witness.counted()[t]) {
                continue;
            }
            if (inPart++ == rows) {
                parts.addAll(writer.end().parts());
                writer = new RankWriter(run, witness.terms().guarantee());
                inPart = 1;
            }
            writer.row(
                    table.sessionLabel(table.sessionOf(t)),
                    table.index(t),
                    spread(witness.position()[events * t]),
                    spread(witness.position()[events * t + events - 1]));
        }
        parts.addAll(writer.end().parts());
        return new RankHeader(
                RankHeader.VERSION,
                witness.terms(),
                "0",
                table.transactions(),
                witness.countedTransactions(),
                0,
                new Fingerprint("input", Fingerprint.ofContent(table)),
                "test",
                parts);
    }

    private static long spread(int place) {
        return place < 0 ? place : 3_000_000_000L * place + 11;
    }

    private Location file(HistoryTable table) throws IOException {
        Location file = Location.of(folder.resolve("h.jsonl").toString());
        file.write(out -> HistoryWriter.writeJsonl(table, out));
        return file;
    }

    private static Verification.Replayed replay(
            LocalWorkers workers, Location file, Location run, RankHeader header, Random random, boolean loaders)
            throws IOException, HistoryException {
        ReadPlan plan = FileWindows.plan(file.name(), 100 + random.nextInt(3_000));
        WindowSettings settings = new WindowSettings(2 + random.nextInt(6), 1 + random.nextInt(20), 5, 4);
        return new CertifiedOrder(workers, settings, run, header).replay(plan, loaders);
    }

    @Test
    void agreesWithTheReplayOfATable() throws Exception {
        int rounds = SuiteScale.of(800, 300);
        int held = 0;
        int equal = 0;
        int late = 0;
        int overlaps = 0;
        int same = 0;
        int unwanted = 0;
        try (LocalWorkers workers = FileWindows.workers()) {
            for (int i = 0; i < rounds; i++) {
                Random random = new Random(SEED - i);
                Witness made = new Execution(SEED + i, ORDERS.get(i % ORDERS.size())).witness();
                Location file = file(made.table());
                HistoryTable table = HistoryReader.read(file.name(), HistoryFormat.AUTO);
                Witness witness = new Witness(table, made.terms(), made.counted(), made.position());
                // The replay of a table has ranks in place of places, which are below the number of events.
                if (witness.countedTransactions() == 0 || extreme(witness) >= witness.position().length) {
                    continue;
                }
                Location run = Location.of(folder.resolve("run").toString());
                RankHeader header = certificate(run, witness, 1 + random.nextInt(9));
                Verification.Replayed found = replay(workers, file, run, header, random, false);
                String which = "seed " + (SEED + i) + ", " + witness.terms().guarantee();
                assertThat(found).as(which).isNotNull();
                assertThat(found.content()).as(which).isEqualTo(Fingerprint.ofContent(table));
                assertThat(found.numbers().transactions()).as(which).isEqualTo(table.transactions());
                assertThat(found.numbers().operations()).as(which).isEqualTo(table.operations());
                assertThat(found.numbers().sessions()).as(which).isEqualTo(table.sessions());
                String expected = extreme(witness) < 0
                        ? "a place below 0"
                        : Replay.of(witness).discrepancy();
                String wrong = found.result().discrepancy();
                assertThat(wrong == null)
                        .as("%s: %s; in memory: %s", which, wrong, expected)
                        .isEqualTo(expected == null);
                if (wrong == null) {
                    assertThat(found.result()).as(which).isEqualTo(Replay.of(witness));
                    held++;
                    continue;
                }
                assertThat(names(table, wrong)).as(which + ": " + wrong).isTrue();
                equal += wrong.equals(expected) ? 1 : 0;
                late += wrong.contains("had ended") ? 1 : 0;
                overlaps += wrong.contains("overlap") ? 1 : 0;
                same += wrong.contains("as has another event") ? 1 : 0;
                unwanted += wrong.contains("counted") ? 1 : 0;
            }
        }
        assertThat(held).isBetween(rounds / 5, rounds * 4 / 5);
        assertThat(equal).isGreaterThan(rounds / 20);
        assertThat(late).isGreaterThan(rounds / 200);
        assertThat(overlaps).isGreaterThan(rounds / 200);
        assertThat(same).isGreaterThan(rounds / 200);
        assertThat(unwanted).isGreaterThan(rounds / 200);
    }

    /** The largest place of the transactions that count, or the smallest if it is negative. */
    private static int extreme(Witness witness) {
        int most = 0;
        for (int e = 0; e < witness.position().length; e++) {
            int place = witness.position()[e];
            if (witness.counted()[e / witness.terms().guarantee().events()]) {
                most = most < 0 ? most : place < 0 ? place : Math.max(most, place);
            }
        }
        return most;
    }

    /** Whether a sentence names a transaction, and only those of the table. */
    private static boolean names(HistoryTable table, String sentence) {
        Matcher names = NAME.matcher(sentence);
        int found = 0;
        while (names.find()) {
            boolean isThere = false;
            for (int t = 0; t < table.transactions(); t++) {
                isThere |= table.sessionLabel(table.sessionOf(t)) == Long.parseLong(names.group(1))
                        && table.index(t) == Long.parseLong(names.group(2));
            }
            if (!isThere) {
                return false;
            }
            found++;
        }
        return found > 0;
    }

    private static Witness witness(HistoryTable table, int... position) {
        boolean[] counted = new boolean[table.transactions()];
        Arrays.fill(counted, true);
        return new Witness(table, Terms.of(Guarantee.SER), counted, position);
    }

    /** A row needs a transaction, wherever in a session it is missing. */
    @Test
    void aRowOfNoTransactionIsRejected() throws Exception {
        HistoryTable whole = HistoryDsl.parse("init 0; s0: w(x,1) | w(y,1); s1: r(x,1) | r(y,1) | r(x,1)");
        Location run = Location.of(folder.resolve("run").toString());
        RankHeader header = certificate(run, witness(whole, 0, 1, 2, 3, 4), 2);
        for (String less : new String[] {
            "init 0; s1: r(x,1) | r(y,1) | r(x,1)",
            "init 0; s0: w(x,1) | w(y,1)",
            "init 0; s0: w(x,1) | w(y,1); s1: r(x,1) | r(y,1)"
        }) {
            try (LocalWorkers workers = FileWindows.workers()) {
                Verification.Replayed found =
                        replay(workers, file(HistoryDsl.parse(less)), run, header, new Random(1), false);
                assertThat(found.result().discrepancy())
                        .startsWith("the certificate orders transaction (session ")
                        .endsWith("), which the history does not have");
            }
        }
    }

    /** What a worker cannot replay is left to the replay of a table; a damaged certificate is an error. */
    @Test
    void refusesWhatItCannotReplay() throws Exception {
        Location run = Location.of(folder.resolve("run").toString());
        HistoryTable loads = HistoryDsl.parse("init 0; s0: w(x,0) w(y,0) | w(x,1); s1: r(x,1)");
        RankHeader header = certificate(run, witness(loads, 0, 1, 2), 1);
        Location file = file(loads);
        try (LocalWorkers workers = FileWindows.workers()) {
            assertThat(replay(workers, file, run, header, new Random(1), true)).isNull();
            assertThat(replay(workers, file, run, header, new Random(1), false)).isNotNull();
            run.child("certificate").child(header.parts().get(1).file()).delete();
            assertThatThrownBy(() -> replay(workers, file, run, header, new Random(1), false))
                    .isInstanceOf(HistoryException.class)
                    .hasMessageContaining("found no file, where the header names part 1");
            Location lists = Location.of(folder.resolve("l.jsonl").toString());
            lists.write(out -> out.write(
                    "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"append\",\"key\":1,\"value\":5}]}\n"
                            .getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            assertThat(replay(workers, lists, run, certificate(run, witness(loads, 0, 1, 2), 1), new Random(1), false))
                    .isNull();
        }
    }
}
