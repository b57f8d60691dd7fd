package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Answer;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.report.ResultLine;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.RunList;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.report.VerdictJson;
import org.polygraph.jobs.report.ViolationText;
import org.polygraph.jobs.report.page.WatchPage;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.LegibleJson;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.watch.Watch;
import org.polygraph.storage.artifact.Location;

/**
 * What {@code watch} prints: violations on stdout when they are found, the last verdicts at the end, and on stderr once a
 * second how far it is, over itself on a terminal and as JSON lines otherwise.
 */
final class WatchPrinter implements Watch.Reporter {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Environment environment;
    private final Verbosity verbosity;
    private final boolean json;
    private final @Nullable String metricsFile;
    private final String folder;
    private final boolean isKept;
    private final long beginNanos = System.nanoTime();
    private long printedNanos = beginNanos;
    private long printedTransactions;
    private int drawn;
    private Watch.@Nullable Progress last;
    private String phase = "";

    /** @param isKept whether the folder of runs stays */
    WatchPrinter(
            Environment environment,
            Verbosity verbosity,
            boolean json,
            @Nullable String metricsFile,
            String folder,
            boolean isKept) {
        this.isKept = isKept;
        this.environment = environment;
        this.verbosity = verbosity;
        this.json = json;
        this.metricsFile = metricsFile;
        this.folder = folder;
    }

    @Override
    public void closed(long part, List<Answer> answers) {
        for (Answer answer : answers) {
            if (Watch.isNew(answer)) {
                print(answer);
            }
        }
        if (isKept && answers.stream().anyMatch(Watch::isNew)) {
            try {
                RunList.writeIndex(Location.of(folder));
            } catch (IOException e) {
                message(folder + ": the index of the runs cannot be written (" + Failures.cause(e) + ")");
            }
        }
    }

    /** Prints the last answers; returns the exit code. */
    int end(List<Answer> answers) {
        clear();
        if (answers.isEmpty()) {
            message("no transaction was judged");
            return ExitCode.INVALID.code();
        }
        if (last != null) {
            writePage(last, 0);
            writeMetrics(last, 0);
        }
        int exitCode = ExitCode.PASS.code();
        for (Answer answer : answers) {
            if (!Watch.isNew(answer)) {
                print(answer);
            }
            exitCode = ExitCode.merge(exitCode, answer.status().exitCode().code());
        }
        return exitCode;
    }

    private void print(Answer answer) {
        clear();
        PrintStream out = environment.out();
        Verdict found = answer.found();
        StoredVerdict stored = answer.stored();
        RunDirectory run = answer.run();
        if (json) {
            out.println(
                    found != null
                            ? VerdictJson.of(found, null, run == null ? null : run.name())
                            : stored == null ? "" : stored.json());
        } else if (found != null) {
            out.println(ResultLine.withoutMessage(found, found.level().label()));
            out.print(ViolationText.of(found, ViolationText.Detail.BRIEF));
        } else if (stored != null) {
            out.println(stored.line(stored.path(), 0));
            out.print(stored.explanation(ViolationText.Detail.BRIEF));
        }
        if (run != null && !json && isKept) {
            out.println("  run: " + Legible.of(run.name()));
        }
        out.flush();
    }

    @Override
    public void progress(Watch.Progress now) {
        last = now;
        long nanos = System.nanoTime();
        if (nanos - printedNanos < INTERVAL_NANOS) {
            return;
        }
        double rate = (now.transactions() - printedTransactions) * 1e9 / (nanos - printedNanos);
        printedNanos = nanos;
        printedTransactions = now.transactions();
        writePage(now, rate);
        writeMetrics(now, rate);
        if (!verbosity.showsProgress()) {
            return;
        }
        if (environment.terminal()) {
            String text = Math.round(rate) + "/s  " + now.judged() + " judged  " + (now.transactions() - now.settled())
                    + " open  lag " + String.format(Locale.ROOT, "%.1f", now.lagMillis() / 1e3) + "s  "
                    + now.parts() + " parts  " + now.violations() + " violations  " + verdicts(now);
            environment.err().print("\r" + text + " ".repeat(Math.max(0, drawn - text.length())));
            environment.err().flush();
            drawn = text.length();
        } else {
            environment
                    .err()
                    .println(LegibleJson.of(LegibleJson.object()
                            .with("ms", TimeUnit.NANOSECONDS.toMillis(nanos - beginNanos))
                            .with("per_second", Math.round(rate))
                            .with("transactions", now.transactions())
                            .with("judged", now.judged())
                            .with("open", now.transactions() - now.settled())
                            .with("late", now.late())
                            .with("lag_ms", now.lagMillis())
                            .with("parts", now.parts())
                            .with("violations", now.violations())
                            .with("verdicts", now.verdicts())
                            .with("heap_bytes", ProgressPrinter.Memory.OF_THIS_PROCESS.heap())));
        }
    }

    private static String verdicts(Watch.Progress now) {
        return now.verdicts().entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(" "));
    }

    private void writePage(Watch.Progress now, double rate) {
        if (!isKept) {
            return;
        }
        String page = WatchPage.of(LegibleJson.object()
                .with("Written", Instant.now().truncatedTo(ChronoUnit.SECONDS))
                .with("Verdicts", verdicts(now))
                .with("Violations found", now.violations())
                .with("Transactions read", now.transactions())
                .with("a second", Math.round(rate))
                .with("judged", now.judged())
                .with("not settled", now.transactions() - now.settled())
                .with("late", now.late())
                .with("Lag in ms", now.lagMillis())
                .with("Parts with a run", now.parts()));
        replace(folder + "/watch.html", page);
    }

    private void writeMetrics(Watch.Progress now, double rate) {
        if (metricsFile == null) {
            return;
        }
        StringBuilder text = new StringBuilder();
        gauge(text, "transactions", "Transactions that were read.", now.transactions());
        gauge(text, "judged_transactions", "Transactions that a verdict is about.", now.judged());
        gauge(text, "open_transactions", "Transactions that are not settled.", now.transactions() - now.settled());
        gauge(text, "late_transactions", "Transactions after later ones of their session.", now.late());
        gauge(text, "transactions_per_second", "Transactions that were read in the last second.", Math.round(rate));
        gauge(text, "lag_milliseconds", "Age of the oldest transaction without a verdict.", now.lagMillis());
        gauge(text, "parts", "Parts with a run.", now.parts());
        gauge(text, "violations", "Violations that this process found.", now.violations());
        MetricsFile.begin(text, "polygraph_watch_verdict_info", "The last verdict.");
        now.verdicts()
                .forEach((level, verdict) -> text.append(
                        "polygraph_watch_verdict_info{level=\"" + level + "\",verdict=\"" + verdict + "\"} 1\n"));
        replace(metricsFile, text.toString());
    }

    private void replace(String file, String text) {
        try {
            Location.of(file).write(out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            message(file + ": it cannot be written (" + Failures.cause(e) + ")");
        }
    }

    private static void gauge(StringBuilder text, String name, String help, long value) {
        MetricsFile.begin(text, "polygraph_watch_" + name, help);
        text.append("polygraph_watch_" + name + " " + value + "\n");
    }

    private void clear() {
        if (drawn > 0) {
            environment.err().print("\r" + " ".repeat(drawn) + "\r");
            environment.err().flush();
            drawn = 0;
        }
    }

    @Override
    public void message(String text) {
        clear();
        environment.message(text);
    }

    @Override
    public void remark(String text) {
        if (verbosity.showsProgress()) {
            message(text);
        }
    }

    @Override
    public void failure(String text, Throwable e) {
        message(text);
        if (verbosity.verbose()) {
            e.printStackTrace(environment.err());
        }
    }

    @Override
    public String currentPhase() {
        return phase;
    }

    @Override
    public void phase(String name) {
        phase = name;
    }
}
