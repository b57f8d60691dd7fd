package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.Long2LongMaps;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.WholeHistoryIds;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * The violations of a chain that its last run keeps, so that the next part is judged without the reads that they need.
 * Each has a sub-history, and {@code violation.jsonl} has the operations of all of them. A sub-history that violates
 * the level by itself, and has every possible writer of what it reads ({@link SubHistoryProof}), is a violation of each
 * longer chain whose later parts write no value that it reads.
 *
 * <p>None are kept for histories with lists, inserts, deletes, predicates or loaders of initial rows, nor at level lin:
 * there {@link BeyondViolations} judges the parts before the last one again.
 *
 * @param covered the number of parts
 * @param history the operations of all violations
 * @param all the violations, the oldest first
 */
record StandingViolations(Terms terms, int covered, HistoryTable history, List<Kept> all) {
    static final String FILE = "violation.parquet";
    private static final String HISTORY = "violation.jsonl";
    private static final String NAME = "violation";
    private static final String EACH = "violation-";
    private static final String SOURCE = "source-";
    private static final String COUNT = "violations";
    private static final String SEPARATOR = "\t";
    private static final int FIELDS = 7;

    /**
     * A violation.
     *
     * @param files of the transactions whose reads it needs
     * @param isShown whether its operations alone violate the level, in every longer chain that does not write what
     *     they read; if not, they are only the reads that are left out
     * @param isClosed whether a new chain was begun after it, so that it stands no more
     * @param operations ids in {@link StandingViolations#history}, ascending
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Kept(PartViolations.Named named, List<String> files, boolean isShown, boolean isClosed, int[] operations) {
        Kept closed() {
            return new Kept(named, files, isShown, true, operations);
        }

        private String line() {
            return String.join(
                    SEPARATOR,
                    named.name(),
                    Integer.toString(named.part()),
                    (isShown ? "shown" : "") + (isClosed ? "closed" : ""),
                    String.join(",", named.transactions()),
                    Arrays.stream(operations).mapToObj(Integer::toString).collect(Collectors.joining(",")),
                    Integer.toString(files.size()),
                    String.join(SEPARATOR, files) + SEPARATOR + named.location());
        }

        private static Kept of(String line) {
            String[] fields = line.split(SEPARATOR, FIELDS);
            String[] names = fields[FIELDS - 1].split(SEPARATOR, Integer.parseInt(fields[5]) + 1);
            return new Kept(
                    new PartViolations.Named(
                            fields[0],
                            Integer.parseInt(fields[1]),
                            names[names.length - 1],
                            List.of(fields[3].split(","))),
                    List.of(names).subList(0, names.length - 1),
                    fields[2].startsWith("shown"),
                    fields[2].endsWith("closed"),
                    fields[4].isEmpty()
                            ? new int[0]
                            : Arrays.stream(fields[4].split(","))
                                    .mapToInt(Integer::parseInt)
                                    .toArray());
        }
    }

    /** Returns the violations that a run keeps; null if it keeps none. */
    static @Nullable StandingViolations of(Location run, BooleanSupplier stop) throws IOException, HistoryException {
        Location file = Seam.file(run, FILE);
        if (!file.exists()) {
            return null;
        }
        SessionEnds ends = SessionEnds.read(file, NAME, stop);
        if (!ends.fields().containsKey(COUNT)) {
            // An earlier version kept one violation, and not the reads that are left out.
            return null;
        }
        try {
            List<Kept> all = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(ends.field(COUNT)); i++) {
                all.add(Kept.of(ends.field(EACH + i)));
            }
            Location operations = new Chain.Part(
                            ends.field(HISTORY), Seam.file(run, HISTORY).absolute())
                    .present("the violations of a chain", stop);
            HistoryTable history = recorded(HistoryReader.read(operations.name(), HistoryFormat.JSONL), ends);
            StandingViolations violations =
                    new StandingViolations(ends.terms(), Integer.parseInt(ends.field("parts")), history, all);
            for (Kept each : all) {
                HistoryTable sub = violations.sub(each);
                if (each.isShown
                        && !each.isClosed
                        && BruteForce.judge(sub, violations.terms) != BruteForce.Answer.VIOLATED) {
                    throw SessionEnds.damaged(operations.name());
                }
            }
            return violations;
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw SessionEnds.damaged(file.name());
        }
    }

    /** The same history, whose transactions are where they were recorded. */
    private static HistoryTable recorded(HistoryTable read, SessionEnds ends) {
        SubHistories all = new SubHistories();
        all.add(read, t -> {
            String[] source = ends.field(SOURCE + t).split(SEPARATOR, 2);
            return new SubHistories.Source(source[1], Long.parseLong(source[0]));
        });
        return all.table();
    }

    /** The operations of a violation. */
    HistoryTable sub(Kept of) {
        return HistorySelection.of(history, of.operations).table();
    }

    /** The reads that the chain is judged without. */
    LeftOut leftOut() {
        return LeftOut.NOTHING.and(history);
    }

    /** The violations that stand and are shown. */
    List<Kept> shown() {
        return all.stream().filter(each -> each.isShown && !each.isClosed).toList();
    }

    /** Whether a new chain was begun after each of them. */
    boolean areClosed() {
        return all.stream().allMatch(Kept::isClosed);
    }

    /** Whether each of them is shown, or needs not be. */
    boolean areAllShown() {
        return all.stream().allMatch(each -> each.isShown || each.isClosed);
    }

    /** Whether the last part that is covered began a new chain: each violation of the parts before it is closed. */
    boolean areEarlierClosed() {
        return all.stream().anyMatch(Kept::isClosed)
                && all.stream().allMatch(each -> each.isClosed || each.named.part() == covered);
    }

    /** Returns the reason of a PASS of a chain that was begun anew. @param other what else there is to know; may be empty */
    String begunAnew(String other) {
        int transactions = leftOut().transactions();
        return (other.isEmpty() ? "" : other + "; ") + "of a chain that was begun anew, without the reads of "
                + transactions + (transactions == 1 ? " transaction " : " transactions ")
                + PartViolations.ofFiles(all.stream().flatMap(each -> each.files().stream()));
    }

    /** Those of them that are closed. */
    StandingViolations onlyClosed() {
        SubHistories some = new SubHistories();
        List<Kept> kept = new ArrayList<>();
        for (Kept each : all) {
            if (each.isClosed) {
                some.add(sub(each));
                kept.add(each);
            }
        }
        return with(terms, covered, some, kept);
    }

    /** @param kept of each sub-history: what is known of it; the operations are ids of another history */
    static StandingViolations with(Terms terms, int covered, SubHistories subs, List<Kept> kept) {
        HistoryTable history = subs.table();
        List<Kept> all = new ArrayList<>();
        for (int i = 0; i < kept.size(); i++) {
            Kept each = kept.get(i);
            all.add(new Kept(each.named, each.files, each.isShown, each.isClosed, subs.operations(history, i)));
        }
        return new StandingViolations(terms, covered, history, all);
    }

    /**
     * Whether a sub-history has, in a longer history, every possible writer of what it reads; its operations alone
     * violate the level.
     */
    boolean stands(Kept of, HistoryTable whole) {
        return SubHistoryProof.firstGap(whole, sub(of), terms) == null;
    }

    /**
     * Whether each violation that is shown still has every possible writer of what it reads: no other transaction of the
     * parts after those that are covered writes such a value.
     *
     * @param next the tail of a seam, and the parts after it
     * @param isLater by transaction of it: whether it may be of a part after those that are covered
     */
    boolean areStanding(HistoryTable next, boolean[] isLater) {
        Long2ObjectOpenHashMap<List<Set<String>>> readers = new Long2ObjectOpenHashMap<>();
        for (Kept each : shown()) {
            HistoryTable sub = sub(each);
            Set<String> own = new HashSet<>();
            for (int t = 0; t < sub.transactions(); t++) {
                own.add(sub.name(t));
            }
            for (int o = 0; o < sub.operations(); o++) {
                if (!sub.isWrite(o)) {
                    readers.computeIfAbsent(Writes.hash(sub, sub.key(o), sub.value(o)), h -> new ArrayList<>())
                            .add(own);
                }
            }
        }
        for (int t = 0; t < next.transactions(); t++) {
            for (int o = next.firstOperation(t); isLater[t] && o < next.operationsEnd(t); o++) {
                List<Set<String>> of =
                        next.isWrite(o) ? readers.get(Writes.hash(next, next.key(o), next.value(o))) : null;
                String name = of == null ? "" : next.name(t);
                if (of != null && !of.stream().allMatch(own -> own.contains(name))) {
                    return false;
                }
            }
        }
        return history.values()
                .label(history.initialValue())
                .equals(next.values().label(next.initialValue()));
    }

    /** Returns the violations of some of these, as a check of each sub-history finds them, in ids of the history. */
    List<Violation> violations(List<Kept> some, CheckRequest request, Budget budget) {
        List<Violation> found = new ArrayList<>();
        for (Kept each : some) {
            HistorySelection selection = HistorySelection.of(history, each.operations);
            Violation violation = first(selection.table(), request, budget);
            if (violation != null) {
                found.add(new WholeHistoryIds(selection).of(violation));
            }
        }
        return found;
    }

    /** Returns the violation of a sub-history that a check of it finds first; null if the budget ends. */
    static @Nullable Violation first(HistoryTable sub, CheckRequest request, Budget budget) {
        // Loaders only exclude orders, so a violation without them is one with them.
        Check check = new Check(sub, request.withoutLoaders(), budget);
        Verdict verdict = LevelCheck.of(check, Checker.EMBEDDED).build();
        return verdict.violations().isEmpty() ? null : verdict.violations().get(0);
    }

    /** Writes them to a run. */
    void write(Location run) throws IOException {
        Location file = Seam.file(run, FILE);
        file.delete();
        Location operations = Seam.file(run, HISTORY);
        operations.write(out -> HistoryWriter.writeJsonl(history, out));
        Map<String, String> fields = new TreeMap<>();
        SessionEnds.add(terms, fields);
        fields.put("parts", Integer.toString(covered));
        fields.put(HISTORY, Fingerprint.ofInput(operations, () -> false));
        fields.put(COUNT, Integer.toString(all.size()));
        IntStream.range(0, all.size())
                .forEach(i -> fields.put(EACH + i, all.get(i).line()));
        for (int t = 0; t < history.transactions(); t++) {
            String recorded = history.source().files().get(history.fileOf(t));
            fields.put(SOURCE + t, history.sourcePosition(t) + SEPARATOR + recorded);
        }
        new SessionEnds(fields, Long2LongMaps.EMPTY_MAP).write(file, NAME);
    }
}
