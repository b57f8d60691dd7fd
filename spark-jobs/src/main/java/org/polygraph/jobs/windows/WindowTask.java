package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.model.BudgetException;

/**
 * Repairs some windows: gives the transactions of each an order in which its reads return the last write and the values at its right
 * border are those that are read behind it. Result: {@link Result}.
 *
 * @param runs disjoint runs of cells, ascending; each window lies in one
 * @param number of the first window in {@code borders}
 * @param windows ascending and disjoint
 * @param borders sections that {@link BorderTask}s wrote
 * @param terms of the level
 * @param extent of the windows
 * @param looks how often the decision of a window may look at its budget; then the window is too large
 */
record WindowTask(
        ArrayList<Cells> runs,
        int number,
        ArrayList<WindowStore.Range> windows,
        ArrayList<Section> borders,
        byte[] initial,
        Terms terms,
        Extent extent,
        long looks,
        Section.Files files)
        implements Task<WindowTask.Result> {
    /** Which events the windows have. */
    enum Extent {
        /** Two cells. A violated read behind the window may have to move into it, so it does not determine the value at the border. */
        CELLS,
        /**
         * The places around violated reads. A violated read behind the window may only need another order of the writes in it, so an order
         * that explains this read too is tried first.
         */
        AROUND,
        /** The whole history: all reads have to be explained. */
        WHOLE
    }

    static final int REPAIRED = 0;
    static final int FAILED = 1;
    static final int TOO_LARGE = 2;
    /** The window waits for a later round, because windows beside it were decided first. */
    static final int DEFERRED = 3;

    /**
     * What became of the windows.
     *
     * @param outcomes by window: whether it is repaired, has no order or is too large
     * @param section with the cells of all runs in which a window is repaired
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Result(int[] outcomes, Section section) implements Serializable {}

    @Override
    public Result run(Budget budget) throws IOException {
        List<byte[][]> blocks = new ArrayList<>();
        for (Section border : borders) {
            blocks.add(border.blocks(number, windows.size()));
        }
        int[] outcomes = new int[windows.size()];
        int from = runs.get(0).from();
        Section.Output out = new Section.Output(from, runs.get(runs.size() - 1).to() - from);
        int w = 0;
        for (Cells cells : runs) {
            CellRun run = cells.count() <= WindowRepair.CELLS_OF_RUN || budget.fits(0, CellRun.bytes(cells))
                    ? new CellRun(cells, initial, terms)
                    : null;
            boolean isMoved = false;
            for (; w < windows.size() && windows.get(w).from() < cells.first(cells.to()); w++) {
                int outcome = run == null ? TOO_LARGE : repair(run.new Window(windows.get(w)), blocks, w, budget);
                isMoved |= outcome == REPAIRED;
                outcomes[w] = outcome;
            }
            if (isMoved && run != null) {
                run.write(out);
            }
        }
        return new Result(outcomes, out.write(files, from));
    }

    private int repair(CellRun.Window window, List<byte[][]> blocks, int number, Budget budget) {
        for (byte[][] block : blocks) {
            window.border(block[number]);
        }
        try {
            budget.require(0, window.bytes(), "a window of " + window.members() + " transactions");
            return window.repair(extent, budget.ofLooks(looks)) ? REPAIRED : FAILED;
        } catch (BudgetException e) {
            budget.require();
            return TOO_LARGE;
        }
    }
}
