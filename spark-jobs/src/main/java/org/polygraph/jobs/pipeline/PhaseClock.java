package org.polygraph.jobs.pipeline;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;

/** Times the stages of one check, and tells the listener when each begins. */
final class PhaseClock {
    private final Progress progress;
    private final List<Phase> phases = new ArrayList<>();
    private String stage = "";
    private long startNanos;
    private long startCpu;

    PhaseClock(Progress progress) {
        this.progress = progress;
    }

    void begin(String name) {
        stage = name;
        startNanos = System.nanoTime();
        startCpu = CpuClock.millis();
        progress.stage(name);
    }

    /** The stage that runs, for messages. */
    String stage() {
        return stage;
    }

    /** Ends the stage; a stage that runs several times is summed up. */
    void end(long items) {
        long millis = (System.nanoTime() - startNanos) / 1_000_000;
        long cpu = CpuClock.millis() - startCpu;
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
