package org.polygraph.jobs.estimate;

import java.util.function.Supplier;
import org.polygraph.partitioner.axiom.CausalAxiom;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.table.HistoryTable;

/**
 * The predicted cost of a check. Bytes are those of the arrays that the phases hold, as their classes state them. CPU
 * is what was measured for histories with unique values over uniform keys (cluster-config/SIZING.md). Skewed keys,
 * repeated values and search can take far more CPU, but not more memory.
 *
 * @param memoryBytes the memory of the process that reads the history. With Spark this is the driver, which keeps its
 *     clocks in files if they are many
 * @param leastBytes the same without reachability clocks. A check does without them if they do not fit, and then
 *     searches more. It is the same number if clocks are in files
 * @param taskBytes the memory of each Spark task, or 0
 * @param shuffleBytes the bytes that cross the network, before compression, or 0
 * @param diskBytes the bytes of scratch files, of the shuffle and of the files of clocks, which exist in two
 *     generations at once, or 0
 * @param nodeBytes further bytes on each node for its copy of the files of clocks, or 0 @param driverSeconds the share
 *     of cpuSeconds that one thread of this process takes while tasks wait
 * @param slices the number of tasks that can run at once; 1 without Spark
 */
public record Estimate(
        Engine engine,
        long memoryBytes,
        long leastBytes,
        long taskBytes,
        long shuffleBytes,
        long diskBytes,
        long nodeBytes,
        double cpuSeconds,
        double driverSeconds,
        int slices) {
    /** The engines. */
    public enum Engine {
        EMBEDDED,
        SPARK
    }

    /** The bytes of a key in the dictionary. */
    private static final long KEY_BYTES = 20;
    /**
     * The bytes of the index for a key (where its writers, readers and slots begin), for a write with its slot, and for
     * an external read.
     */
    private static final long INDEX_KEY_BYTES = 16;

    private static final long INDEX_WRITE_BYTES = 12;
    private static final long INDEX_READ_BYTES = 8;

    private static final long EDGE_BYTES = 13;
    /** The bytes of an event in the order, in its inverse, and in the marks of a pass. */
    private static final long EVENT_BYTES = 12;
    /** The bytes of code, metadata and small objects that are not counted otherwise. */
    private static final long PROCESS_BYTES = 64L << 20;

    private static final long SPARK_SESSION_BYTES = 450L << 20;
    private static final long STAGED_BYTES = 6;
    private static final long SHUFFLED_BYTES = 16;
    private static final long TASK_BYTES = 53;
    /**
     * The bytes of an event in the window closure during an update, without exceptions. Only levels with real time need
     * them.
     */
    private static final long WINDOW_EVENT_BYTES = 33;
    /** The bytes of an event that stay in memory if the window closure is in files. */
    private static final long BOUNDS_BYTES = 12;

    /** The number of generations of columns that exist at once. */
    private static final int GENERATIONS = 2;
    /** The bytes of rows that a task of rules holds. */
    private static final long RULE_TASK_BYTES = 32L << 20;

    private static final double READ_SECONDS = 340e-9;
    private static final double OPERATION_SECONDS = 130e-9;
    /** The CPU time for a cell of the clocks. If there are many sessions, eight cells are updated at once. */
    private static final double CLOCK_SECONDS = 12e-9;

    private static final double PACKED_SECONDS = 3e-9;
    private static final int MANY_SESSIONS = 256;
    /** The CPU time for an event in the window closure. */
    private static final double WINDOW_SECONDS = 3e-6;

    private static final double EVENT_SECONDS = 1.9e-6;
    /** The share of EVENT_SECONDS that the rules take. */
    private static final double RULE_SECONDS = 0.9e-6;
    /** In tasks, closure and rules take this many times the CPU of a single pass. */
    private static final int CLOSURE_IN_PIECES = 4;

    private static final int RULES_IN_PIECES = 6;
    private static final double START_SECONDS = 0.5;
    /**
     * The extra CPU time until the code is compiled. A history of a million operations or more takes all of it, a
     * smaller one a share.
     */
    private static final double WARM_UP_SECONDS = 1.5;

    private static final double WARM_UP_OPERATIONS = 1e6;
    private static final double SPARK_START_SECONDS = 8;
    private static final double SPARK_WARM_UP_SECONDS = 8;
    private static final double SPARK_OPERATION_SECONDS = 0.9e-6;

    /**
     * The division of a history by Spark, according to the settings of a run.
     *
     * @param mostSlices spark.sql.shuffle.partitions
     * @param operationsPerSlice spark.polygraph.slice.operations
     * @param heapClocks spark.polygraph.clocks.heap: if rows take more bytes, they are in files, and closure and rules
     *     are tasks
     * @param isRemote whether executors are other machines, which read the input and keep copies of files
     */
    public record Division(int mostSlices, int operationsPerSlice, long heapClocks, boolean isRemote) {
        /** The default, for this machine. */
        public static final Division DEFAULT = new Division(16, 100_000, 256L << 20, false);
    }

    /** Estimates the check of one level of one history, with Spark on this machine. */
    public static Estimate of(Engine engine, HistorySize size, IsolationLevel level) {
        return of(engine, size, level, Division.DEFAULT);
    }

    /** Estimates the check of one level of one history. */
    public static Estimate of(Engine engine, HistorySize size, IsolationLevel level, Division division) {
        boolean ordered = !level.isAxiom();
        long transactions = size.transactions();
        long operations = size.operations();
        long events = ordered ? level.eventsPerTransaction() * transactions : transactions;
        long table = HistoryTable.BYTES_PER_OPERATION * operations
                + (size.timed() ? HistoryTable.BYTES_PER_TIMED_TRANSACTION : HistoryTable.BYTES_PER_TRANSACTION)
                        * transactions
                + KEY_BYTES * size.keys();
        long index = INDEX_WRITE_BYTES * size.writes()
                + INDEX_READ_BYTES * (operations - size.writes())
                + INDEX_KEY_BYTES * size.keys();
        // Each read is an edge, and so is each step of a session.
        long graph = EDGE_BYTES * (operations - size.writes() + events) + EVENT_BYTES * events;
        long sessions = size.sessions();
        boolean hasClocks = ordered && !level.realTime() && ChainClocks.pay(events, sessions);
        long causal = level == IsolationLevel.CC ? CausalAxiom.leastBytes(transactions) : 0;
        long clocks = level.realTime()
                ? WINDOW_EVENT_BYTES * events
                : level == IsolationLevel.CC
                        ? CausalAxiom.bytes(transactions, sessions, size.writes()) - causal
                        : hasClocks ? ChainClocks.bytes(events, sessions) : 0;
        double warm = Math.min(1, operations / WARM_UP_OPERATIONS);
        double read = READ_SECONDS * operations;
        double byKey = OPERATION_SECONDS * operations;
        double closure = level.realTime()
                ? WINDOW_SECONDS * events
                : hasClocks ? (sessions < MANY_SESSIONS ? CLOCK_SECONDS : PACKED_SECONDS) * events * sessions : 0;
        double rules = ordered ? RULE_SECONDS * events : 0;
        double rest = START_SECONDS + WARM_UP_SECONDS * warm + (ordered ? (EVENT_SECONDS - RULE_SECONDS) * events : 0);
        long least = PROCESS_BYTES + table + index + graph + causal;
        if (engine == Engine.EMBEDDED) {
            double cpu = rest + read + byKey + closure + rules;
            return new Estimate(engine, least + clocks, least, 0, 0, 0, 0, cpu, cpu, 1);
        }
        long wanted = (operations - 1) / division.operationsPerSlice + 1;
        int slices = (int) Math.max(1, Math.min(Math.min(wanted, division.mostSlices), size.keys()));
        boolean areInFiles = ordered && clocks > division.heapClocks;
        boolean isByWindow = areInFiles && level.realTime();
        boolean isByColumn = areInFiles && !level.realTime();
        double driver =
                rest + SPARK_START_SECONDS + (division.isRemote ? 0 : read) + (areInFiles ? 0 : closure + rules);
        double tasks = (division.isRemote ? read : 0)
                + byKey
                + SPARK_WARM_UP_SECONDS * warm
                + SPARK_OPERATION_SECONDS * operations
                + (isByWindow ? closure + rules : 0)
                + (isByColumn ? CLOSURE_IN_PIECES * closure + RULES_IN_PIECES * rules : 0);
        long heap = SPARK_SESSION_BYTES + least + index + (isByWindow ? BOUNDS_BYTES * events : 0);
        long task = TASK_BYTES * (operations / slices + 1) + 4 * events;
        long files = areInFiles ? GENERATIONS * (isByColumn ? 4 * events * (sessions + 1) : clocks) : 0;
        return new Estimate(
                engine,
                areInFiles ? heap : heap + clocks,
                heap,
                isByColumn ? Math.max(task, RULE_TASK_BYTES + 4 * events) : task,
                SHUFFLED_BYTES * operations,
                (STAGED_BYTES + SHUFFLED_BYTES) * operations + files,
                division.isRemote ? files : 0,
                driver + tasks,
                driver,
                slices);
    }

    /** Returns the elapsed time on an idle machine or cluster: the driver alone, then the tasks on all cores. */
    public double seconds(int cores) {
        return driverSeconds + (cpuSeconds - driverSeconds) / Math.max(1, Math.min(cores, slices));
    }

    /** Returns how a check fits a heap, of which it takes 85 %. */
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
     * Returns the engine that {@code --engine auto} chooses. It is the embedded engine if that fits with clocks; else
     * Spark if its driver, with clocks in files, fits; else the embedded engine without clocks.
     *
     * @param division needed only if the embedded engine does not fit
     * @param heapBytes of this process, which is the driver's with Spark
     */
    public static Engine auto(HistorySize size, IsolationLevel level, Supplier<Division> division, long heapBytes) {
        return of(Engine.EMBEDDED, size, level).fit(heapBytes) != Fit.YES
                        && of(Engine.SPARK, size, level, division.get()).fit(heapBytes) == Fit.YES
                ? Engine.SPARK
                : Engine.EMBEDDED;
    }
}
