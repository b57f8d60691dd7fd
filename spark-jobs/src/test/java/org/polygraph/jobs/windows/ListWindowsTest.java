package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.WholeHistoryException;

/** Lists that windows decide, and those that they leave open. The laws "windows-lists" have random ones. */
class ListWindowsTest {
    private static final String HEADER = "{\"format\":\"history\",\"version\":1}\n";
    private static final String UNKNOWN_LIST =
            PieceRows.unsupported(new WholeHistoryException(ListOrders.UNKNOWN_READ));

    @TempDir
    private Path folder;

    /** The reader of the whole says what is wrong, or the embedded engine decides with its evidence. */
    @Test
    void whatListsShowNoOrderIsDecidedAsAWhole() throws IOException, HistoryException {
        String append1 = line(0, 0, "committed", "append", 1, "1");
        String append2 = line(0, 1, "committed", "append", 1, "2");
        String both = append1 + append2 + line(1, 0, "committed", "r", 1, "[1,2]");
        assertOpen(both + line(2, 0, "committed", "r", 1, "[2]"), ListOrders.CONTRADICTION);
        assertOpen(both + line(2, 0, "committed", "r", 1, "[1,2,1]"), ListOrders.CONTRADICTION);
        assertOpen(both + line(2, 0, "committed", "append", 1, "1"), WindowCheck.UNREADABLE);
        assertOpen(both + line(2, 0, "aborted", "append", 1, "1"), WindowCheck.UNREADABLE);
        assertOpen(both + line(2, 0, "committed", "w", 1, "3"), WindowCheck.UNREADABLE);
        String unknown = line(2, 0, "unknown", "r", 1, "[2]");
        String read = unknown.replace("[{", "[{\"op\":\"append\",\"key\":2,\"value\":5},{")
                + line(3, 0, "committed", "r", 2, "[5]");
        assertOpen(both + read, UNKNOWN_LIST);
        assertOpen(both + read.replace("[2]", "[1,2,3]"), UNKNOWN_LIST);
        assertOpen(
                HEADER.replace("1}", "1,\"initial\":{\"value\":0}}") + both + line(2, 0, "committed", "r", 1, "null"),
                "a list was read as null, and the initial value is another one");
        assertThat(run(both, IsolationLevel.RC, 100).reason())
                .isEqualTo("it has lists, and a PASS of si decides pc, cc, ra, rc and pl2");
    }

    /** Lists of several pieces, of aborted transactions, and of unknown outcomes that are read. */
    @Test
    void listsThatShowAnOrderAreDecidedByWindows() throws IOException, HistoryException {
        String both = line(0, 0, "committed", "append", 1, "1")
                + line(0, 1, "unknown", "append", 1, "2")
                + line(1, 0, "committed", "r", 1, "[1,2]");
        for (String more : List.of(
                "",
                line(2, 0, "aborted", "r", 1, "[1,7]"),
                line(2, 0, "unknown", "r", 1, "[1]"),
                line(2, 0, "unknown", "r", 1, "[1,2,3]"),
                line(2, 0, "unknown", "r", 1, "[2]"),
                line(2, 0, "committed", "r", 1, "null"),
                line(2, 0, "committed", "append", 1, "3"),
                line(2, 0, "committed", "w", 2, "1"))) {
            for (int pieceBytes : new int[] {50, 1_000}) {
                assertThat(run(both + more, IsolationLevel.SER, pieceBytes).reason())
                        .as(more)
                        .isEmpty();
            }
        }
    }

    private void assertOpen(String lines, String reason) throws IOException, HistoryException {
        for (int pieceBytes : new int[] {50, 1_000}) {
            assertThat(run(lines, IsolationLevel.SER, pieceBytes).reason())
                    .as(lines)
                    .isEqualTo(reason);
        }
    }

    private WindowCheck run(String lines, IsolationLevel level, int pieceBytes) throws IOException, HistoryException {
        String file = write(lines.startsWith("{\"format") ? lines : HEADER + lines);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(
                    workers, file, pieceBytes, new WindowSettings(4, 4, 4, 7), CheckRequest.of(level));
            check.run(true, InitialChoice.IMPLICIT);
            return check;
        }
    }

    private static String line(int session, int index, String status, String op, int key, String value) {
        return String.format(
                "{\"session\":%d,\"index\":%d,\"status\":\"%s\",\"ops\":[{\"op\":\"%s\",\"key\":%d,\"value\":%s}]}%n",
                session, index, status, op, key, value);
    }

    private String write(String json) throws IOException {
        Path file = folder.resolve("lists.jsonl");
        Files.writeString(file, json);
        return file.toString();
    }
}
