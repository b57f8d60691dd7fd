package org.polygraph.benchmarks.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.benchmarks.data.FormulaSpec;
import org.polygraph.benchmarks.data.GeneratorSpec;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;

class SweepTest {
    @Test
    void bracesAreAllCombinationsInTheOrderOfX() {
        Sweep sweep = Sweep.parse("""
                # a comment
                title Some title
                x txns
                seconds 7
                heap 1g
                warmups 2
                run gen:txns={20|3},keys=5 level={ser|si} setting={default|rounds=1+long_jump=0} seconds=9
                run PATHS
                """, List.of("a/history.edn"));

        assertThat(sweep.title()).isEqualTo("Some title");
        assertThat(sweep.cells()).hasSize(9);
        assertThat(sweep.cells().get(0)).isEqualTo(new Sweep.Cell("a/history.edn", "ser", "default", 7, "1g", 2));
        assertThat(sweep.cells().get(4))
                .isEqualTo(new Sweep.Cell("gen:txns=3,keys=5", "si", "rounds=1+long_jump=0", 9, "1g", 2));
        assertThat(sweep.cells().get(8).source()).isEqualTo("gen:txns=20,keys=5");
    }

    @Test
    void shippedSweepsAreUnderstood() throws IOException {
        for (String name : Sweep.NAMES) {
            Sweep sweep = Sweep.of(name, List.of("some/path"));
            assertThat(sweep.title()).as(name).isNotEmpty();
            assertThat(sweep.cells()).as(name).isNotEmpty();
            for (Sweep.Cell cell : sweep.cells()) {
                Setting.parse(cell.setting());
                IsolationLevel.valueOf(cell.level().toUpperCase(java.util.Locale.ROOT));
                if (GeneratorSpec.isSpec(cell.source())) {
                    GeneratorSpec.parse(cell.source());
                } else {
                    assertThat(FormulaSpec.isSpec(cell.source())
                                    || cell.source().equals("some/path"))
                            .as(cell.source())
                            .isTrue();
                }
            }
        }
    }

    @Test
    void mistakesAreNamed() {
        assertThatThrownBy(() -> Sweep.parse("run gen: levels=ser", List.of()))
                .hasMessage("'levels=ser' in run gen: levels=ser; expected level, setting, seconds or heap");
        assertThatThrownBy(() -> Sweep.parse("runs gen:", List.of())).hasMessageStartingWith("'runs gen:'; expected");
        assertThatThrownBy(() -> Sweep.parse("run gen:txns={1|2", List.of())).hasMessageContaining("brace");
        assertThatThrownBy(() -> Setting.parse("rounds")).hasMessageContaining("name=value expected");
    }

    @Test
    void settingsDifferFromTheDefaultAsGiven() {
        assertThat(Setting.parse("default")).isEqualTo(new Setting(Setting.MEASURED, TimeMode.NONE));
        assertThat(Setting.parse("rounds=off+time=hint"))
                .isEqualTo(new Setting(Setting.MEASURED.withRounds(Tuning.NO_RULES), TimeMode.HINT));
        assertThat(Setting.MEASURED).isEqualTo(Tuning.DEFAULT.withWorkers(1));
        assertThat(Setting.parse("workers=0").tuning()).isEqualTo(Tuning.DEFAULT);
        assertThat(Setting.parse("rounds=fixpoint").tuning().rounds()).isEqualTo(Tuning.FIXPOINT);
    }
}
