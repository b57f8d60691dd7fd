package org.polygraph.jobs.spark;

import java.io.IOException;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;

/**
 * Replays on Spark: tasks replay JSON Lines and Parquet in pieces ({@link PieceReplay}), and the driver has no table. The driver
 * replays other histories, and those of RC, RA and CC, without a session. Like all verifying code it reaches neither partitioner nor
 * solver.
 */
public final class SparkReplayer implements Verification.Replayer, AutoCloseable {
    private final LazySession session;

    /**
     * Starts no session yet.
     *
     * @throws IllegalArgumentException if it is not a master URL
     */
    public SparkReplayer(String master) {
        this.session = new LazySession(master);
    }

    /** @throws EngineException if storage or the cluster failed */
    @Override
    public Verification.@Nullable Replayed replay(
            Location run, RankHeader header, String path, HistoryFormat format, boolean mayHaveLoaders)
            throws IOException, HistoryException {
        ReadPlan plan = Runtime.getRuntime().maxMemory() >= LazySession.LEAST_HEAP
                ? ReadPlan.of(path, format, () -> false)
                : null;
        if (plan == null) {
            return null;
        }
        LazySession.Work<Optional<Verification.Replayed>, HistoryException, IOException> inPieces = spark ->
                Optional.ofNullable(new PieceReplay(spark.sparkContext(), plan).of(run, header, mayHaveLoaders));
        try {
            return session.use(Budget.unlimited(), inPieces).orElse(null);
        } catch (HistoryException e) {
            if (run.isLocal() && !session.master().startsWith("local")) {
                // Executors on other machines find no certificate there; the driver reports what it finds.
                return null;
            }
            throw e;
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
