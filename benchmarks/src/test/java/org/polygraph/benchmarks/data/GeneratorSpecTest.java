package org.polygraph.benchmarks.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.table.HistoryTable;

class GeneratorSpecTest {
    @Test
    void parsesEverySetting() {
        HistoryTable table = GeneratorSpec.parse(
                        "gen:txns=200,keys=20,sessions=5,ops=3,reads=0.4,rmw=0.1,zipf=0.9,values=4,level=si,seed=9")
                .table();

        assertThat(table.transactions()).isEqualTo(200);
        assertThat(table.sessionStarts()).hasSize(6);
        assertThat(table.operations()).isEqualTo(600);
    }

    @Test
    void takesDefaultsAndSeed() {
        assertThat(GeneratorSpec.parse("gen:").table().transactions()).isEqualTo(100_000);
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

    @Test
    void parsesKeysByTransactionsHotKeysRepeatedValuesAndOutcomes() {
        HistoryTable table = GeneratorSpec.parse(
                        "gen:keys=0.1/txn,txns=2000,hotspot=0.1:0.9,values=3,repeat=0.5,times=true,aborted=0.1,"
                                + "indeterminate=0.1,sessions=5")
                .table();

        assertThat(table.keys().size()).isBetween(190, 200);
        assertThat(table.starts()).isNotNull();
        int[] outcomes = new int[3];
        for (int t = 0; t < 2000; t++) {
            outcomes[table.statuses()[t]]++;
        }
        assertThat(Arrays.stream(outcomes).min().orElse(0)).isGreaterThan(100);
        int hot = 0;
        int few = 0;
        for (int o = 0; o < table.operations(); o++) {
            hot += table.keys().integer(table.key(o)) < 20 ? 1 : 0;
            few += table.value(o) == table.values().code(3) ? 1 : 0;
        }
        assertThat(hot).isBetween(14_000, 14_800);
        assertThat(few).isBetween(800, 4_000);
    }

    @Test
    void namesWhatIsWrongInAPair() {
        assertThatThrownBy(() -> GeneratorSpec.parse("gen:hotspot=0.1"))
                .hasMessage("hotspot=0.1; two parts with a colon between them expected");
    }

    @Test
    void formulasAreSpecsToo() {
        assertThat(FormulaSpec.generate("sat:vars=5,ratio=4,seed=2").transactions())
                .isEqualTo(5 * 3 + 4 * 60);
        assertThat(FormulaSpec.formula("pigeons:holes=3,more=1").clauses()).isEqualTo(4 + 3 * 6);
        assertThatThrownBy(() -> FormulaSpec.generate("sat:var=5"))
                .hasMessage("'var=5' in sat:var=5; expected vars, ratio or seed = number");
    }
}
