package org.polygraph.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions.Level;

/** The three judges, with different methods, agree, and encoded formulas have the answers of their formulas. */
class SatCheckerTest {
    private static final List<Level> LEVELS = List.of(Level.SER, Level.SI);

    @Test
    void agreesWithDefinitions() {
        int judged = 0;
        int rounds = SuiteScale.of(1_500);
        for (int i = 0; i < rounds; i++) {
            HistoryTable history = Simulator.tiny(SplitMix.seedOf(0x5a7, i)).table();
            if (Definitions.of(history).vacuous()) {
                continue;
            }
            for (Definitions.Level level : Definitions.Level.values()) {
                if (level != Definitions.Level.LIN) {
                    assertThat(SatChecker.accepts(history, level))
                            .as("%s %s seed %d", HistoryDsl.print(history), level, SplitMix.seedOf(0x5a7, i))
                            .isEqualTo(Definitions.accepts(history, level.name()));
                    if (Interpreter.LEVELS.contains(level)) {
                        assertThat(Interpreter.accepts(history, level))
                                .as("%s %s seed %d", HistoryDsl.print(history), level, SplitMix.seedOf(0x5a7, i))
                                .isEqualTo(Definitions.accepts(history, level.name()));
                    }
                    judged++;
                }
            }
        }
        assertThat(judged).isGreaterThan(6 * rounds);
    }

    /** At both levels. 3 variables and 4 clauses are 57 transactions. */
    @Test
    void aFormulasHistoryHoldsIffTheFormulaIsSatisfiable() {
        int satisfiable = 0;
        for (int seed = 0; seed < 12; seed++) {
            Random random = new Random(seed);
            Formula formula = new Formula(2);
            for (int i = 0; i < 3 + seed % 3; i++) {
                int first = random.nextInt(2);
                formula.clause(first, 2 + random.nextInt(2));
            }
            formula.clause(random.nextInt(4));
            HistoryTable history = formula.history("formula-" + seed);
            boolean expected = formula.isSatisfiable();
            for (Level level : LEVELS) {
                assertThat(SatChecker.accepts(history, Definitions.Level.valueOf(level.name())))
                        .as("%s seed %d", level, seed)
                        .isEqualTo(expected);
            }
            satisfiable += expected ? 1 : 0;
        }
        assertThat(satisfiable).isBetween(2, 11);
    }

    @Test
    void edgesBecomeSessionsAndReads() {
        PolygraphHistory history = new PolygraphHistory(4, 0);
        history.edge(0, 1);
        history.edge(1, 2);
        history.edge(0, 3);
        history.edge(2, 0);
        HistoryTable table = history.table("edges");

        assertThat(history.sessions()).isEqualTo(2);
        assertThat(table.transactions()).isEqualTo(4);
        assertThat(table.operations()).isEqualTo(4);
        assertThat(SatChecker.accepts(table, Definitions.Level.SI)).isFalse();
    }
}
