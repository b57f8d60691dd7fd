package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.RankRange;
import org.polygraph.jobs.certificate.format.RankWriter;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;

/**
 * Writes the rows of one range to a certificate. Result: the {@link RankRange}. Memory: that of {@link RankRows}.
 *
 * @param sections what {@link RankDealTask}s dealt to the range
 * @param run the folder of the run, which all workers see
 */
record RankTask(ArrayList<Section> sections, int range, String run, Guarantee guarantee) implements Task<RankRange> {
    @Override
    public RankRange run(Budget budget) throws IOException {
        RankRows rows = new RankRows(sections, range, budget);
        RankWriter writer = new RankWriter(Location.of(run), guarantee);
        while (rows.next()) {
            writer.hash(rows.hashes(), rows.hashAt());
            if (rows.isCounted()) {
                writer.row(rows.session(), rows.index(), rows.snapshot(), rows.commit());
            }
        }
        return writer.end();
    }
}
