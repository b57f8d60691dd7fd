package org.polygraph.jobs.report.wording;

import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** States the meaning of a verdict for its level, and its evidence, in one sentence each. */
public final class LevelStatement {
    private LevelStatement() {}

    /** The sentence for a history that keeps the level. */
    public static String kept(IsolationLevel level) {
        return "The history "
                + switch (level) {
                    case SER -> "is serializable: one order of its transactions explains every read.";
                    case SSER ->
                        "is strictly serializable: one order of its transactions that agrees with real time explains every"
                                + " read.";
                    case SI -> "keeps snapshot isolation: one order of snapshots and commits explains every read.";
                    case SSI ->
                        "keeps strong snapshot isolation: one order of snapshots and commits that agrees with real time"
                                + " explains every read.";
                    case PC ->
                        "keeps prefix consistency: one order of snapshots and commits, in which writers of a key may"
                                + " overlap, explains every read.";
                    case CC ->
                        "keeps causal consistency: there is an order of commits in which every read returns its"
                                + " transaction's own write or the latest version that causally precedes it.";
                    case RA ->
                        "keeps read atomicity: there is an order of commits in which every read returns its transaction's"
                                + " own write or the latest version by any transaction that its transaction read from or"
                                + " that its session ran earlier.";
                    case RC ->
                        "keeps read committed: there is an order of commits in which no read returns a version that is"
                                + " older than one by a transaction that its transaction had already read from.";
                    case PL2 ->
                        "keeps PL-2: there is an order of commits in which every read returns its transaction's own write,"
                                + " the last write of another transaction before it, whichever, or the initial value.";
                    case LIN ->
                        "is linearizable: for each key, one order of its operations that agrees with real time explains"
                                + " every result.";
                };
    }

    /** The sentence for a history that does not keep the level. */
    public static String broken(IsolationLevel level) {
        return "The history "
                + switch (level) {
                    case SER -> "is not serializable: no order of its transactions explains every read.";
                    case SSER ->
                        "is not strictly serializable: no order of its transactions that agrees with real time explains"
                                + " every read.";
                    case SI ->
                        "does not keep snapshot isolation: no order of snapshots and commits explains every read.";
                    case SSI ->
                        "does not keep strong snapshot isolation: no order of snapshots and commits that agrees with real"
                                + " time explains every read.";
                    case PC ->
                        "does not keep prefix consistency: no order of snapshots and commits, in which writers of a key"
                                + " may overlap, explains every read.";
                    case CC, RA, RC, PL2 ->
                        "does not keep " + level.title() + ": no order of commits fits what was read.";
                    case LIN ->
                        "is not linearizable: for some key, no order of its operations that agrees with real time explains"
                                + " every result.";
                };
    }

    /**
     * Describes a kind of evidence.
     *
     * @param kind as of {@link Certificate#kind}
     * @param level of the order in the certificate, which may be stronger than the requested one
     */
    public static String evidence(String kind, IsolationLevel level) {
        return switch (kind) {
            case Certificate.ORDER ->
                switch (level) {
                    case SER, SSER -> "an order of all transactions; replaying it needs no search";
                    case SI, SSI, PC -> "an order of all snapshots and commits; replaying it needs no search";
                    case CC, RA, RC, PL2 ->
                        "an order of all commits; the axiom of the level is checked against it without a search";
                    case LIN -> "an order of the operations of each key; replaying it needs no search";
                };
            case Certificate.ORDER_OF_OTHERS ->
                "an order of all transactions but those that read what no part has written yet; the next part is decided"
                        + " with these";
            case Certificate.CYCLE -> "a cycle of transactions, each of which comes before the next";
            case Certificate.PROOF -> "a search that tried every choice and refuted each";
            case Certificate.OPERATIONS -> "operations of one key whose results no order explains";
            default -> "";
        };
    }
}
