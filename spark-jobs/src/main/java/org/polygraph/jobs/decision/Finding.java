package org.polygraph.jobs.decision;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Refutation;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;

/** The finding of a decision. A decision that finds nothing within its budget throws a BudgetException. */
public sealed interface Finding {
    /**
     * An order that explains the history.
     *
     * @param isReplayed whether a replay has accepted it already; if not it is replayed before it counts
     */
    record Order(Witness witness, boolean isReplayed) implements Finding {}

    /**
     * A refutation whose minimal sub-histories are still to be found.
     *
     * @param violations the clearest first
     * @param known edges that the first violation uses besides its own
     * @param certificate what shows the violation
     * @param refutation steps of the solver; null without a search
     */
    record Refuted(
            List<Violation> violations,
            List<Dependency> known,
            Certificate certificate,
            @Nullable Refutation refutation)
            implements Finding {
        /** Creates a refutation by cycles or single reads. */
        public Refuted(List<Violation> violations) {
            this(violations, List.of(), new Certificate(Certificate.CYCLE, null, false), null);
        }

        /** Creates a refutation by a certificate, for the case that the budget ends before a transaction is named. */
        public static Refuted unexplained(Certificate certificate, @Nullable Refutation refutation) {
            Violation violation = new Violation(
                    Anomaly.NO_VALID_ORDER,
                    List.of(),
                    List.of(),
                    List.of(),
                    "the budget ended before a cycle was found");
            return new Refuted(List.of(violation), List.of(), certificate, refutation);
        }

        /** Creates a refutation by a cycle that is not known yet. */
        public static Refuted unexplained() {
            return unexplained(new Certificate(Certificate.CYCLE, null, false), null);
        }
    }

    /**
     * Violations as they are reported.
     *
     * @param unexplained further ones as they were found, without sub-histories
     * @param found how many there are, in either list or in none
     */
    record Violated(List<Violation> violations, List<Violation> unexplained, int found, Certificate certificate)
            implements Finding {}
}
