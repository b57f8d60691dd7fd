package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2ByteOpenHashMap;
import java.io.IOException;
import org.polygraph.jobs.decision.Budget;

/**
 * Marks the transactions of unknown outcome that count, or may count, in some cells. Result: the section with the cells.
 *
 * @param outcomes by place, see {@link UnknownOutcomes}
 */
record CountTask(Cells cells, Long2ByteOpenHashMap outcomes, String folder, String name) implements Task {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[] run(Budget budget) throws IOException {
        Section.Output out = new Section.Output(cells.from(), cells.count());
        for (int c = cells.from(); c < cells.to(); c++) {
            Cell cell = cells.read(c);
            Cell.Output marked = cell.new Output(out.block(c));
            for (int t = 0; t < cell.size(); t++) {
                byte outcome = outcomes.get(cells.first(c) + t);
                if (outcome == UnknownOutcomes.YES) {
                    cell.count(t, true);
                } else if (outcome == UnknownOutcomes.MAYBE) {
                    cell.optional(t);
                }
                marked.write(t);
            }
        }
        BlockWriter result = new BlockWriter();
        Section.write(result, out.write(folder, name + "-" + cells.from()));
        return result.toBytes();
    }
}
