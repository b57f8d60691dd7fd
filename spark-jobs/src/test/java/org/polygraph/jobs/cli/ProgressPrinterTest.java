package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.cli.Verbosity.ProgressMode;

/** The output on stderr, with a clock that the test controls. */
class ProgressPrinterTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);

    private ProgressPrinter printer(ProgressMode mode, boolean terminal) {
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

    private void after(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private String printed() {
        String text = bytes.toString(StandardCharsets.UTF_8);
        bytes.reset();
        return text;
    }

    @Test
    void aShortCheckPrintsNothing() {
        for (ProgressMode mode : ProgressMode.values()) {
            ProgressPrinter printer = printer(mode, true);
            printed();
            after(99);
            if (mode != ProgressMode.JSON) {
                printer.phase("index");
            }
            printer.items(1, 2);
            printer.pathEnds();
            assertThat(printed()).as(mode.name()).isEmpty();
        }
    }

    @Test
    void jsonReportsPhases() {
        ProgressPrinter printer = printer(ProgressMode.JSON, false);
        for (int path = 0; path < 2; path++) {
            assertThat(printed().lines()).singleElement().asString().contains("\"phase\":\"reading\",\"done\":0");
            printer.phase("check");
            printer.items(1, 2);
            printer.phase("solve");
            assertThat(printed().lines())
                    .hasSize(2)
                    .first()
                    .asString()
                    .contains("\"phase\":\"check\",\"done\":0,\"total\":0,\"ms\":0,");
            for (int round = 0; round < 100; round++) {
                printer.phase("check");
                printer.phase("solve");
            }
            assertThat(printed()).isEmpty();
            after(50);
            printer.phase("check");
            printer.items(0, 0);
            assertThat(printed()).contains("\"phase\":\"check\"").hasLineCount(1);
            printer.path("another");
        }
    }

    @Test
    void theBarIsDrawnOverItselfAndTakenAway() {
        ProgressPrinter printer = printer(ProgressMode.AUTO, true);
        after(100);
        printer.phase("closure");
        assertThat(printed()).isEqualTo("\rclosure   0s  heap 3+1M");
        printer.items(1, 2);
        assertThat(printed()).isEmpty();
        after(1900);
        printer.items(1, 2);
        String half = "closure [" + "=".repeat(4) + " ".repeat(4) + "] 1/2  2s  0.5/s  2s left  heap 3+1M";
        assertThat(printed()).isEqualTo("\r" + half);
        after(100);
        printer.items(5, 0);
        String counted = "closure  5  2s  2.5/s  heap 3+1M";
        assertThat(printed()).isEqualTo("\r" + counted + " ".repeat(half.length() - counted.length()));
        after(100);
        printer.items(7, 2);
        assertThat(printed()).startsWith("\rclosure [" + "=".repeat(8) + "] 7/2");
        after(100);
        printer.job("close columns of sessions, a description that is longer than a line of a terminal");
        assertThat(printed().strip())
                .startsWith("closure   2s  heap 3+1M  close columns")
                .hasSizeLessThan(80);
        printer.pathEnds();
        assertThat(printed()).matches("\r +\r");
        printer.pathEnds();
        assertThat(printed()).isEmpty();
    }

    @Test
    void withoutATerminalLinesComeNowAndThen() {
        for (ProgressMode mode : new ProgressMode[] {ProgressMode.AUTO, ProgressMode.PLAIN}) {
            ProgressPrinter printer = printer(mode, mode == ProgressMode.PLAIN);
            after(4999);
            printer.phase("solve");
            assertThat(printed()).isEmpty();
            after(1);
            printer.items(3, 4);
            printer.items(4, 4);
            assertThat(printed().lines()).containsExactly("a \"b\"\\n: solve 3 of 4, 5 s, heap 3 MiB, off-heap 1 MiB");
            after(5000);
            printer.items(4, 10);
            assertThat(printed().lines())
                    .containsExactly(
                            "a \"b\"\\n: solve 4 of 10, 10 s, 0.8 a second, 8 s left, heap 3 MiB, off-heap 1 MiB");
            after(5000);
            printer.items(4, 0);
            assertThat(printed().lines())
                    .containsExactly("a \"b\"\\n: solve 4, 15 s, 0.4 a second, heap 3 MiB, off-heap 1 MiB");
            printer.pathEnds();
            assertThat(printed()).isEmpty();
        }
    }

    @Test
    void jsonIsAnObjectALine() {
        ProgressPrinter printer = printer(ProgressMode.JSON, true);
        printed();
        after(500);
        printer.items(3, 4);
        assertThat(printed()).isEmpty();
        printer.path("a \"b\"\n");
        printed();
        after(1000);
        printer.items(3, 4);
        assertThat(printed().lines())
                .containsExactly(
                        "{\"path\":\"a \\\"b\\\"\\n\",\"phase\":\"reading\",\"done\":3,\"total\":4,\"ms\":1000,"
                                + "\"per_second\":3.0,\"left_s\":0,\"heap_bytes\":3145728,\"off_heap_bytes\":1048576}");
    }

    @Test
    void noneIsSilent() {
        ProgressPrinter printer = printer(ProgressMode.NONE, true);
        after(100_000);
        printer.items(3, 4);
        assertThat(printer.currentPhase()).isEqualTo("reading");
        assertThat(printed()).isEmpty();
    }

    /** A phase with several jobs: each job counts its own items from its own beginning. */
    @Test
    void rateAndTimeLeftAreOfTheJob() {
        for (ProgressMode mode : new ProgressMode[] {ProgressMode.PLAIN, ProgressMode.JSON}) {
            ProgressPrinter printer = printer(mode, false);
            printer.phase("saturation");
            printer.job("prune keys");
            after(100_000);
            printer.items(50, 100);
            String first = printed();
            printer.job("");
            printer.job("prune hot keys");
            after(10_000);
            printer.items(50, 100);
            String second = printed();
            printer.job("");
            after(10_000);
            printer.items(50, 100);
            String after = printed();
            if (mode == ProgressMode.PLAIN) {
                assertThat(first).contains("saturation (prune keys) 50 of 100, 100 s, 0.5 a second, 100 s left, ");
                assertThat(second).contains("saturation (prune hot keys) 50 of 100, 110 s, 5.0 a second, 10 s left, ");
                assertThat(after).contains("saturation 50 of 100, 120 s, 5.0 a second, 10 s left, ");
            } else {
                assertThat(first)
                        .contains("\"phase\":\"saturation\",\"job\":\"prune keys\",\"done\":50")
                        .contains("\"per_second\":0.5,\"left_s\":100");
                assertThat(second).contains("\"job\":\"prune hot keys\"", "\"per_second\":5.0,\"left_s\":10");
                assertThat(after).doesNotContain("\"job\"");
            }
        }
    }
}
