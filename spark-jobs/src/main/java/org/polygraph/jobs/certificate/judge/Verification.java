package org.polygraph.jobs.certificate.judge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankReader;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.RecordedReplay;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.certificate.replay.SavepointReplay;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.analysis.Loaders;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.RecordedSelection;
import org.polygraph.storage.table.RecordedTimes;
import org.polygraph.storage.table.UnknownRows;

/**
 * Checks the evidence of a run against the history. A PASS is verified by replaying its order; a VIOLATION by judging a
 * sub-history whose violation is one of the whole, or by a read that nothing in the history explains.
 */
public final class Verification {
    /** The result for the evidence. */
    public enum Answer {
        VERIFIED,
        /** The evidence is well-formed, but does not confirm the verdict. */
        REJECTED,
        /** The evidence may be right, but it cannot be checked here. */
        UNDECIDED
    }

    /**
     * The result of a verification.
     *
     * @param reason why it is not verified, one line; empty if it is
     * @param checked one line per check: a name, two spaces or more, the result
     */
    public record Report(Answer answer, String reason, List<String> checked) {
        public Report {
            checked = List.copyOf(checked);
        }

        static Report verified(String check) {
            return new Report(Answer.VERIFIED, "", List.of(check));
        }

        static Report rejected(String reason) {
            return new Report(Answer.REJECTED, reason, List.of());
        }

        static Report undecided(String reason) {
            return new Report(Answer.UNDECIDED, reason, List.of());
        }
    }

    /** Replays orders without a table. */
    @FunctionalInterface
    public interface Replayer {
        /**
         * Replays an order.
         *
         * @param path of the history
         * @param mayHaveLoaders whether transactions that load the initial rows are to be recognized
         * @return null if that needs the whole history
         */
        @Nullable
        Replayed replay(Location run, RankHeader header, String path, HistoryFormat format, boolean mayHaveLoaders)
                throws IOException, HistoryException;
    }

    /**
     * The replay of an order without a table.
     *
     * @param content hash of the contents
     */
    public record Replayed(Replay.Result result, String content, Numbers numbers) {}

    /** The counts of a history. */
    public record Numbers(
            long sessions,
            long transactions,
            long operations,
            long committed,
            long indeterminate,
            RecordedTimes times) {
        private static Numbers of(HistoryTable table, Terms terms) {
            long committed = 0;
            long indeterminate = 0;
            for (byte outcome : table.statuses()) {
                committed += outcome == TransactionStatus.COMMITTED.code() ? 1 : 0;
                indeterminate += outcome == TransactionStatus.INDETERMINATE.code() ? 1 : 0;
            }
            return new Numbers(
                    table.sessions(),
                    table.transactions(),
                    table.operations(),
                    committed,
                    indeterminate,
                    Verification.times(table, terms));
        }
    }

    /**
     * A verification without a table.
     *
     * @param numbers the counts of the history
     */
    public record ByWorkers(Report report, Numbers numbers) {}

    private final Location run;
    private final Terms terms;
    /** The history with inserts and deletes, also at pc, cc, ra, rc and pl2. */
    private final HistoryTable withRows;
    /** The history that the level judges. */
    private final HistoryTable table;
    /** The history whose predicates are evaluated: another one only if rows of its writes are unknown. */
    private final HistoryTable recorded;
    /** The history whose contents are compared: as it was read, with the status of loaders. */
    private final HistoryTable contents;

    private final List<String> checked = new ArrayList<>();

    /**
     * A refused compare-and-set whose value is not known matters only to linearizability. Inserts and deletes matter
     * only to levels that order writes.
     */
    private Verification(Location run, Terms terms, HistoryTable table, HistoryTable recorded, HistoryTable contents) {
        this.run = run;
        this.contents = contents;
        this.recorded = recorded;
        this.terms = terms;
        withRows = terms.guarantee() == Guarantee.LIN ? table : table.withoutRefusals();
        this.table = terms.guarantee().hasPlainWrites() ? withRows.withoutRows() : withRows;
    }

    /**
     * Verifies a run.
     *
     * @param input fingerprint of the bytes that the table was read from
     * @param stop whether the time ended; asked while the certificate is read and a violation is judged
     * @throws HistoryException if the evidence is missing or malformed
     * @throws IOException if it cannot be read
     */
    public static Report of(Location run, Claim claim, HistoryTable table, String input, BooleanSupplier stop)
            throws IOException, HistoryException {
        if (!claim.verdict().equals("PASS") && !claim.verdict().equals("VIOLATION") && !claim.isOfOthers()) {
            return Report.undecided("the run ended " + Names.line(claim.verdict()) + ", which leaves no evidence");
        }
        Terms terms = claim.terms().orElse(null);
        if (terms == null) {
            return Report.undecided("no evidence is defined for level " + Names.line(claim.level()));
        }
        boolean isViolation = claim.verdict().equals("VIOLATION");
        String unlike = SavepointReplay.discrepancy(table);
        if (unlike != null) {
            return new Report(Answer.REJECTED, unlike, List.of());
        }
        if (!isViolation
                && claim.certificate().isUnwritten()
                && !RankFile.in(run).exists()) {
            return Report.undecided("the run has no certificate, because the time ended before it was written");
        }
        RankFile.Content order = isViolation ? null : RankFile.read(run, table, stop);
        HistoryTable judged = judged(isViolation, order, terms, table);
        if (judged == null) {
            int repeated = isViolation ? firstRepeatedRow(table.asRead()) : -1;
            return repeated < 0
                    ? Report.undecided("the history has writes of unknown rows, which leave no evidence")
                    : inContents(
                            Report.verified("rows         " + table.name(repeated)
                                    + " has two rows of one key in one result, which no rows of these writes explain"),
                            claim,
                            table);
        }
        Loaders loaders = Loaders.of(judged, claim.loaders(), claim.usesTimes(), terms.clockSkewNanos());
        HistoryTable withLoaders = loaders.applied();
        HistoryTable recorded =
                judged == table ? withLoaders : table.withStatus(loaders.transactions(), TransactionStatus.INITIAL);
        HistoryTable contents = table.unknownRows() == null ? withLoaders : table;
        Verification verification = claim.hasSessionOrder() && terms.guarantee() != Guarantee.PL2
                ? new Verification(run, terms, withLoaders, recorded, contents)
                : new Verification(
                        run, terms, withLoaders.withoutSessionOrder(), recorded.withoutSessionOrder(), contents);
        if (table.hasSavepoints()) {
            verification.checked("savepoints", "what each transaction did not undo is what is judged");
        }
        if (loaders.transactions().length > 0) {
            verification.checked("initial rows", loaders.statement() + ", before all others");
        }
        if (isViolation) {
            Report violations = new ViolationCheck(run, terms, verification.table, stop).all(claim.unshown());
            violations.checked().forEach(verification.checked::add);
            return inContents(verification.report(violations.answer(), violations.reason()), claim, contents);
        }
        return verification.order(Objects.requireNonNull(order, "an order"), input, claim.isOfOthers());
    }

    /** The first committed transaction with two rows of one key in a result; -1 if there is none. */
    private static int firstRepeatedRow(HistoryTable read) {
        for (int t = 0; t < read.transactions(); t++) {
            for (int o = read.firstOperation(t);
                    read.status(t) == TransactionStatus.COMMITTED && o < read.operationsEnd(t);
                    o++) {
                if (read.isRepeatedRow(o)) {
                    return t;
                }
            }
        }
        return -1;
    }

    /**
     * Adds to the report on a violation whether the history has the contents that were checked. A violation that
     * another history has too is confirmed, but the report states that it is another one.
     */
    private static Report inContents(Report found, Claim claim, HistoryTable contents) {
        String checkedContent = claim.certificate().content();
        List<String> lines = new ArrayList<>(found.checked());
        if (checkedContent.isEmpty()) {
            boolean isOnSeam = claim.chain().map(Claim.Parts::isOnSeam).orElse(false);
            add(
                    lines,
                    "history",
                    isOnSeam
                            ? "each part has the bytes that were checked"
                            : "the run does not name the contents that were checked; check again with --overwrite");
            return new Report(found.answer(), found.reason(), lines);
        }
        String content = Fingerprint.ofContent(contents);
        if (checkedContent.equals(content)) {
            add(lines, "history", "the same content, sha256 " + content);
            return new Report(found.answer(), found.reason(), lines);
        }
        String other = "the contents of the history differ from those that were checked: sha256 " + content
                + ", the run is of " + Names.line(checkedContent);
        return new Report(found.answer(), found.reason().isEmpty() ? other : found.reason() + "; " + other, lines);
    }

    /**
     * The history that the evidence is about, with rows for writes of unknown rows; null if there is none.
     *
     * @param order null for a VIOLATION
     */
    private static @Nullable HistoryTable judged(
            boolean isViolation, RankFile.@Nullable Content order, Terms terms, HistoryTable read)
            throws HistoryException {
        HistoryTable table = terms.indeterminate() == IndeterminateMode.ABORT ? UnknownRows.withAborted(read) : read;
        UnknownRows unknown = table.unknownRows();
        if (unknown == null) {
            return table;
        }
        if (isViolation) {
            Guarantee guarantee = terms.guarantee();
            return unknown.refutes(guarantee.events(), guarantee.hasPlainWrites()) ? table : null;
        }
        HistoryTable guess = order == null ? null : unknown.inOrder(order.counted(), order.position());
        return guess == null || guess.unknownRows() != null ? null : guess;
    }

    /**
     * Verifies the order of a PASS without a table.
     *
     * @param path of the history
     * @param stop asked while the header is read
     * @return null if the whole history is needed
     * @throws HistoryException if the evidence is malformed
     */
    public static @Nullable ByWorkers byWorkers(
            Location run, Claim claim, String path, HistoryFormat format, Replayer replayer, BooleanSupplier stop)
            throws IOException, HistoryException {
        Terms terms = claim.terms().orElse(null);
        boolean isOrder = claim.verdict().equals("PASS") && !claim.certificate().isUnwritten();
        if (terms == null
                || !isOrder
                || !claim.hasSessionOrder()
                || terms.guarantee().hasPlainWrites()
                || claim.loaders().kind() == InitialChoice.Kind.NAMED) {
            return null;
        }
        RankHeader header = RankReader.header(run, stop);
        if (termsDiffer(terms, header.terms()) != null) {
            return null;
        }
        Replayed replayed =
                replayer.replay(run, header, path, format, claim.loaders().kind() == InitialChoice.Kind.AUTO);
        if (replayed == null) {
            return null;
        }
        List<String> checked = new ArrayList<>();
        add(checked, "certificate", certificate(run, header));
        String content = replayed.content();
        boolean sameContent = header.fingerprint().content().equals(content);
        if (sameContent) {
            add(checked, "history", "the same content, sha256 " + content);
        }
        Numbers numbers = replayed.numbers();
        String wrong =
                wrongOrder(header, content, sameContent, replayed.result().discrepancy());
        wrong = wrong == null ? untimed(terms, numbers.times()) : wrong;
        if (wrong == null) {
            seen(checked, terms, replayed.result(), numbers);
        }
        Answer answer = wrong == null ? Answer.VERIFIED : Answer.REJECTED;
        return new ByWorkers(new Report(answer, wrong == null ? "" : wrong, checked), numbers);
    }

    private static String certificate(Location run, RankHeader header) {
        return RankFile.in(run).name() + ", version " + header.version() + ", " + header.counted() + " ranked";
    }

    /** Describes why an order does not show what it should; null if it does. */
    private static @Nullable String wrongOrder(
            RankHeader header, String content, boolean sameContent, @Nullable String discrepancy) {
        if (!sameContent) {
            return "the history is not the one that was checked: its content is sha256 " + content
                    + ", the certificate is of "
                    + Names.line(header.fingerprint().content())
                    + (discrepancy == null
                            ? ", whose order also explains this one"
                            : "; first difference: " + discrepancy);
        }
        return discrepancy == null ? null : "the order does not explain the history: " + discrepancy;
    }

    /**
     * Whether the history confirms one of a run's first violations.
     *
     * @param most number of violations to try
     */
    public static boolean anyViolationHolds(
            Location run, Terms terms, HistoryTable table, int most, BooleanSupplier stop) throws IOException {
        Verification verification = new Verification(run, terms, table, table, table);
        return new ViolationCheck(run, terms, verification.table, stop).anyHolds(most);
    }

    private static RecordedTimes times(HistoryTable table, Terms terms) {
        return RecordedTimes.of(table, terms.mayCount(TransactionStatus.INDETERMINATE.code()));
    }

    /** Describes why an order cannot show real time; null if it can, or if real time is not part of the level. */
    private static @Nullable String untimed(Terms terms, RecordedTimes times) {
        return terms.guarantee().realTime() && !times.mayOrder()
                ? "times order no two transactions of the history, so no order of them shows level "
                        + terms.guarantee().label()
                : null;
    }

    private Report report(Answer answer, String reason) {
        return new Report(answer, reason, checked);
    }

    private void checked(String name, String what) {
        add(checked, name, what);
    }

    /** Adds a line about a check. */
    static void add(List<String> checked, String name, String what) {
        checked.add(name + " ".repeat(Math.max(2, 13 - name.length())) + what);
    }

    /** @param isOfOthers whether the order may leave out committed transactions, which later parts explain */
    private Report order(RankFile.Content content, String input, boolean isOfOthers) {
        RankHeader header = content.header();
        // The order of pc, cc, ra, rc or pl2 is of a history with writes in place of inserts and deletes.
        HistoryTable serial = header.terms().guarantee().events() == 1 && RecordedSelection.isOfWrites(withRows)
                ? withRows.withoutRows()
                : withRows;
        HistoryTable certified = header.terms().guarantee().hasPlainWrites() ? table : serial;
        checked("certificate", certificate(run, header));
        String wrong = termsDiffer(terms, header.terms());
        if (wrong != null) {
            return report(Answer.REJECTED, wrong);
        }
        Fingerprint fingerprint = new Fingerprint(input, Fingerprint.ofContent(contents));
        boolean sameBytes = header.fingerprint().input().equals(input);
        boolean sameContent = header.fingerprint().content().equals(fingerprint.content());
        if (sameContent) {
            checked(
                    "history",
                    (sameBytes ? "the same bytes, sha256 " : "other bytes with the same content, sha256 ")
                            + (sameBytes ? input : fingerprint.content()));
        }
        Replay.Result result = null;
        String discrepancy = content.mismatch();
        int[] open = isOfOthers ? open(content, certified) : new int[0];
        HistoryTable ordered = open.length == 0 ? certified : certified.withStatus(open, TransactionStatus.ABORTED);
        if (discrepancy == null) {
            // At these levels nothing evaluates predicates, so each pair of a condition and a row is a read.
            Witness witness = content.witness(
                    header.terms().guarantee().hasPlainWrites()
                            ? PredicateReads.apart(ordered).withoutRows()
                            : ordered);
            result = Replay.of(witness);
            discrepancy = result.discrepancy() == null ? wrongResult(witness) : result.discrepancy();
        }
        wrong = wrongOrder(header, fingerprint.content(), sameContent, discrepancy);
        if (wrong != null || result == null) {
            return report(Answer.REJECTED, String.valueOf(wrong));
        }
        wrong = untimed(terms, times(table, terms));
        if (wrong != null) {
            return report(Answer.REJECTED, wrong);
        }
        if (!isOfOthers) {
            seen(checked, terms, result, Numbers.of(table, terms));
            return report(Answer.VERIFIED, "");
        }
        int explained = OpenReaders.firstExplained(certified, content.counted());
        if (explained >= 0) {
            return report(
                    Answer.REJECTED,
                    certified.whereIs(explained) + " is not in the order, although each of its reads has a writer");
        }
        String left =
                open.length + (open.length == 1 ? " transaction is" : " transactions are") + " left to later parts";
        checked("open", left + (open.length == 0 ? "" : ", the first is " + certified.whereIs(open[0])));
        seen(checked, terms, result, Numbers.of(ordered, terms));
        return report(
                Answer.VERIFIED,
                "the run ended UNKNOWN; its order explains all transactions but those that a later"
                        + " part may explain; " + left);
    }

    private static int[] open(RankFile.Content order, HistoryTable history) {
        return IntStream.range(0, history.transactions())
                .filter(t -> !order.counted()[t] && history.status(t) == TransactionStatus.COMMITTED)
                .toArray();
    }

    /** Replays the predicates of the history as it was recorded. @return a sentence about a wrong result, or null */
    private @Nullable String wrongResult(Witness witness) {
        if (witness.terms().guarantee().hasPlainWrites()) {
            return null;
        }
        RecordedReplay.Result result = RecordedReplay.of(witness.with(recorded));
        if (result == null) {
            return null;
        }
        if (result.discrepancy() == null) {
            checked(
                    "predicates",
                    result.predicates() + " results are those that evaluation on each of " + result.rows()
                            + " rows yields");
        }
        return result.discrepancy();
    }

    private static @Nullable String termsDiffer(Terms terms, Terms found) {
        boolean stronger =
                terms.guarantee().hasPlainWrites() && found.guarantee().implies(terms.guarantee());
        if (found.guarantee() != terms.guarantee() && !stronger) {
            return "the verdict is for " + terms.guarantee().label() + ", the certificate for "
                    + found.guarantee().label();
        }
        if (found.indeterminate() != terms.indeterminate()) {
            return "the verdict treats indeterminate transactions as "
                    + terms.indeterminate().label() + ", the certificate as "
                    + found.indeterminate().label();
        }
        if (found.clockSkewNanos() != terms.clockSkewNanos()) {
            return "the verdict is for a clock skew of " + terms.clockSkewNanos() + " ns, the certificate for "
                    + found.clockSkewNanos() + " ns";
        }
        return null;
    }

    private static void seen(List<String> checked, Terms terms, Replay.Result result, Numbers numbers) {
        add(
                checked,
                "outcomes",
                "all " + numbers.committed() + " committed transactions count, "
                        + (result.transactions() - numbers.committed()) + " of " + numbers.indeterminate()
                        + " indeterminate ones, no aborted one");
        if (terms.guarantee() == Guarantee.LIN) {
            add(
                    checked,
                    "operations",
                    result.reads() + " reads return the last write of their key before them, " + result.writes()
                            + " writes, each key in its order");
            add(
                    checked,
                    "real time",
                    "transactions that had ended come before those that started later, clock skew "
                            + terms.clockSkewNanos() + " ns");
            return;
        }
        add(
                checked,
                "sessions",
                numbers.sessions()
                        + (numbers.sessions() == numbers.transactions()
                                ? ", of one transaction each"
                                : ", each in its order"));
        if (terms.guarantee().hasPlainWrites()) {
            add(
                    checked,
                    "reads",
                    result.reads()
                            + " reads return the latest version that the level lets their transaction see; "
                            + result.ownReads() + " of them its own write");
            return;
        }
        add(
                checked,
                "reads",
                result.reads() + " reads return the last write before them; " + result.ownReads()
                        + " of them their transaction's own");
        add(
                checked,
                "overlaps",
                terms.guarantee().events() == 1
                        ? "none: a transaction is one event"
                        : "none between writers of a key, " + result.writes() + " writes");
        add(
                checked,
                "real time",
                !terms.guarantee().realTime()
                        ? "not part of the level"
                        : "transactions that had ended come before those that started later, clock skew "
                                + terms.clockSkewNanos() + " ns"
                                + (numbers.times().unbound() == 0
                                        ? ""
                                        : "; " + numbers.times().unbound() + " have neither a start nor an end"));
    }
}
