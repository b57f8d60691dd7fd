package org.polygraph.jobs.cli;

import java.io.PrintStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.polygraph.jobs.application.Listener;
import org.polygraph.jobs.cli.Verbosity.ProgressMode;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.LegibleJson;
import org.polygraph.jobs.report.wording.LegibleJson.Fields;

/**
 * Progress and messages on stderr. Kernels may report at any rate; output is limited by the clock: ten times a second
 * for the bar, every five seconds for plain lines, once a second for JSON. A shorter check prints nothing. JSON also
 * has a line at the beginning of each phase, so that other programs can measure phases; it is left out if the phase ran
 * before and the last line is less than 50 ms old.
 *
 * <p>Rate and time left are those of the job while one runs, otherwise of the phase. The bar shows heap and off-heap
 * memory as {@code heap 3+1M}.
 */
final class ProgressPrinter implements Listener {
    private static final int BAR = 8;
    /** A longer line could not be overwritten on a terminal of 80 columns. */
    private static final int COLUMNS = 79;
    /** Rates of a shorter time are not shown. */
    private static final long SOME_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A phase may run thousands of times (rounds of rules and of the solver), each for less than a millisecond. */
    private static final long BETWEEN_PHASES_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final PrintStream err;
    private final ProgressMode mode;
    private final long intervalNanos;
    private final LongSupplier clock;
    private final Memory memory;
    private final boolean verbose;
    private String path = "";
    private volatile String phase = "reading";
    /** The running job of the phase; empty if there is none. */
    private String job = "";

    private long startNanos;
    /** The beginning of the phase, or of its job. */
    private long itemsNanos;

    private long nextNanos;
    /** When the last line was printed. */
    private long printedNanos;

    private int drawn;
    /** The phases of this PATH so far. */
    private final Set<String> phases = new HashSet<>();

    ProgressPrinter(PrintStream err, ProgressMode mode, boolean terminal, boolean verbose) {
        this(err, mode, terminal, verbose, System::nanoTime, Memory.OF_THIS_PROCESS);
    }

    /**
     * Creates a printer for tests.
     *
     * @param clock nanoseconds from any origin
     */
    ProgressPrinter(
            PrintStream err, ProgressMode mode, boolean terminal, boolean verbose, LongSupplier clock, Memory memory) {
        this.verbose = verbose;
        this.memory = memory;
        this.clock = clock;
        this.err = err;
        this.mode = mode == ProgressMode.AUTO && !terminal ? ProgressMode.PLAIN : mode;
        this.intervalNanos = switch (this.mode) {
            case AUTO -> TimeUnit.MILLISECONDS.toNanos(100);
            case PLAIN -> TimeUnit.SECONDS.toNanos(5);
            case JSON -> TimeUnit.SECONDS.toNanos(1);
            case NONE -> 0;
        };
    }

    @Override
    public synchronized void path(String name) {
        path = name;
        phase = "reading";
        job = "";
        startNanos = clock.getAsLong();
        itemsNanos = startNanos;
        nextNanos = startNanos + intervalNanos;
        phases.clear();
        phaseBegins();
    }

    private void phaseBegins() {
        long now = clock.getAsLong();
        boolean isNew = phases.add(phase);
        if (mode == ProgressMode.JSON && (isNew || now - printedNanos >= BETWEEN_PHASES_NANOS)) {
            print(0, 0, now);
        }
    }

    @Override
    public String currentPhase() {
        return phase;
    }

    @Override
    public synchronized void phase(String name) {
        phase = name;
        job = "";
        itemsNanos = clock.getAsLong();
        phaseBegins();
        items(0, 0);
    }

    @Override
    public synchronized void job(String name) {
        job = name;
        itemsNanos = clock.getAsLong();
        items(0, 0);
    }

    @Override
    public synchronized void note(String text) {
        if (verbose) {
            pathEnds();
            err.println(Legible.of("  " + text));
        }
    }

    @Override
    public synchronized void notice(String text) {
        if (mode != ProgressMode.NONE) {
            message(text);
        }
    }

    @Override
    public synchronized void message(String text) {
        pathEnds();
        Environment.message(err, text);
    }

    @Override
    public void failure(String text, Throwable e) {
        message(text);
        if (verbose) {
            e.printStackTrace(err);
        }
    }

    @Override
    public void bug(String text, Throwable e) {
        failure(text + (verbose ? "" : "; -v shows where"), e);
    }

    @Override
    public synchronized void items(long done, long total) {
        if (mode == ProgressMode.NONE) {
            return;
        }
        long now = clock.getAsLong();
        if (now - nextNanos < 0) {
            return;
        }
        print(done, total, now);
    }

    private void print(long done, long total, long now) {
        printedNanos = now;
        nextNanos = now + intervalNanos;
        long millis = TimeUnit.NANOSECONDS.toMillis(now - startNanos);
        double rate = done * 1e9 / Math.max(1, now - itemsNanos);
        boolean showsRate = done > 0 && now - itemsNanos >= SOME_NANOS;
        long left = showsRate && total >= done ? Math.round((total - done) / rate) : -1;
        switch (mode) {
            case JSON -> {
                Fields json = LegibleJson.object().with("path", path).with("phase", phase);
                if (!job.isEmpty()) {
                    json.with("job", job);
                }
                json.with("done", done).with("total", total).with("ms", millis);
                if (showsRate) {
                    json.with("per_second", new BigDecimal(number(rate)));
                }
                if (left >= 0) {
                    json.with("left_s", left);
                }
                json.with("heap_bytes", memory.heap()).with("off_heap_bytes", memory.offHeap());
                err.println(LegibleJson.of(json));
            }
            case PLAIN ->
                err.println(Legible.of(path) + ": " + phase + (job.isEmpty() ? "" : " (" + Legible.of(job) + ")")
                        + amount(done, total) + ", " + millis / 1000 + " s"
                        + (showsRate ? ", " + number(rate) + " a second" : "")
                        + (left < 0 ? "" : ", " + left + " s left") + ", heap " + (memory.heap() >> 20)
                        + " MiB, off-heap " + (memory.offHeap() >> 20) + " MiB");
            default ->
                // The most important numbers come first, because the end may be cut off.
                draw(phase + " " + bar(done, total) + amount(done, total).replace(" of ", "/") + "  " + millis / 1000
                        + "s"
                        + (showsRate ? "  " + number(rate) + "/s" : "")
                        + (left < 0 ? "" : "  " + left + "s left")
                        + "  heap " + (memory.heap() >> 20) + "+" + (memory.offHeap() >> 20) + "M"
                        + (job.isEmpty() ? "" : "  " + Legible.of(job)));
        }
    }

    private static String number(double rate) {
        return rate >= 100 ? Long.toString(Math.round(rate)) : String.format(Locale.ROOT, "%.1f", rate);
    }

    /** Memory of the process, in bytes. */
    interface Memory {
        Memory OF_THIS_PROCESS = new Memory() {
            @Override
            public long heap() {
                return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
            }

            @Override
            public long offHeap() {
                long bytes = 0;
                for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
                    bytes += pool.getMemoryUsed();
                }
                return bytes;
            }
        };

        /** Returns the bytes on the heap, garbage included. */
        long heap();

        /** Returns the bytes of buffers and mapped files. */
        long offHeap();
    }

    /** Removes the bar. */
    @Override
    public synchronized void pathEnds() {
        if (drawn > 0) {
            err.print("\r" + " ".repeat(drawn) + "\r");
            err.flush();
            drawn = 0;
        }
    }

    private void draw(String all) {
        String text = all.length() <= COLUMNS ? all : all.substring(0, COLUMNS);
        err.print("\r" + text + " ".repeat(Math.max(0, drawn - text.length())));
        err.flush();
        drawn = text.length();
    }

    private static String bar(long done, long total) {
        if (total <= 0) {
            return "";
        }
        int full = (int) (Math.min(done, total) * (double) BAR / total);
        return "[" + "=".repeat(full) + " ".repeat(BAR - full) + "]";
    }

    private static String amount(long done, long total) {
        if (total > 0) {
            return " " + done + " of " + total;
        }
        return done > 0 ? " " + done : "";
    }
}
