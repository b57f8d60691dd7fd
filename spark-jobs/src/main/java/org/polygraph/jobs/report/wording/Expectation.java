package org.polygraph.jobs.report.wording;

import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;

/** What a database that keeps the level would have done instead: a sentence or two. */
public final class Expectation {
    private Expectation() {}

    /** For the violation as it stands; names the transactions of its cycle. */
    public static String of(Violation violation, IsolationLevel level, Facts facts) {
        String who = violation.transactions().isEmpty()
                ? "the transactions"
                : violation.transactions().size() > 6
                        ? "these " + violation.transactions().size() + " transactions"
                        : facts.list(violation.transactions());
        return switch (violation.anomaly()) {
            case THIN_AIR_READ -> "A read returns what some transaction wrote, or the initial value.";
            case ABORTED_READ ->
                "What an aborted transaction wrote is undone and never seen: the read had to return the version before.";
            case INTERMEDIATE_READ ->
                "Others see a transaction's last write of a key or none of it: the read had to return that or the version"
                        + " before.";
            case FUTURE_READ -> "A transaction cannot read what it has not written yet: an earlier version was due.";
            case NOT_MY_OWN_WRITE, NOT_MY_LAST_WRITE ->
                "Within a transaction a read returns its own latest write of the key.";
            case NON_REPEATABLE_READ ->
                "Without a write of its own in between, both reads had to return the same version.";
            case DIRTY_WRITE ->
                "Of two transactions that write the same keys one waits until the other has ended, so that every key"
                        + " gets their writes in the same order. One of " + who + " had to wait or to abort.";
            case CIRCULAR_INFORMATION_FLOW ->
                "A transaction's writes are seen once it has committed, by those that start after it. Of " + who
                        + " the first to commit must not have seen anything of the others.";
            case SESSION_GUARANTEE_VIOLATION ->
                "A transaction sees at least what its session had read and written before: the read had to return that"
                        + " version or a later one.";
            case NON_MONOTONIC_READ, FRACTURED_READ, READ_SKEW, CAUSALITY_VIOLATION ->
                "All reads of a transaction come from one snapshot, which has every write of a committed transaction or"
                        + " none of them. Of " + who + " one read had to return another version.";
            case LOST_UPDATE ->
                "Whoever commits first wins: of " + who
                        + " one had to abort, or to wait for the other and read what it wrote.";
            case LONG_FORK, NON_ADJACENT ->
                "Commits take effect in one order, the same for every reader: a snapshot with the second write of it"
                        + " has the first one too. One of the reads had to return another version.";
            case WRITE_SKEW ->
                "In a serial order the later one reads what the earlier one wrote. Of " + who
                        + " one had to abort, or to wait for the other and read again.";
            case REAL_TIME_VIOLATION ->
                "A transaction that starts after another has ended comes after it: its reads had to return what the"
                        + " other wrote, or something later.";
            default ->
                "There has to be one order of the transactions in which every read returns the last write before "
                        + (level == IsolationLevel.SI ? "its snapshot" : "it") + ". Of " + who
                        + " one had to abort, to wait, or to read another version.";
        };
    }
}
