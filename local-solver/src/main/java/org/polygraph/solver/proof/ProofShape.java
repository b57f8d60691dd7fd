package org.polygraph.solver.proof;

/** The size of a problem, by which a trace of another problem is recognized. */
public record ProofShape(int transactions, int eventsPerTransaction, int keys, int readers, int writers) {
    @Override
    public String toString() {
        return transactions + " transactions of " + eventsPerTransaction + " events, " + keys + " keys, " + readers
                + " readers and " + writers + " writers";
    }
}
