package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LevelNamesTest {
    @ParameterizedTest
    @CsvSource({
        "serializable, ser",
        "SERIALIZABLE, ser",
        "strict-serializable, sser",
        "PL-SS, sser",
        "snapshot-isolation, si",
        "Snapshot Isolation, si",
        "strong-snapshot-isolation, ssi",
        "causal-consistency, cc",
        "read-atomic, ra",
        "READ_COMMITTED, rc",
        "read-committed, rc",
        ":serializable, ser",
        "strong-session-serializable, ser",
        ":strong-session-PL-SI, si",
        "strong-session-read-committed, rc",
        "linearizable, lin",
        "si, si"
    })
    void known(String name, String label) {
        assertThat(LevelNames.of(name).orElseThrow().label()).isEqualTo(label);
    }

    @Test
    void repeatableReadIsExplained() {
        for (String name : List.of("repeatable-read", "REPEATABLE READ", "pl-2.99")) {
            assertThat(LevelNames.of(name)).isEmpty();
            assertThat(LevelNames.refusal(name))
                    .contains("'" + name + "'", "PostgreSQL snapshot isolation (si)", "MySQL", "(ser)")
                    .doesNotContain("did you mean");
        }
    }

    @Test
    void namesThatAreNotDecidedHaveALevelThatImpliesThem() {
        assertThat(LevelNames.refusal("monotonic-atomic-view")).contains("ra (read atomicity) implies it");
        for (String name : List.of("PL-2+", "cursor-stability", "monotonic-view", "PL-MSR", "strong-session-PL-FCV")) {
            assertThat(LevelNames.refusal(name)).contains("si (snapshot isolation) implies it");
        }
        assertThat(LevelNames.refusal("strong-read-committed")).contains("ssi (strong snapshot isolation) implies it");
        assertThat(LevelNames.refusal("serialisable")).contains("did you mean serializable?");
    }
}
