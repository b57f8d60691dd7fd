package org.polygraph.jobs.report.wording;

import java.util.List;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;

/** Describes what a database that keeps the level would have done instead, in one or two sentences. */
public final class Expectation {
    private Expectation() {}

    /** Names the transactions of the violation. */
    public static String of(Violation violation, IsolationLevel level, Facts facts) {
        String who = violation.transactions().isEmpty()
                ? "the transactions"
                : violation.transactions().size() > 6
                        ? "these " + violation.transactions().size() + " transactions"
                        : facts.list(violation.transactions());
        if (!violation.cases().isEmpty()) {
            return anyOrder(level, who, violation.transactions().size() == 1);
        }
        return switch (violation.anomaly()) {
            case THIN_AIR_READ ->
                "A read returns a value that some transaction wrote, or the initial value. If this history was cut out of a"
                        + " longer one, check it --after the run of what came before, or with --initial-state FILE; if the writer may"
                        + " be in what follows, check that after it.";
            case ABORTED_READ ->
                "The writes of an aborted transaction are undone and never seen: the read had to return the version before. If the"
                        + " client did not learn that the transaction was aborted, for example after a timeout or a lost connection,"
                        + " its outcome has to be recorded as indeterminate.";
            case INTERMEDIATE_READ ->
                "Other transactions see only a transaction's last write of a key: the read had to return that one or the"
                        + " version before.";
            case FUTURE_READ ->
                "A transaction cannot read what it has not written yet: the read had to return an earlier version.";
            case NOT_MY_OWN_WRITE, NOT_MY_LAST_WRITE ->
                "Within a transaction a read returns its own latest write of the key.";
            case NON_REPEATABLE_READ ->
                "Without a write of its own in between, both reads had to return the same version.";
            case INCOMPATIBLE_ORDER ->
                "A list only grows at its end: of two lists of a key one has to begin with the other.";
            case DUPLICATE_ELEMENT -> "An append takes effect once, also if it is tried again.";
            case DUPLICATE_INSERT -> "An insert of a row that already exists fails: the transaction had to abort.";
            case DUPLICATE_ROW ->
                "A result comes from one state, which has one row for each key: it had to have one of these versions only.";
            case MISSING_ROW -> "A delete that finds no row changes nothing: it had to be recorded as a read of null.";
            case DIRTY_WRITE ->
                "Of two transactions that write the same keys one waits until the other has ended, so that every key"
                        + " gets their writes in the same order. One of " + who + " had to wait or to abort.";
            case CIRCULAR_INFORMATION_FLOW ->
                "The writes of a transaction are seen only after it has committed. Of " + who
                        + " the first to commit must not see any write of the others.";
            case SESSION_GUARANTEE_VIOLATION,
                    NON_MONOTONIC_READ,
                    FRACTURED_READ,
                    PHANTOM,
                    CAUSALITY_VIOLATION,
                    READ_SKEW,
                    SINGLE -> single(violation, level, who, facts);
            case LOST_UPDATE ->
                "The first to commit wins: of " + who
                        + " one had to abort, or to wait for the other and read what it wrote.";
            case LONG_FORK, NON_ADJACENT ->
                "Commits take effect in one order, the same for every reader: a snapshot that has the second"
                        + " write also has the first one. One of the reads had to return another version"
                        + (level != IsolationLevel.PC
                                        && MissedWrite.of(violation.cycle()).stream()
                                                .anyMatch(MissedWrite::isOverwriter)
                                ? ", or of two that wrote the same key one had to abort."
                                : ".");
            case WRITE_SKEW, ITEM_CYCLE, PREDICATE_CYCLE ->
                "In a serial order the later one reads what the earlier one wrote. Of " + who
                        + " one had to abort, or to wait for the other and read again.";
            case REAL_TIME_VIOLATION ->
                "A transaction that starts after another has ended sees what the other wrote or later versions, and the"
                        + " other sees nothing of it." + inTime(violation.cycle(), facts);
            case READ_ONLY_ANOMALY, NO_VALID_ORDER ->
                anyOrder(level, who, violation.transactions().size() == 1);
        };
    }

    private static String anyOrder(IsolationLevel level, String who, boolean isOne) {
        return "There has to be " + order(level) + ". " + (isOne ? who + " had" : "Of " + who + " one had")
                + " to abort, to wait, or to read another version.";
    }

    /** Describes the wrong read, if all other edges of the cycle are sessions and times. */
    private static String inTime(List<Dependency> cycle, Facts facts) {
        Dependency only = null;
        for (Dependency edge : cycle) {
            if (edge.kind() != EdgeKind.SO && edge.kind() != EdgeKind.RT) {
                if (only != null || edge.kind() == EdgeKind.WW || edge.key() == Dependency.NO_KEY) {
                    return "";
                }
                only = edge;
            }
        }
        if (only == null) {
            return "";
        }
        boolean missed = only.kind() == EdgeKind.RW;
        return " The read of " + facts.item(only.key()) + " by " + facts.name(missed ? only.from() : only.to())
                + " had to return "
                + (missed ? "what " + facts.name(only.to()) + " wrote, or a later version." : "an earlier version.");
    }

    /**
     * Describes the case that one transaction missed one write, and something else of the cycle puts that write before
     * it.
     */
    private static String single(Violation violation, IsolationLevel level, String who, Facts facts) {
        if (violation.cycle().isEmpty()) {
            return "A read finds each row that exists and matches.";
        }
        List<MissedWrite> missed = MissedWrite.of(violation.cycle());
        if (missed.size() != 1 || missed.get(0).missed().key() == Dependency.NO_KEY) {
            return snapshot(level) + " Of " + who + " one read had to return another version.";
        }
        MissedWrite one = missed.get(0);
        String reader = facts.name(one.reader());
        String writer = facts.name(one.writer());
        String read = "read of " + facts.item(one.missed().key());
        String query = facts.expected(one.missed());
        Dependency before = one.before();
        String other = facts.name(before.from());
        if (level == IsolationLevel.PC && (before.kind() == EdgeKind.WW || before.kind() == EdgeKind.RW)) {
            return snapshot(level) + " Of " + who + " one read had to return another version.";
        }
        return switch (before.kind()) {
            case SO, RT ->
                "A transaction sees at least what its session had read and written before: "
                        + (query != null
                                ? query + ", or what later versions give."
                                : "the " + read + " by " + reader + " had to return what " + writer
                                        + " wrote, or a later version.");
            case WR ->
                snapshot(level) + " "
                        + (query != null
                                ? query + ", or what later versions give"
                                : "The " + read + " by " + reader + " had to return what " + writer
                                        + " wrote, or a later version")
                        + (before.key() == Dependency.NO_KEY
                                ? "."
                                : "; or its read of " + facts.item(before.key()) + " an earlier one.");
            case WW, RW ->
                "The first to commit wins: " + other + " and " + reader + " wrote the same key"
                        + (before.key() == Dependency.NO_KEY ? "" : ", " + facts.key(before.key())) + ", and "
                        + reader + " read from a state without " + writer + "'s write. One of " + other + " and "
                        + reader + " had to abort, or " + reader + " had to wait and read again.";
        };
    }

    /** Describes which versions the reads of a transaction may return together. */
    private static String snapshot(IsolationLevel level) {
        return switch (level) {
            case PL2 -> "A transaction reads what others wrote that committed before it.";
            case RC ->
                "Once a transaction has read from another one, its later reads see all writes of that one, or later"
                        + " versions.";
            case RA -> "A transaction that sees a write of another one sees all writes of that one, or later versions.";
            case CC ->
                "A transaction sees every write that causally precedes it: those of the transactions that it read from,"
                        + " those that its session ran earlier, and all that precede these.";
            case PC, SI, SSI, SER, SSER, LIN ->
                "All reads of a transaction come from one snapshot, which has every write of a committed transaction or"
                        + " none of them.";
        };
    }

    private static String order(IsolationLevel level) {
        return switch (level) {
            case SER, SSER ->
                "one order of the transactions in which every read returns the last write before its transaction";
            case PC, SI, SSI ->
                "one order of snapshots and commits in which every read returns the last write before its"
                        + " snapshot";
            case CC, RA, RC, PL2 -> "an order of commits that fits what every transaction read";
            case LIN -> "an order of the operations of each key in which every read returns the last write before it";
        };
    }
}
