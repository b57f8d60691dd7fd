package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that go on with one chain at the same time; the files chains-*.case have what one job after the other shows. */
class ChainTest {
    @TempDir
    private Path folder;

    /** Two jobs that check the same part, and two that check different parts after the same one. */
    @Test
    void jobsOnOneChainAtTheSameTimeLoseNothing() throws Exception {
        InProcess.run("check", "-q", "-l", "ser", "-o", runs(), "--after", runs(), longHour(1));
        String second = longHour(2);
        String other = file("other.jsonl", line(1, 0, write("other", 1)));
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
            String read = "{\"op\":\"r\",\"key\":\"" + key + "\",\"value\":" + (n < 7 ? "null" : n - 7) + "},";
            lines.append(line(0, n, read + write(key, n)));
        }
        return file("long-" + i + ".jsonl", lines.toString());
    }

    static String line(int session, int index, String operations) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"committed\",\"ops\":[" + operations
                + "]}\n";
    }

    private static String write(String key, int value) {
        return "{\"op\":\"w\",\"key\":\"" + key + "\",\"value\":" + value + "}";
    }

    private String file(String name, String lines) throws IOException {
        return Files.writeString(folder.resolve(name), lines).toString();
    }

    private String runs() {
        return folder.resolve("runs").toString();
    }
}
