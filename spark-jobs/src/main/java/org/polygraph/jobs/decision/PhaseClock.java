package org.polygraph.jobs.decision;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.artifact.ArrayFile;

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

    /** Adds the stages that have ended to a stage file. */
    void saveTo(ArrayFile file) {
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

    /** Goes on from the stages that an earlier process had ended: its times are part of what the verdict tells. */
    void restore(ArrayFile file) throws ArrayFile.DamagedException {
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

    void addTo(Verdict.Builder verdict) {
        for (Phase phase : phases) {
            verdict.phase(phase);
        }
    }
}
