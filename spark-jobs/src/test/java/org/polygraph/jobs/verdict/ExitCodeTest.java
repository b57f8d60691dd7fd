package org.polygraph.jobs.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExitCodeTest {
    /** The rule is: the first of 1, 6, 5, 3, 4, 0 that occurred. */
    @Test
    void severalResultsGiveTheFirstOfTheContractsList() {
        int[] order = {1, 6, 5, 3, 4, 0};
        for (int i = 0; i < order.length; i++) {
            for (int j = 0; j < order.length; j++) {
                assertThat(ExitCode.merge(order[i], order[j])).isEqualTo(order[Math.min(i, j)]);
            }
        }
    }
}
