package org.polygraph.jobs.pipeline;

import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.format.HistorySize;

/**
 * What a check will take, before it runs. Bytes are those of the arrays that hold, as their classes state them; CPU is what
 * histories with unique values over uniform keys were measured to take (cluster-config/SIZING.md). Skewed keys, repeated
 * values and search can take far more CPU, never less memory than this.
 *
 * @param engine whose
 * @param memoryBytes of the process that reads the history: with Spark the driver, whose clocks are in files if they are many
 * @param leastBytes the same without reachability clocks, which a check does without where they do not fit: more search. The
 *     same number where they are in files
 * @param taskBytes of each Spark task, or 0
 * @param shuffleBytes that cross the network, before compression, or 0
 * @param diskBytes of stage files, the shuffle and the files of clocks, or 0
 * @param cpuSeconds of all threads
 */
public record Estimate(
        Engine engine,
        long memoryBytes,
        long leastBytes,
        long taskBytes,
        long shuffleBytes,
        long diskBytes,
        double cpuSeconds) {
    /** The engines there are. */
    public enum Engine {
        EMBEDDED,
        SPARK
    }

    /** A key of the dictionary. */
    private static final long KEY_BYTES = 20;
    /** A key of the index: where its writers, readers and classes begin. */
    private static final long INDEX_KEY_BYTES = 12;
    /** A write or an external read of the index. */
    private static final long INDEX_OPERATION_BYTES = 8;

    private static final long EDGE_BYTES = 13;
    /** Order, its inverse, and the marks of a pass. */
    private static final long EVENT_BYTES = 12;
    /** Code, metadata and what nobody counts. */
    private static final long PROCESS_BYTES = 64L << 20;

    private static final long SPARK_SESSION_BYTES = 450L << 20;
    private static final long STAGED_BYTES = 6;
    private static final long SHUFFLED_BYTES = 16;
    private static final long TASK_BYTES = 53;
    private static final long OPERATIONS_PER_SLICE = 100_000;
    private static final int MOST_SLICES = 512;
    /** Of the window closure while it is updated, but for exceptions: levels with real time. */
    private static final long WINDOW_EVENT_BYTES = 33;
    /** What of it is not in files where the rest is. */
    private static final long BOUNDS_BYTES = 12;

    /** More bytes of rows than this are in files, and closure and rules are tasks. */
    private static final long SPARK_HEAP_CLOCKS = 256L << 20;
    /** Generations of columns that are there at once. */
    private static final int GENERATIONS = 2;
    /** Rows that a task of rules has taken out. */
    private static final long RULE_TASK_BYTES = 32L << 20;

    private static final double READ_SECONDS = 340e-9;
    private static final double OPERATION_SECONDS = 130e-9;
    private static final double CLOCK_SECONDS = 12e-9;
    private static final double EVENT_SECONDS = 1.9e-6;
    /** Of those, for the rules. */
    private static final double RULE_SECONDS = 0.9e-6;
    /** What closure and rules take in pieces: so many times what they take in one. */
    private static final int CLOSURE_IN_PIECES = 4;

    private static final int RULES_IN_PIECES = 6;
    private static final double START_SECONDS = 0.5;
    /** Until code is compiled; a history of a million operations or more pays all of it, a smaller one its share. */
    private static final double WARM_UP_SECONDS = 1.5;

    private static final double WARM_UP_OPERATIONS = 1e6;
    private static final double SPARK_START_SECONDS = 8;
    private static final double SPARK_WARM_UP_SECONDS = 8;
    private static final double SPARK_OPERATION_SECONDS = 0.9e-6;

    /** Of one level of one history. */
    public static Estimate of(Engine engine, HistorySize size, IsolationLevel level) {
        boolean ordered = !level.isAxiom();
        long transactions = size.transactions();
        long operations = size.operations();
        long events = ordered ? level.eventsPerTransaction() * transactions : transactions;
        long table = HistoryTable.BYTES_PER_OPERATION * operations
                + (size.timed() ? HistoryTable.BYTES_PER_TIMED_TRANSACTION : HistoryTable.BYTES_PER_TRANSACTION)
                        * transactions
                + KEY_BYTES * size.keys();
        long index = INDEX_OPERATION_BYTES * operations + INDEX_KEY_BYTES * size.keys();
        // A read is an edge, and so is a step of a session.
        long graph = EDGE_BYTES * (operations - size.writes() + events) + EVENT_BYTES * events;
        long clocks =
                !ordered ? 0 : level.realTime() ? WINDOW_EVENT_BYTES * events : 4 * events * (size.sessions() + 1);
        double warm = Math.min(1, operations / WARM_UP_OPERATIONS);
        double cpu = START_SECONDS
                + WARM_UP_SECONDS * warm
                + (READ_SECONDS + OPERATION_SECONDS) * operations
                + (ordered ? EVENT_SECONDS * events + CLOCK_SECONDS * events * size.sessions() : 0);
        long least = PROCESS_BYTES + table + index + graph;
        if (engine == Engine.EMBEDDED) {
            return new Estimate(engine, least + clocks, least, 0, 0, 0, cpu);
        }
        long slices = Math.max(1, Math.min(MOST_SLICES, operations / OPERATIONS_PER_SLICE));
        long driver = SPARK_SESSION_BYTES + least + index;
        long task = TASK_BYTES * (operations / slices + 1) + 4 * events;
        long disk = (STAGED_BYTES + SHUFFLED_BYTES) * operations;
        double seconds =
                cpu + SPARK_START_SECONDS + SPARK_WARM_UP_SECONDS * warm + SPARK_OPERATION_SECONDS * operations;
        if (clocks <= SPARK_HEAP_CLOCKS) {
            return new Estimate(engine, driver + clocks, driver, task, SHUFFLED_BYTES * operations, disk, seconds);
        }
        if (level.realTime()) {
            long bounds = driver + BOUNDS_BYTES * events;
            return new Estimate(
                    engine, bounds, bounds, task, SHUFFLED_BYTES * operations, disk + GENERATIONS * clocks, seconds);
        }
        return new Estimate(
                engine,
                driver,
                driver,
                Math.max(task, RULE_TASK_BYTES + 4 * events),
                SHUFFLED_BYTES * operations,
                disk + GENERATIONS * clocks,
                seconds
                        + (CLOSURE_IN_PIECES - 1) * CLOCK_SECONDS * events * size.sessions()
                        + (RULES_IN_PIECES - 1) * RULE_SECONDS * events);
    }

    /** Whether a heap suffices, of which a check takes 85 %: with clocks, or without. */
    public Fit fit(long heapBytes) {
        long share = heapBytes / 20 * 17;
        return memoryBytes <= share ? Fit.YES : leastBytes <= share ? Fit.WITHOUT_CLOCKS : Fit.NO;
    }

    /** How a check fits a heap. */
    public enum Fit {
        YES,
        WITHOUT_CLOCKS,
        NO
    }

    /**
     * What {@code --engine auto} takes: the embedded engine while all that it holds fits; beyond, Spark where its driver,
     * whose clocks are in files, fits; and where neither does the embedded engine, which tries without clocks.
     *
     * @param heapBytes of this process, which is the driver's with Spark
     */
    public static Engine auto(HistorySize size, IsolationLevel level, long heapBytes) {
        return of(Engine.EMBEDDED, size, level).fit(heapBytes) != Fit.YES
                        && of(Engine.SPARK, size, level).fit(heapBytes) == Fit.YES
                ? Engine.SPARK
                : Engine.EMBEDDED;
    }
}
