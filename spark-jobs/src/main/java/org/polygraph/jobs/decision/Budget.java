package org.polygraph.jobs.decision;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/**
 * How long a check may take and how much memory it may hold. Kernels poll {@link #exhausted} every few thousand steps
 * and ask {@link #fits} before they allocate. Thread-safe.
 */
public final class Budget {
    private static final long NO_DEADLINE = Long.MAX_VALUE;
    /** A part ends after so many times its CPU time on the wall clock, however busy the machine is. */
    private static final long SLOWEST = 10;
    /** The step of the CPU clock, which is not read more often. */
    private static final long CPU_STEP_NANOS = 10_000_000;

    private final long startNanos;
    private final long timeoutNanos;
    /** The memory given, of which {@link #bytes} is a share. */
    private final long heap;

    private final long bytes;
    private volatile boolean cancelled;
    /** Of a part for one thread: how often {@link #exhausted} may be called, and how often it still may. */
    private long mostLooks = Long.MAX_VALUE;

    private long looks = Long.MAX_VALUE;

    /** The budget that this is a part of, or null. */
    private @Nullable Budget whole;

    /** CPU time of this process that a part may take. */
    private final long cpuNanos;

    private final long startCpuMillis;
    private volatile long nextCpuLook;

    private Budget(long startNanos, long timeoutNanos, long heap) {
        this(startNanos, timeoutNanos, NO_DEADLINE, heap);
    }

    private Budget(long startNanos, long timeoutNanos, long cpuNanos, long heap) {
        this.cpuNanos = cpuNanos;
        this.startCpuMillis = cpuNanos == NO_DEADLINE ? 0 : CpuClock.millis();
        this.nextCpuLook = cpuNanos == NO_DEADLINE ? 0 : startNanos + cpuNanos;
        this.startNanos = startNanos;
        this.timeoutNanos = timeoutNanos;
        this.heap = heap;
        this.bytes = heap / 20 * 17;
    }

    /** No deadline, and all memory that the JVM may take. */
    public static Budget unlimited() {
        return new Budget(System.nanoTime(), NO_DEADLINE, Runtime.getRuntime().maxMemory());
    }

    /**
     * Starts now.
     *
     * @param timeoutNanos {@link Long#MAX_VALUE} for none
     * @param heapBytes memory that the process may use; 85 % of it are for what a check holds, the rest is for the
     *     collector and for small objects that are not counted
     */
    public static Budget starting(long timeoutNanos, long heapBytes) {
        return new Budget(System.nanoTime(), timeoutNanos, heapBytes);
    }

    /** Whether it ends at some time. */
    public boolean hasDeadline() {
        return timeoutNanos != NO_DEADLINE;
    }

    /** Whether to stop: the deadline has passed or {@link #cancel} was called. Reads a clock once, rarely twice. */
    public boolean exhausted() {
        return cancelled
                || (looks != Long.MAX_VALUE && --looks < 0)
                || (whole != null && whole.exhausted())
                || (timeoutNanos != NO_DEADLINE && isOver(System.nanoTime()));
    }

    /** @throws BudgetException if it is {@link #exhausted} */
    public void require() {
        if (exhausted()) {
            throw ended();
        }
    }

    /**
     * Reserves memory.
     *
     * @param phase that needs it, for the message
     * @throws BudgetException if so many more bytes do not fit beside those held
     */
    public void require(long heldBytes, long moreBytes, String phase) {
        if (!fits(heldBytes, moreBytes)) {
            throw new BudgetException(shortage(phase, heldBytes + moreBytes));
        }
    }

    /**
     * The result of a kernel that returns null when its budget ends.
     *
     * @throws BudgetException if it is null
     */
    public static <T> T unlessEnded(@Nullable T result) {
        if (result == null) {
            throw ended();
        }
        return result;
    }

    /** For code that has seen the end of its budget; the reason is worded where the budget was made. */
    public static BudgetException ended() {
        return new BudgetException("the budget ended");
    }

    private boolean isOver(long now) {
        if (now - startNanos >= timeoutNanos) {
            return true;
        }
        if (cpuNanos == NO_DEADLINE || now - nextCpuLook < 0) {
            return false;
        }
        if (takenCpuNanos() < cpuNanos) {
            nextCpuLook = now + CPU_STEP_NANOS;
            return false;
        }
        return true;
    }

    /** Share of the looks that is spent, 0 to 1; 0 if they are not counted. */
    public double spent() {
        return mostLooks == Long.MAX_VALUE ? 0 : 1 - (double) Math.max(0, looks) / mostLooks;
    }

    /** Counts as so many looks, for long work without a look; has no effect if they are not counted. */
    void charge(long more) {
        if (looks != Long.MAX_VALUE) {
            looks -= more;
        }
    }

    /** On platforms without a CPU clock: elapsed time, as if one thread had run all the time. */
    private long takenCpuNanos() {
        long millis = CpuClock.millis();
        return millis == 0 ? System.nanoTime() - startNanos : TimeUnit.MILLISECONDS.toNanos(millis - startCpuMillis);
    }

    /**
     * A part of this budget that starts now: at most half of what is left, and at most so long, both by the clock and of
     * this process's CPU time, so that what else a machine does decides as little as may be. (By the clock it ends after
     * {@value #SLOWEST} times as long.) Its end does not end this one.
     */
    public Budget part(long mostNanos) {
        return part(mostNanos, 0);
    }

    /** The same for what runs while so many bytes are held by others. */
    public Budget part(long mostNanos, long heldBytes) {
        long now = System.nanoTime();
        long cpu = cpuNanos == NO_DEADLINE ? mostNanos : Math.min(mostNanos, (cpuNanos - takenCpuNanos()) / 2);
        long left = timeoutNanos == NO_DEADLINE ? NO_DEADLINE : (timeoutNanos - (now - startNanos)) / 2;
        return new Budget(now, Math.min(left, SLOWEST * cpu), cpu, Math.max(0, heap - heldBytes));
    }

    /**
     * A part of this budget that ends when it was asked so often, from one thread: a measure of work that is the same on every
     * machine. It ends with this one at the latest.
     */
    public Budget ofLooks(long most) {
        Budget part = new Budget(startNanos, NO_DEADLINE, heap);
        part.whole = this;
        part.mostLooks = most;
        part.looks = most;
        return part;
    }

    /** A part that has half of the time that is left, if there is a deadline. It ends with this one at the latest. */
    public Budget half() {
        long now = System.nanoTime();
        long left = timeoutNanos == NO_DEADLINE ? NO_DEADLINE : (timeoutNanos - (now - startNanos)) / 2;
        Budget part = new Budget(now, left, heap);
        part.whole = this;
        return part;
    }

    /** Memory that the process may use. */
    public long heap() {
        return heap;
    }

    /** Memory that the check may hold at its peak. */
    public long bytes() {
        return bytes;
    }

    /** Whether that many more bytes may be held beside those already held. */
    public boolean fits(long heldBytes, long moreBytes) {
        return moreBytes <= bytes - heldBytes;
    }

    /** From any thread: makes {@link #exhausted} true. */
    public void cancel() {
        cancelled = true;
    }

    /** The reason of an UNKNOWN once {@link #exhausted}: what ran out, when, and what to do. */
    public String exhaustion(String stage) {
        return timeoutNanos == NO_DEADLINE
                ? "cancelled during " + stage
                : "timeout of " + duration(timeoutNanos) + " ran out during " + stage + "; give --timeout more";
    }

    /** The reason of an UNKNOWN once {@link #fits} said no. */
    public String shortage(String stage, long neededBytes) {
        return "memory of " + mebibytes(heap) + " MiB is too little for " + stage + ", which needs "
                + mebibytes(neededBytes) + " MiB; give --memory more";
    }

    /** The reason of an UNKNOWN when memory ran out without warning. */
    public String shortage(String stage) {
        return "memory of " + mebibytes(heap) + " MiB ran out during " + stage + "; give --memory more";
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    private static String duration(long nanos) {
        return nanos < TimeUnit.SECONDS.toNanos(10) || nanos % TimeUnit.SECONDS.toNanos(1) != 0
                ? TimeUnit.NANOSECONDS.toMillis(nanos) + " ms"
                : TimeUnit.NANOSECONDS.toSeconds(nanos) + " s";
    }
}
