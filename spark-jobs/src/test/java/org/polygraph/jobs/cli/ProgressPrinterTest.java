package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.cli.Verbosity.ProgressMode;

/** The output on stderr, with a clock that the test controls. */
class ProgressPrinterTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    /** The clock exceeds the largest number soon. */
    private long now;

    private ProgressPrinter printer(ProgressMode mode, boolean terminal) {
        now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);
        PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        ProgressPrinter printer =
                new ProgressPrinter(err, mode, terminal, false, () -> now, new ProgressPrinter.Memory() {
                    @Override
                    public long heap() {
                        return 3 << 20;
                    }

                    @Override
                    public long offHeap() {
                        return 1 << 20;
                    }
                });
        printer.path("a \"b\"\n");
        return printer;
    }

    private String printed() {
        String text = bytes.toString(StandardCharsets.UTF_8);
        bytes.reset();
        return text;
    }

    /** {@code -Dcases.update=true} writes what is printed now. */
    @Test
    void printsWhatIsWritten() throws IOException {
        Path golden = Command.ROOT.resolve("spark-jobs/src/test/resources/progress.txt");
        StringBuilder all = new StringBuilder();
        ProgressPrinter printer = printer(ProgressMode.NONE, false);
        for (String line : Files.readAllLines(golden)) {
            if (line.startsWith("> ")) {
                continue;
            }
            String[] words = line.split(" ");
            switch (words[0]) {
                case "=" ->
                    printer = printer(
                            ProgressMode.valueOf(words[1].toUpperCase(Locale.ROOT)), words[2].equals("terminal"));
                case "after" -> now += TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[1]));
                case "path" -> printer.path("another");
                case "phase" -> printer.phase(words[1]);
                case "items" -> printer.items(Long.parseLong(words[1]), Long.parseLong(words[2]));
                case "job" -> printer.job(line.substring(3).strip());
                case "ends" -> printer.pathEnds();
                default -> {}
            }
            all.append(line).append('\n');
            String printed = printed().replace("\r", "\\r");
            printed.lines().forEach(each -> all.append("> [").append(each).append("]\n"));
        }
        if (Boolean.getBoolean("cases.update")) {
            Files.writeString(golden, all);
        }
        assertThat(golden).hasContent(all.toString());
    }
}
