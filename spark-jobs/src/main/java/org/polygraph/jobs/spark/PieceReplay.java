package org.polygraph.jobs.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankReader;
import org.polygraph.jobs.certificate.format.TransactionBytes;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.certificate.replay.DealPlan;
import org.polygraph.jobs.certificate.replay.DealtReplay;
import org.polygraph.jobs.certificate.replay.PieceDealer;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;

/**
 * Replays an order and hashes the contents by tasks that read the input in pieces. No process has the history. Two
 * jobs: one reads the certificate and samples its places; the other has two shuffles, of transactions by (session,
 * index) and of operations by key together with events by place. Reaches neither partitioner nor solver.
 *
 * <p>On the driver: a finding of each task. In a task: the transactions of a part of the certificate, or the rows of a
 * slice of keys in a range of places, each as bytes and 24 bytes a row.
 */
final class PieceReplay {
    private static final int MOST_SLICES = 2_000;
    private static final int EVENTS_PER_RANGE = 1 << 19;

    private final JavaSparkContext context;
    private final Jobs jobs;
    private final ReadPlan input;
    private final int slices;
    private final int eventsPerRange;

    PieceReplay(SparkContext context, ReadPlan input) {
        this(context, input, Math.min(input.pieces().size(), MOST_SLICES), EVENTS_PER_RANGE);
    }

    /** @param eventsPerRange of places */
    PieceReplay(SparkContext context, ReadPlan input, int slices, int eventsPerRange) {
        this.context = JavaSparkContext.fromSparkContext(context);
        this.jobs = new Jobs(context, Budget.unlimited());
        this.input = input;
        this.slices = slices;
        this.eventsPerRange = eventsPerRange;
    }

    /**
     * Replays the order of a run in tasks.
     *
     * @param mayHaveLoaders whether transactions that load the initial rows are to be recognized
     * @return null if that needs the whole history
     * @throws HistoryException if a part of the certificate is missing, malformed or another one
     */
    Verification.@Nullable Replayed of(Location run, RankHeader header, boolean mayHaveLoaders)
            throws HistoryException, IOException {
        ValueDictionary values = new ValueDictionary();
        Long initial = code(header.initial(), values);
        if (initial == null) {
            return null;
        }
        byte[] initialValue = TransactionBytes.value(values, initial);
        String at = run.absolute();
        long ranges = header.counted() * header.terms().guarantee().events() / eventsPerRange + 1;
        DealPlan plan = DealPlan.of(header, slices, sample(at, header), (int) Math.min(1 << 14, ranges));
        List<Serializable> carried = List.of();
        while (true) {
            List<Serializable> findings = findings(at, header, plan, initialValue, mayHaveLoaders, carried);
            List<PieceDealer.Piece> pieces = pieces(findings, initialValue, values, initial);
            if (pieces == null) {
                return null;
            }
            DealtReplay replay = DealtReplay.of(plan, findings);
            if (replay.isRefused()) {
                return null;
            }
            List<Serializable> more = carried.isEmpty() ? replay.carried(plan) : List.of();
            if (more.isEmpty()) {
                long[] lines = new long[pieces.size()];
                pieces.forEach(piece -> lines[piece.number()] = piece.lines());
                DealtReplay.Result result = replay.result(name -> input.whereIs(name.piece(), name.position(), lines));
                return new Verification.Replayed(
                        result.replay(),
                        Fingerprint.ofContent(values, initial, result.content()),
                        new Verification.Numbers(
                                result.sessions(),
                                result.transactions(),
                                result.operations(),
                                result.committed(),
                                result.indeterminate(),
                                result.times()));
            }
            carried = more;
        }
    }

    /** The code of a value by its label; null if it is neither null, an integer nor a string. */
    private static @Nullable Long code(String label, ValueDictionary values) {
        if (label.equals("null")) {
            return ValueDictionary.NULL;
        }
        if (label.length() > 1 && label.startsWith("\"") && label.endsWith("\"")) {
            return values.code(label.substring(1, label.length() - 1));
        }
        try {
            return values.code(Long.parseLong(label));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private long[] sample(String run, RankHeader header) throws HistoryException {
        int parts = RankReader.parts(header);
        List<Integer> numbers = IntStream.range(0, parts).boxed().toList();
        long[] all = new long[0];
        for (byte[] each : jobs.run("read the certificate", () -> context.parallelize(numbers, parts)
                .mapPartitions(new ReplayTasks.Sample(run, header))
                .collect())) {
            Serializable found = ReplayTasks.object(each);
            if (found instanceof HistoryException refused) {
                throw refused;
            }
            long[] places = (long[]) found;
            all = Arrays.copyOf(all, all.length + places.length);
            System.arraycopy(places, 0, all, all.length - places.length, places.length);
        }
        Arrays.sort(all);
        return all;
    }

    private List<Serializable> findings(
            String run,
            RankHeader header,
            DealPlan plan,
            byte[] initialValue,
            boolean mayHaveLoaders,
            List<Serializable> carried) {
        int pieces = input.pieces().size();
        List<Integer> numbers = IntStream.range(0, pieces).boxed().toList();
        JavaPairRDD<Long, byte[]> dealt = context.parallelize(numbers, pieces)
                .mapPartitionsToPair(new ReplayTasks.DealPieces(input.pieces(), plan))
                .partitionBy(new ReplayTasks.Numbered(plan.ranges().count()))
                .mapPartitionsToPair(new ReplayTasks.ReplayRange(run, header, plan, initialValue, mayHaveLoaders))
                .repartitionAndSortWithinPartitions(new ReplayTasks.Numbered(plan.slices() + plan.placeRanges() + 1));
        List<Serializable> findings = new ArrayList<>();
        for (byte[] each : jobs.run(
                "replay the order", () -> dealt.mapPartitions(new ReplayTasks.ReplayDealt(plan, initialValue, carried))
                        .collect())) {
            findings.add(ReplayTasks.object(each));
        }
        return findings;
    }

    /**
     * Takes the pieces out of the findings.
     *
     * @return null if one was refused, or if the initial value of the input is not the one that was assumed
     */
    private @Nullable List<PieceDealer.Piece> pieces(
            List<Serializable> findings, byte[] initialValue, ValueDictionary values, long initial) {
        List<PieceDealer.Piece> pieces = new ArrayList<>();
        boolean hasInitial = false;
        boolean refused = false;
        for (Serializable each : findings) {
            if (each instanceof PieceDealer.Piece piece) {
                pieces.add(piece);
                refused |= piece.refused();
                if (piece.initialValue() != null) {
                    hasInitial = true;
                    refused |= !Arrays.equals(piece.initialValue(), initialValue);
                }
            }
        }
        findings.removeIf(PieceDealer.Piece.class::isInstance);
        refused |= !hasInitial && !values.isNull(initial);
        if (pieces.size() != input.pieces().size()) {
            throw new IllegalStateException(
                    pieces.size() + " pieces of " + input.pieces().size());
        }
        return refused ? null : pieces;
    }
}
