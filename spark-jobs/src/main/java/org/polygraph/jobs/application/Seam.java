package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.longs.Long2LongMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.analysis.Loaders;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The data that the next part of a chain needs about all parts before it, in place of these parts. The order that a
 * PASS rests on is cut in two. Of the transactions before the cut only the last value of each key is kept, in
 * {@code state.parquet}. Those after it may still change their order, and are a history in the format of the parts.
 * {@code seam.parquet} has the last index of each session and, in its metadata, the terms of the order and the SHA-256
 * of the other files.
 *
 * <p><b>A PASS of the tail and the next part, with the state as initial values, is a PASS of the chain.</b> Let S be the
 * order that explains it, and P the order of the transactions before the cut. P followed by S explains the chain:
 *
 * <ul>
 *   <li>A read in S of an initial value returns the last value that P writes.
 *   <li>SI: a snapshot before the cut stays at its place in P, where the transaction's reads were explained. Let T be such
 *       a transaction, k a key that it writes, and X a transaction of S that writes k too. T reads the state of k in S,
 *       so X commits after T and, in S, has its snapshot after that. This fails if X writes the value that k has in the
 *       state, because T may read it from X. So the seam is not used at SI if a value of the state is written again. PC:
 *       the same without X, because writers of k may overlap.
 *   <li>RC, RA, CC: each axiom demands an order of two writers of a key that a read requires. If the read is of the state,
 *       the last writer in P comes after all writers in P, and a writer in S would violate the axiom in S alone.
 *   <li>Sessions: P has the beginning of each, because it is the beginning of an order that keeps sessions. PL2 has no
 *       seams, because its orders need not keep them.
 *   <li>Real time: no transaction of the next part ends before one starts whose snapshot is in P, by the latest start.
 *   <li>LIN: P and S are orders of one key. An operation of unknown outcome that no part so far reads from may take effect
 *       at any time after; at other levels such a transaction is in the tail, if it may still take effect.
 * </ul>
 *
 * <p>Nothing else follows from a seam alone.
 *
 * @param run the location of the run
 * @param input SHA-256 of {@code seam.parquet}
 * @param covered the number of parts
 * @param transactions of the tail
 * @param sessions by session: the index of its last transaction
 * @param violations SHA-256 of the {@link StandingViolations} whose reads the order leaves out; empty if there are none
 */
record Seam(
        Location run,
        String input,
        int covered,
        Cut cut,
        int transactions,
        SeamFiles files,
        Long2LongMap sessions,
        String violations) {
    /**
     * The cut of an order.
     *
     * @param terms of the order
     * @param places the number of places before the cut, in all parts
     * @param latestStart when the last transaction before the cut started; {@link HistoryTable#NO_TIME} if no start is
     *     known
     */
    record Cut(Terms terms, long places, long latestStart) {}

    static final String FOLDER = "seam";
    static final String FILE = "seam.parquet";
    private static final String TAIL = "tail";
    private static final String TAIL_INPUT = "tail_sha256";
    private static final String PLACES = "places";
    private static final String VIOLATIONS = "violations";
    private static final String NAME = "seam";

    /** Returns the seam of a run; null if it has none. */
    static @Nullable Seam of(Location run, BooleanSupplier stop) throws IOException, HistoryException {
        Location file = file(run, FILE);
        if (!file.exists()) {
            return null;
        }
        SessionEnds ends = SessionEnds.read(file, NAME, stop);
        if (!ends.fields().getOrDefault(SeamFiles.OLD_EXCHANGES, "").isEmpty()) {
            throw new HistoryException(
                    file.name(),
                    "a seam with exchanges of an earlier version",
                    "those of this version",
                    "check the part of this run again with --overwrite");
        }
        try {
            String tail = ends.field(TAIL);
            return new Seam(
                    run,
                    Fingerprint.ofInput(file, stop),
                    Integer.parseInt(ends.field("parts")),
                    new Cut(
                            ends.terms(),
                            Long.parseLong(ends.field(PLACES)),
                            Long.parseLong(ends.field("latest_start"))),
                    Integer.parseInt(ends.field("transactions")),
                    SeamFiles.of(run, tail, name -> ends.field(name.equals(tail) ? TAIL_INPUT : name)),
                    ends.last(),
                    ends.fields().getOrDefault(VIOLATIONS, ""));
        } catch (IllegalArgumentException e) {
            throw SessionEnds.damaged(file.name());
        }
    }

    static Location file(Location run, String name) {
        return run.child(FOLDER).child(name);
    }

    /** Returns the size of a history after the seam, with its tail and the keys of its state. */
    HistorySize sizeBefore(HistorySize next) throws IOException, HistoryException {
        HistorySize ofTail = HistorySize.of(files.tail().location().absolute(), HistoryFormat.AUTO);
        HistorySize.Counts counts = ofTail.counts();
        long keys = Math.min(HistorySize.MOST, InitialState.size(files.state().location()));
        return next.after(new HistorySize(
                ofTail.source(),
                ofTail.format(),
                ofTail.bytes() + files.state().location().length(),
                new HistorySize.Counts(
                        counts.transactions(),
                        counts.operations() + keys,
                        counts.writes() + keys,
                        counts.sessions(),
                        keys),
                next.timed(),
                HistorySize.Whole.NEVER));
    }

    /** Writes {@code seam.parquet}, the last of the files of a seam. */
    void write() throws IOException {
        Map<String, String> fields = new TreeMap<>();
        SessionEnds.add(cut.terms, fields);
        fields.put("parts", Integer.toString(covered));
        fields.put("latest_start", Long.toString(cut.latestStart));
        fields.put("transactions", Integer.toString(transactions));
        fields.put(TAIL, files.tail().location().fileName());
        fields.put(TAIL_INPUT, files.tail().input());
        for (SeamFile<?> file : List.of(files.state(), files.exchanges())) {
            fields.put(file.location().fileName(), file.input());
        }
        fields.put(PLACES, Long.toString(cut.places));
        if (!violations.isEmpty()) {
            fields.put(VIOLATIONS, violations);
        }
        new SessionEnds(fields, sessions).write(file(run, FILE), NAME);
    }

    /**
     * Requires that all of its files are there, as they were written.
     *
     * @throws IOException if one has changed
     * @throws BudgetException if one is gone
     */
    void requireWhole(BooleanSupplier stop) throws IOException {
        for (SeamFile<?> file : List.of(files.state(), files.tail(), files.exchanges())) {
            if (file.isStored()) {
                file.present(stop);
            }
        }
        violations(stop);
    }

    /** Returns the violations whose reads the order leaves out; null if there are none. */
    @Nullable
    StandingViolations violations(BooleanSupplier stop) throws IOException {
        if (violations.isEmpty()) {
            return null;
        }
        new Chain.Part(violations, file(run, StandingViolations.FILE).absolute())
                .present("the violations of a chain", stop);
        try {
            return StandingViolations.of(run, stop);
        } catch (HistoryException e) {
            throw new IOException(Failures.text(e), e);
        }
    }

    /** Whether it is still there, and no other job has replaced it. */
    boolean isCurrent() throws IOException {
        Location file = file(run, FILE);
        return file.exists() && Fingerprint.ofInput(file, () -> false).equals(input);
    }

    /** Whether a PASS on this seam is a PASS at these terms. */
    boolean serves(Terms wanted) {
        Terms terms = cut.terms;
        return terms.guarantee().implies(wanted.guarantee())
                && terms.indeterminate() == wanted.indeterminate()
                && (!wanted.guarantee().realTime() || terms.clockSkewNanos() == wanted.clockSkewNanos());
    }

    /**
     * Reads the tail and the parts after the seam as one history, which begins with the state.
     *
     * @param later the parts
     * @throws BudgetException if the parts do not continue the history before the cut; without the seam they may
     */
    HistoryTable read(List<String> later, HistoryFormat format, ReadContext context)
            throws IOException, HistoryException {
        BooleanSupplier stop = context.stop();
        long memoryBytes = context.memoryBytes();
        List<String> paths = new ArrayList<>();
        paths.add(files.tail().present(stop).name());
        paths.addAll(later);
        HistoryTable table = HistoryReader.read(paths, format, context);
        requireContinued(table);
        InitialState first = files.state().read(stop, memoryBytes);
        if (files.exchanges().isStored()) {
            HistoryTable known = files.exchanges().read(stop, memoryBytes);
            first = first.with(known, Exchanges.needed(known, table));
        }
        HistoryTable continued = first.applied(table);
        if (cut.terms.guarantee().events() == 2) {
            requireNoneOfState(continued);
        }
        return continued;
    }

    /**
     * Rejects later writes of a value of the state, if a transaction whose snapshot stays before the cut reads it
     * there: the read could be attributed to the wrong write.
     */
    private static void requireNoneOfState(HistoryTable table) {
        for (int o = 0; o < table.operations(); o++) {
            require(
                    !table.isWrite(o) || table.value(o) != table.initialValue(table.key(o)),
                    "a value of the state is written again");
        }
    }

    private void requireContinued(HistoryTable table) {
        int ofTail = 0;
        long[] ends = table.ends();
        for (int s = 0; s < table.sessions(); s++) {
            long session = table.sessionLabel(s);
            boolean isKnown = sessions.containsKey(session);
            long last = sessions.get(session);
            boolean isFirst = true;
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                if (isKnown && table.index(t) <= last) {
                    ofTail++;
                    continue;
                }
                require(!isFirst || !Loaders.mayLoad(table, t), "a later part may load initial rows");
                isFirst = false;
                require(
                        !cut.terms.guarantee().realTime()
                                || ends == null
                                || !cut.terms.precedes(ends[t], cut.latestStart),
                        "a transaction ended before one started that cannot move any more");
            }
        }
        require(ofTail == transactions, "a transaction is late");
        require(PartOrder.missing(table, sessions) < 0, "transactions are missing");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new BudgetException(otherwise + ", so earlier parts are read");
        }
    }
}
