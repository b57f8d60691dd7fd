package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.prune.Rules;

/**
 * Measures the phases of one check and reports their beginnings. The CPU time of the process costs a file read, so for
 * a small history, whose check runs on one thread, elapsed time is taken for it.
 */
public final class PhaseClock implements Rules.Phases {
    private static final int SMALL = 20_000;

    private Progress progress;
    private final List<Phase> phases = new ArrayList<>();
    private String phase = "the start of the engine";
    private long startNanos;
    private long startCpu;

    private final boolean small;

    /** @param operations of the history */
    public PhaseClock(Progress progress, int operations) {
        this.progress = progress;
        this.small = operations < SMALL;
    }

    /** Returns the receiver of phases. */
    public Progress listener() {
        return progress;
    }

    /** Replaces the receiver of phases. */
    public void listener(Progress other) {
        progress = other;
    }

    @Override
    public synchronized void begin(String name) {
        phase = name;
        startNanos = System.nanoTime();
        startCpu = small ? 0 : CpuClock.millis();
        progress.phase(name);
    }

    /** Returns the phase that runs, for messages. */
    public synchronized String phase() {
        return phase;
    }

    /** Ends the phase; a phase that runs several times is one with the sums. */
    @Override
    public synchronized void end(long items) {
        long millis = (System.nanoTime() - startNanos) / 1_000_000;
        long cpu = small ? millis : CpuClock.millis() - startCpu;
        for (int i = 0; i < phases.size(); i++) {
            Phase p = phases.get(i);
            if (p.name().equals(phase)) {
                phases.set(i, new Phase(phase, p.millis() + millis, p.cpuMillis() + cpu, p.items() + items));
                return;
            }
        }
        phases.add(new Phase(phase, millis, cpu, items));
    }

    /** Returns the phases that have ended. */
    public synchronized ArrayList<Phase> ended() {
        return new ArrayList<>(phases);
    }

    /** Replaces the phases by those that an earlier process had ended: the verdict states their times too. */
    public synchronized void restore(List<Phase> before) {
        phases.clear();
        phases.addAll(before);
    }

    /** Adds the phases in the order in which they first ran. */
    public synchronized void addTo(Verdict.Builder verdict) {
        phases.forEach(verdict::phase);
    }
}
