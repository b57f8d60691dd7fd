package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Examines whether a VIOLATION on a seam is one of the chain. The seam alone does not prove it, because another order
 * of the parts before it may explain the chain. But {@link Writes} of these parts show which of them may have written
 * the values that a few transactions read. Only these parts are opened. The sub-history of these transactions and of
 * all writers of their reads is judged alone ({@link SubHistoryProof}).
 */
final class SeamRefutation {
    /** How many violations are tried. */
    private static final int MOST_TRIED = 4;

    private static final int MOST_TRANSACTIONS = 64;
    /** How many times parts are opened for one violation, because writers of one part may be writers of another. */
    private static final int MOST_ROUNDS = 2;

    private final Chain before;
    private final Seams known;
    private final Seam seam;
    private final OnePath path;

    /**
     * Reads nothing yet.
     *
     * @param before the parts before the PATH
     * @param known the runs of these parts
     * @param seam the seam that the PATH was decided on
     */
    SeamRefutation(Chain before, Seams known, Seam seam, OnePath path) {
        this.before = before;
        this.known = known;
        this.seam = seam;
        this.path = path;
    }

    /**
     * Returns the number of the part that has to be read, with all parts after it, to explain the reads whose writers
     * are not in the history. For each value that they return there is a last part before the seam that may have
     * written it; the earliest of these parts is returned. The result is -1 if no part wrote any of the values, and the
     * number of parts before the seam if it is not known what they wrote, or if no read lacks a writer.
     */
    int partOfMissing(HistoryTable table) throws IOException, HistoryException {
        LongSet missing = missing(table);
        if (missing == null || missing.isEmpty()) {
            return seam.covered();
        }
        List<LongSet> writers = known.writers(missing, seam.covered());
        if (writers == null) {
            return seam.covered();
        }
        int part = -1;
        for (int p = seam.covered() - 1; p >= 0; p--) {
            if (missing.removeAll(writers.get(p))) {
                part = p;
            }
        }
        return part;
    }

    /** Returns the hashes of values that are read and not written; null if one may be older than all parts. */
    private static @Nullable LongSet missing(HistoryTable table) {
        LongSet missing = new LongOpenHashSet();
        for (int o : Writes.unwritten(table)) {
            long value = table.value(o);
            if (table.values().isOther(value) || value == table.initialValue()) {
                return null;
            }
            missing.add(Writes.hash(table, table.key(o), value));
        }
        return missing;
    }

    /**
     * Returns sub-histories of the chain that violate the level by themselves and have every possible writer of what
     * they read, so that they do not depend on the parts that are not opened; none if none is found.
     */
    List<HistoryTable> proved(Verdict verdict, HistoryTable table, CheckRequest request)
            throws IOException, HistoryException {
        Terms terms = request.terms();
        List<HistoryTable> proved = new ArrayList<>();
        int tried = 0;
        for (Violation violation : verdict.violations()) {
            SubHistory minimal = violation.minimal();
            if (terms.guarantee() == Guarantee.LIN
                    || minimal == null
                    || tried++ >= MOST_TRIED
                    || path.budget().exhausted()) {
                continue;
            }
            BitSet opened = new BitSet();
            HistoryTable sub = closed(table, minimal, terms, opened);
            if (sub != null
                    && !OpenReads.areIn(sub, path.name())
                    && BruteForce.judge(sub, terms) == BruteForce.Answer.VIOLATED) {
                proved.add(sub);
            }
        }
        return proved;
    }

    /**
     * Returns the sub-history with every transaction of the chain that may have written what it reads; null if it is
     * too large, or not known to have all of them.
     *
     * @param opened receives the parts before the seam that were read
     */
    private @Nullable HistoryTable closed(HistoryTable table, SubHistory minimal, Terms terms, BitSet opened)
            throws IOException, HistoryException {
        LongSet wanted = new LongOpenHashSet();
        for (int o : minimal.operations()) {
            if (!add(wanted, table, o, false)) {
                return null;
            }
        }
        for (int t : minimal.transactions()) {
            if (!isOfTail(table, t)) {
                continue;
            }
            // The tail may have other reads than the part, which is found by what the transaction writes.
            boolean isWriter = false;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                isWriter |= table.isWrite(o);
                add(wanted, table, o, true);
            }
            if (!isWriter) {
                opened.set(seam.covered() - 1);
            }
        }
        for (int round = 0; round < MOST_ROUNDS; round++) {
            if (!addWriters(wanted, opened)) {
                return null;
            }
            BitSet read = (BitSet) opened.clone();
            read.set(seam.covered(), before.parts().size());
            HistoryTable parts = before.readSome(read, path);
            HistoryTable selected = selected(table, minimal, parts);
            HistoryTable sub =
                    selected == null ? null : SubHistoryProof.closed(parts, selected, terms, MOST_TRANSACTIONS);
            if (sub == null) {
                return null;
            }
            for (int o = 0; o < sub.operations(); o++) {
                if (!add(wanted, sub, o, false)) {
                    return null;
                }
            }
            BitSet more = (BitSet) opened.clone();
            if (!addWriters(wanted, more)) {
                return null;
            }
            if (more.equals(opened)) {
                return sub;
            }
            opened.or(more);
        }
        return null;
    }

    /**
     * Adds the hash of an operation if it is of the wanted kind, a write or a read. Returns false if a read states only
     * a value that it did not return.
     */
    private static boolean add(LongSet hashes, HistoryTable table, int operation, boolean isWrite) {
        if (table.isWrite(operation) != isWrite) {
            return true;
        }
        if (table.values().isOther(table.value(operation))) {
            return false;
        }
        hashes.add(Writes.hash(table, table.key(operation), table.value(operation)));
        return true;
    }

    /** Adds the parts that may write values; returns false if they are not known. */
    private boolean addWriters(LongSet hashes, BitSet parts) throws IOException, HistoryException {
        List<LongSet> writers = known.writers(hashes, seam.covered());
        for (int p = 0; writers != null && p < writers.size(); p++) {
            if (!writers.get(p).isEmpty()) {
                parts.set(p);
            }
        }
        return writers != null;
    }

    private boolean isOfTail(HistoryTable table, int t) {
        return table.index(t) <= seam.sessions().getOrDefault(table.sessionLabel(table.sessionOf(t)), Long.MIN_VALUE);
    }

    /** Selects the same operations of another history; null if it lacks a transaction. */
    private static @Nullable HistoryTable selected(HistoryTable table, SubHistory minimal, HistoryTable parts) {
        IntArrayList transactions = new IntArrayList();
        IntArrayList operations = new IntArrayList();
        for (int t : minimal.transactions()) {
            int other = parts.transaction(table.sessionLabel(table.sessionOf(t)), table.index(t));
            if (other < 0) {
                return null;
            }
            transactions.add(other);
            int first = table.firstOperation(t);
            int count = table.operationsEnd(t) - first;
            boolean isSame = parts.operationsEnd(other) - parts.firstOperation(other) == count;
            for (int o = parts.firstOperation(other); o < parts.operationsEnd(other); o++) {
                int same = first + o - parts.firstOperation(other);
                if (!isSame || Arrays.binarySearch(minimal.operations(), same) >= 0) {
                    operations.add(o);
                }
            }
        }
        int[] ascending = operations.toIntArray();
        int[] sorted = transactions.toIntArray();
        Arrays.sort(ascending);
        Arrays.sort(sorted);
        return HistorySelection.of(parts, sorted, ascending).table();
    }
}
