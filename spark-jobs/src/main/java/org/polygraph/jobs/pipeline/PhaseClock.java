package org.polygraph.jobs.pipeline;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;

/**
 * Times the stages of one check, and tells the listener when each begins. The process's CPU time costs a file read, so a
 * small history's elapsed time is given for it: its check runs on one thread.
 */
final class PhaseClock {
    private static final int SMALL = 20_000;

    private final Progress progress;
    private final List<Phase> phases = new ArrayList<>();
    private String stage = "";
    private long startNanos;
    private long startCpu;

    private final boolean small;

    /** @param operations of the history */
    PhaseClock(Progress progress, int operations) {
        this.progress = progress;
        this.small = operations < SMALL;
    }

    void begin(String name) {
        stage = name;
        startNanos = System.nanoTime();
        startCpu = small ? 0 : CpuClock.millis();
        progress.stage(name);
    }

    /** The stage that runs, for messages. */
    String stage() {
        return stage;
    }

    /** Ends the stage; a stage that runs several times is summed up. */
    void end(long items) {
        long millis = (System.nanoTime() - startNanos) / 1_000_000;
        long cpu = small ? millis : CpuClock.millis() - startCpu;
        for (int i = 0; i < phases.size(); i++) {
            Phase p = phases.get(i);
            if (p.name().equals(stage)) {
                phases.set(i, new Phase(stage, p.millis() + millis, p.cpuMillis() + cpu, p.items() + items));
                return;
            }
        }
        phases.add(new Phase(stage, millis, cpu, items));
    }

    void addTo(Verdict.Builder verdict) {
        for (Phase phase : phases) {
            verdict.phase(phase);
        }
    }
}
