package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A graph numbers the rounds of its edges in a byte. */
class TuningTest {
    @Test
    void everyRoundHasANumber() {
        assertThat(Tuning.DEFAULT.withRounds(Tuning.FIXPOINT).rounds()).isEqualTo(Tuning.FIXPOINT);
        assertThatThrownBy(() -> Tuning.DEFAULT.withRounds(Tuning.FIXPOINT + 1))
                .isInstanceOf(IllegalArgumentException.class);
        // Real time, or the edges of version chains, have one or two rounds of their own.
        assertThat(Tuning.FIXPOINT + PruneLoop.MOST_EVIDENCE_ROUNDS + 2).isLessThanOrEqualTo(Byte.MAX_VALUE);
    }
}
