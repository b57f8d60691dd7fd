package org.polygraph.benchmarks.experiment;

import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.polygraph.benchmarks.pipeline.Memory;
import org.polygraph.benchmarks.pipeline.ResultsFile;
import org.polygraph.benchmarks.pipeline.Run;
import org.polygraph.benchmarks.pipeline.Source;
import org.polygraph.jobs.pipeline.Budget;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;

/**
 * One measurement, the only work of its JVM: reads or generates, collects, checks unmeasured as often as told, checks
 * measured, and prints a line of CSV. Arguments: source, level, setting, seconds, warm-ups, whether to judge.
 */
final class Measure {
    private static final long NANOS = 1_000_000_000L;

    private Measure() {}

    public static void main(String[] args) throws IOException, HistoryException {
        Source source = Source.read(args[0]);
        IsolationLevel level = IsolationLevel.valueOf(args[1].toUpperCase(Locale.ROOT));
        Setting setting = Setting.parse(args[2]);
        long timeout = Long.parseLong(args[3]) * NANOS;
        int warmups = Integer.parseInt(args[4]);
        for (int i = 0; i < warmups; i++) {
            Run.of(source.table(), setting.request(level), setting.tuning(), budget(timeout));
        }
        Memory.forgetHeapPeak();
        Run run = Run.of(source.table(), setting.request(level), setting.tuning(), budget(timeout));
        Measurement result = of(run);
        if (Boolean.parseBoolean(args[5])) {
            result.set("judged", Judge.of(source.table(), run.verdict(), timeout));
        }
        System.out.println(Csv.line(result.values()));
    }

    private static Budget budget(long timeout) {
        return Budget.starting(timeout, Runtime.getRuntime().maxMemory());
    }

    private static Measurement of(Run run) throws IOException {
        Verdict verdict = run.verdict();
        Measurement result = new Measurement()
                .set("date", LocalDate.now(ZoneOffset.UTC).toString())
                .set("commit", System.getProperty("polygraph.commit", "unknown"))
                .set("machine", ResultsFile.machine())
                .set("jvm", Runtime.version().toString())
                .set("verdict", verdict.status().toString())
                .set("reason", verdict.reason())
                .set("transactions", verdict.counts().transactions())
                .set("operations", verdict.counts().operations())
                .set("thread_ms", ResultsFile.millis(run.threadNanos()))
                .set("process_ms", ResultsFile.millis(run.processNanos()))
                .set("elapsed_ms", ResultsFile.millis(run.elapsedNanos()))
                .set("resident_mb", Memory.residentPeak() >> 20)
                .set("heap_mb", Memory.heapPeak() >> 20);
        if (verdict.certificate() != null) {
            result.set(
                    "certificate",
                    Objects.requireNonNull(verdict.certificate()).kind()
                            + (Objects.requireNonNull(verdict.certificate()).verified() ? ", verified" : ""));
        }
        for (Map.Entry<String, Long> stage : run.stages().entrySet()) {
            String column = stage.getKey() + "_ms";
            if (Measurement.COLUMNS.contains(column)) {
                result.set(column, ResultsFile.millis(stage.getValue()));
            }
        }
        ResidualSize residual = verdict.residual();
        return result.set("components", residual.components())
                .set("largest", residual.largest())
                .set("candidate_reads", residual.candidateReads())
                .set("instantiated", residual.constraints())
                .set("decisions", residual.decisions())
                .set("conflicts", residual.conflicts());
    }
}
