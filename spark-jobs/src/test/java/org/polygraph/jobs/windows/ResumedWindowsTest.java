package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.CheckpointFiles;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.Workloads;

/** A check by windows that is killed at any job continues, also where another check with other windows ran between. */
class ResumedWindowsTest {
    private static final long SEED = 0x4e5;
    /** A check is killed at every job, or at some in a build that scales suites down. */
    private static final int STEP = SuiteScale.isReduced() ? 4 : 1;

    @TempDir
    private Path folder;

    private final List<String> messages = new ArrayList<>();

    /** Workers that end with an error instead of running the job of a number. */
    private record Killed(Workers workers, int[] jobs) implements Workers {
        /** The process is gone. */
        private static final class Kill extends RuntimeException {
            private static final long serialVersionUID = 1L;
        }

        @Override
        public String folder() {
            return workers.folder();
        }

        @Override
        public <R extends Serializable> List<R> run(String what, List<? extends Task<R>> tasks) throws IOException {
            if (jobs[0]-- == 0) {
                // A killed process deletes nothing.
                workers.keep(true);
                throw new Kill();
            }
            return workers.run(what, tasks);
        }

        @Override
        public boolean mayKeep() {
            return true;
        }

        @Override
        public void keep(boolean forLater) {
            workers.keep(forLater);
        }

        @Override
        public void close() {
            workers.close();
        }
    }

    /** @return whether it ended, and then with what and with which order */
    private String run(String file, CheckRequest request, int window, int jobs) throws IOException {
        Location stages = Location.of(folder.resolve("stages").toString());
        try (Workers workers = new Killed(
                LocalWorkers.of(stages.child("windows"), Budget.unlimited(), Progress.NONE), new int[] {jobs})) {
            WindowCheck check = new WindowCheck(
                    workers,
                    FileWindows.plan(file, 20_000),
                    new WindowSettings(window, window, 500, 5),
                    request.terms(),
                    null,
                    part -> Checks.status(part, request) == Verdict.Status.VIOLATION,
                    new PhaseClock(Progress.NONE, 0),
                    operations -> new CheckpointFiles(stages, messages::add));
            WindowCheck.Ending outcome = check.run(true, InitialChoice.IMPLICIT);
            stages.delete();
            return outcome + " " + check.order() + " " + check.counts() + " " + check.hasUniqueValues();
        } catch (Killed.Kill e) {
            return "";
        } catch (org.polygraph.storage.model.HistoryException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void killedChecksContinue() throws IOException {
        HistoryTable history = Workloads.of(
                        SEED,
                        "sessions 8 transactions 600 operations 1 5 keys 60 distribution ZIPF zipf 0.9 indeterminate 0.05 skew 20000")
                .table();
        int continued = 0;
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
            continued += continued(history, level, "ORDERED");
        }
        assertThat(continued).isGreaterThan(10 / STEP);
    }

    @Test
    void killedChecksOfRegistersContinue() throws IOException {
        for (boolean lies : new boolean[] {false, true}) {
            Workload registers = Workloads.of(SEED, "sessions 8 transactions 600 operations 1 keys 20 values 4");
            if (lies) {
                registers.plant(PlantedAnomaly.STALE_READ, 300);
            }
            assertThat(continued(registers.table(), IsolationLevel.LIN, lies ? "VIOLATED" : "ORDERED"))
                    .isGreaterThan(STEP == 1 ? 1 : 0);
        }
    }

    /** Kills a check at each of its jobs; returns how many checks continued from what the killed one kept. */
    private int continued(HistoryTable history, IsolationLevel level, String outcome) throws IOException {
        int continued = 0;
        String file = folder.resolve(level + outcome + ".jsonl").toString();
        HistoryWriter.write(history, file, HistoryFormat.JSONL);
        CheckRequest request = CheckRequest.of(level);
        String expected = run(file, request, 60, Integer.MAX_VALUE);
        assertThat(expected).startsWith(outcome);
        for (int jobs = 0; ; jobs += STEP) {
            String name = level + " killed at job " + jobs;
            if (!run(file, request, 60, jobs).isEmpty()) {
                return continued;
            }
            // Another check with other windows is killed too.
            assertThat(run(file, request, 100, 1 + jobs % 4)).as(name).isEmpty();
            messages.clear();
            assertThat(run(file, request, 60, Integer.MAX_VALUE)).as(name).isEqualTo(expected);
            assertThat(messages).as(name).hasSizeLessThanOrEqualTo(1);
            continued += messages.stream().anyMatch(message -> message.contains("damaged")) ? 0 : messages.size();
        }
    }
}
