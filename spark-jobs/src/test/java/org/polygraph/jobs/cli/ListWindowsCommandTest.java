package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.windows.ListHistories;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** {@code check --window} of lists: verdicts and anomalies are those of the whole history, and the runs verify. */
class ListWindowsCommandTest {
    private static final long SEED = 0x115c;
    private static final String DECIDED = "\"whole\":\"\"";
    private static final Path EXAMPLES = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "examples");

    @TempDir
    private Path folder;

    @Test
    void theRunsOfRandomListsVerify() throws IOException {
        int violations = 0;
        int named = 0;
        for (int i = 0; i < SuiteScale.of(20); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED, i));
            String file = folder.resolve("lists" + i + ".jsonl").toString();
            Files.writeString(
                    Path.of(file),
                    new ListHistories(random, 200, 6, 20, i % 2 == 0)
                            .faults(random.chance(0.5) ? 0 : 0.02, random.chance(0.5) ? 0 : 0.002)
                            .json());
            String runs = folder.resolve("runs" + i).toString();
            String level = i % 2 == 0 ? "ser" : "si";
            InProcess whole = InProcess.run("check", "--json", "-l", level, file);
            InProcess windows = InProcess.run("check", "--json", "-l", level, "--window", "30", "-o", runs, file);
            assertThat(windows.exitCode()).as(i + " " + windows).isEqualTo(whole.exitCode());
            InProcess verified = InProcess.run("verify", runs);
            assertThat(verified.word()).as(i + " " + verified).isEqualTo("VERIFIED");
            if (windows.exitCode() != 0 && windows.out().contains(DECIDED)) {
                violations++;
                named += name(whole).equals(name(windows)) ? 1 : 0;
            }
        }
        System.out.println(violations + " violations, " + named + " with the name of the whole, seed " + SEED);
        assertThat(violations).isPositive();
    }

    private static String name(InProcess check) {
        return check.out().replaceFirst("(?s).*?\"name\":\"([^\"]*)\".*", "$1");
    }

    /** The evidence of a violation names appends as appends, and reads as reads. */
    @Test
    void theExampleHasTheSameAnomaly() {
        String file = folder.resolve("lists.jsonl").toString();
        InProcess converted = InProcess.run(
                "convert", EXAMPLES.resolve("jepsen-list-append.edn").toString(), file);
        assertThat(converted.exitCode()).as(converted.toString()).isZero();
        for (String level : List.of("ser", "si")) {
            InProcess whole = InProcess.run("check", "--json", "-l", level, file);
            InProcess windows = InProcess.run("check", "--json", "-l", level, "--window", "2", file);
            assertThat(windows.out()).contains(DECIDED);
            assertThat(anomalies(windows)).as(windows.toString()).isEqualTo(anomalies(whole));
        }
    }

    private static String anomalies(InProcess check) {
        return check.out().replaceFirst("(?s).*\"anomalies\":(\\[.*?\\]),\"assumptions\".*", "$1");
    }
}
