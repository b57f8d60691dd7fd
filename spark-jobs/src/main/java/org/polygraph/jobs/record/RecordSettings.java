package org.polygraph.jobs.record;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.generate.Workload;

/**
 * The settings of a recording.
 *
 * @param urls the databases, to which clients are assigned in turn
 * @param replica the database from which every third client reads, or null
 * @param workload its sessions, transactions, operations, keys, values, reads, aborts and seed
 * @param predicates the share of operations on rows that select rows by their values
 * @param nanos the longest time; {@link Long#MAX_VALUE} for none
 * @param pauseNanos the longest wait before an operation
 * @param killNanos the time between two connections that are killed; 0 for none
 */
public record RecordSettings(
        List<String> urls,
        @Nullable String replica,
        Isolation isolation,
        Isolation replicaIsolation,
        WorkloadKind kind,
        Workload workload,
        double predicates,
        long nanos,
        long pauseNanos,
        long killNanos,
        Path file) {}
