package org.polygraph.jobs.application;

import java.util.function.Function;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.estimate.Estimate;

/**
 * How histories are decided.
 *
 * @param engine runs the tasks of windows
 * @param window the transactions of a window, if windows are tried before a history is read; else 0
 * @param choosesWindows whether the estimate of a history that was read may send it to windows
 * @param finder finds an order of a history in memory, or a violation, and throws a
 *     {@link org.polygraph.storage.model.BudgetException} if its budget ends before
 */
public record Checker(Engine engine, int window, boolean choosesWindows, Function<Check, Finding> finder) {
    /** This process decides whole histories, and by windows only those that take more memory than there is. */
    public static final Checker EMBEDDED = new Checker(Engine.LOCAL, 0, false, new EmbeddedChecker());

    /** This process decides a history that fits in its memory. A larger one is decided by windows on an engine. */
    public static Checker auto(Engine engine) {
        return new Checker(engine, 0, true, EMBEDDED.finder);
    }

    /** The engine decides by windows what they support; this process reads and decides the rest. */
    public static Checker byWindows(Engine engine) {
        return new Checker(engine, Estimate.WINDOW, false, EMBEDDED.finder);
    }

    /** Returns one that tries windows with so many transactions before it reads a history. */
    public Checker withWindow(int transactions) {
        return new Checker(engine, transactions, false, finder);
    }

    /** Returns one that finds orders and violations of histories in memory in another way. */
    public Checker finding(Function<Check, Finding> other) {
        return new Checker(engine, window, choosesWindows, other);
    }

    Finding find(Check check) {
        return finder.apply(check);
    }
}
