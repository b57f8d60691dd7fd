package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.ShapedJoin;
import org.polygraph.jobs.decision.ShownVerdicts;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Shapes that other generators seldom make, alone and joined, at all levels. However they are divided to be read and
 * checked by tasks, the verdict is that of the definitions, and verdict.json is that of the embedded engine except for
 * time and memory.
 */
@Tag("spark")
class SparkShapesTest {
    private static final IsolationLevel[] LEVELS = IsolationLevel.values();
    private static final WindowPlan.Granularity[] WINDOWS = {
        new WindowPlan.Granularity(1, 0),
        new WindowPlan.Granularity(3, 1),
        new WindowPlan.Granularity(5, 0),
        new WindowPlan.Granularity(16, 4),
        new WindowPlan.Granularity(40, 0)
    };
    /** For every history, the rules of some key run in several tasks. */
    private static final long[] HOT_BYTES = {Long.MAX_VALUE, 16 << 10, 64};

    private static final int[] SLICES = {1, 3, 7, 20};
    private static final int[] SLICES_OF_KEY = {0, 1, 2, 1_000_000};

    @TempDir
    static Path stages;

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private static SparkChecker first;

    private final ShownVerdicts shown = new ShownVerdicts();
    private final Map<IsolationLevel, Map<Verdict.Status, Integer>> seen = new EnumMap<>(IsolationLevel.class);
    /** By name of Spark's jobs: their number, and the most tasks of one of them. */
    private final Map<String, int[]> jobs = new TreeMap<>();

    private final Map<String, Integer> stagesSeen = new TreeMap<>();

    @BeforeAll
    static void start() {
        System.setProperty(LazySession.STAGE_FOLDER, stages.toUri().toString());
        first = new SparkChecker("local[2]");
        first.session();
    }

    @AfterAll
    static void stop() {
        first.close();
        System.clearProperty(LazySession.STAGE_FOLDER);
        System.clearProperty(SparkReading.PIECE_BYTES);
    }

    @AfterEach
    void nothingStaysBehind() throws IOException {
        assertThat(first.session().sparkContext().getPersistentRDDs().isEmpty()).isTrue();
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void agree() throws IOException, HistoryException {
        run(0x59a4e, 3 * LEVELS.length, 25, 0);
        assertThat(jobs)
                .containsKeys(
                        "read the input",
                        "index keys",
                        "close the graph by windows of time",
                        "check keys against the first order",
                        "order keys",
                        "find the writer of each read");
    }

    @Test
    @Tag("full")
    void agreeAtLength() throws IOException, HistoryException {
        run(0x59a4e5, 40 * LEVELS.length, 60, 0.5);
        assertThat(jobs)
                .containsKeys(
                        "close the graph by columns",
                        "rank events by columns",
                        "force edges",
                        "force edges of split keys",
                        "force edges of a hot key",
                        "check keys against the solver's order",
                        "infer what the level demands");
        // The status store knows the last thousand jobs.
        assertThat(jobs.get("close the graph by windows of time")[1]).isGreaterThan(3);
    }

    /** A third are single histories, a third joins in which all holds, the rest joins in which some part violates. */
    private void run(long seed, int histories, int mostParts, double more) throws IOException, HistoryException {
        for (int i = 0; i < histories; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            IsolationLevel level = LEVELS[i % LEVELS.length];
            int kind = i / LEVELS.length % 3;
            int parts = kind == 0 ? 1 : random.between(2, random.chance(0.5) ? 6 : mostParts);
            int violating = kind == 0
                    ? random.nextInt(2)
                    : kind == 1 ? 0 : random.chance(0.7) ? 1 : random.between(1, Math.min(parts, 5));
            ShapedJoin join = ShapedJoin.of(random.nextLong(), level, parts, violating);
            examine(join, level, random, more, "#" + i + " of seed " + seed + ": " + join);
        }
        first.session().sparkContext().statusStore().jobsList(null).foreach(job -> {
            int[] counts = jobs.get(kind(job.description().getOrElse(() -> "")));
            if (counts != null) {
                counts[1] = Math.max(counts[1], job.numTasks());
            }
            return counts;
        });
        System.out.println(histories + " histories from seed " + seed + ": " + seen + ", " + shown.withoutOrder()
                + " passes by choices alone, " + shown.withoutPart() + " violations of empty transactions, "
                + shown.large() + " of large parts; jobs with their most tasks:");
        jobs.forEach((name, counts) -> System.out.println("  " + name + " " + counts[0] + " " + counts[1]));
        System.out.println("  " + stagesSeen);
        int enough = histories / LEVELS.length / 4;
        assertThat(seen.values())
                .hasSize(LEVELS.length)
                .allMatch(counts -> counts.getOrDefault(Verdict.Status.PASS, 0) > enough
                        && counts.getOrDefault(Verdict.Status.VIOLATION, 0) >= enough
                        && counts.getOrDefault(Verdict.Status.UNKNOWN, 0) <= enough);
        assertThat(shown.large()).isLessThan(histories / 100 + 2);
    }

    /** At the level, and perhaps at another one. */
    private void examine(ShapedJoin join, IsolationLevel level, SplitMix random, double more, String what)
            throws IOException, HistoryException {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, join.json());
        HistoryTable whole = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        SparkChecker checker = new SparkChecker("local[2]", cut(random, whole));
        System.setProperty(SparkReading.PIECE_BYTES, String.valueOf(Files.size(file) / random.between(4, 7)));
        HistoryTable read = checker.read(file.toString(), HistoryFormat.AUTO, commitStatus(), Budget.unlimited());
        judge(join, level, whole, read, checker, random.chance(0.6), what);
        if (random.chance(more)) {
            judge(join, LEVELS[random.nextInt(LEVELS.length)], whole, read, checker, random.chance(0.6), what);
        }
    }

    private void judge(
            ShapedJoin join,
            IsolationLevel level,
            HistoryTable whole,
            HistoryTable read,
            SparkChecker checker,
            boolean hint,
            String what) {
        Boolean holds = join.holds(level);
        if (holds == null) {
            return;
        }
        CheckRequest request = join.request(level, hint && join.isTimed() ? TimeMode.HINT : TimeMode.NONE);
        String as = what + " " + request + " " + checker.sizes() + "\n" + join.json();
        Verdict expected = new EmbeddedChecker().check(whole, request, Progress.NONE, Budget.unlimited());
        Verdict actual = checker.check(read, request, commitStatus(), Budget.unlimited());
        seen.computeIfAbsent(level, l -> new EnumMap<>(Verdict.Status.class)).merge(actual.status(), 1, Integer::sum);
        assertThat(Untimed.json(actual)).as(as).isEqualTo(Untimed.json(expected));
        shown.isShown(actual, join, holds, read, request, as);
    }

    private static SparkChecker.TaskSizes cut(SplitMix random, HistoryTable table) {
        int columns = table.sessions() / random.between(1, 6) + 1;
        int ofKey = SLICES_OF_KEY[random.nextInt(SLICES_OF_KEY.length)];
        return new SparkChecker.TaskSizes(
                1,
                SLICES[random.nextInt(SLICES.length)],
                // All keys are split, unless this makes hundreds of tasks.
                ofKey == 0 && table.keys().size() > 20 ? 1 : ofKey,
                0,
                columns,
                HOT_BYTES[random.nextInt(HOT_BYTES.length)],
                WINDOWS[random.nextInt(WINDOWS.length)],
                Long.MAX_VALUE);
    }

    /** The name of a job without its round. */
    private static String kind(String description) {
        return description.replaceAll(", round .*", "");
    }

    private Progress commitStatus() {
        return new Progress() {
            @Override
            public void phase(String name) {
                stagesSeen.merge(name, 1, Integer::sum);
            }

            @Override
            public void items(long done, long total) {
                // Most jobs end before the listener is called.
            }

            @Override
            public void job(String name) {
                if (!name.isEmpty()) {
                    jobs.computeIfAbsent(kind(name), n -> new int[2])[0]++;
                }
            }
        };
    }
}
