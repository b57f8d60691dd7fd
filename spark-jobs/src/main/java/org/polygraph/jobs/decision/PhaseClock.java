package org.polygraph.jobs.decision;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.storage.artifact.ArrayFile;

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

    /** Adds the phases that have ended to a checkpoint. */
    public synchronized void saveTo(ArrayFile file) {
        StringBuilder names = new StringBuilder();
        long[] numbers = new long[3 * phases.size()];
        for (int i = 0; i < phases.size(); i++) {
            Phase p = phases.get(i);
            names.append(p.name()).append('\n');
            numbers[3 * i] = p.millis();
            numbers[3 * i + 1] = p.cpuMillis();
            numbers[3 * i + 2] = p.items();
        }
        file.put("phaseNames", names.toString().getBytes(StandardCharsets.UTF_8))
                .put("phaseNumbers", numbers);
    }

    /** Replaces the phases by those that an earlier process had ended: the verdict states their times too. */
    public synchronized void restore(ArrayFile file) throws ArrayFile.DamagedException {
        String text = new String(file.bytes("phaseNames"), StandardCharsets.UTF_8);
        long[] numbers = file.longs("phaseNumbers");
        String[] names = text.isEmpty() ? new String[0] : text.split("\n");
        if (numbers.length != 3 * names.length) {
            throw new ArrayFile.DamagedException("found " + numbers.length + " numbers of " + names.length + " phases");
        }
        phases.clear();
        for (int i = 0; i < names.length; i++) {
            phases.add(new Phase(names[i], numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]));
        }
    }

    /** Adds the phases in the order in which they first ran. */
    public synchronized void addTo(Verdict.Builder verdict) {
        phases.forEach(verdict::phase);
    }
}
