package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.WholeHistoryException;
import org.polygraph.storage.testkit.HistoryDsl;

/** Lists that windows decide, and those that they leave open. The laws "windows-lists" have random ones. */
class ListWindowsTest {
    private static final String UNKNOWN_LIST =
            PieceRows.unsupported(new WholeHistoryException(ListOrders.UNKNOWN_READ));

    @TempDir
    private Path folder;

    /** The reader of the whole says what is wrong, or the embedded engine decides with its evidence. */
    @Test
    void whatListsShowNoOrderIsDecidedAsAWhole() throws IOException, HistoryException {
        String both = "s0: a(1,1) | a(1,2); s1: r(1,[1 2]); s2: ";
        assertOpen(both + "r(1,[2])", ListOrders.CONTRADICTION);
        assertOpen(both + "r(1,[1 2 1])", ListOrders.CONTRADICTION);
        assertOpen(both + "a(1,1)", WindowCheck.UNREADABLE);
        assertOpen(both + "!a(1,1)", WindowCheck.UNREADABLE);
        assertOpen(both + "w(1,3)", WindowCheck.UNREADABLE);
        assertOpen(both + "?a(2,5) r(1,[2]); s3: r(2,[5])", UNKNOWN_LIST);
        assertOpen(both + "?a(2,5) r(1,[1 2 3]); s3: r(2,[5])", UNKNOWN_LIST);
        assertOpen("init 0; " + both + "r(1,null)", "a list was read as null, and the initial value is another one");
        assertThat(run("s0: a(1,1) | a(1,2); s1: r(1,[1 2])", IsolationLevel.RC, 100))
                .isEqualTo("it has lists, and a PASS of si decides pc, cc, ra, rc and pl2");
    }

    /** Lists of several pieces, of aborted transactions, and of unknown outcomes that are read. */
    @Test
    void listsThatShowAnOrderAreDecidedByWindows() throws IOException, HistoryException {
        for (String more : List.of(
                "()", "!r(1,[1 7])", "?r(1,[1])", "?r(1,[1 2 3])", "?r(1,[2])", "r(1,null)", "a(1,3)", "w(2,1)")) {
            for (int pieceBytes : new int[] {50, 1_000}) {
                assertThat(run("s0: a(1,1) | ?a(1,2); s1: r(1,[1 2]); s2: " + more, IsolationLevel.SER, pieceBytes))
                        .as(more)
                        .isEmpty();
            }
        }
    }

    private void assertOpen(String history, String reason) throws IOException, HistoryException {
        for (int pieceBytes : new int[] {50, 1_000}) {
            assertThat(run(history, IsolationLevel.SER, pieceBytes)).as(history).isEqualTo(reason);
        }
    }

    /** Why a history is left open; empty if it is not. */
    private String run(String history, IsolationLevel level, int pieceBytes) throws IOException, HistoryException {
        return FileWindows.ended(
                        FileWindows.workers(),
                        folder,
                        HistoryDsl.lines(history),
                        pieceBytes,
                        new WindowSettings(4, 4, 4, 7),
                        CheckRequest.of(level),
                        WindowCheck.Ending.values())
                .reason();
    }
}
