package org.polygraph.jobs.certificate.judge;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.Verification.Report;
import org.polygraph.storage.analysis.Loaders;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.UnknownRows;

/**
 * Checks a violation that does not depend on which rows the writes by a condition wrote: the sub-histories of the run
 * must be part of the {@link NecessaryHistory}, and must violate the level.
 */
final class NecessaryReadsCheck {
    private NecessaryReadsCheck() {}

    static Report of(Location run, Claim claim, Terms terms, HistoryTable read) throws IOException, HistoryException {
        HistoryTable table = terms.indeterminate() == IndeterminateMode.ABORT ? UnknownRows.withAborted(read) : read;
        if (table.unknownRows() == null) {
            return Report.rejected("the history has no writes of unknown rows");
        }
        if (terms.guarantee().isAxiom() || terms.guarantee().events() != 1) {
            return Report.rejected("level " + terms.guarantee().label() + " has no serial orders");
        }
        if (Loaders.of(table, claim.loaders(), claim.usesTimes(), terms.clockSkewNanos())
                        .transactions()
                        .length
                > 0) {
            return Report.undecided("the history has transactions that load the initial rows");
        }
        Set<String> labels = new TreeSet<>();
        new ViolationCheck(run, terms, table).addKeys(labels);
        HistoryTable necessary = NecessaryHistory.of(table, labels);
        return necessary == null
                ? Report.rejected(
                        "a key of a sub-history neither is one of the history nor names a match or a value of a row")
                : new ViolationCheck(run, terms, necessary).all(claim.unshown());
    }
}
