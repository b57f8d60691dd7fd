package org.polygraph.jobs.spark;

import java.io.IOException;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.cluster.OwnSetting;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The Spark engine. Tasks read large inputs ({@link SparkReading}) and do all work that goes key by key, with the same
 * kernels as the embedded engine. If chain clocks are many, closure, rules and ranks are tasks too ({@link
 * SparkRules}). Graph, order, solver and replay stay on the driver, and so do closure and axiom of CC. Level lin and
 * the reads of RC, RA and CC have tasks of their own ({@link DealtPhases}). There is one session, started by the first
 * check and kept until {@link #close} or the end of the process.
 *
 * <p>Memory of the driver beside the table: the index (12 bytes a visible write, 8 an external read, 16 a key), and 32
 * MiB of slices or one slice while they are merged. Memory of a task: 53 bytes an operation of its slice or part of a
 * key. Between jobs the slices are on disk.
 */
public final class SparkChecker implements Checker, AutoCloseable {
    /** The approximate operations in a slice of keys. */
    static final String SLICE_OPERATIONS = OwnSetting.SLICE_OPERATIONS.key();

    /** Bytes of clocks up to which closure and rules stay on the driver's heap. */
    static final String HEAP_CLOCKS = OwnSetting.CLOCKS_HEAP.key();

    /** Bytes of clock rows of one key above which its rules run in several tasks, each for a slice of its writers. */
    static final String HOT_KEY_BYTES = OwnSetting.HOT_KEY_BYTES.key();

    private final LazySession session;
    private final TaskSizes sizes;

    /**
     * Starts no session yet.
     *
     * @throws IllegalArgumentException if it is not a master URL
     */
    public SparkChecker(String master) {
        this(master, TaskSizes.DEFAULT);
    }

    /**
     * Creates an engine for tests.
     *
     * @param operationsPerSlice few, so that even small histories have several slices
     */
    SparkChecker(String master, int operationsPerSlice) {
        this(
                master,
                new TaskSizes(
                        operationsPerSlice,
                        0,
                        TaskSizes.DEFAULT.slicesOfKey,
                        TaskSizes.DEFAULT.heapClocks,
                        TaskSizes.DEFAULT.mostColumns,
                        TaskSizes.DEFAULT.hotKeyBytes,
                        TaskSizes.DEFAULT.windows,
                        TaskSizes.DEFAULT.windowBytes));
    }

    /** Creates an engine for tests. */
    SparkChecker(String master, TaskSizes sizes) {
        this.session = new LazySession(master);
        this.sizes = sizes;
    }

    /**
     * The sizes of tasks.
     *
     * @param operationsPerSlice the approximate operations in a slice of keys, if there are enough keys
     * @param mostSlices the most slices; 0 for the partitions of the shuffle
     * @param slicesOfKey a key is split if it has more operations than so many slices
     * @param heapClocks bytes of clocks up to which closure and rules stay on the driver's heap
     * @param mostColumns the most sessions in a group
     * @param hotKeyBytes bytes of clock rows of one key above which its rules run in several tasks
     * @param windows the size of windows of time
     * @param windowBytes the most bytes of the rows of a window, unless a task's heap has less space
     */
    record TaskSizes(
            int operationsPerSlice,
            int mostSlices,
            int slicesOfKey,
            long heapClocks,
            int mostColumns,
            long hotKeyBytes,
            WindowPlan.Granularity windows,
            long windowBytes) {
        /**
         * The default: tasks of some 100 ms. Starting a shorter task would cost more than its work, and so would jobs
         * over few clocks.
         */
        static final TaskSizes DEFAULT = new TaskSizes(
                100_000,
                0,
                2,
                256L << 20,
                Integer.MAX_VALUE,
                128L << 20,
                new WindowPlan.Granularity(1 << 18, 4),
                Long.MAX_VALUE);
    }

    /** Returns the sizes from the session's settings, or their defaults. */
    static TaskSizes settings(SparkConf conf, TaskSizes sizes) {
        try {
            return new TaskSizes(
                    Math.max(1, conf.getInt(SLICE_OPERATIONS, sizes.operationsPerSlice)),
                    sizes.mostSlices,
                    sizes.slicesOfKey,
                    conf.getSizeAsBytes(HEAP_CLOCKS, sizes.heapClocks),
                    sizes.mostColumns,
                    conf.getSizeAsBytes(HOT_KEY_BYTES, sizes.hotKeyBytes),
                    sizes.windows,
                    sizes.windowBytes);
        } catch (IllegalArgumentException e) {
            // This is a NumberFormatException, or the exception for a size that is too large for a long.
            throw new ConfigurationException("found " + e.getMessage() + "; expected a number in " + SLICE_OPERATIONS
                    + " and a size such as 256m in " + HEAP_CLOCKS + " and " + HOT_KEY_BYTES);
        }
    }

    /** Returns the sizes of tasks. */
    TaskSizes sizes() {
        return sizes;
    }

    /**
     * Rejects wrong settings before anything is read, including a scratch folder that executors cannot see, which may
     * need a session.
     */
    @Override
    public void prepare(Progress progress, Budget budget, Consumer<String> warn) {
        SparkConf conf = session.configuration();
        settings(conf, sizes);
        SparkReading.pieceBytes(conf);
        ScratchParent.validate(conf);
        if (ScratchParent.isInDoubt(conf) && Runtime.getRuntime().maxMemory() >= LazySession.LEAST_HEAP) {
            ScratchParent.validate(started(progress, budget), budget, warn);
        }
    }

    private SparkSession started(Progress progress, Budget budget) {
        progress.phase("start of Spark");
        return session.get(budget);
    }

    /**
     * Reads a history. Tasks of a cluster read a large history in JSON Lines or Parquet. The driver reads all others,
     * and those in which a task finds an error, to report it. In a local session one pass is cheaper than tasks.
     */
    @Override
    public HistoryTable read(String path, HistoryFormat format, Progress progress, Budget budget)
            throws HistoryException, IOException {
        boolean isOneProcess = session.master().startsWith("local");
        boolean isAsked = new SparkConf().contains(SparkReading.PIECE_BYTES);
        boolean isSeen = isOneProcess ? isAsked : !Location.of(path).isLocal();
        ReadPlan plan = isSeen && Runtime.getRuntime().maxMemory() >= LazySession.LEAST_HEAP
                ? ReadPlan.of(
                        path, format, SparkReading.sizes(SparkReading.pieceBytes(new SparkConf())), budget::exhausted)
                : null;
        HistoryTable table = plan == null ? null : read(started(progress, budget), plan, progress, budget);
        if (table != null) {
            return table;
        }
        try {
            return HistoryReader.read(path, format, budget::exhausted, budget.bytes());
        } catch (BudgetException e) {
            if (plan != null || isOneProcess || budget.exhausted()) {
                throw e;
            }
            BudgetException larger = new BudgetException(
                    e.getMessage()
                            + "; or convert the history with polygraph convert: a cluster reads plain JSON Lines and Parquet in pieces");
            larger.initCause(e);
            throw larger;
        }
    }

    private static @Nullable HistoryTable read(SparkSession spark, ReadPlan plan, Progress progress, Budget budget)
            throws HistoryException {
        Progress heard = CheckMetrics.OF_THIS_PROCESS.listening(progress);
        heard.phase("reading");
        return new SparkReading(spark.sparkContext(), plan, heard, budget).table();
    }

    /** The driver has read the part and decides it. */
    @Override
    public Checker afterSeams() {
        return new EmbeddedChecker();
    }

    @Override
    public @Nullable HistoryException problem(HistoryTable table) {
        boolean hasState = table.hasInitialState();
        if (!hasState && !table.hasRows()) {
            return null;
        }
        return new HistoryException(
                table.source().files().isEmpty()
                        ? "history"
                        : table.source().files().get(0),
                (!hasState
                                ? "inserts or deletes"
                                : table.values().hasPredicates() ? "predicates" : "initial values of single keys")
                        + ", with --engine spark",
                hasState ? "reads and writes of keys with one initial value" : "reads and writes at this level",
                "give --engine embedded" + (hasState ? "" : ", or ask for rc, ra or cc"));
    }

    @Override
    public Workers workers(Progress progress, Budget budget) throws IOException {
        if (Runtime.getRuntime().maxMemory() < LazySession.LEAST_HEAP) {
            throw new BudgetException(budget.shortage("a Spark session", LazySession.LEAST_HEAP));
        }
        SparkSession spark = started(progress, budget);
        return new SparkWorkers(
                spark, ScratchParent.of(spark), budget, CheckMetrics.OF_THIS_PROCESS.listening(progress));
    }

    @Override
    public Finding find(Check check) {
        if (Runtime.getRuntime().maxMemory() < LazySession.LEAST_HEAP) {
            throw new BudgetException(check.budget().shortage("a Spark session", LazySession.LEAST_HEAP));
        }
        check.phases()
                .listener(CheckMetrics.OF_THIS_PROCESS.listening(check.phases().listener()));
        return session.use(check.budget(), spark -> find(spark, check));
    }

    @Override
    public void ended(String how) {
        CheckMetrics.OF_THIS_PROCESS.ended(how.toLowerCase(Locale.ROOT));
    }

    private Finding find(SparkSession spark, Check check) {
        HistoryTable table = check.table();
        Progress progress = check.phases().listener();
        TaskSizes used = settings(spark.sparkContext().getConf(), sizes);
        int partitions = used.mostSlices > 0
                ? used.mostSlices
                : Integer.parseInt(spark.conf().get("spark.sql.shuffle.partitions"));
        SparkKernels.Layout layout =
                SparkKernels.Layout.of(table, used.operationsPerSlice, partitions, used.slicesOfKey);
        new EffectiveSettings(spark, used).lines().forEach(progress::note);
        progress.note("slices=" + layout.slices().slices() + " cutKeys="
                + layout.slices().splitKeys().length);
        Spill spill = new Spill(spark.sparkContext(), progress);
        try (SparkKernels kernels =
                new SparkKernels(spark, ScratchParent.of(spark), table, layout, used, check.budget(), progress)) {
            return Checker.find(check, kernels, Tuning.DEFAULT);
        } finally {
            spill.end();
        }
    }

    /** The session, started if there is no live one. */
    SparkSession session() {
        return session.get();
    }

    /** Stops the session. */
    @Override
    public void close() {
        session.close();
    }
}
