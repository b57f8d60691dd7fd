package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** cluster-config/bin/standalone: starts a master and two workers as processes, and runs a check on them. */
@Tag("cluster")
class StandaloneIT {
    private static final String SCRIPT =
            Command.ROOT.resolve("cluster-config/bin/standalone").toString();

    @TempDir
    private Path folder;

    private static String untimed(String out) {
        return out.replaceAll("\\d+ ms", "N ms");
    }

    @Test
    void aCheckOnTwoWorkersAgreesWithTheEmbeddedOne() throws IOException, InterruptedException {
        String check = "./polygraph check -q -l ser spark-jobs/examples/bank-serializable.jsonl"
                + " spark-jobs/examples/write-skew.jsonl";
        Command embedded = Command.run(Command.ROOT, Map.of(), List.of("bash", "-c", check));
        assertThat(embedded.exitCode()).isEqualTo(3);
        String dir = folder.resolve("cluster").toString();
        Command cluster = Command.run(
                Command.ROOT,
                Map.of(),
                List.of(
                        SCRIPT,
                        "run",
                        "-d",
                        dir,
                        "bash",
                        "-c",
                        "ls " + dir + "/*.pid | wc -l; exec " + check + " --engine spark --master $MASTER"),
                // This takes 25 s on an idle machine, because six JVMs start.
                5);
        assertThat(cluster.exitCode()).as(cluster.err()).isEqualTo(3);
        assertThat(untimed(cluster.out())).isEqualTo("3\n" + untimed(embedded.out()));
        // No file and no process is left.
        assertThat(Path.of(dir)).doesNotExist();
        Command left = Command.run(
                Command.ROOT, Map.of(), List.of("bash", "-c", "pgrep -fc -- '[-]Dpolygraph.standalone=" + dir + "'"));
        assertThat(left.out().strip()).isEqualTo("0");
    }

    @Test
    void wrongUseIsRefused() throws IOException, InterruptedException {
        Command option = Command.run(Command.ROOT, Map.of(), List.of(SCRIPT, "start", "-x"));
        assertThat(option.exitCode()).isEqualTo(2);
        assertThat(option.err()).startsWith("standalone: option -x; expected");
        Command number = Command.run(Command.ROOT, Map.of(), List.of(SCRIPT, "start", "-w", "two"));
        assertThat(number.err()).startsWith("standalone: 'two'; expected a number");
        Path mine = Files.createDirectory(folder.resolve("mine"));
        Files.writeString(mine.resolve("file"), "precious");
        Command taken = Command.run(Command.ROOT, Map.of(), List.of(SCRIPT, "start", "-d", mine.toString()));
        assertThat(taken.exitCode()).isEqualTo(2);
        assertThat(taken.err()).contains("is there already");
        assertThat(Command.run(Command.ROOT, Map.of(), List.of(SCRIPT, "stop", "-d", mine.toString()))
                        .exitCode())
                .isZero();
        assertThat(mine.resolve("file")).hasContent("precious");
        assertThat(Command.run(Command.ROOT, Map.of(), List.of(SCRIPT)).exitCode())
                .isEqualTo(2);
    }
}
