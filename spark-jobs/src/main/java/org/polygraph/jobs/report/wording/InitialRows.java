package org.polygraph.jobs.report.wording;

import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.LoadedRows;
import org.polygraph.jobs.verdict.Verdict;

/** Sentences about the transactions that load the initial rows, and about session order. */
public final class InitialRows {
    private InitialRows() {}

    /** Describes the assumption in a few words. */
    public static String assumed(LoadedRows loaders) {
        return loaders.count() == 0 ? "implicit" : "loaded by " + loaders.names();
    }

    /** Describes how a VIOLATION depends on the loaders and on session order; empty if it does not. */
    public static String effect(Verdict verdict) {
        Assumptions assumptions = verdict.assumptions();
        if (assumptions == null) {
            return "";
        }
        String sessions = !assumptions.needsSessionOrder()
                ? ""
                : "This is a violation only by session order: without session order (--session-order none) the history keeps "
                        + verdict.level().label() + ".";
        return (effect(verdict, assumptions) + " " + sessions).strip();
    }

    private static String effect(Verdict verdict, Assumptions assumptions) {
        if (assumptions.loaders().effect() == LoadedRows.Effect.NONE) {
            return "";
        }
        LoadedRows loaders = assumptions.loaders();
        boolean one = loaders.count() == 1;
        return "This depends on the initial rows: " + loaders.names() + (one ? " loads" : " load") + " them and "
                + (one ? "precedes" : "precede") + " all others. If " + (one ? "it is an" : "they are")
                + " ordinary " + (one ? "transaction" : "transactions") + " (--initial implicit), "
                + (loaders.effect() == LoadedRows.Effect.DECISIVE
                        ? "the history keeps " + verdict.level().label() + "."
                        : "the budget does not suffice to decide "
                                + verdict.level().label() + ".");
    }
}
