package org.polygraph.benchmarks.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.polygraph.storage.columnar.HistoryTable;

class GeneratorSpecTest {
    @Test
    void saysEverySetting() {
        HistoryTable table = GeneratorSpec.parse(
                        "gen:txns=200,keys=20,sessions=5,ops=3,reads=0.4,rmw=0.1,zipf=0.9,values=4,isolation=snapshot,seed=9")
                .generate();

        assertThat(table.transactions()).isEqualTo(200);
        assertThat(table.sessionStarts()).hasSize(6);
        assertThat(table.operations()).isEqualTo(600);
    }

    @Test
    void takesDefaultsAndSeed() {
        assertThat(GeneratorSpec.parse("gen:").generate().transactions()).isEqualTo(100_000);
        assertThat(GeneratorSpec.isSpec("general-10k")).isFalse();
    }

    @Test
    void namesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> GeneratorSpec.parse("gen:transactions=4"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("setting 'transactions'; expected txns, keys,");
        assertThatThrownBy(() -> GeneratorSpec.parse("gen:txns")).hasMessage("'txns' in gen:txns; name=value expected");
        assertThatThrownBy(() -> GeneratorSpec.parse("gen:txns=many"))
                .hasMessage("'txns=many' in gen:txns=many; a number expected");
    }
}
