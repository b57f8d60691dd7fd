package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Jobs that go on with one chain at the same time; the files chains-*.case have what one job after the other shows. */
class ChainTest extends Chains {
    /** Two jobs that check the same part, and two that check different parts after the same one. */
    @Test
    void jobsOnOneChainAtTheSameTimeLoseNothing() throws Exception {
        after(longHour(1));
        String second = longHour(2);
        String other = write("other.jsonl", line(1, 0, write("other", 1)));
        ExecutorService jobs = Executors.newFixedThreadPool(3);
        List<Future<InProcess>> running = new ArrayList<>();
        String firstRun = runOf(1);
        for (String path : List.of(second, second, other)) {
            running.add(jobs.submit(
                    () -> InProcess.run("check", "-q", "-l", "ser", "-o", runs(), "--after", firstRun, path)));
        }
        for (Future<InProcess> job : running) {
            assertThat(job.get().exitCode()).as(job.get().toString()).isZero();
            assertThat(job.get().err()).isEmpty();
        }
        jobs.shutdown();
        assertThat(InProcess.run("runs", runs()).out().lines()).hasSize(3);
        InProcess verified = InProcess.run("verify", runs());
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
        assertThat(InProcess.run("check", "-q", "-l", "ser", "-o", runs(), "--after", runOf(2), longHour(3))
                        .exitCode())
                .isZero();
    }

    /** The run of a long hour. */
    private String runOf(int hour) {
        return InProcess.run("runs", runs())
                .out()
                .lines()
                .filter(line -> line.contains("long-" + hour))
                .map(line -> runs() + "/" + line.replaceAll(".*(run=[0-9a-f]+).*", "$1"))
                .findFirst()
                .orElseThrow();
    }

    /** 1,500 transactions an hour, so that most of them are before the cut of a seam. */
    private String longHour(int i) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int t = 0; t < 1500; t++) {
            int n = (i - 1) * 1500 + t;
            String key = "k" + n % 7;
            lines.append(line(0, n, read(key, n < 7 ? "null" : Integer.toString(n - 7)) + "," + write(key, n)));
        }
        return write("long-" + i + ".jsonl", lines.toString());
    }
}
