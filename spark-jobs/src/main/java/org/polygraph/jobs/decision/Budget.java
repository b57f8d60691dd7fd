package org.polygraph.jobs.decision;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/**
 * The time that a check may take and the memory that it may hold. Kernels poll {@link #exhausted} every few thousand
 * steps and ask {@link #fits} before they allocate. Thread-safe, except for a share {@link #ofLooks}.
 */
public final class Budget {
    private static final long NO_DEADLINE = Long.MAX_VALUE;
    /**
     * A share by CPU time ends when this many times that time has passed on the wall clock, also on a busy machine.
     */
    private static final long SLOWEST = 10;
    /** The resolution of the CPU clock, which is not read more often. */
    private static final long CPU_STEP_NANOS = 10_000_000;

    /** Whether a budget and all of its shares were cancelled. A test makes one that counts its calls. */
    static class Cancellation {
        private volatile boolean isCancelled;

        boolean isCancelled() {
            return isCancelled;
        }
    }

    private final long startNanos;
    private final long timeoutNanos;
    /** The memory of the process; {@link #bytes} is a share of it. */
    private final long heap;

    private final long bytes;
    /** Shared by a budget and all of its shares. */
    private final Cancellation cancelled;
    /**
     * For a budget of one thread that counts calls: how often {@link #exhausted} may be called in all, and how often it
     * still may.
     */
    private long mostLooks = Long.MAX_VALUE;

    private long looks = Long.MAX_VALUE;

    /** The budget that this one is a share of, or null. */
    private @Nullable Budget whole;

    /** The CPU time of this process that may be taken. */
    private final long cpuNanos;

    private final long startCpuMillis;
    private volatile long nextCpuLook;

    private Budget(Cancellation cancelled, long startNanos, long timeoutNanos, long heap) {
        this(cancelled, startNanos, timeoutNanos, NO_DEADLINE, heap);
    }

    private Budget(Cancellation cancelled, long startNanos, long timeoutNanos, long cpuNanos, long heap) {
        this.cancelled = cancelled;
        this.cpuNanos = cpuNanos;
        this.startCpuMillis = cpuNanos == NO_DEADLINE ? 0 : CpuClock.millis();
        this.nextCpuLook = cpuNanos == NO_DEADLINE ? 0 : startNanos + cpuNanos;
        this.startNanos = startNanos;
        this.timeoutNanos = timeoutNanos;
        this.heap = heap;
        this.bytes = heap / 20 * 17;
    }

    /** Returns a budget without deadline and with all memory that the JVM may take. */
    public static Budget unlimited() {
        return new Budget(
                new Cancellation(),
                System.nanoTime(),
                NO_DEADLINE,
                Runtime.getRuntime().maxMemory());
    }

    /** Returns a budget without deadline that ends with a cancellation. */
    static Budget until(Cancellation cancelled, long heapBytes) {
        return new Budget(cancelled, System.nanoTime(), NO_DEADLINE, heapBytes);
    }

    /**
     * Starts a budget now.
     *
     * @param timeoutNanos {@link Long#MAX_VALUE} for none
     * @param heapBytes memory that the process may use; a check may hold 85 % of it, the rest is for the collector and
     *     for small objects that are not counted
     */
    public static Budget starting(long timeoutNanos, long heapBytes) {
        return new Budget(new Cancellation(), System.nanoTime(), timeoutNanos, heapBytes);
    }

    /** Whether there is a deadline. */
    public boolean hasDeadline() {
        return timeoutNanos != NO_DEADLINE;
    }

    /**
     * Whether to stop: the deadline has passed, {@link #cancel} was called, or the calls {@link #ofLooks} are used up.
     * Reads a clock once, rarely twice.
     */
    public boolean exhausted() {
        return cancelled.isCancelled()
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
     * Requires that memory suffices. Nothing is reserved.
     *
     * @param phase that needs it, for the message
     * @throws BudgetException if this many more bytes do not fit beside those held
     */
    public void require(long heldBytes, long moreBytes, String phase) {
        if (!fits(heldBytes, moreBytes)) {
            throw new BudgetException(shortage(phase, heldBytes + moreBytes));
        }
    }

    /**
     * Returns the exception for code whose budget has ended. The code that made the budget replaces its text.
     */
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

    /** Returns the share of the counted calls that is spent, 0 to 1; 0 if calls are not counted. */
    public double spent() {
        return mostLooks == Long.MAX_VALUE ? 0 : 1 - (double) Math.max(0, looks) / mostLooks;
    }

    /** Counts a number of calls at once, for long work that makes no call. Has no effect if calls are not counted. */
    void charge(long more) {
        if (looks != Long.MAX_VALUE) {
            looks -= more;
        }
    }

    /**
     * Returns the CPU time of the process. On platforms without a CPU clock it is the elapsed time, as if one thread
     * had always run.
     */
    private long takenCpuNanos() {
        long millis = CpuClock.millis();
        return millis == 0 ? System.nanoTime() - startNanos : TimeUnit.MILLISECONDS.toNanos(millis - startCpuMillis);
    }

    /**
     * Returns a share of this budget that starts now. It has at most half of the time that is left, and at most the
     * given CPU time of this process, so that the result depends little on other load of the machine. On the wall clock
     * it ends after {@value #SLOWEST} times as long. Its end does not end this budget.
     */
    public Budget atMost(long mostNanos) {
        return atMost(mostNanos, 0);
    }

    /** Does the same as {@link #atMost(long)} while others hold the given number of bytes. */
    public Budget atMost(long mostNanos, long heldBytes) {
        long now = System.nanoTime();
        long cpu = cpuNanos == NO_DEADLINE ? mostNanos : Math.min(mostNanos, (cpuNanos - takenCpuNanos()) / 2);
        long left = timeoutNanos == NO_DEADLINE ? NO_DEADLINE : (timeoutNanos - (now - startNanos)) / 2;
        return new Budget(cancelled, now, Math.min(left, SLOWEST * cpu), cpu, Math.max(0, heap - heldBytes));
    }

    /**
     * Returns a share of this budget that ends after this many calls of {@link #exhausted} by one thread. This measures
     * work in a way that is the same on every machine. It ends with this budget at the latest.
     */
    public Budget ofLooks(long most) {
        Budget share = new Budget(cancelled, startNanos, NO_DEADLINE, heap);
        share.whole = this;
        share.mostLooks = most;
        share.looks = most;
        return share;
    }

    /**
     * Returns the budget of one of several workers, which has all of the time and an equal share of the memory. It ends
     * with this budget.
     */
    public Budget perWorker(int workers) {
        Budget share = new Budget(cancelled, startNanos, NO_DEADLINE, heap / workers);
        share.whole = this;
        return share;
    }

    /**
     * Returns a share that has half of the time that is left, if there is a deadline. It ends with this budget at the
     * latest.
     */
    public Budget half() {
        long now = System.nanoTime();
        long left = timeoutNanos == NO_DEADLINE ? NO_DEADLINE : (timeoutNanos - (now - startNanos)) / 2;
        Budget share = new Budget(cancelled, now, left, heap);
        share.whole = this;
        return share;
    }

    /**
     * Returns a share that has twice the time that has passed so far, and at least so much. It ends with this budget at
     * the latest.
     */
    public Budget twice(long leastNanos) {
        long now = System.nanoTime();
        long most = Math.max(leastNanos, 2 * (now - startNanos));
        long left = timeoutNanos == NO_DEADLINE ? most : Math.min(most, timeoutNanos - (now - startNanos));
        Budget share = new Budget(cancelled, now, left, heap);
        share.whole = this;
        return share;
    }

    /** Returns the memory that the process may use. */
    public long heap() {
        return heap;
    }

    /** Returns the memory that the check may hold at its peak. */
    public long bytes() {
        return bytes;
    }

    /** Whether this many more bytes may be held beside those already held. */
    public boolean fits(long heldBytes, long moreBytes) {
        return moreBytes <= bytes - heldBytes;
    }

    /** Makes {@link #exhausted} true, also for the budget that this is a share of. Any thread may call it. */
    public void cancel() {
        cancelled.isCancelled = true;
    }

    /** Returns the reason of an UNKNOWN after {@link #exhausted}. It names what ran out, the phase, and a remedy. */
    public String exhaustion(String phase) {
        return timeoutNanos == NO_DEADLINE || cancelled.isCancelled()
                ? "cancelled during " + phase
                : "timeout of " + duration(timeoutNanos) + " ran out during " + phase + "; give --timeout more";
    }

    /** Returns the reason of an UNKNOWN if memory does not suffice, see {@link #fits}. */
    public String shortage(String phase, long neededBytes) {
        return "memory of " + mebibytes(heap) + " MiB is too little for " + phase + ", which needs "
                + mebibytes(neededBytes) + " MiB; give --memory more";
    }

    /** Returns the reason of an UNKNOWN if memory ran out without warning. */
    public String shortage(String phase) {
        return "memory of " + mebibytes(heap) + " MiB ran out during " + phase + "; give --memory more";
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
