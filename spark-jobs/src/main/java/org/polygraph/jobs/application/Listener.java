package org.polygraph.jobs.application;

import org.polygraph.jobs.decision.Progress;

/** Receives the progress of a check, and messages for people. */
public interface Listener extends Progress {
    /** A PATH begins. */
    default void path(String name) {}

    /** The PATH is done. */
    default void pathEnds() {}

    /** The phase that runs. */
    String currentPhase();

    /** Reports an assumption of the check. Users who requested only results do not see it. */
    default void notice(String text) {}

    /** A warning or an error. */
    void message(String text);

    @Override
    default void warning(String text) {
        message(text);
    }

    /** Reports an error with its stack trace. Only users who requested stack traces see the trace. */
    default void failure(String text, Throwable e) {
        message(text);
    }

    /** Reports a bug in the same way. Users who did not request stack traces are informed how to get one. */
    default void bug(String text, Throwable e) {
        failure(text, e);
    }

    /** Returns a listener that passes on progress but neither notices nor messages. */
    default Listener quiet() {
        Listener all = this;
        return new Listener() {
            @Override
            public void path(String name) {
                all.path(name);
            }

            @Override
            public void pathEnds() {
                all.pathEnds();
            }

            @Override
            public String currentPhase() {
                return all.currentPhase();
            }

            @Override
            public void phase(String name) {
                all.phase(name);
            }

            @Override
            public void items(long done, long total) {
                all.items(done, total);
            }

            @Override
            public void message(String text) {}

            @Override
            public void bug(String text, Throwable e) {
                all.bug(text, e);
            }
        };
    }
}
