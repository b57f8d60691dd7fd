package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.io.IOException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Marks the transactions of unknown outcome that count, or may count, in some cells. Result: the section with the cells.
 *
 * @param outcomes see {@link UnknownOutcomes}
 * @param countsOptional whether those that may count are counted now, as windows would decide about each event alone
 */
record CountTask(
        Cells cells, Object2IntOpenHashMap<UnknownOutcomes.Name> outcomes, boolean countsOptional, Section.Files files)
        implements Task<Section> {
    @Override
    public Section run(Budget budget) throws IOException {
        Section.Output out = new Section.Output(cells.from(), cells.count());
        for (int c = cells.from(); c < cells.to(); c++) {
            Cell cell = cells.read(c);
            EventWriter marked = new EventWriter(out.block(c));
            for (int t = 0; t < cell.size(); t++) {
                int outcome = cell.status(t) == TransactionStatus.INDETERMINATE
                        ? outcomes.getInt(new UnknownOutcomes.Name(cell.session(t), cell.index(t)))
                        : UnknownOutcomes.NO;
                if (outcome == UnknownOutcomes.YES || (countsOptional && outcome == UnknownOutcomes.MAYBE)) {
                    cell.count(t, true);
                } else if (outcome == UnknownOutcomes.MAYBE) {
                    cell.optional(t);
                }
                cell.write(t, marked);
            }
        }
        return out.write(files, cells.from());
    }
}
