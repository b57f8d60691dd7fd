package org.polygraph.jobs.watch;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Answer;
import org.polygraph.jobs.application.CheckRun;
import org.polygraph.jobs.application.CheckSettings;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.Listener;
import org.polygraph.jobs.application.Pruning;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.model.HistoryException;

/**
 * Judges sources while they grow. Settled lines are added to a part that grows, which is checked again and again after
 * the chain of the parts before it. It is closed, and its run is kept, before a check of it takes long.
 *
 * <p>The cost of a transaction is that of a part of a chain, and as much again for each time that its part is checked
 * before it is closed. Memory: what waits, {@link #MOST_WAITING} bytes, and a check of a part.
 */
public final class Watch implements Closeable {
    /** A part is closed if its check takes longer, so that a verdict is never much older than that. */
    private static final long LONG_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

    public static final long HORIZON_MILLIS = 1000;
    public static final long PART_MILLIS = 60_000;
    public static final long CHECK_MILLIS = 500;
    private static final long PAUSE_MILLIS = 20;
    private static final long MOST_WAITING = 64 << 20;
    private static final long LARGEST_PART = 32 << 20;
    /** The runs of each level that keep certificate and seam. */
    private static final int KEPT = 2;

    private static final int PARTS_A_PRUNING = 16;

    private final Settings settings;
    private final Checker checker;
    private final Reporter reporter;
    private final Parts parts;
    private final Horizon horizon;
    private final List<Source> sources = new ArrayList<>();
    private final Set<String> opened = new HashSet<>();
    private final List<Path> folders = new ArrayList<>();
    private final List<WatchedTopic> topics = new ArrayList<>();
    private final Progress progress = new Progress();
    /** The source of each line of the next part: how many lines in a row are of one source. */
    private final Map<String, Long> lastLines = new LinkedHashMap<>();

    private volatile List<Answer> answers = List.of();
    private long lineNanos = System.nanoTime();
    private long checkedNanos = System.nanoTime();
    private long partNanos = System.nanoTime();
    private double nanosATransaction;
    private int checkedTransactions;
    private volatile boolean isFinished;
    private volatile boolean isStopped;

    /**
     * What is watched, and how.
     *
     * @param folder of the parts and their runs
     * @param requests one for each level, the strongest level first
     * @param horizonMillis a line that is older is settled
     * @param partMillis a part is closed when it is older
     * @param checkMillis the time between two checks of a part
     * @param idleMillis the watch ends when no line came for so long; {@link Long#MAX_VALUE} for never
     * @param stopsOnViolation whether it ends at the first violation
     * @param limits of each check
     */
    public record Settings(
            Path folder,
            List<CheckRequest> requests,
            long horizonMillis,
            long partMillis,
            long checkMillis,
            long idleMillis,
            boolean stopsOnViolation,
            CheckSettings.Limits limits) {
        /** One level, as {@code polygraph watch} judges it by default. */
        public static Settings of(Path folder, IsolationLevel level, boolean stopsOnViolation) {
            return new Settings(
                    folder,
                    List.of(CheckRequest.byDefault(level)),
                    HORIZON_MILLIS,
                    PART_MILLIS,
                    CHECK_MILLIS,
                    Long.MAX_VALUE,
                    stopsOnViolation,
                    new CheckSettings.Limits(
                            Long.MAX_VALUE, Runtime.getRuntime().maxMemory()));
        }
    }

    /** Gets what a watch finds. */
    public interface Reporter extends Listener {
        /** The answers about a part that was closed, and all parts before it. */
        void closed(long part, List<Answer> answers);

        /** What happened to a source. Notices are those of a chain, which each part has. */
        void remark(String text);

        /** How far the watch is; several times a second. */
        void progress(Progress now);
    }

    /** How far a watch is. */
    public static final class Progress {
        long transactions;
        long settled;
        long judged;
        long parts;
        long oldestMillis;
        long violations;
        long late;
        Map<String, String> verdicts = new LinkedHashMap<>();

        /** Transactions that were read by this process. */
        public long transactions() {
            return transactions;
        }

        /** Those of them that are settled. */
        public long settled() {
            return settled;
        }

        /** Those of them that a verdict is about. */
        public long judged() {
            return judged;
        }

        /** The parts that were closed, by earlier processes too. */
        public long parts() {
            return parts;
        }

        /** The age of the oldest line without a verdict, in milliseconds. */
        public long lagMillis() {
            return judged == transactions ? 0 : Math.max(0, System.currentTimeMillis() - oldestMillis);
        }

        /** Transactions that came after a later one of their session was settled. */
        public long late() {
            return late;
        }

        /** The violations that were found by this process. */
        public long violations() {
            return violations;
        }

        /** By level: the last verdict. */
        public Map<String, String> verdicts() {
            return verdicts;
        }
    }

    /** Begins a watch, or goes on with one that was ended in any way. */
    public Watch(Settings settings, Checker checker, Reporter reporter) throws IOException, HistoryException {
        this.settings = settings;
        this.checker = checker;
        this.reporter = reporter;
        this.parts = Parts.in(settings.folder);
        this.horizon = new Horizon(settings.horizonMillis);
        progress.parts = parts.number();
    }

    /** Adds a file or folder, or standard input. */
    public void add(String source) throws IOException {
        if (source.equals(WatchedStream.NAME)) {
            sources.add(new WatchedStream(System.in));
        } else if (Files.isDirectory(Path.of(source))) {
            folders.add(Path.of(source));
        } else {
            open(Path.of(source));
        }
    }

    /** Whether a source is a topic of Kafka. */
    public static boolean isTopic(String source) {
        return source.startsWith(WatchedTopic.SCHEME);
    }

    /** @param client a file of properties of Kafka's client; null for none */
    public void addTopic(String source, @Nullable Path client) throws IOException {
        topics.add(new WatchedTopic(source, client));
        lookForSources();
    }

    private void open(Path file) throws IOException {
        String identity = WatchedFile.identity(file);
        if (identity.isEmpty() || opened.add(identity)) {
            WatchedFile source = WatchedFile.open(file, parts.places().get(file.toString()), reporter::remark);
            opened.add(source.reading());
            sources.add(source);
        }
    }

    private void lookForSources() throws IOException {
        for (WatchedTopic topic : topics) {
            sources.addAll(topic.added(parts.places(), reporter::remark));
        }
        for (Path folder : folders) {
            try (Stream<Path> all = Files.list(folder)) {
                for (Path file : all.filter(
                                each -> each.getFileName().toString().endsWith(".jsonl"))
                        .sorted(Comparator.comparing(Path::toString))
                        .toList()) {
                    open(file);
                }
            }
        }
        for (Source source : sources) {
            opened.add(source.reading());
        }
    }

    /**
     * Watches until all sources have ended, or for the reasons of the settings.
     *
     * @return the last answers; empty if there is none
     * @throws HistoryException if a line is no transaction, or a part cannot be judged
     */
    public List<Answer> run() throws IOException, HistoryException {
        boolean ends = false;
        begin();
        while (!ends && !isStopped && !(settings.stopsOnViolation && progress.violations > 0)) {
            boolean isLast = isFinished;
            boolean any = read();
            long now = System.nanoTime();
            lineNanos = any ? now : lineNanos;
            ends = (isLast && !any)
                    || (folders.isEmpty() && sources.stream().allMatch(Source::hasEnded) && !any)
                    || TimeUnit.NANOSECONDS.toMillis(now - lineNanos) >= settings.idleMillis;
            settle(ends);
            if (ends) {
                end();
            } else if (!any) {
                pause();
            }
        }
        reporter.progress(progress);
        return answers;
    }

    /** The sources are complete, so the watch ends when they are read. Any thread may call it. */
    public void finish() {
        isFinished = true;
    }

    /** The watch ends after the check that runs. Any thread may call it. */
    void stop() {
        isStopped = true;
    }

    /** Judges the last part of an earlier process, unless that did. */
    void begin() throws HistoryException {
        if (parts.number() > 0) {
            judge(parts.last(), true, 0);
        }
    }

    /** Settles lines that were read, and judges them if that is due. @param all whether all lines are settled */
    void settle(boolean all) throws IOException, HistoryException {
        if (all) {
            horizon.end();
        }
        do {
            horizon.at(System.currentTimeMillis());
            for (Source source : sources) {
                settle(source);
            }
            reporter.progress(progress);
            if (parts.canBeJudged() && (all || isTime())) {
                check(all);
            }
        } while (all && sources.stream().anyMatch(source -> !source.waiting().isEmpty()));
    }

    /**
     * Nothing follows. A read whose writer may be in the next part is UNKNOWN in a chain, so such a chain is judged as a
     * whole.
     */
    void end() throws HistoryException {
        if (answers.stream().anyMatch(answer -> answer.status() == Verdict.Status.UNKNOWN)) {
            Path all = settings.folder.resolve("parts");
            answers = new CheckRun(
                            settings(settings.folder.resolve("end").toString(), CheckSettings.Before.NOTHING),
                            checker,
                            reporter)
                    .answers(all.toString());
        }
    }

    /** The last answers; empty if there is none. Any thread may ask. */
    public List<Answer> answers() {
        return answers;
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads what is there. @return whether there was a line */
    boolean read() throws IOException, HistoryException {
        lookForSources();
        boolean any = false;
        for (Source source : sources) {
            any |= source.read(MOST_WAITING / sources.size(), line -> {
                horizon.add(line);
                progress.transactions += line.isHeader() ? 0 : 1;
                if (progress.judged + 1 == progress.transactions) {
                    progress.oldestMillis = line.arrivedMillis();
                }
            });
        }
        return any;
    }

    private void settle(Source source) throws IOException, HistoryException {
        // If too much waits, what waits for longest is settled.
        boolean isFull = source.bytesWaiting() >= MOST_WAITING / sources.size();
        while (parts.bytes() < LARGEST_PART) {
            Line line = source.waiting().peek();
            if (line == null || !(isFull || horizon.isSettled(line))) {
                break;
            }
            source.take();
            lastLines.put(source.name(), line.behind().lines());
            parts.add(line, source.name());
            if (!line.isHeader()) {
                progress.settled++;
                if (horizon.isLate(line) && progress.late++ == 0) {
                    reporter.remark(source.name() + ":" + line.behind().lines() + ": s" + line.session() + "#"
                            + line.index() + " comes after a later transaction of its session was settled; it is"
                            + " judged too, if need be with all earlier parts. Further ones are counted as late");
                }
            }
        }
    }

    private boolean isTime() {
        long now = System.nanoTime();
        return parts.bytes() >= LARGEST_PART
                || (TimeUnit.NANOSECONDS.toMillis(now - checkedNanos) >= settings.checkMillis
                        && (parts.transactions() > checkedTransactions || isOld(now)));
    }

    private boolean isOld(long now) {
        return TimeUnit.NANOSECONDS.toMillis(now - partNanos) >= settings.partMillis;
    }

    /** Judges the next part, and closes it if that is due or if it has a violation. */
    private void check(boolean ends) throws IOException, HistoryException {
        int transactions = parts.transactions();
        boolean closes = ends
                || parts.bytes() >= LARGEST_PART
                || isOld(System.nanoTime())
                || (nanosATransaction * transactions > LONG_CHECK_NANOS);
        if (!closes) {
            parts.flush();
            judge(parts.next(), false, transactions);
            closes = answers.stream().anyMatch(Watch::isNew);
        }
        if (closes) {
            Map<String, Place> behind = new LinkedHashMap<>();
            sources.forEach(source -> behind.put(source.name(), source.taken()));
            Path part = parts.close(behind);
            progress.parts = parts.number();
            judge(part, true, transactions);
            checkedTransactions = 0;
            partNanos = System.nanoTime();
            lastLines.clear();
            if (parts.number() % PARTS_A_PRUNING == 0) {
                new Pruning(Location.of(settings.folder.toString()), KEPT, Instant.MAX).delete();
            }
        }
    }

    private CheckSettings settings(@Nullable String runs, CheckSettings.Before before) {
        return new CheckSettings(
                HistoryFormat.JSONL,
                settings.requests,
                false,
                settings.limits,
                CheckSettings.Failing.ANY,
                new CheckSettings.Runs(runs, CheckSettings.Earlier.CONTINUED),
                null,
                before,
                true);
    }

    /** @param transactions of the part; 0 if an earlier process may have judged it */
    private void judge(Path part, boolean keeps, int transactions) throws HistoryException {
        long begin = System.nanoTime();
        String folder = settings.folder.toString();
        answers = new CheckRun(
                        settings(keeps ? folder : null, new CheckSettings.Before(null, folder, false, false, false)),
                        checker,
                        keeps ? reporter : reporter.quiet())
                .answers(part.toString());
        checkedNanos = System.nanoTime();
        nanosATransaction = transactions == 0 ? 0 : (double) (checkedNanos - begin) / transactions;
        checkedTransactions = parts.transactions();
        progress.judged = progress.settled;
        progress.oldestMillis = sources.stream()
                .map(source -> source.waiting().peek())
                .filter(Objects::nonNull)
                .mapToLong(Line::arrivedMillis)
                .min()
                .orElse(System.currentTimeMillis());
        for (Answer answer : answers) {
            progress.verdicts.put(answer.level().label(), answer.status().name());
            progress.violations += keeps && isNew(answer) ? 1 : 0;
        }
        if (keeps) {
            reporter.closed(parts.number(), answers);
            failIfUnjudged(part);
        }
    }

    private void failIfUnjudged(Path part) throws HistoryException {
        for (Answer answer : answers) {
            if (answer.status() == Verdict.Status.INVALID || answer.status() == Verdict.Status.ERROR) {
                throw new HistoryException(part + " cannot be judged, see above; it ends with " + lastLines
                        + " (source=line); mend the source and watch it with another --out");
            }
        }
    }

    /** Whether this process found a violation that a part adds. */
    public static boolean isNew(Answer answer) {
        if (answer.status() != Verdict.Status.VIOLATION) {
            return false;
        }
        Verdict found = answer.found();
        if (found == null) {
            // An earlier process has reported it.
            return false;
        }
        @Nullable PartViolations inPart = found.inPart();
        return inPart == null || !inPart.added().isEmpty();
    }

    @Override
    public void close() throws IOException {
        for (Source source : sources) {
            source.close();
        }
        topics.forEach(WatchedTopic::close);
        parts.close();
    }
}
