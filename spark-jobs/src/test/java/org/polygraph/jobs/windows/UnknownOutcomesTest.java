package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class UnknownOutcomesTest {
    private static UnknownOutcomes.Name name(int session) {
        return new UnknownOutcomes.Name(session, 0);
    }

    /** Adds a read. @param reader negative if it counts */
    private static void read(List<UnknownOutcomes.Read> out, int reader, int writer, boolean isOnly) {
        out.add(new UnknownOutcomes.Read(reader < 0 ? null : name(reader), name(writer), isOnly));
    }

    /** Each read depends on the next one of the list. Scans of all reads until nothing changes take minutes here. */
    @Test
    @Timeout(60)
    void aLongChainOfReads() {
        int length = 200_000;
        List<UnknownOutcomes.Read> out = new ArrayList<>();
        for (int i = length - 2; i >= 0; i--) {
            read(out, i, i + 1, i != 100_000);
        }
        read(out, -1, 0, true);
        UnknownOutcomes outcomes = new UnknownOutcomes(List.of(out));
        assertThat(outcomes.outcomes()).hasSize(length);
        assertThat(outcomes.outcomes().getInt(name(100_000))).isEqualTo(UnknownOutcomes.YES);
        assertThat(outcomes.outcomes().getInt(name(100_001))).isEqualTo(UnknownOutcomes.MAYBE);
        assertThat(outcomes.outcomes().getInt(name(length - 1))).isEqualTo(UnknownOutcomes.MAYBE);
    }
}
