package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.TableCopy;

/**
 * A violation of the first parts of a chain that no later part can change. A run with a VIOLATION keeps a sub-history
 * that violates the level by itself and has every possible writer of each value that it reads ({@link
 * SubHistoryProof}). It still has all of them if no later part writes such a value, and then it is a violation of the
 * longer chain. So only the later part is read, and not the parts before it.
 *
 * <p>There is none for histories with lists, inserts, deletes, predicates or loaders of initial rows, nor at level lin.
 * It does not stand if a later part is one of Cobra, whose versions are not comparable with the values of other parts.
 *
 * @param run the location of the run
 * @param covered the number of parts
 * @param terms of the violation
 * @param input SHA-256 of the sub-history
 * @param sessions by session: the index of its last transaction in the parts
 */
record StandingViolation(Location run, int covered, Terms terms, String input, Long2LongMap sessions) {
    private static final String FILE = "violation.parquet";
    private static final String HISTORY = "violation.jsonl";
    private static final String NAME = "violation";
    /** How many violations of a run are tried. */
    private static final int MOST_TRIED = 4;

    /** Returns the standing violation of a run; null if it has none. */
    static @Nullable StandingViolation of(Location run, BooleanSupplier stop) throws IOException, HistoryException {
        Location file = Seam.file(run, FILE);
        if (!file.exists()) {
            return null;
        }
        SessionEnds ends = SessionEnds.read(file, NAME, stop);
        try {
            return new StandingViolation(
                    run, Integer.parseInt(ends.field("parts")), ends.terms(), ends.field(HISTORY), ends.last());
        } catch (IllegalArgumentException e) {
            throw SessionEnds.damaged(file.name());
        }
    }

    /**
     * Returns the sub-history that violates the level.
     *
     * @throws IOException if it has changed
     * @throws HistoryException if it does not violate the level
     */
    HistoryTable history(BooleanSupplier stop) throws IOException, HistoryException {
        Location file = new Chain.Part(input, Seam.file(run, HISTORY).absolute()).present("a standing violation", stop);
        HistoryTable sub = HistoryReader.read(file.name(), HistoryFormat.JSONL);
        if (BruteForce.judge(sub, terms) != BruteForce.Answer.VIOLATED) {
            throw SessionEnds.damaged(file.name());
        }
        return sub;
    }

    /**
     * Whether it remains a violation after later parts: they write no value that it reads, and continue the sessions.
     *
     * @param sub {@link #history}
     * @param next the later parts
     */
    boolean stands(HistoryTable sub, HistoryTable next) {
        return next.isPlain()
                && next.initialState() == null
                && sub.values().label(sub.initialValue()).equals(next.values().label(next.initialValue()))
                && (!terms.guarantee().realTime() || isTimed(next))
                && isContinued(next)
                && !isWritten(sub, next);
    }

    /** A verdict on a longer chain, and the ends of its sessions. */
    record Repeated(Verdict.Builder verdict, Long2LongMap sessions) {}

    /**
     * Returns the verdict on a longer chain; null if what follows may change it.
     *
     * @param before the parts before a history, of which this covers the first ones
     * @param path the history
     */
    @Nullable
    Repeated after(Chain before, String path, HistoryFormat format, CheckRequest request, Budget budget)
            throws IOException, HistoryException {
        HistoryTable sub = history(budget::exhausted);
        HistoryTable next = before.readFrom(covered, path, format, budget::exhausted, budget.bytes());
        if (!stands(sub, next)) {
            return null;
        }
        return of(
                sub,
                "found in part " + covered + " of the chain or before, and no later part writes a value that it reads",
                next,
                sessions,
                request,
                budget);
    }

    /**
     * Returns the verdict on a sub-history; null if it is no VIOLATION.
     *
     * @param reason where it comes from
     * @param next the parts that were read
     * @param before the ends of sessions in the parts before them
     */
    static @Nullable Repeated of(
            HistoryTable sub,
            String reason,
            HistoryTable next,
            Long2LongMap before,
            CheckRequest request,
            Budget budget) {
        // Loaders only exclude orders, so a violation without them is one with them.
        Check check = new Check(sub, request.withoutLoaders(), budget);
        Verdict.Builder verdict = LevelCheck.of(check, new EmbeddedChecker());
        return verdict.status() != Verdict.Status.VIOLATION
                ? null
                : new Repeated(verdict.counts(Counts.of(next)).reason(reason), SessionEnds.after(before, next));
    }

    private static boolean isTimed(HistoryTable table) {
        return table.starts() != null && table.ends() != null && PathCheck.firstReversed(table) == null;
    }

    /** Whether no transaction is late or missing. */
    private boolean isContinued(HistoryTable next) {
        boolean hasGaps = false;
        boolean hasGapAtBorder = false;
        for (int s = 0; s < next.sessions(); s++) {
            int first = next.firstTransaction(s);
            long session = next.sessionLabel(s);
            if (sessions.containsKey(session) && next.index(first) <= sessions.get(session)) {
                return false;
            }
            hasGapAtBorder |= sessions.containsKey(session) && next.index(first) != sessions.get(session) + 1;
            for (int t = first + 1; t < next.transactionsEnd(s); t++) {
                boolean isGap = next.index(t) != next.index(t - 1) + 1;
                hasGaps |= isGap && next.fileOf(t) == next.fileOf(t - 1);
                hasGapAtBorder |= isGap && next.fileOf(t) != next.fileOf(t - 1);
            }
        }
        return hasGaps || !hasGapAtBorder;
    }

    private static boolean isWritten(HistoryTable sub, HistoryTable next) {
        Int2ObjectOpenHashMap<LongOpenHashSet> read = new Int2ObjectOpenHashMap<>();
        for (int o = 0; o < sub.operations(); o++) {
            if (!sub.isWrite(o)) {
                // A key that is new to the parts is added to their dictionary.
                int id = next.keys().id(sub.keys(), sub.key(o));
                read.computeIfAbsent(id, k -> new LongOpenHashSet())
                        .add(TableCopy.code(sub.values(), sub.value(o), next.values()));
            }
        }
        for (int o = 0; o < next.operations(); o++) {
            LongOpenHashSet values = next.isWrite(o) ? read.get(next.key(o)) : null;
            if (values != null && values.contains(next.value(o))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Keeps a violation of a verdict for later parts, if there is one that stands by itself.
     *
     * @param run the run of the verdict
     * @param parts the number of parts that it covers
     * @param before the ends of sessions in parts that are not in the history of the verdict
     */
    static void write(Location run, Verdict verdict, int parts, Terms terms, Long2LongMap before) throws IOException {
        Location file = Seam.file(run, FILE);
        file.delete();
        HistoryTable table = verdict.table();
        Assumptions assumptions = verdict.assumptions();
        if (table == null
                || assumptions == null
                || assumptions.loaders().count() > 0
                || terms.guarantee() == Guarantee.LIN
                || !table.isPlain()) {
            return;
        }
        int tried = 0;
        for (Violation violation : verdict.violations()) {
            SubHistory minimal = violation.minimal();
            if (minimal == null || tried++ >= MOST_TRIED) {
                continue;
            }
            HistoryTable sub = HistorySelection.of(table, minimal.operations()).table();
            if (SubHistoryProof.firstGap(table, sub, terms) == null
                    && BruteForce.judge(sub, terms) == BruteForce.Answer.VIOLATED) {
                Location history = Seam.file(run, HISTORY);
                history.write(out -> HistoryWriter.writeJsonl(sub, out));
                Map<String, String> fields = new TreeMap<>();
                SessionEnds.add(terms, fields);
                fields.put("parts", Integer.toString(parts));
                fields.put(HISTORY, Fingerprint.ofInput(history, () -> false));
                new SessionEnds(fields, SessionEnds.after(before, table)).write(file, NAME);
                return;
            }
        }
    }
}
