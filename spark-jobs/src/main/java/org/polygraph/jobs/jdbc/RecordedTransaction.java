package org.polygraph.jobs.jdbc;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.polygraph.jobs.record.HistoryRecorder;

/** A transaction of a connection: its statements so far, without what was rolled back to a savepoint. */
final class RecordedTransaction {
    private record Savepoint(Object name, int steps) {}

    private final HistoryRecorder.Session session;
    private final HistoryRecorder.Transaction recorded;
    private final List<Step> steps = new ArrayList<>();
    private final List<Savepoint> savepoints = new ArrayList<>();
    private final List<Step.Operation> doubtful = new ArrayList<>();
    private boolean ended;
    private int writes;
    /** Rows that it inserts are known to others from then on. */
    final AtomicBoolean isCommitted = new AtomicBoolean();
    /** The database has ended it, or perhaps only its last statement. */
    boolean mayHaveEnded;

    RecordedTransaction(HistoryRecorder.Session session) {
        this.session = session;
        recorded = session.begin();
    }

    /** Whether no statement was executed after a number of writes, so that a result still shows the state of its query. */
    boolean isAt(int number) {
        return !ended && writes == number;
    }

    int writes() {
        return writes;
    }

    void add(Step step) {
        steps.add(step);
        if (step.isWrite) {
            writes++;
            leaveOut(step.operations);
        }
    }

    /** A result has shown what a step wrote. */
    void shown(Step step, List<Step.Operation> operations) {
        leaveOut(operations);
        step.operations.addAll(operations);
        step.open = null;
    }

    /**
     * An insert or a delete was sent before an unrecorded write of its key, and perhaps executed after it. It becomes a
     * transaction of unknown outcome, which may be left out.
     */
    private void leaveOut(List<Step.Operation> own) {
        own.removeIf(
                each -> each.claims() && !each.isKnown(isCommitted, null) && (!each.writes() || doubtful.add(each)));
    }

    /** A write that is not recorded, of which results that are open may show rows. */
    void addUnrecorded() {
        writes++;
    }

    void savepoint(Object name) {
        savepoints.add(new Savepoint(name, steps.size()));
    }

    /**
     * Leaves out what was undone, and reads that may show it. A history with savepoints may have no conditions.
     *
     * @return whether the savepoint is known
     */
    boolean rollbackTo(Object name) {
        writes++;
        int last = last(name);
        if (last >= 0) {
            savepoints.subList(last + 1, savepoints.size()).clear();
            undo(steps.subList(savepoints.get(last).steps, steps.size()));
        }
        return last >= 0;
    }

    void release(Object name) {
        int last = last(name);
        savepoints
                .subList(last < 0 ? savepoints.size() : last, savepoints.size())
                .clear();
    }

    private int last(Object name) {
        int last = savepoints.size() - 1;
        while (last >= 0 && !savepoints.get(last).name.equals(name)) {
            last--;
        }
        return last;
    }

    private static void undo(List<Step> undone) {
        Set<String> cells = new HashSet<>();
        Set<String> columns = new HashSet<>();
        for (Step step : undone) {
            for (Step.Operation each : step.operations) {
                if (each.writes()) {
                    columns.add(each.table().label(each.column()));
                    if (each.row() != null) {
                        cells.add(each.table().cell(each.row(), each.column()));
                    }
                }
            }
        }
        boolean hasAll = undone.stream()
                .flatMap(step -> step.operations.stream())
                .anyMatch(each -> each.writes() && each.row() == null);
        for (Step step : undone) {
            step.undo();
            step.operations.removeIf(each -> each.writes()
                    || (each.row() == null || hasAll
                            ? columns.contains(each.table().label(each.column()))
                            : cells.contains(each.table().cell(each.row(), each.column()))));
        }
    }

    void commit() {
        if (!ended) {
            giveUp();
            end(HistoryRecorder.Transaction::commit);
            isCommitted.set(true);
            endDoubtful();
        }
    }

    void abort() {
        steps.forEach(Step::undo);
        end(HistoryRecorder.Transaction::abort);
    }

    void unknown() {
        giveUp();
        end(HistoryRecorder.Transaction::unknown);
        endDoubtful();
    }

    /** No result will show what is open. */
    private void giveUp() {
        steps.stream().map(step -> step.open).filter(Objects::nonNull).forEach(Effect::giveUp);
    }

    private void endDoubtful() {
        if (!doubtful.isEmpty()) {
            HistoryRecorder.Transaction rest = session.begin();
            doubtful.forEach(each -> rest.record(each.fields()));
            doubtful.clear();
            rest.unknown();
        }
    }

    private void end(Consumer<HistoryRecorder.Transaction> outcome) {
        if (ended) {
            return;
        }
        ended = true;
        boolean isEmpty = true;
        for (Step step : steps) {
            boolean isFirst = true;
            for (Step.Operation each : step.operations) {
                if (isFirst) {
                    each.fields().put("sql", step.shape);
                }
                isFirst = false;
                isEmpty = false;
                recorded.record(each.fields());
            }
        }
        if (isEmpty) {
            recorded.discard();
        } else {
            outcome.accept(recorded);
        }
    }
}
