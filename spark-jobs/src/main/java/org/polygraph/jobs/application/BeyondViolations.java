package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.WholeHistoryIds;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Goes on after the violations of a chain. The reads that they need are left out, and the rest is judged; the reads of
 * what is violated there are left out too, until the rest keeps the level. So violations that the last part adds are
 * found, and the order of the rest has a seam for the next part.
 *
 * <p>Reads are left out and writes are not. So a violation of the rest is one of the chain, and a rest that keeps the
 * level shows that the last part adds none.
 */
final class BeyondViolations {
    /** The most times that the rest is judged. Each takes about as long as the check of the part. */
    private static final int MOST_ROUNDS = 16;

    private final CheckRequest request;
    private final Terms terms;
    private final Checker checker;
    private final Listener listener;
    private final String path;
    private final Chain before;
    private final Budget whole;
    private final Budget budget;

    private final @Nullable StandingViolations known;

    private final SubHistories subs = new SubHistories();
    private final List<StandingViolations.Kept> kept = new ArrayList<>();
    private final List<PartViolations.Named> added = new ArrayList<>();
    private final List<PartViolations.Named> standing = new ArrayList<>();
    private LeftOut leftOut = LeftOut.NOTHING;
    private int most = Integer.MAX_VALUE;
    /** Whether the run keeps the violations, and so the order of the rest. */
    private boolean isKept = true;
    /** A VIOLATION after whose violations the check does not go on. */
    private @Nullable Verdict unseparated;

    /**
     * Judges nothing yet.
     *
     * @param path the last part
     * @param before the other parts
     * @param known the violations that their last run keeps; null if it keeps none
     * @param whole the budget of the check
     * @param share what all attempts to judge the rest may take of it
     */
    BeyondViolations(
            CheckRequest request,
            Checker checker,
            Listener listener,
            String path,
            Chain before,
            @Nullable StandingViolations known,
            Budget whole,
            Budget share) {
        this.request = request.withoutLoaders();
        this.terms = request.terms();
        this.checker = checker;
        this.listener = listener;
        this.path = path;
        this.before = before;
        this.known = known;
        this.whole = whole;
        this.budget = share;
    }

    /**
     * A verdict on a chain.
     *
     * @param kept its violations; null if they are not kept
     */
    record Judged(Verdict verdict, @Nullable StandingViolations kept) {
        /** Whether it is decided what the last part adds, or the next part has to decide it. */
        boolean isDecided() {
            PartViolations violations = verdict.inPart();
            return violations == null || violations.isComplete() || verdict.witness() != null;
        }
    }

    /** The most parts that a seam may cover to decide more. */
    int most() {
        return most;
    }

    /** What examines the rest of a history on a seam. */
    @FunctionalInterface
    interface Refuting {
        SeamRefutation without(LeftOut reads);
    }

    /**
     * Judges a chain on a seam.
     *
     * @param rest PASS or VIOLATION of the history without the reads of {@link StandingViolations#leftOut}
     * @param table this history
     * @param isLater by transaction of it: whether it is of a part after the seam
     * @return null if this seam does not decide the chain
     */
    @Nullable
    Judged onSeam(Verdict rest, HistoryTable table, boolean[] isLater, Refuting refuting)
            throws IOException, HistoryException {
        if (known != null) {
            if (!known.areStanding(table, isLater)) {
                return null;
            }
            known.all().forEach(each -> add(known.sub(each), each));
            known.shown().forEach(each -> standing.add(each.named()));
            if (standing.isEmpty() && !known.areAllShown()) {
                return null;
            }
        }
        Verdict last = rest;
        HistoryTable left = table;
        for (int round = 0; last.status() == Verdict.Status.VIOLATION && round < MOST_ROUNDS; round++) {
            SeamRefutation refutation = refuting.without(leftOut);
            int part = refutation.partOfMissing(left);
            most = part < 0 ? Integer.MAX_VALUE : part;
            Verdict open = part < 0 ? OpenReads.unlessWritten(last, path) : last;
            if (open != last) {
                last = OpenTransactions.decided(open, left, request, checker, listener.quiet(), budget);
                break;
            }
            int found = kept.size();
            for (HistoryTable sub : refutation.proved(last, left, request)) {
                found(sub);
            }
            if (kept.size() == found) {
                break;
            }
            most = Integer.MAX_VALUE;
            left = leftOut.applied(table);
            last = judged(left);
        }
        if (added.isEmpty() && standing.isEmpty()) {
            // PASS; or a later part may explain what is violated.
            boolean isDecided = last.status() == Verdict.Status.PASS || last != rest;
            return isDecided ? new Judged(last, kept.isEmpty() ? null : all()) : null;
        }
        StandingViolations all = all();
        List<StandingViolations.Kept> shown = new ArrayList<>(all.all());
        shown.removeIf(each -> each.isClosed() || !each.isShown());
        // New ones come first.
        Collections.rotate(shown, added.size());
        int most = Math.min(shown.size(), request.mostViolations());
        Verdict.Builder verdict = rest.instead(Verdict.Status.VIOLATION, "")
                .violations(all.violations(shown.subList(0, most), request, budget), all.history())
                .furtherViolations(List.of(), added.size() + standing.size())
                .certificate(new Certificate(Certificate.CYCLE, null, false));
        return new Judged(with(verdict, last, last != rest), all);
    }

    /** Adds to a VIOLATION what is new and what stands, and the order of the rest. @param isOther whether the rest was judged anew */
    private Verdict with(Verdict.Builder verdict, Verdict rest, boolean isOther) {
        boolean isComplete = rest.status() == Verdict.Status.PASS;
        boolean isShareOver = rest.status() == Verdict.Status.UNKNOWN && budget.exhausted() && !whole.exhausted();
        String why = rest.status() != Verdict.Status.VIOLATION
                ? isShareOver ? "the rest is not decided in twice the time of the verdict" : rest.reason()
                : rest == unseparated
                        ? ""
                        : "the rest is violated too, by what was not separated within " + MOST_ROUNDS + " rounds";
        PartViolations violations = new PartViolations(
                added, standing, isComplete, isComplete ? beyond() : why.isEmpty() ? "" : "beyond them: " + why);
        Witness order = rest.witness();
        if (order != null && isKept) {
            verdict.witness(order);
        }
        if (isOther) {
            rest.phases().forEach(verdict::phase);
        }
        return verdict.inPart(violations).reason(violations.text()).build();
    }

    private String beyond() {
        int transactions = leftOut.transactions();
        return "beyond " + transactions + (transactions == 1 ? " transaction " : " transactions ")
                + PartViolations.ofFiles(kept.stream().flatMap(each -> each.files().stream()))
                + " the chain keeps " + request.level().label();
    }

    /** Judges a history again. */
    private Verdict judged(HistoryTable rest) {
        Check check = new Check(rest, request, listener, budget, Checkpoints.NONE);
        return LevelCheck.of(check, checker).build();
    }

    private StandingViolations all() {
        return StandingViolations.with(terms, before.parts().size() + 1, subs, kept);
    }

    private void add(HistoryTable sub, StandingViolations.Kept of) {
        subs.add(sub);
        kept.add(of);
        leftOut = leftOut.and(sub);
    }

    /** Adds a sub-history that violates the level by itself. */
    private void found(HistoryTable sub) {
        Verdict verdict =
                LevelCheck.of(new Check(sub, request, budget), Checker.EMBEDDED).build();
        if (verdict.status() == Verdict.Status.VIOLATION
                && !verdict.violations().isEmpty()
                && !leftOut.and(sub).isSameAs(leftOut)) {
            Violation violation = verdict.violations().get(0);
            PartViolations.Named named = named(violation, sub);
            added.add(named);
            add(sub, new StandingViolations.Kept(named, files(sub), true, false, new int[0]));
        }
    }

    private PartViolations.Named named(Violation violation, HistoryTable table) {
        return named(violation, table, before.parts().size());
    }

    /** @param part the number of the part that added it, from 0 */
    private PartViolations.Named named(Violation violation, HistoryTable table, int part) {
        return new PartViolations.Named(
                violation.anomaly().label(),
                part + 1,
                part < before.parts().size() ? before.parts().get(part).location() : location(),
                violation.transactions().stream()
                        .filter(t -> t >= 0)
                        .map(table::name)
                        .toList());
    }

    /** The number of the last part, before the last one of the chain, that has a transaction of a violation. */
    private int partOf(Violation violation, HistoryTable table) {
        int last = 0;
        for (int t : violation.transactions()) {
            String file = t < 0 ? "" : table.source().files().get(table.fileOf(t));
            for (int p = last; p < before.parts().size(); p++) {
                last = isOf(file, before.parts().get(p)) ? p : last;
            }
        }
        return last;
    }

    private static boolean isOf(String file, Chain.Part part) {
        return part.location().endsWith(file)
                || file.endsWith(part.location())
                || file.startsWith(part.location() + "/");
    }

    private String location() {
        try {
            return Location.of(path).absolute();
        } catch (IOException e) {
            return path;
        }
    }

    /** The files of the transactions that read. */
    private static List<String> files(HistoryTable sub) {
        List<String> files = new ArrayList<>();
        for (int t = 0; t < sub.transactions(); t++) {
            boolean reads = false;
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                reads |= !sub.isWrite(o) && !sub.isImplied(o);
            }
            String file = sub.source().files().get(sub.fileOf(t));
            if (reads && !files.contains(file)) {
                files.add(file);
            }
        }
        return files;
    }

    /**
     * Adds to a VIOLATION of all parts which violations are new, and judges the rest.
     *
     * @param whole the verdict
     * @param isExact whether {@link #known} has each violation of the parts that were decided; if not, these parts are
     *     judged again without the later ones
     * @param covered the number of the parts that were decided
     */
    Judged ofWhole(Verdict whole, boolean isExact, int covered) {
        HistoryTable table = whole.table();
        if (table == null || whole.violations().isEmpty()) {
            return new Judged(whole, null);
        }
        isKept = table.isPlain()
                && table.initialState() == null
                && terms.guarantee() != Guarantee.LIN
                && (whole.assumptions() == null || whole.assumptions().loaders().count() == 0);
        boolean[] isLater = later(table, covered);
        List<Violation> fresh = new ArrayList<>();
        List<Violation> earlier = new ArrayList<>();
        if (table.values().hasPredicates() || table.predicates() != null || terms.guarantee() == Guarantee.LIN) {
            unseparated = whole;
            // The run before may have none: an order of earlier transactions may follow from reads of the last part.
            boolean isFirst = isExact && known == null;
            for (Violation each : whole.violations()) {
                boolean isNew = isFirst || has(isLater, each, table);
                (isNew ? fresh : earlier).add(each);
                (isNew ? added : standing).add(isNew ? named(each, table) : named(each, table, partOf(each, table)));
            }
            return before.parts().isEmpty()
                    ? new Judged(whole, null)
                    : new Judged(shown(whole, whole, fresh, earlier, table), null);
        }
        if (known != null) {
            for (StandingViolations.Kept each : known.all()) {
                boolean stands = each.isShown() && !each.isClosed() && known.stands(each, table);
                if (stands || each.isClosed()) {
                    add(known.sub(each), each);
                }
                if (stands) {
                    standing.add(each.named());
                    earlier.addAll(violation(known.sub(each), table));
                }
            }
        }
        boolean isSeparated = isExact || addStanding(table, isLater, covered, earlier);
        HistorySelection selection = leftOut.of(table);
        Verdict rest = selection == null ? whole : judged(selection.table());
        for (int round = 0; rest.status() == Verdict.Status.VIOLATION && round < MOST_ROUNDS; round++) {
            HistoryTable left = selection == null ? table : selection.table();
            Verdict open = OpenReads.unlessWritten(rest, path);
            if (open != rest) {
                rest = OpenTransactions.decided(open, left, request, checker, listener.quiet(), budget);
                break;
            }
            List<Violation> found = found(rest, selection);
            if (!add(minimal(found), table, isLater, isSeparated, fresh)
                    && !(isKept && add(found, table, isLater, isSeparated, fresh))) {
                break;
            }
            selection = leftOut.of(table);
            rest = selection == null ? rest : judged(selection.table());
        }
        return new Judged(shown(whole, rest, fresh, earlier, table), isKept && !kept.isEmpty() ? all() : null);
    }

    /**
     * Adds the new ones of the violations that were found in one round.
     *
     * @param isLater by file
     * @param isSeparated whether all of them are new; if not, those are that need a later transaction
     * @return whether more reads are left out
     */
    private boolean add(
            List<Violation> found, HistoryTable table, boolean[] isLater, boolean isSeparated, List<Violation> fresh) {
        LeftOut start = leftOut;
        for (Violation violation : found) {
            SubHistory minimal = violation.minimal();
            HistoryTable sub = sub(violation, table);
            boolean isNew = isSeparated || (minimal != null && has(isLater, violation, table));
            boolean isOpen = (minimal != null && OpenReads.areIn(sub, path))
                    || (!isKept && OpenReads.isOpen(violation, table, path));
            PartViolations.Named named = named(violation, table);
            boolean isOther = !leftOut.and(sub).isSameAs(leftOut)
                    || (LeftOut.NOTHING.and(sub).isEmpty() && !added.contains(named));
            if (isNew && !isOpen && isOther) {
                boolean isClosed = minimal != null && SubHistoryProof.firstGap(table, sub, terms) == null;
                keep(sub, named, isClosed);
                added.add(named);
                fresh.add(violation);
            }
        }
        return !leftOut.isSameAs(start);
    }

    /**
     * Judges the transactions before the later ones, and adds their violations that the later ones do not explain.
     *
     * @param isLater by file
     * @return whether they keep the level without the reads that were found; if not, they may have other violations
     */
    private boolean addStanding(HistoryTable table, boolean[] isLater, int covered, List<Violation> earlier) {
        if (covered == 0) {
            return true;
        }
        String last = before.parts().get(covered - 1).location();
        IntArrayList transactions = new IntArrayList();
        IntArrayList operations = new IntArrayList();
        for (int t = 0; t < table.transactions(); t++) {
            if (!isLater[table.fileOf(t)]) {
                transactions.add(t);
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    operations.add(o);
                }
            }
        }
        HistorySelection first = HistorySelection.of(table, transactions.toIntArray(), operations.toIntArray());
        LeftOut reads = leftOut;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            HistorySelection selection = reads.of(first.table());
            Verdict rest = judged(selection == null ? first.table() : selection.table());
            if (rest.status() != Verdict.Status.VIOLATION) {
                return rest.status() == Verdict.Status.PASS;
            }
            LeftOut start = reads;
            for (Violation each : minimal(found(rest, selection))) {
                Violation violation = new WholeHistoryIds(first).of(each);
                HistoryTable sub = sub(violation, table);
                PartViolations.Named named = named(violation, table, partOf(violation, table));
                boolean isKnown = !LeftOut.NOTHING.and(sub).isEmpty() || standing.contains(named);
                if (reads.and(sub).isSameAs(reads) && isKnown) {
                    continue;
                }
                reads = reads.and(sub);
                // What the last of these parts read, and none of them wrote, was open until now.
                boolean wasOpen = OpenReads.isOpen(violation, table, last) || OpenReads.areIn(sub, last);
                if (!wasOpen && SubHistoryProof.firstGap(table, sub, terms) == null) {
                    keep(sub, named, true);
                    standing.add(named);
                    earlier.add(violation);
                }
            }
            if (reads.isSameAs(start)) {
                return false;
            }
        }
        return false;
    }

    /** Returns the violations of a verdict on a selection, in ids of the whole. */
    private static List<Violation> found(Verdict verdict, @Nullable HistorySelection selection) {
        List<Violation> found = Stream.concat(verdict.violations().stream(), verdict.unexplained().stream())
                .toList();
        return selection == null ? found : new WholeHistoryIds(selection).of(found);
    }

    /** Those that have a sub-history. */
    private static List<Violation> minimal(List<Violation> found) {
        return found.stream().filter(each -> each.minimal() != null).toList();
    }

    private static HistoryTable sub(Violation violation, HistoryTable table) {
        SubHistory minimal = violation.minimal();
        int[] operations = minimal == null ? reads(violation, table) : minimal.operations();
        return HistorySelection.of(table, operations).table();
    }

    private void keep(HistoryTable sub, PartViolations.Named named, boolean isClosed) {
        boolean isShown = isClosed && BruteForce.judge(sub, terms) == BruteForce.Answer.VIOLATED;
        add(sub, new StandingViolations.Kept(named, files(sub), isShown, false, new int[0]));
    }

    /** By file of a history: whether it is of a part after the first ones. */
    private boolean[] later(HistoryTable table, int covered) {
        boolean[] isLater = OpenReads.filesOf(table, path);
        for (Chain.Part part : before.parts().subList(covered, before.parts().size())) {
            List<String> files = table.source().files();
            for (int f = 0; f < isLater.length; f++) {
                isLater[f] |= isOf(files.get(f), part);
            }
        }
        return isLater;
    }

    private static boolean has(boolean[] isLater, Violation violation, HistoryTable table) {
        return violation.transactions().stream().anyMatch(t -> t >= 0 && isLater[table.fileOf(t)]);
    }

    /** The reads of a violation that has no sub-history: those of its transactions, of its keys if it names any. */
    private static int[] reads(Violation violation, HistoryTable table) {
        IntArrayList reads = new IntArrayList();
        for (int t : violation.transactions().stream()
                .filter(t -> t >= 0)
                .sorted()
                .distinct()
                .toList()) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (!table.isWrite(o)
                        && (violation.keys().isEmpty() || violation.keys().contains(table.key(o)))) {
                    reads.add(o);
                }
            }
        }
        return reads.toIntArray();
    }

    /** The violation of a closed sub-history of a history, in ids of it; empty if the budget ends. */
    private List<Violation> violation(HistoryTable sub, HistoryTable table) {
        int[] operations = SubHistoryProof.closure(table, sub, terms, table.transactions());
        if (operations == null) {
            return List.of();
        }
        HistorySelection selection = HistorySelection.of(table, operations);
        Verdict verdict = judged(selection.table());
        return verdict.violations().isEmpty()
                ? List.of()
                : List.of(new WholeHistoryIds(selection).of(verdict.violations().get(0)));
    }

    private Verdict shown(
            Verdict whole, Verdict rest, List<Violation> fresh, List<Violation> earlier, HistoryTable table) {
        List<Violation> all = new ArrayList<>(fresh);
        all.addAll(earlier);
        int most = Math.min(all.size(), request.mostViolations());
        Verdict.Builder verdict = whole.with();
        if (!all.isEmpty()) {
            verdict.violations(all.subList(0, most), table)
                    .furtherViolations(all.subList(most, all.size()), Math.max(whole.violationsFound(), all.size()));
        }
        return with(verdict, rest, rest != whole);
    }
}
