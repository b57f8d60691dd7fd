package org.polygraph.jobs.certificate.judge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.Verification.Answer;
import org.polygraph.jobs.certificate.judge.Verification.Report;
import org.polygraph.jobs.certificate.replay.ListStates;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.UnknownRows;

/**
 * Checks the violations of a run against the history: each has a sub-history, whose violation is one of the whole
 * ({@link SubHistoryProof}), or a read that nothing in the history explains.
 */
final class ViolationCheck {
    private static final String HISTORY = "history.jsonl";
    /** The largest closed sub-history that is judged; beyond, trying every execution takes too long. */
    private static final int MOST_TRANSACTIONS = 64;

    private final Location run;
    private final Terms terms;
    private final HistoryTable table;
    private final BooleanSupplier stop;
    private final List<String> checked = new ArrayList<>();

    /**
     * Prepares the check of a run.
     *
     * @param table the history that the level judges
     * @param stop whether the time ended; what is not judged then is too large
     */
    ViolationCheck(Location run, Terms terms, HistoryTable table, BooleanSupplier stop) {
        this.stop = stop;
        this.run = run;
        this.terms = terms;
        this.table = table;
    }

    /**
     * Whether the history confirms one of the first violations.
     *
     * @param most number of violations to try
     */
    boolean anyHolds(int most) throws IOException {
        for (int i = 0; i < most && !stop.getAsBoolean(); i++) {
            Location folder = violation(i);
            if (!folder.child(HISTORY).exists()) {
                return false;
            }
            try {
                if (violation(folder).answer() == Answer.VERIFIED) {
                    return true;
                }
            } catch (HistoryException e) {
                // This sub-history cannot be read back; the next one may confirm the verdict.
            }
        }
        return false;
    }

    private Report report(Answer answer, String reason) {
        return new Report(answer, reason, checked);
    }

    private void checked(String name, String what) {
        Verification.add(checked, name, what);
    }

    private Location violation(int i) {
        return run.child("violations").child(String.format(Locale.ROOT, "%03d", i));
    }

    /**
     * Checks all violations. If the history refutes one, the evidence is rejected; if it confirms one, that suffices.
     *
     * @param unshown as {@link org.polygraph.jobs.certificate.format.Claim#unshown}
     */
    Report all(Set<Integer> unshown) throws IOException, HistoryException {
        int verified = 0;
        int undecided = 0;
        String first = "";
        int i = 0;
        for (; ; i++) {
            Location folder = violation(i);
            if (!folder.child(HISTORY).exists()) {
                break;
            }
            Report one = violation(folder);
            String name = folder.fileName();
            if (one.answer() == Answer.REJECTED && unshown.contains(i)) {
                one = Report.undecided(
                        "the run has no sub-history of it, because the budget ended; check the history with more");
            }
            if (one.answer() == Answer.REJECTED) {
                return report(Answer.REJECTED, "violation " + name + ": " + one.reason());
            }
            if (one.answer() == Answer.VERIFIED) {
                verified++;
            } else {
                undecided++;
                first = first.isEmpty() ? "violation " + name + ": " + one.reason() : first;
            }
            checked(name, one.answer() == Answer.VERIFIED ? one.checked().get(0) : one.reason());
        }
        if (i == 0) {
            throw RankHeader.malformed(violation(0).child(HISTORY).name(), "no sub-history");
        }
        checked("violations", verified + " confirmed, " + undecided + " undecided");
        return verified > 0 ? report(Answer.VERIFIED, "") : report(Answer.UNDECIDED, first);
    }

    private Report violation(Location folder) throws IOException, HistoryException {
        if (terms.guarantee() == Guarantee.LIN) {
            return operations(folder);
        }
        HistoryTable read = HistoryReader.read(folder.child(HISTORY).name(), HistoryFormat.JSONL);
        HistoryTable apart = PredicateReads.apart(read);
        // A history without session order has a session for each transaction.
        HistoryTable sub = table.sessions() == table.transactions() ? apart.withoutSessionOrder() : apart;
        HistoryTable withRows = PredicateReads.withPairsOf(sub, table);
        HistoryTable whole = UnknownRows.judged(withRows);
        if (whole != withRows) {
            return violation(whole, sub.withoutRows());
        }
        if (whole.hasRows() && terms.guarantee().events() == 1) {
            // With plain writes in place of inserts and deletes more orders explain a history.
            Report plain = violation(whole.withoutRows(), sub.withoutRows());
            if (plain.answer() == Answer.VERIFIED) {
                return plain;
            }
            Report exact = violation(whole, sub);
            return exact.answer() == Answer.UNDECIDED && plain.answer() == Answer.UNDECIDED ? plain : exact;
        }
        boolean hasPlainWrites = terms.guarantee().hasPlainWrites();
        return violation(hasPlainWrites ? whole.withoutRows() : whole, hasPlainWrites ? sub.withoutRows() : sub);
    }

    private Report violation(HistoryTable whole, HistoryTable sub) {
        SubHistoryProof proof = new SubHistoryProof(whole, sub, terms);
        String foreign = proof.foreign();
        if (foreign != null) {
            // Windows may have no lists for the reads and writes that stand for them.
            return whole.hasLists() && !sub.hasLists()
                    ? Report.undecided("the sub-history has no lists, and " + foreign)
                    : Report.rejected("the sub-history is not of this history: " + foreign);
        }
        String unexplained = proof.unexplainedRead();
        if (unexplained != null) {
            return Report.verified(unexplained);
        }
        HistoryTable closed = proof.closed(MOST_TRANSACTIONS);
        if (closed == null) {
            String gap = proof.gap();
            if (gap == null && !FirstToCommit.exists(sub, terms)) {
                return Report.verified(
                        "each of its " + sub.transactions()
                                + " transactions waits for others of them that wrote what it read or precede it in its session");
            }
            return Report.undecided(
                    gap == null
                            ? tooLarge(sub.transactions() + " transactions")
                            : "the sub-history lacks too many writers: " + gap);
        }
        int added = closed.transactions() - sub.transactions();
        String size = sub.transactions() + " transactions"
                + (added > 0 ? " and " + added + " further writers of the values read" : "");
        return switch (BruteForce.judge(added > 0 ? closed : sub, terms, BruteForce.MOST_STATES, stop)) {
            case VIOLATED ->
                Report.verified("no execution of its " + size + " keeps " + claimed()
                        + ", and no other writer in the history explains its reads");
            case HOLDS -> Report.rejected("the sub-history of " + size + " keeps " + claimed());
            case TOO_LARGE -> Report.undecided(tooLarge(size));
        };
    }

    private static String tooLarge(String size) {
        return "the sub-history of " + size + " is too large to try every execution; `polygraph check` judges it";
    }

    private Report operations(Location folder) throws IOException, HistoryException {
        HistoryTable sub = HistoryReader.read(folder.child(HISTORY).name(), HistoryFormat.JSONL);
        String foreign = new Embedding(table.withRecordedLists(), sub, terms).foreign();
        if (foreign != null) {
            return Report.rejected("the sub-history is not of this history: " + foreign);
        }
        ListStates lists = ListStates.ofReads(sub, terms.indeterminate() == IndeterminateMode.MAYBE);
        if (lists != null && lists.discrepancy() != null) {
            return Report.verified("no order of appends has all lists that its " + sub.transactions()
                    + " operations read, whatever else the history appends");
        }
        sub = BruteForce.versions(sub, terms);
        String gap = LinearBruteForce.gap(BruteForce.versions(table, terms), sub, terms);
        if (gap != null) {
            return Report.undecided("the sub-history lacks a writer: " + gap);
        }
        return switch (LinearBruteForce.judge(sub, terms, Runtime.getRuntime().maxMemory() / 2, stop)) {
            case VIOLATED ->
                Report.verified("no order of its " + sub.transactions()
                        + " operations keeps real time and explains their results, and the history has no other"
                        + " writer of the values read");
            case HOLDS -> Report.rejected("the sub-history has an order that explains it");
            case TOO_LARGE ->
                Report.undecided("time or memory ran out before every order of the sub-history was tried");
        };
    }

    private String claimed() {
        return terms.guarantee().label();
    }
}
