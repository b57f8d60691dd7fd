package org.polygraph.jobs.record;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.generate.Workload;

/**
 * The settings of a recording.
 *
 * @param workload its sessions, transactions, operations, keys, values, reads, aborts and seed
 * @param predicates the share of operations on rows that select rows by their values
 * @param nanos the longest time; {@link Long#MAX_VALUE} for none
 * @param pauseNanos the longest wait before an operation
 * @param killNanos the time between two connections that are killed; 0 for none
 */
public record RecordSettings(
        Databases databases,
        WorkloadKind kind,
        Workload workload,
        double predicates,
        long nanos,
        long pauseNanos,
        long killNanos,
        Path file) {
    /**
     * The databases and their isolations.
     *
     * @param urls those to which clients are assigned in turn
     * @param replica the one from which every third client reads, or null
     */
    public record Databases(
            List<String> urls,
            Isolation isolation,
            @Nullable String replica,
            Isolation replicaIsolation) {
        /** Returns the weakest of the promises of all databases for a workload; empty if one documents nothing. */
        public Optional<Promise> promise(WorkloadKind kind) {
            Optional<Promise> first = promise(urls.get(0), isolation, kind);
            for (String url : urls) {
                first = weaker(first, promise(url, isolation, kind));
            }
            return replica == null ? first : weaker(first, promise(replica, replicaIsolation, kind));
        }

        private static Optional<Promise> promise(String url, Isolation isolation, WorkloadKind kind) {
            return Dialect.of(url).promise(url, isolation, kind.hasLists());
        }

        /** Compares by ordinal: the levels that databases document are declared from the strongest to the weakest. */
        private static Optional<Promise> weaker(Optional<Promise> one, Optional<Promise> other) {
            return one.isEmpty()
                            || other.isPresent()
                                    && one.get().level().compareTo(other.get().level()) >= 0
                    ? one
                    : other;
        }
    }
}
