package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.HistoryFormat;

/** Options, and files that may not be read; bad-input.case has every kind of bad input. */
class BadInputAcceptanceTest {
    @TempDir
    private Path folder;

    private String out = "";
    private String err = "";

    private static String transaction(String session, String index, String operations) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"committed\",\"ops\":[" + operations
                + "]}\n";
    }

    private int run(String... args) {
        InProcess run = InProcess.run(args);
        out = run.out();
        err = run.err();
        return run.exitCode();
    }

    private String write(String name, byte[] content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        return (name.contains("/") ? file.getParent() : file).toString();
    }

    @Test
    void anUnreadableFileIsAnError() throws IOException {
        String path = write("secret", transaction("0", "0", "").getBytes(StandardCharsets.UTF_8));
        Files.setPosixFilePermissions(Path.of(path), PosixFilePermissions.fromString("---------"));
        assumeTrue(!Files.isReadable(Path.of(path)), "skipped: this user may read everything");
        assertThat(run("check", "-l", "ser", path)).isEqualTo(6);
        assertThat(err).isEqualTo("polygraph: " + path + ": permission denied; check who may read it\n");
    }

    @Test
    void everyOptionThatIsPromisedIsTaken() throws IOException {
        String pass = write("@pass", transaction("0", "0", "").getBytes(StandardCharsets.UTF_8));
        String runs = folder.resolve("runs").toString();
        String[] lines = {
            "--engine auto",
            "--engine embedded",
            "--master local[2]",
            "-o " + runs,
            "--out " + runs,
            "--json",
            "--timeout 10s --memory 1g",
            "--time none",
            "--time hint",
            "--clock-skew 5ms",
            "--indeterminate maybe",
            "--indeterminate abort",
            "--on-violation fail",
            "--on-violation succeed",
            "--resume -o " + runs,
            "--overwrite -o " + runs,
            "--progress auto",
            "--progress plain",
            "--progress json",
            "--progress none",
            "-q",
            "-v",
        };
        for (String line : lines) {
            List<String> words = new ArrayList<>(List.of("check", "-l", "ser"));
            words.addAll(List.of(line.split(" ")));
            words.add(pass);
            assertThat(run(words.toArray(new String[0]))).as(line + err).isZero();
        }
        for (String level : List.of("ser", "si", "cc", "ra", "rc")) {
            assertThat(run("check", "--level", level, pass)).isZero();
        }
        for (String strict : List.of("-l sser", "-l ssi", "-l ser --time strict", "-l si --time strict")) {
            List<String> words = new ArrayList<>(List.of("check"));
            words.addAll(List.of(strict.split(" ")));
            words.add(pass);
            assertThat(run(words.toArray(new String[0]))).as(strict).isEqualTo(5);
            assertThat(err).contains("found no start and end times; expected them");
        }
        assertThat(run("check", "-l", "linear", pass)).isEqualTo(2);
        assertThat(err).contains("unknown level 'linear'");
        for (HistoryFormat format : HistoryFormat.values()) {
            boolean isRight = format == HistoryFormat.AUTO || format == HistoryFormat.JSONL;
            assertThat(run("check", "-l", "ser", "-f", format.label(), pass))
                    .as(format.label())
                    .isEqualTo(isRight ? 0 : 5);
        }
    }
}
