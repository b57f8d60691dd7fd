package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
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
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryWithout;
import org.polygraph.storage.table.PredicateReads;

/**
 * Goes on after the violations of a chain. The reads that they need are left out, and the rest is judged; the reads of
 * what is violated there are left out too, until the rest keeps the level. So violations that the last part adds are
 * found, and the order of the rest has a seam for the next part.
 *
 * <p>Reads are left out and writes are not. So a violation of the rest is one of the chain, and a rest that keeps the
 * level shows that the last part adds none. Where no run keeps the violations (lists, rows, conditions, loaders, lin), the parts
 * before the last one are judged first: what is violated there and closed in the whole stands.
 */
final class BeyondViolations {
    /** The most times that the rest is judged. Each takes about as long as the check of the part. */
    private static final int MOST_ROUNDS = 16;

    private final CheckRequest request;
    private final Terms terms;
    private final OnePath path;
    private final Chain before;
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
    /** Whether reads are left out whose writers may be in the next part. */
    private boolean areOpen;

    /**
     * Judges nothing yet.
     *
     * @param path the last part
     * @param before the other parts
     * @param known the violations that their last run keeps; null if it keeps none
     * @param share what all attempts to judge the rest may take of the budget
     */
    BeyondViolations(
            CheckRequest request, OnePath path, Chain before, @Nullable StandingViolations known, Budget share) {
        this.request = request.withoutLoaders();
        this.terms = request.terms();
        this.path = path;
        this.before = before;
        this.known = known;
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

    /**
     * Judges a chain on a seam.
     *
     * @param rest PASS or VIOLATION of the history without the reads of {@link StandingViolations#leftOut}
     * @param table this history
     * @param isLater by transaction of it: whether it is of a part after the seam
     * @param refuting what examines this history without some reads
     * @return null if this seam does not decide the chain
     */
    @Nullable
    Judged onSeam(Verdict rest, HistoryTable table, boolean[] isLater, Function<LeftOut, SeamRefutation> refuting)
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
        Verdict last = separated(table, rest, (verdict, of) -> {
            HistoryTable left = of == null ? table : of.table();
            SeamRefutation refutation = refuting.apply(leftOut);
            int part = refutation.partOfMissing(left);
            most = part < 0 ? Integer.MAX_VALUE : part;
            if (part >= 0 || OpenReads.unlessWritten(verdict, path.name()) == verdict) {
                for (HistoryTable sub : refutation.proved(verdict, left, request)) {
                    found(sub);
                }
            }
        });
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
        boolean isComplete = rest.status() == Verdict.Status.PASS && !areOpen;
        boolean isShareOver = rest.status() == Verdict.Status.UNKNOWN
                && budget.exhausted()
                && !path.budget().exhausted();
        String why = areOpen
                ? "the rest reads what the next part may write"
                : rest.status() == Verdict.Status.VIOLATION
                        ? "the rest is violated too, by what was not separated within " + MOST_ROUNDS + " rounds"
                        : isShareOver ? "the rest is not decided in twice the time of the verdict" : rest.reason();
        PartViolations violations =
                new PartViolations(added, standing, isComplete, isComplete ? beyond() : "beyond them: " + why);
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

    /** What leaves out reads of a violated rest. */
    @FunctionalInterface
    private interface Step {
        /** @param of the rest; null if it is the history */
        void leaveOut(Verdict rest, @Nullable HistoryWithout of) throws IOException, HistoryException;
    }

    /**
     * Judges a history without the reads that are left out, leaves out those of what is violated, and so on, until it
     * keeps the level.
     *
     * @param known the verdict on it, if there is one
     * @return the verdict on the last rest
     */
    private Verdict separated(HistoryTable table, @Nullable Verdict known, Step step)
            throws IOException, HistoryException {
        HistoryWithout of = leftOut.of(table);
        Verdict rest = known != null && of == null ? known : judged(of == null ? table : of.table());
        for (int round = 0; rest.status() == Verdict.Status.VIOLATION && round < MOST_ROUNDS; round++) {
            LeftOut start = leftOut;
            step.leaveOut(rest, of);
            if (leftOut.isSameAs(start)) {
                HistoryTable left = of == null ? table : of.table();
                return isKept && most == Integer.MAX_VALUE
                        ? OpenTransactions.unlessWritten(rest, left, request, path.quietWithin(budget))
                        : rest;
            }
            most = Integer.MAX_VALUE;
            of = leftOut.of(table);
            rest = judged(of == null ? table : of.table());
        }
        return rest;
    }

    /** Judges a history again. */
    private Verdict judged(HistoryTable rest) {
        if (rest.unknownRows() != null) {
            return Verdict.of(Verdict.Status.UNKNOWN, request.level())
                    .reason("the rest has writes by a condition whose rows were not recorded")
                    .build();
        }
        Check check = new Check(rest, request, path.listener(), budget, Checkpoints.NONE);
        return LevelCheck.of(check, path.checker()).build();
    }

    private StandingViolations all() {
        return StandingViolations.with(terms, before.parts().size() + 1, subs, kept);
    }

    private void add(HistoryTable sub, StandingViolations.Kept of) {
        if (isKept) {
            subs.add(sub);
        }
        kept.add(of);
        leftOut = leftOut.and(sub);
    }

    /** Adds a sub-history that violates the level by itself. */
    private void found(HistoryTable sub) throws IOException {
        Violation violation = StandingViolations.first(sub, request, budget);
        if (violation != null && !leftOut.and(sub).isSameAs(leftOut)) {
            PartViolations.Named named = named(violation, sub, before.parts().size());
            added.add(named);
            add(sub, new StandingViolations.Kept(named, files(sub), true, false, new int[0]));
        }
    }

    /** @param part the number of the part that added it, from 0 */
    private PartViolations.Named named(Violation violation, HistoryTable table, int part) throws IOException {
        return new PartViolations.Named(
                violation.anomaly().label(),
                part + 1,
                part < before.parts().size()
                        ? before.parts().get(part).location()
                        : path.location().absolute(),
                violation.transactions().stream()
                        .filter(t -> t >= 0)
                        .map(table::name)
                        .toList());
    }

    /** Returns by file of a history the number of its part, from 0. Files are mostly in the order of parts. */
    private int[] parts(HistoryTable table) {
        boolean[] isOfLast = OpenReads.filesOf(table, path.name());
        int[] parts = new int[isOfLast.length];
        int count = before.parts().size();
        for (int f = 0; f < parts.length; f++) {
            String file = table.source().files().get(f);
            int first = f == 0 ? 0 : parts[f - 1];
            parts[f] = isOfLast[f]
                    ? count
                    : IntStream.range(0, count)
                            .map(i -> (first + i) % count)
                            .filter(p -> isOf(file, before.parts().get(p)))
                            .findFirst()
                            .orElse(0);
        }
        return parts;
    }

    /** The number of the last part that has a transaction of a violation. */
    private static int last(Violation violation, HistoryTable table, int[] parts) {
        return violation.transactions().stream()
                .filter(t -> t >= 0)
                .mapToInt(t -> parts[table.fileOf(t)])
                .max()
                .orElse(0);
    }

    private static boolean isOf(String file, Chain.Part part) {
        return part.location().equals(file)
                || part.location().endsWith("/" + file)
                || file.endsWith(part.location())
                || file.startsWith(part.location() + "/");
    }

    /** The files of the transactions that read, insert or delete rows; if none does, of all. */
    private static List<String> files(HistoryTable sub) {
        List<String> files = new ArrayList<>();
        List<String> all = new ArrayList<>();
        for (int t = 0; t < sub.transactions(); t++) {
            boolean reads = false;
            for (int o = sub.firstOperation(t); o < sub.operationsEnd(t); o++) {
                reads |= !sub.isWrite(o) && !sub.isImplied(o) || sub.isInsert(o) || sub.isDelete(o);
            }
            String file = sub.source().files().get(sub.fileOf(t));
            if (!all.contains(file)) {
                all.add(file);
            }
            if (reads && !files.contains(file)) {
                files.add(file);
            }
        }
        return files.isEmpty() ? all : files;
    }

    /**
     * Adds to a VIOLATION of all parts which violations are new, and judges the rest.
     *
     * @param whole the verdict
     * @param isExact whether {@link #known} has each violation of the parts that were decided; if not, these parts are
     *     judged again without the later ones
     * @param covered the number of the parts that were decided
     */
    Judged ofWhole(Verdict whole, boolean isExact, int covered) throws IOException, HistoryException {
        HistoryTable table = whole.table();
        if (table == null || whole.violations().isEmpty()) {
            return new Judged(whole, null);
        }
        isKept = table.isPlain()
                && table.initialState() == null
                && terms.guarantee() != Guarantee.LIN
                && (whole.assumptions() == null || whole.assumptions().loaders().count() == 0);
        HistoryTable apart = PredicateReads.readApart(table);
        int[] parts = parts(table);
        List<Violation> fresh = new ArrayList<>();
        List<Violation> earlier = new ArrayList<>();
        if (known != null) {
            addKnown(known, table, earlier);
        }
        boolean isSeparated = isExact || covered == 0 || addStanding(apart, parts, covered, earlier);
        Verdict rest = separated(apart, apart == table ? whole : null, (verdict, of) -> {
            HistoryTable own = Objects.requireNonNullElse(verdict.table(), apart);
            LeftOut start = leftOut;
            for (int i = 0; i < (isKept ? 2 : 1) && leftOut.isSameAs(start); i++) {
                for (Violation violation : found(verdict, i == 0)) {
                    int[] operations = operations(violation, own);
                    LeftOut more = leftOut.and(own, operations);
                    boolean isOpen = isOpen(violation, own, path.name());
                    boolean isNew = isSeparated || (i == 0 && last(violation, own, parts) >= covered);
                    if (isNew && !isOpen && !more.isSameAs(leftOut)) {
                        HistoryTable sub = HistorySelection.of(own, operations).table();
                        add(
                                sub,
                                kept(
                                        named(violation, own, before.parts().size()),
                                        sub,
                                        isKept && i == 0 && isClosed(sub, apart)));
                        added.add(kept.get(kept.size() - 1).named());
                        fresh.addAll(inWhole(violation, own, apart, of));
                        leftOut = more;
                    } else if (isOpen && !isKept) {
                        // What is violated beside it is looked for too.
                        areOpen = true;
                        leftOut = more;
                    }
                }
            }
        });
        fresh.addAll(earlier);
        int most = Math.min(fresh.size(), request.mostViolations());
        Verdict.Builder verdict = whole.with();
        if (!fresh.isEmpty()) {
            verdict.violations(fresh.subList(0, most), apart)
                    .furtherViolations(
                            fresh.subList(most, fresh.size()), Math.max(whole.violationsFound(), fresh.size()));
        }
        return new Judged(with(verdict, rest, rest != whole), isKept && !kept.isEmpty() ? all() : null);
    }

    /** Adds the violations that the last run keeps: those that the last part does not explain stand. */
    private void addKnown(StandingViolations violations, HistoryTable table, List<Violation> earlier) {
        for (StandingViolations.Kept each : violations.all()) {
            HistoryTable sub = violations.sub(each);
            boolean stands = each.isShown() && !each.isClosed() && violations.stands(each, table);
            if (stands || each.isClosed()) {
                add(sub, each);
            }
            int[] operations = stands ? SubHistoryProof.closure(table, sub, terms, table.transactions()) : null;
            if (operations != null) {
                HistorySelection closed = HistorySelection.of(table, operations);
                Violation violation = StandingViolations.first(closed.table(), request, budget);
                standing.add(each.named());
                earlier.addAll(violation == null ? List.of() : List.of(new WholeHistoryIds(closed).of(violation)));
            }
        }
    }

    /**
     * Judges the transactions before the later ones, and adds their violations that the later ones do not explain.
     *
     * @param parts by file
     * @return whether they keep the level without the reads that were found; if not, they may have other violations
     */
    private boolean addStanding(HistoryTable table, int[] parts, int covered, List<Violation> earlier)
            throws IOException, HistoryException {
        String last = before.parts().get(covered - 1).location();
        int[] transactions = IntStream.range(0, table.transactions())
                .filter(t -> parts[table.fileOf(t)] < covered)
                .toArray();
        HistoryWithout first = HistoryWithout.of(table, transactions, t -> null);
        HistoryTable covering = first == null ? table : first.table();
        LeftOut[] stands = {leftOut};
        Verdict end = separated(covering, null, (rest, of) -> {
            HistoryTable own = Objects.requireNonNullElse(rest.table(), covering);
            for (Violation violation : found(rest, true)) {
                int[] operations = operations(violation, own);
                LeftOut more = leftOut.and(own, operations);
                HistoryTable sub = HistorySelection.of(own, operations).table();
                // What the last of these parts read, and none of them wrote, was open until now.
                if (!more.isSameAs(leftOut) && !isOpen(violation, own, last) && isClosed(sub, table)) {
                    add(sub, kept(named(violation, own, last(violation, own, parts)), sub, isKept));
                    standing.add(kept.get(kept.size() - 1).named());
                    stands[0] = stands[0].and(own, operations);
                    for (Violation each : inWhole(violation, own, covering, of)) {
                        earlier.addAll(inWhole(each, covering, table, first));
                    }
                }
                leftOut = more;
            }
        });
        leftOut = stands[0];
        return end.status() == Verdict.Status.PASS;
    }

    /** Whether a violation needs a read of a part whose writer may be in the next one. */
    private boolean isOpen(Violation violation, HistoryTable own, String part) {
        SubHistory minimal = violation.minimal();
        // At lin a sub-history lacks writers that started too late.
        return (minimal != null
                        && terms.guarantee() != Guarantee.LIN
                        && OpenReads.areIn(
                                HistorySelection.of(own, minimal.operations()).table(), part))
                || ((!isKept || !part.equals(path.name())) && OpenReads.isOpen(violation, own, part));
    }

    /**
     * Returns a violation in ids of the whole; empty if the whole does not have all operations of the rest.
     *
     * @param own the history in which it was found: the rest, perhaps with some of its conditions
     * @param table the whole
     * @param of the rest; null if it is the whole
     */
    private static List<Violation> inWhole(
            Violation violation, HistoryTable own, HistoryTable table, @Nullable HistoryWithout of) {
        HistoryTable rest = of == null ? table : of.table();
        HistorySelection ids = own.operations() == rest.operations() ? null : HistorySelection.ofKeys(rest, own);
        if ((ids == null && own.operations() != rest.operations()) || (of != null && of.ids() == null)) {
            return List.of();
        }
        Violation found = ids == null ? violation : new WholeHistoryIds(ids).of(violation);
        return List.of(of == null ? found : new WholeHistoryIds(Objects.requireNonNull(of.ids())).of(found));
    }

    /** Whether a sub-history that violates the level shows that the whole does. */
    private boolean isClosed(HistoryTable sub, HistoryTable table) {
        HistoryTable whole = PredicateReads.withPairsOf(sub, table);
        // With plain writes in place of inserts and deletes a sub-history needs fewer writers.
        boolean mayBePlain = whole.hasRows() && terms.guarantee().events() == 1;
        return SubHistoryProof.firstGap(whole, sub, terms) == null
                || (mayBePlain
                        && SubHistoryProof.firstGap(whole.withoutRows(), sub.withoutRows(), terms) == null
                        && BruteForce.judge(sub.withoutRows(), terms) == BruteForce.Answer.VIOLATED);
    }

    private static List<Violation> found(Verdict verdict, boolean areMinimal) {
        return Stream.concat(verdict.violations().stream(), verdict.unexplained().stream())
                .filter(each -> !areMinimal || each.minimal() != null)
                .toList();
    }

    /** If there is no sub-history, the reads of the transactions, of the keys if the violation names any. */
    private static int[] operations(Violation violation, HistoryTable table) {
        SubHistory minimal = violation.minimal();
        return minimal != null
                ? minimal.operations()
                : violation.transactions().stream()
                        .filter(t -> t >= 0)
                        .flatMapToInt(t -> IntStream.range(table.firstOperation(t), table.operationsEnd(t)))
                        .filter(o -> !table.isWrite(o)
                                && (violation.keys().isEmpty()
                                        || violation.keys().contains(table.key(o))))
                        .sorted()
                        .distinct()
                        .toArray();
    }

    private StandingViolations.Kept kept(PartViolations.Named named, HistoryTable sub, boolean isClosed) {
        boolean isShown = isClosed && BruteForce.judge(sub, terms) == BruteForce.Answer.VIOLATED;
        return new StandingViolations.Kept(named, files(sub), isShown, false, new int[0]);
    }
}
