package org.polygraph.partitioner.graph;

import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.BudgetException;

/**
 * The numbering of events: one a transaction (SER: it happens at once) or two (SI: {@code begin} takes the snapshot,
 * {@code commit} makes the writes visible). A session is a chain of consecutive events, so an event has a chain and a
 * position in it. Memory: the two arrays given.
 */
public final class Events {
    private final int shift;
    private final int[] sessionStarts;
    private final int[] sessionOf;
    private final int count;
    private final boolean mayOverlap;

    /**
     * @param perTransaction 1 or 2
     * @param sessionStarts length sessions + 1, see HistoryTable
     * @param sessionOf by transaction
     * @throws BudgetException if there are more events than an int can number
     */
    public Events(int perTransaction, int[] sessionStarts, int[] sessionOf) {
        this(perTransaction, false, sessionStarts, sessionOf);
    }

    private Events(int perTransaction, boolean mayOverlap, int[] sessionStarts, int[] sessionOf) {
        if (perTransaction != 1 && perTransaction != 2) {
            throw new IllegalArgumentException(perTransaction + " events a transaction; 1 or 2 expected");
        }
        long events = (long) sessionOf.length * perTransaction;
        if (events > Integer.MAX_VALUE - 8) {
            throw new BudgetException(events + " events, " + perTransaction + " a transaction, are more than the "
                    + (Integer.MAX_VALUE - 8) + " that one check can number; check fewer transactions");
        }
        this.shift = perTransaction - 1;
        this.sessionStarts = sessionStarts;
        this.sessionOf = sessionOf;
        this.count = (int) events;
        this.mayOverlap = mayOverlap;
    }

    /** The events of a level. @throws BudgetException if there are more than an int can number */
    public static Events of(IsolationLevel level, int[] sessionStarts, int[] sessionOf) {
        return new Events(level.eventsPerTransaction(), level == IsolationLevel.PC, sessionStarts, sessionOf);
    }

    /** Whether writers of one key may overlap (PC). */
    public boolean mayOverlap() {
        return mayOverlap;
    }

    public int count() {
        return count;
    }

    public int chains() {
        return sessionStarts.length - 1;
    }

    public int perTransaction() {
        return shift + 1;
    }

    /** The event that takes the snapshot. */
    public int begin(int transaction) {
        return transaction << shift;
    }

    /** The event of a writer that must come after the commit of another one for its version to be the later one. */
    public int overwrites(int transaction) {
        return mayOverlap ? commit(transaction) : begin(transaction);
    }

    /** The event that makes writes visible; the same as {@link #begin} with one event a transaction. */
    public int commit(int transaction) {
        return (transaction << shift) | shift;
    }

    public int transaction(int event) {
        return event >> shift;
    }

    public int chain(int event) {
        return sessionOf[event >> shift];
    }

    /** The chain of a transaction. */
    public int session(int transaction) {
        return sessionOf[transaction];
    }

    /** The first event of a chain. */
    public int chainStart(int chain) {
        return sessionStarts[chain] << shift;
    }

    public int chainLength(int chain) {
        return (sessionStarts[chain + 1] - sessionStarts[chain]) << shift;
    }

    /** The chain of each transaction. */
    public int[] chainsByTransaction() {
        return sessionOf;
    }
}
