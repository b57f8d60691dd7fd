package org.polygraph.jobs.certificate.judge;

import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.Verification.Report;
import org.polygraph.storage.analysis.Loaders;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RowChoices;
import org.polygraph.storage.table.UnknownRows;

/**
 * Checks that a history violates a level, whatever rows its writes by a condition wrote: tries every execution of every
 * choice of these rows.
 */
final class RowChoicesCheck {
    private static final int MOST = 1_000;

    private RowChoicesCheck() {}

    static Report of(Claim claim, Terms terms, HistoryTable table) throws HistoryException {
        UnknownRows unknown = table.unknownRows();
        if (unknown == null) {
            return Report.rejected("the history has no writes of unknown rows");
        }
        RowChoices choices = unknown.choices(MOST, () -> false);
        if (choices == null) {
            return tooLarge("the choices of unknown rows are too many to try each of them");
        }
        for (int i = 0; i < choices.count(); i++) {
            HistoryTable one = Loaders.of(choices.table(i), claim.loaders(), claim.usesTimes(), terms.clockSkewNanos())
                    .applied()
                    .withoutRefusals();
            BruteForce.Answer answer = BruteForce.judge(one, terms);
            if (answer == BruteForce.Answer.HOLDS) {
                return Report.rejected(
                        "a choice of unknown rows keeps " + terms.guarantee().label());
            }
            if (answer == BruteForce.Answer.TOO_LARGE) {
                return tooLarge("the history is too large to try every execution of each choice of unknown rows");
            }
        }
        String checked = "no execution keeps " + terms.guarantee().label() + ", whichever of " + choices.count()
                + (choices.count() == 1 ? " choice" : " choices") + " of unknown rows is taken";
        return Report.verified("rows         " + checked);
    }

    private static Report tooLarge(String reason) {
        return Report.undecided(reason + "; `polygraph check` judges them");
    }
}
