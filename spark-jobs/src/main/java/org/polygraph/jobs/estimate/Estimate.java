package org.polygraph.jobs.estimate;

import org.polygraph.partitioner.axiom.CausalAxiom;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.table.HistoryTable;

/**
 * The predicted cost of a check. Bytes are those of the arrays that the phases hold, as their classes state them. CPU
 * is what was measured for histories with unique values over uniform keys (cluster-config/SIZING.md). Skewed keys,
 * repeated values and search can take far more CPU, but not more memory.
 *
 * @param memoryBytes the memory of the process that is started: with Spark the driver, and its tasks if the master is
 *     local[N]
 * @param leastBytes the same without reachability clocks. The check of a whole history does without them if they do not
 *     fit, and then searches more
 * @param taskBytes the memory of each worker, or 0
 * @param diskBytes the bytes of scratch files, or 0
 * @param driverSeconds the share of cpuSeconds that one thread takes while there is no work for others
 * @param tasks the most tasks that can run at once; 1 for a whole history
 */
public record Estimate(
        Engine engine,
        long memoryBytes,
        long leastBytes,
        long taskBytes,
        long diskBytes,
        double cpuSeconds,
        double driverSeconds,
        long tasks) {
    /** Who decides a history. */
    public enum Engine {
        /** This process decides the whole history. */
        EMBEDDED,
        /** Threads of this process decide windows of a history in files. */
        WINDOWS,
        /** Executors decide windows of a history in files. */
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
    /**
     * The bytes of an operation in scratch files: as its transaction has it, twice while cells are repaired, and as its
     * key has it.
     */
    private static final long SCRATCH_BYTES = 45;
    /** What the driver holds of each cell and slice, and of each session of a piece of the input. */
    private static final long CELL_BYTES = 512;

    private static final long PIECE_SESSION_BYTES = 60;
    /** More than any machine has. */
    private static final long MOST_BYTES = 1L << 60;

    private static final long OPERATIONS_OF_PIECE = 1L << 18;
    /** A worker has at most the transactions of so many windows, and beside them what it reads and writes. */
    private static final int WINDOWS_OF_TASK = 2;

    private static final long TASK_BYTES = 64L << 20;
    /** Transactions of a window, where the user gives no number. */
    public static final int WINDOW = 1 << 17;

    private static final long OPERATIONS_OF_SLICE = 1 << 17;
    /**
     * The bytes of an event in the time closure during an update, without exceptions. Only levels with real time need
     * them.
     */
    private static final long WINDOW_EVENT_BYTES = 33;

    /** The CPU time to read an operation as text, and from columns or a binary format. */
    private static final double READ_SECONDS = 450e-9;

    private static final double READ_BINARY_SECONDS = 110e-9;
    private static final double OPERATION_SECONDS = 220e-9;
    /** The CPU time to order an operation of a key and to replay it. */
    private static final double ORDER_SECONDS = 150e-9;
    /** The CPU time for a cell of the clocks. If there are many sessions, eight cells are updated at once. */
    private static final double CLOCK_SECONDS = 12e-9;

    private static final double PACKED_SECONDS = 3e-9;
    private static final int MANY_SESSIONS = 256;
    private static final double EVENT_SECONDS = 1.2e-6;
    /** The CPU time that the rules take for an event. With times the order of times is tried first, and needs none. */
    private static final double RULE_SECONDS = 2e-6;

    private static final double START_SECONDS = 0.5;
    /**
     * The extra CPU time until the code is compiled. A history of a million operations or more takes all of it, a
     * smaller one a share.
     */
    private static final double WARM_UP_SECONDS = 1;
    /** The same of a check by windows. */
    private static final double WINDOW_WARM_UP_SECONDS = 7;

    private static final double WARM_UP_OPERATIONS = 1e6;
    private static final double SPARK_START_SECONDS = 16;
    /** The CPU time of windows for an operation: at an axiom, else if a transaction is one event, or two. */
    private static final double WINDOW_AXIOM_SECONDS = 1.9e-6;

    private static final double WINDOW_EVENT_SECONDS = 1.2e-6;
    private static final double WINDOW_EVENTS_SECONDS = 2.15e-6;
    /** How often windows read the input: for the survey, and for the cells. */
    private static final int WINDOW_READS = 2;

    /** Estimates the check of one level of one history. Executors are processes of their own. */
    public static Estimate of(Engine engine, HistorySize size, IsolationLevel level) {
        return of(engine, size, level, 0);
    }

    /**
     * Estimates the check of one level of one history.
     *
     * @param executorThreads the tasks of Spark that run in this process at once; 0 if executors are processes of their
     *     own
     */
    public static Estimate of(Engine engine, HistorySize size, IsolationLevel level, int executorThreads) {
        return switch (engine) {
            case EMBEDDED -> whole(size.counts(), size, level);
            case WINDOWS -> byWindows(engine, size, level, Runtime.getRuntime().availableProcessors());
            // If a window has no order the driver judges it, so the driver needs as much memory as a task.
            case SPARK -> byWindows(engine, size, level, Math.max(1, executorThreads));
        };
    }

    /** @param counts those of the history, or of a part of it */
    private static Estimate whole(HistorySize.Counts counts, HistorySize of, IsolationLevel level) {
        boolean timed = of.timed();
        boolean ordered = level.isOfEvents();
        long transactions = counts.transactions();
        long operations = counts.operations();
        long events = ordered ? level.eventsPerTransaction() * transactions : transactions;
        long table = HistoryTable.BYTES_PER_OPERATION * operations
                + (timed ? HistoryTable.BYTES_PER_TIMED_TRANSACTION : HistoryTable.BYTES_PER_TRANSACTION) * transactions
                + KEY_BYTES * counts.keys()
                + counts.stringBytes();
        long index = INDEX_WRITE_BYTES * counts.writes()
                + INDEX_READ_BYTES * (operations - counts.writes())
                + INDEX_KEY_BYTES * counts.keys();
        // Each read is an edge, and so is each step of a session.
        long graph = EDGE_BYTES * (operations - counts.writes() + events) + EVENT_BYTES * events;
        long sessions = counts.sessions();
        boolean hasClocks = ordered && !level.realTime() && ChainClocks.pay(events, sessions);
        long causal = level == IsolationLevel.CC ? CausalAxiom.leastBytes(transactions) : 0;
        long clocks = level.realTime()
                ? WINDOW_EVENT_BYTES * events
                : level == IsolationLevel.CC
                        ? CausalAxiom.bytes(transactions, sessions, counts.writes()) - causal
                        : hasClocks ? ChainClocks.bytes(events, sessions) : 0;
        double warm = Math.min(1, operations / WARM_UP_OPERATIONS);
        double read = (isBinary(of.format()) ? READ_BINARY_SECONDS : READ_SECONDS) * operations;
        double byKey = OPERATION_SECONDS * operations;
        double closure = hasClocks && !timed
                ? (sessions < MANY_SESSIONS ? CLOCK_SECONDS : PACKED_SECONDS) * events * sessions
                : 0;
        double rules = ordered && !timed ? RULE_SECONDS * events : 0;
        double rest = START_SECONDS
                + WARM_UP_SECONDS * warm
                + (ordered ? EVENT_SECONDS * events + ORDER_SECONDS * operations : 0);
        long least = PROCESS_BYTES + table + index + graph + causal;
        double cpu = rest + read + byKey + closure + rules;
        return new Estimate(Engine.EMBEDDED, least + clocks, least, 0, 0, cpu, cpu, 1);
    }

    private static boolean isBinary(HistoryFormat format) {
        return format == HistoryFormat.PARQUET || format == HistoryFormat.DBCOP || format == HistoryFormat.COBRA;
    }

    /** @param workers tasks that this process runs at once */
    private static Estimate byWindows(Engine engine, HistorySize size, IsolationLevel level, int workers) {
        HistorySize.Counts counts = size.counts();
        long operations = counts.operations();
        long transactions = Math.max(1, counts.transactions());
        long cells = 2 * transactions / WINDOW + operations / OPERATIONS_OF_SLICE + 2;
        long pieces = operations / OPERATIONS_OF_PIECE + 1;
        double ofSessions = (double) PIECE_SESSION_BYTES * pieces * counts.sessions();
        long known = CELL_BYTES * cells + (long) Math.min(ofSessions, MOST_BYTES);
        double share = Math.min(1, (double) WINDOWS_OF_TASK * WINDOW / transactions);
        HistorySize.Counts window = new HistorySize.Counts(
                (long) (share * transactions),
                (long) (share * operations),
                (long) (share * counts.writes()),
                counts.sessions(),
                Math.min(counts.keys(), (long) (share * operations)),
                (long) (share * counts.stringBytes()));
        long task = TASK_BYTES + whole(window, size, level).leastBytes - PROCESS_BYTES;
        boolean isSpark = engine == Engine.SPARK;
        long tasks = operations / OPERATIONS_OF_SLICE + 1;
        long memory = known + (isSpark ? SPARK_SESSION_BYTES : PROCESS_BYTES) + Math.min(workers, tasks) * task;
        double warm = WINDOW_WARM_UP_SECONDS * Math.min(1, operations / WARM_UP_OPERATIONS);
        double start = START_SECONDS + (isSpark ? SPARK_START_SECONDS : warm);
        double text = isBinary(size.format()) ? 0 : WINDOW_READS * (READ_SECONDS - READ_BINARY_SECONDS);
        double operation = level.isAxiom()
                ? WINDOW_AXIOM_SECONDS
                : level.eventsPerTransaction() == 2 ? WINDOW_EVENTS_SECONDS : WINDOW_EVENT_SECONDS;
        return new Estimate(
                engine,
                memory,
                memory,
                task,
                SCRATCH_BYTES * operations,
                start + (operation + text) * operations,
                start,
                tasks);
    }

    /**
     * Returns the elapsed time on an idle machine or cluster: what one thread does alone, then the tasks on all cores.
     */
    public double seconds(int cores) {
        return driverSeconds + (cpuSeconds - driverSeconds) / Math.max(1, Math.min(cores, tasks));
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
     * Returns what {@code --engine auto} chooses: the whole history if it fits with clocks, or without them if the
     * history has times and the level needs no clocks; else windows, if a worker's share fits; else the whole history
     * without clocks.
     */
    public static Engine auto(HistorySize size, IsolationLevel level, long heapBytes) {
        Fit whole = of(Engine.EMBEDDED, size, level).fit(heapBytes);
        boolean needsClocks = !size.timed() || level.realTime() || level == IsolationLevel.CC;
        return !size.isWhole(level.isAxiom())
                        && (whole == Fit.NO || (whole == Fit.WITHOUT_CLOCKS && needsClocks))
                        && of(Engine.WINDOWS, size, level).fit(heapBytes) == Fit.YES
                ? Engine.WINDOWS
                : Engine.EMBEDDED;
    }
}
