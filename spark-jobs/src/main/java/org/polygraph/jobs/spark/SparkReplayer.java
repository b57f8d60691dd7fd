package org.polygraph.jobs.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.certificate.replay.KeyReplay;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.certificate.replay.SlicedReplay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Replays on Spark. Tasks replay large JSON Lines and Parquet in pieces ({@link PieceReplay}), and the driver has no
 * table. Other histories are replayed by key: the driver checks the conditions that concern more than one key and deals
 * raw operations out to slices of keys, a file each; a task replays a slice; the driver merges the results. Like all
 * verifying code it reaches neither partitioner nor solver. RC, RA and CC are replayed on the driver without a session;
 * so is an order that is not a permutation.
 *
 * <p>On the driver, beside the table: 4 bytes an event. In a task: twice 32 bytes an operation of its slice, and 20 a
 * key.
 */
public final class SparkReplayer implements Verification.Replayer, AutoCloseable {
    /**
     * These are 24 MB of rows, which a task holds twice. With much less, starting a task would cost more than its work.
     */
    private static final int OPERATIONS_PER_SLICE = 1_000_000;

    /** The most files that are written at the same time; split keys have further ones, at most half as many more. */
    private static final int MOST_SLICES = 256;

    private final LazySession session;
    private final int operationsPerSlice;

    /**
     * Starts no session yet.
     *
     * @throws IllegalArgumentException if it is not a master URL
     */
    public SparkReplayer(String master) {
        this(master, OPERATIONS_PER_SLICE);
    }

    /**
     * Creates a replayer for tests.
     *
     * @param operationsPerSlice few, so that even small histories have several slices
     */
    SparkReplayer(String master, int operationsPerSlice) {
        this.session = new LazySession(master);
        this.operationsPerSlice = operationsPerSlice;
    }

    /**
     * Replays as {@link Replay#byDefinition}.
     *
     * @throws EngineException if storage or the cluster failed
     * @throws ConfigurationException if executors cannot see the folder of scratch files
     * @throws BudgetException if the heap is too small for a session, or a slice too large for a task
     * @throws IllegalStateException if a task failed otherwise: a bug
     */
    @Override
    public Replay.Result replay(Witness witness) {
        HistoryTable table = witness.table();
        if (table.hasRows()) {
            // Inserts and deletes are replayed on the driver, because tasks replay only reads and writes.
            return Replay.of(witness);
        }
        int wanted = Math.max(1, Math.min((table.operations() - 1) / operationsPerSlice + 1, MOST_SLICES));
        int slices = Math.max(1, Math.min(wanted, table.keys().size()));
        SlicedReplay replay = SlicedReplay.of(witness, slices, Math.max(1, (table.operations() - 1) / wanted + 1));
        Replay.Result known = replay.known();
        if (known != null) {
            return known;
        }
        if (Runtime.getRuntime().maxMemory() < LazySession.LEAST_HEAP) {
            throw new BudgetException("memory of " + (Runtime.getRuntime().maxMemory() >> 20)
                    + " MiB is too little for a Spark session, which needs " + (LazySession.LEAST_HEAP >> 20)
                    + " MiB; give more with JAVA_OPTS=-Xmx...");
        }
        return session.use(Budget.unlimited(), spark -> {
            if (ScratchParent.isInDoubt(session.configuration())) {
                ScratchParent.validate(spark, Budget.unlimited(), warning -> {});
            }
            return replay(spark, replay, table.initialValue());
        });
    }

    /**
     * Replays by tasks that read the history in pieces, if it is large JSON Lines or Parquet that executors see.
     *
     * @throws EngineException if storage or the cluster failed
     */
    @Override
    public Verification.@Nullable Replayed replay(
            Location run, RankHeader header, String path, HistoryFormat format, boolean mayHaveLoaders)
            throws IOException, HistoryException {
        boolean isOneProcess = session.master().startsWith("local");
        boolean isSeen = isOneProcess || !(Location.of(path).isLocal() || run.isLocal());
        ReadPlan plan = isSeen && Runtime.getRuntime().maxMemory() >= LazySession.LEAST_HEAP
                ? ReadPlan.of(path, format, SparkReading.sizes(SparkReading.pieceBytes(new SparkConf())), () -> false)
                : null;
        if (plan == null) {
            return null;
        }
        try {
            return session.use(Budget.unlimited(), spark -> inPieces(spark, plan, run, header, mayHaveLoaders))
                    .orElse(null);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (Refused e) {
            throw e.refused;
        }
    }

    private static Optional<Verification.Replayed> inPieces(
            SparkSession spark, ReadPlan plan, Location run, RankHeader header, boolean mayHaveLoaders) {
        try {
            return Optional.ofNullable(new PieceReplay(spark.sparkContext(), plan).of(run, header, mayHaveLoaders));
        } catch (HistoryException e) {
            throw new Refused(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Carries the exception through a function. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient HistoryException refused;

        Refused(HistoryException refused) {
            super(refused);
            this.refused = refused;
        }
    }

    private static Replay.Result replay(SparkSession spark, SlicedReplay replay, long initialValue) {
        try (SliceFiles files = new SliceFiles(
                ScratchParent.of(spark),
                spark.sparkContext().hadoopConfiguration(),
                replay.slices(),
                replay::keys,
                KeyReplay.ROW_BYTES)) {
            files.write(() -> replay.deal((slice, keyAndKind, value, operation, snapshot, commit) -> files.row(slice)
                    .putInt(keyAndKind)
                    .putLong(value)
                    .putInt(operation)
                    .putLong(snapshot)
                    .putLong(commit)));
            Jobs jobs = new Jobs(spark.sparkContext(), Budget.unlimited());
            List<byte[]> findings = jobs.run("replay keys", () -> files.map(spark, new ReplayTask(initialValue)));
            if (findings == null) {
                throw new IllegalStateException("a budget without end has ended");
            }
            return replay.merge(findings);
        } catch (IOException e) {
            throw ScratchFolder.failed(ScratchParent.of(spark), e);
        }
    }

    /** The session, started if there is none. */
    SparkSession session() {
        return session.get();
    }

    /** Stops the session. */
    @Override
    public void close() {
        session.close();
    }
}
