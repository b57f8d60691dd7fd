package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.RankRanges;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.TransactionBytes;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares the replay without a table with the replay of a table: the results are equal, messages included, however the
 * history is divided.
 */
class DealtReplayTest {
    private static final long SEED = 0xdea17;
    private static final List<Guarantee> ORDERS =
            Arrays.stream(Guarantee.values()).filter(p -> !p.isAxiom()).toList();

    /** The transactions of some pieces, each of which has its own ids. */
    private static List<HistoryRows> pieces(HistoryTable table, Random random, int count) {
        List<List<Integer>> members = new ArrayList<>();
        for (int p = 0; p < count; p++) {
            members.add(new ArrayList<>());
        }
        for (int t = 0; t < table.transactions(); t++) {
            members.get(random.nextInt(count)).add(t);
        }
        List<HistoryRows> pieces = new ArrayList<>();
        for (List<Integer> of : members) {
            HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.LINE);
            builder.stringsInHeap();
            for (int t : of) {
                builder.begin(
                        table.sessionLabel(table.sessionOf(t)),
                        table.index(t),
                        table.status(t),
                        table.sourcePosition(t));
                if (table.starts() != null && table.ends() != null) {
                    builder.times(table.starts()[t], table.ends()[t]);
                }
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    int key = table.keys().isString(table.key(o))
                            ? builder.keys().id(table.keys().string(table.key(o)))
                            : builder.keys().id(table.keys().integer(table.key(o)));
                    long value = table.values().isString(table.value(o))
                            ? builder.values().code(table.values().text(table.value(o)))
                            : table.values().isNull(table.value(o))
                                    ? table.value(o)
                                    : builder.values().code(table.values().integer(table.value(o)));
                    if (table.isWrite(o)) {
                        builder.write(key, value);
                    } else {
                        builder.read(key, value);
                    }
                }
                builder.end();
            }
            pieces.add(builder.rows(0));
        }
        return pieces;
    }

    private static DealPlan plan(Witness witness, Random random, int slices, long[] places) {
        HistoryTable table = witness.table();
        int ranges = 1 + random.nextInt(4);
        long[] sessions = new long[ranges - 1];
        long[] indexes = new long[ranges - 1];
        int[] bounds = random.ints(ranges - 1, 0, table.transactions()).sorted().toArray();
        for (int r = 0; r < bounds.length; r++) {
            sessions[r] = table.sessionLabel(table.sessionOf(bounds[r]));
            indexes[r] = table.index(bounds[r]);
        }
        long[] cuts = random.ints(random.nextInt(4), 0, places.length)
                .mapToLong(i -> places[i])
                .filter(p -> p >= 0)
                .distinct()
                .sorted()
                .toArray();
        return new DealPlan(witness.terms(), new RankRanges(sessions, indexes), slices, cuts);
    }

    private static List<Serializable> findings(
            Witness witness, DealPlan plan, List<HistoryRows> pieces, long[] places, List<Serializable> carried) {
        HistoryTable table = witness.table();
        byte[] initial = TransactionBytes.value(table.values(), table.initialValue());
        List<List<byte[]>> blocks = new ArrayList<>();
        for (int r = 0; r < plan.ranges().count(); r++) {
            blocks.add(new ArrayList<>());
        }
        for (int p = 0; p < pieces.size(); p++) {
            assertThat(PieceDealer.deal(pieces.get(p), p, plan, (range, block) -> blocks.get(range)
                                    .add(block))
                            .refused())
                    .isFalse();
        }
        List<Map<Integer, List<byte[]>>> slices = new ArrayList<>();
        for (int s = 0; s < plan.slices(); s++) {
            slices.add(new TreeMap<>());
        }
        List<List<byte[]>> events = new ArrayList<>();
        for (int r = 0; r < plan.placeRanges(); r++) {
            events.add(new ArrayList<>());
        }
        List<Serializable> findings = new ArrayList<>();
        int perTransaction = plan.terms().guarantee().events();
        for (int r = 0; r < plan.ranges().count(); r++) {
            RangeReplay replay = new RangeReplay(plan, r, blocks.get(r), initial, false, new RangeReplay.Sink() {
                @Override
                public void operations(int slice, int placeRange, byte[] rows) {
                    slices.get(slice)
                            .computeIfAbsent(placeRange, range -> new ArrayList<>())
                            .add(rows);
                }

                @Override
                public void events(int placeRange, byte[] rows) {
                    events.get(placeRange).add(rows);
                }
            });
            for (int t = 0; t < table.transactions(); t++) {
                long session = table.sessionLabel(table.sessionOf(t));
                if (witness.counted()[t] && plan.ranges().of(session, table.index(t)) == r) {
                    replay.row(
                            session,
                            table.index(t),
                            places[perTransaction * t],
                            places[perTransaction * t + perTransaction - 1]);
                }
            }
            findings.add(replay.end());
        }
        for (int s = 0; s < plan.slices(); s++) {
            SliceReplay replay = new SliceReplay(plan, s, initial);
            slices.get(s).values().forEach(replay::range);
            findings.add(replay.end());
        }
        for (int r = 0; r < plan.placeRanges(); r++) {
            findings.add(PlaceReplay.of(plan, r, events.get(r), carried.isEmpty() ? null : carried.get(r)));
        }
        return findings;
    }

    private static DealtReplay.Result replay(Witness witness, Random random, int slices) {
        HistoryTable table = witness.table();
        // The places are far apart and exceed 2^31.
        long[] places = Arrays.stream(witness.position())
                .mapToLong(p -> p < 0 ? p : 3_000_000_000L * p + 11)
                .toArray();
        DealPlan plan = plan(witness, random, slices, places);
        List<HistoryRows> pieces = pieces(table, random, 1 + random.nextInt(3));
        DealtReplay replay = DealtReplay.of(plan, findings(witness, plan, pieces, places, List.of()));
        assertThat(replay.isRefused()).isFalse();
        List<Serializable> carried = replay.carried(plan);
        if (!carried.isEmpty()) {
            replay = DealtReplay.of(plan, findings(witness, plan, pieces, places, carried));
        }
        return replay.result(name -> table.source().files().get(0) + ":" + name.position());
    }

    @Test
    void agreesWithTheReplayOfATable() throws Exception {
        int rounds = SuiteScale.of(10_000);
        int held = 0;
        int late = 0;
        int overlaps = 0;
        int same = 0;
        for (int i = 0; i < rounds; i++) {
            Witness witness = new Execution(SEED + i, ORDERS.get(i % ORDERS.size())).witness();
            boolean isInRange = true;
            for (int e = 0; e < witness.position().length; e++) {
                int place = witness.position()[e];
                boolean counts =
                        witness.counted()[e / witness.terms().guarantee().events()];
                isInRange &= !counts || (place >= 0 && place < witness.position().length);
            }
            if (!isInRange) {
                continue;
            }
            Replay.Result expected = Replay.of(witness);
            for (int slices : new int[] {1, 7, 64}) {
                DealtReplay.Result found = replay(witness, new Random(SEED - i), slices);
                assertThat(found.replay())
                        .as("seed %d, %s, %d slices", SEED + i, witness.terms().guarantee(), slices)
                        .isEqualTo(expected);
                HistoryTable table = witness.table();
                assertThat(Fingerprint.ofContent(table.values(), table.initialValue(), found.content()))
                        .isEqualTo(Fingerprint.ofContent(table));
                assertThat(found.transactions()).isEqualTo(table.transactions());
                assertThat(found.operations()).isEqualTo(table.operations());
                assertThat(found.sessions()).isEqualTo(table.sessions());
            }
            String wrong = expected.discrepancy();
            held += wrong == null ? 1 : 0;
            late += wrong != null && wrong.contains(Placement.HAD_ENDED) ? 1 : 0;
            overlaps += wrong != null && wrong.contains("overlap") ? 1 : 0;
            same += wrong != null && wrong.contains(Placement.SAME) ? 1 : 0;
        }
        assertThat(held).isBetween(rounds / 5, rounds * 4 / 5);
        assertThat(late).isGreaterThan(rounds / 200);
        assertThat(overlaps).isGreaterThan(rounds / 200);
        assertThat(same).isGreaterThan(rounds / 200);
    }

    /** A piece that depends on others, or has a transaction that looks like a loader, needs the whole history. */
    @Test
    void refusesWhatItCannotReplay() {
        DealPlan plan = new DealPlan(Terms.of(Guarantee.SER), new RankRanges(new long[0], new long[0]), 1, new long[0]);
        HistoryTableBuilder lists = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        lists.begin(0, 0, TransactionStatus.COMMITTED, 1);
        lists.append(lists.keys().id(1), lists.values().code(5));
        lists.end();
        assertThat(PieceDealer.deal(lists.rows(1), 0, plan, (range, block) -> {})
                        .refused())
                .isTrue();
        HistoryTableBuilder rows = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        rows.begin(0, 0, TransactionStatus.COMMITTED, 1);
        rows.insert(rows.keys().id(1), rows.values().code(5));
        rows.end();
        assertThat(PieceDealer.deal(rows.rows(1), 0, plan, (range, block) -> {}).refused())
                .isTrue();
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(x,0) w(y,0) | w(x,1); s1: r(x,1)");
        byte[] initial = TransactionBytes.value(table.values(), table.initialValue());
        List<byte[]> blocks = new ArrayList<>();
        for (HistoryRows piece : pieces(table, new Random(1), 2)) {
            PieceDealer.deal(piece, 0, plan, (range, block) -> blocks.add(block));
        }
        for (boolean mayHaveLoaders : new boolean[] {false, true}) {
            RangeReplay replay = new RangeReplay(plan, 0, blocks, initial, mayHaveLoaders, new RangeReplay.Sink() {
                @Override
                public void operations(int slice, int placeRange, byte[] out) {}

                @Override
                public void events(int placeRange, byte[] out) {}
            });
            assertThat(((RangeFinding) replay.end()).refused()).isEqualTo(mayHaveLoaders);
        }
    }

    /** An order must not hold because a finding was lost. */
    @Test
    void everyFindingCountsOnce() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(x,1) w(y,1); s1: r(x,1)");
        Witness witness = new Witness(table, Terms.of(Guarantee.SER), new boolean[] {true, true}, new int[] {0, 1});
        DealPlan plan = new DealPlan(witness.terms(), new RankRanges(new long[0], new long[0]), 3, new long[] {1});
        List<Serializable> findings =
                findings(witness, plan, pieces(table, new Random(1), 2), new long[] {0, 1}, List.of());
        assertThat(DealtReplay.of(plan, findings).result(name -> "").replay()).isEqualTo(Replay.of(witness));
        for (int i = 0; i < findings.size(); i++) {
            List<Serializable> fewer = new ArrayList<>(findings);
            Serializable lost = fewer.remove(i);
            assertThatThrownBy(() -> DealtReplay.of(plan, fewer))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("5 findings of 6");
            List<Serializable> twice = new ArrayList<>(findings);
            twice.add(lost);
            assertThatThrownBy(() -> DealtReplay.of(plan, twice)).hasMessageContaining("a finding that repeats");
        }
        List<Serializable> empty = new ArrayList<>(findings);
        byte[] initial = TransactionBytes.value(table.values(), table.initialValue());
        for (int s = 0; s < 3; s++) {
            empty.set(1 + s, new SliceReplay(plan, s, initial).end());
        }
        assertThatThrownBy(() -> DealtReplay.of(plan, empty).result(name -> ""))
                .hasMessageContaining("0 operations replayed of 3");
    }
}
