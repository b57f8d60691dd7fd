package org.polygraph.benchmarks.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.polygraph.jobs.decision.Tuning;

class SettingTest {
    @Test
    void settingsDifferFromTheDefaultAsGiven() {
        assertThat(Setting.parse("default")).isEqualTo(Tuning.DEFAULT.withWorkers(1));
        assertThat(Setting.parse("workers=0")).isEqualTo(Tuning.DEFAULT);
        assertThat(Setting.parse("rounds=off+workers=0")).isEqualTo(Tuning.DEFAULT.withRounds(Tuning.NO_RULES));
        assertThatThrownBy(() -> Setting.parse("rounds")).hasMessageContaining("name=value expected");
    }
}
