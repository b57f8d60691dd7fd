package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides a level by windows that workers repair: reads the input into an order, has {@link Rounds} repair it, and
 * replays it.
 */
public final class WindowCheck {
    /**
     * The {@link #reason} if the input cannot be read, or not be judged at the level: reading it as a whole gives the
     * message.
     */
    public static final String UNREADABLE = Survey.UNREADABLE;

    /** The name of the checkpoint. */
    private static final String CHECKPOINT = "windows";

    private final Workers workers;
    private final LongFunction<Checkpoints> checkpoints;
    private final ReadPlan plan;
    private final WindowSettings settings;
    private final Terms terms;
    private final @Nullable InitialState given;
    private final Judge judge;
    private final PhaseClock phases;
    private Counts counts = Counts.NONE;
    private long keys;
    private Loading loading = Loading.NONE;
    private byte[] initialValue = {BlockWriter.NULL};
    private boolean isUnique = true;
    private long order;
    private @Nullable Rounds rounds;
    private String open = "";

    /** Judges small histories by the embedded engine. */
    @FunctionalInterface
    public interface Judge {
        /** Whether a history violates the level; the judge keeps the evidence. */
        boolean violates(HistoryTable subHistory);
    }

    /** How a check ends. */
    public enum Ending {
        /** An order explains the history, and its replay agrees. */
        ORDERED,
        /** The judge found a sub-history that violates the level. */
        VIOLATED,
        /** Nothing is decided, for the {@link #reason}. */
        OPEN
    }

    /**
     * A check.
     *
     * @param plan of a history in JSON Lines or Parquet
     * @param terms of the level
     * @param given the values of keys before the history; null if they are not given
     * @param checkpoints of a history with so many operations; used if the workers may keep scratch files
     */
    public WindowCheck(
            Workers workers,
            ReadPlan plan,
            WindowSettings settings,
            Terms terms,
            @Nullable InitialState given,
            Judge judge,
            PhaseClock phases,
            LongFunction<Checkpoints> checkpoints) {
        this.workers = workers;
        this.checkpoints = workers.mayKeep() ? checkpoints : operations -> Checkpoints.NONE;
        this.plan = plan;
        this.settings = settings;
        this.terms = terms;
        this.given = given;
        this.judge = judge;
        this.phases = phases;
    }

    /** The numbers of transactions and operations, once it has run. */
    public Counts counts() {
        return counts;
    }

    /** Whether no value of a key was written twice, once it has run. */
    public boolean hasUniqueValues() {
        return isUnique;
    }

    /** The number of transactions that real time does not bound, once it has run. */
    public long unbound() {
        return store().layout().times().unbound();
    }

    /** The names of the transactions that load initial rows, once it has run. */
    public List<String> loaders() {
        return loading.names();
    }

    /** The value of a key before the first transaction, once it has run: a Long, a String or null. */
    public @Nullable Object initialValue() {
        ValueDictionary values = new ValueDictionary();
        long code = new BlockReader(initialValue).value(values);
        return values.isNull(code) ? null : values.isInteger(code) ? (Object) values.integer(code) : values.text(code);
    }

    /** A hash of the order that was found, the same for the same order. */
    public long order() {
        return order;
    }

    /**
     * Writes the order as a certificate, after {@link Ending#ORDERED}.
     *
     * @param run the folder of the run, which all workers see
     * @param of the level of the certificate, which the level of the order implies
     * @param input fingerprint of the bytes of the history
     * @param tool version of this program
     * @return the path within the run
     */
    public String certificate(Location run, Terms of, String input, String tool) throws IOException {
        phases.begin("certificate");
        String path = new StoredOrder(store()).certificate(run, of, input, tool);
        phases.end(counts.transactionsCommitted() + counts.transactionsAborted() + counts.transactionsIndeterminate());
        return path;
    }

    /**
     * Returns a sub-history that the judge was given with its lists as they were recorded, after {@link Ending#VIOLATED}; null if it has
     * none.
     *
     * @throws IOException if the input cannot be read again
     */
    public @Nullable HistoryTable withLists(HistoryTable subHistory) throws IOException {
        return store().layout().hasLists() ? RecordedLists.of(store(), plan, subHistory) : null;
    }

    /**
     * Whether an order of si is what windows can look for, because the history has lists and the level is pc, cc, ra,
     * rc or pl2.
     */
    public boolean isDecidedBySnapshots() {
        return rounds != null
                && rounds.store().layout().hasLists()
                && terms.guarantee().isOfCommits();
    }

    /** What windows decided. */
    public WindowCounts windows() {
        return rounds().counts(open);
    }

    private Rounds rounds() {
        return Objects.requireNonNull(rounds, "an input that was read");
    }

    private WindowStore store() {
        return rounds().store();
    }

    /** Why nothing is decided; empty if something is. */
    public String reason() {
        return open;
    }

    private Ending open(String reason) {
        open = reason;
        return Ending.OPEN;
    }

    /**
     * Decides the history.
     *
     * @param usesTimes whether times may be used to choose the order that is tried first
     * @param choice of the transactions that load initial rows and precede all others
     * @throws IOException if the input or a scratch file cannot be reached
     * @throws org.polygraph.storage.model.BudgetException if the budget ended
     */
    public Ending run(boolean usesTimes, InitialChoice choice) throws IOException {
        Rounds restored = restored();
        if (restored == null) {
            phases.begin("read");
        }
        boolean ordersByTime = usesTimes || terms.guarantee().realTime();
        Rounds rounds = restored == null
                ? new Rounds(WindowStore.of(workers, plan, ordersByTime, settings, terms), settings, judge, this::keep)
                : restored;
        this.rounds = rounds;
        WindowStore store = rounds.store();
        Layout layout = store.layout();
        long[] byStatus = layout.byStatus();
        if (!layout.problem().isEmpty()) {
            return open(layout.problem());
        }
        if (terms.guarantee().realTime() && !layout.hasRealTime()) {
            return open(UNREADABLE);
        }
        if (terms.guarantee().realTime()
                && terms.guarantee() != Guarantee.LIN
                && byStatus[TransactionStatus.INDETERMINATE.code()] > 0
                && !layout.startsAscend()) {
            return open("starts contradict the order of a session");
        }
        if (layout.hasLists() && terms.guarantee().hasPlainWrites()) {
            return open(
                    terms.guarantee() == Guarantee.LIN
                            ? UNREADABLE
                            : "it has lists, and a PASS of si decides pc, cc, ra, rc and pl2");
        }
        if (layout.hasLists() && (given != null || layout.hasInitialState())) {
            return open(UNREADABLE);
        }
        initialValue = layout.initialValue();
        if (byStatus[TransactionStatus.COMMITTED.code()] == 0) {
            return open(UNREADABLE);
        }
        if (restored == null) {
            Ingested.Input input = store.ingest(given);
            if (!input.problem().isEmpty()) {
                return open(input.problem());
            }
            String problem = load(store, input, usesTimes, choice);
            if (!problem.isEmpty()) {
                return open(problem);
            }
            phases.end(Arrays.stream(byStatus).sum());
        }
        if (terms.guarantee().realTime() && !store.respectsTime()) {
            return open("the first order does not respect real time");
        }
        phases.begin("windows");
        if (restored == null) {
            if (byStatus[TransactionStatus.INDETERMINATE.code()] > 0) {
                store.countUnknown();
            }
            keep(rounds);
        }
        boolean isFirst = rounds.isFirst();
        List<CheckTask.Result> results = store.check(isFirst);
        if (isFirst) {
            isUnique = results.stream().allMatch(CheckTask.Result::isUnique);
            keys = results.stream().mapToLong(CheckTask.Result::keys).sum()
                    + store.initialValues().unusedKeys();
        }
        counts = new Counts(
                layout.labels().length,
                byStatus[TransactionStatus.COMMITTED.code()],
                byStatus[TransactionStatus.ABORTED.code()],
                byStatus[TransactionStatus.INDETERMINATE.code()],
                store.reads(),
                store.writes(),
                keys);
        Ending ending = rounds.run(results);
        open = rounds.open();
        phases.end(rounds.decided());
        if (ending == Ending.ORDERED) {
            phases.begin("replay");
            StoredOrder placed = new StoredOrder(store);
            String wrong = placed.replay(false).discrepancy();
            if (!wrong.isEmpty() && byStatus[TransactionStatus.INDETERMINATE.code()] > 0) {
                // Windows that were repaired before a transaction counted did not keep it in order with others.
                return open("the order with transactions of unknown outcome is wrong: " + wrong);
            }
            if (!wrong.isEmpty()) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
            phases.end(store.operations());
            order = placed.order();
        }
        return ending;
    }

    /**
     * Finds the transactions that load initial rows, and reads the input again with them.
     *
     * @return why windows do not decide the history; empty if they may
     */
    private String load(WindowStore store, Ingested.Input input, boolean usesTimes, InitialChoice choice)
            throws IOException {
        Loading found = Loading.of(
                store.layout(), input, store.initialValues().table(), choice, usesTimes, terms.clockSkewNanos());
        if (found == null) {
            return Loading.OPEN;
        }
        String problem = found.isEmpty() ? "" : store.reread(given, found).problem();
        loading = found;
        if (found.isEmpty() || !problem.isEmpty() || choice.kind() == InitialChoice.Kind.NAMED) {
            return problem;
        }
        Loading.Uses uses = store.perSlice("find uses of initial values", Loading.UsesTask::new).stream()
                .reduce(new Loading.Uses(false, false, false, false), Loading.Uses::and);
        // A slice does not show which transactions aborted if those of unknown outcome count as aborted.
        boolean isKnown = terms.indeterminate() == IndeterminateMode.MAYBE
                || store.layout().byStatus()[TransactionStatus.INDETERMINATE.code()] == 0;
        if (!isKnown || found.isContradicted(uses)) {
            return Loading.OPEN;
        }
        if (!uses.isRead()) {
            loading = Loading.NONE;
            return store.reread(given, loading).problem();
        }
        return "";
    }

    /** What a later process needs to go on. */
    private record Kept(Rounds rounds, boolean isUnique, long keys, Loading loading, ArrayList<Phase> phases)
            implements Serializable {}

    /** Returns the state that an earlier process kept; null if there is none that can be used. */
    private @Nullable Rounds restored() throws IOException {
        return checkpoints.apply(Long.MAX_VALUE).restored(CHECKPOINT, Kept.class, kept -> {
            kept.rounds.store().resume(workers, plan, settings, given);
            kept.rounds.resume(judge, this::keep);
            phases.restore(kept.phases);
            isUnique = kept.isUnique;
            keys = kept.keys;
            loading = kept.loading;
            workers.keep(true);
            return kept.rounds;
        });
    }

    /** Keeps the state for a later process, and deletes the scratch files that were replaced. */
    private void keep(Rounds made) throws IOException {
        WindowStore of = made.store();
        Checkpoints kept = checkpoints.apply(of.operations());
        if (kept.keeps() && of.isSmallEnoughToSave()) {
            kept.keep(CHECKPOINT, new Kept(made, isUnique, keys, loading, phases.ended()));
            workers.keep(true);
        }
        of.sweep();
    }
}
