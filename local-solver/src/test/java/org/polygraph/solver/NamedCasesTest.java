package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.polygraph.solver.SolverOptions.Option;

/** Small problems with names. */
class NamedCasesTest {
    private static RandomPolygraph problem(int n, int eventsPerTxn, int keys) {
        RandomPolygraph g = new RandomPolygraph(n, eventsPerTxn, keys);
        for (int t = 0; eventsPerTxn == 2 && t < n; t++) {
            g.edge(2 * t, 2 * t + 1);
        }
        return g;
    }

    private static Outcome solve(RandomPolygraph g) {
        g.position = g.topological(new java.util.Random(7));
        return ModelCheck.solve(g.build(false), SolverOptions.defaults());
    }

    private static Outcome.Unsatisfiable refuted(RandomPolygraph g) {
        assertThat(BruteForce.isSatisfiable(g)).isFalse();
        Outcome outcome = solve(g);
        assertThat(outcome).isInstanceOf(Outcome.Unsatisfiable.class);
        assertThat(outcome.statistics().conflicts()).isPositive();
        return (Outcome.Unsatisfiable) outcome;
    }

    @Test
    void nothing() {
        assertThat(solve(problem(0, 1, 0))).isInstanceOf(Outcome.Satisfiable.class);
        assertThat(solve(problem(3, 2, 2))).isInstanceOf(Outcome.Satisfiable.class);
    }

    @Test
    void lostUpdate() {
        for (int events = 1; events <= 2; events++) {
            RandomPolygraph g = problem(2, events, 1);
            g.read(0, 0, 0);
            g.read(0, 1, 0);
            g.write(0, 0, 1);
            g.write(0, 1, 2);
            Outcome.Core core = refuted(g).core();
            assertThat(core.size()).isGreaterThanOrEqualTo(1);
            assertThat(core.key(0)).isZero();
        }
    }

    @Test
    void writeSkewIsRefusedWithOneEventAndAllowedWithTwo() {
        for (int events = 1; events <= 2; events++) {
            RandomPolygraph g = problem(2, events, 2);
            g.read(0, 0, 0);
            g.read(1, 0, 0);
            g.read(0, 1, 0);
            g.read(1, 1, 0);
            g.write(0, 0, 1);
            g.write(1, 1, 1);
            if (events == 1) {
                refuted(g);
            } else {
                assertThat(solve(g)).isInstanceOf(Outcome.Satisfiable.class);
            }
        }
    }

    @Test
    void longFork() {
        for (int events = 1; events <= 2; events++) {
            RandomPolygraph g = problem(4, events, 2);
            g.write(0, 0, 1);
            g.write(1, 1, 1);
            g.read(0, 2, 1);
            g.read(1, 2, 0);
            g.read(0, 3, 0);
            g.read(1, 3, 1);
            assertThat(refuted(g).core().cycle()).doesNotHaveDuplicates();
        }
    }

    @Test
    void aReadOfAValueWithoutWriter() {
        RandomPolygraph g = problem(3, 1, 1);
        g.write(0, 0, 1);
        g.write(0, 2, 5);
        g.read(0, 1, 1);
        g.edge(1, 0);
        Outcome.Core core = refuted(g).core();
        assertThat(core.size()).isEqualTo(1);
        assertThat(core.writer(0)).isNegative();
        assertThat(core.reader(0)).isZero();
    }

    @Test
    void writersThatMustOverlap() {
        RandomPolygraph g = problem(2, 2, 1);
        g.write(0, 0, 1);
        g.write(0, 1, 2);
        g.edge(0, 3);
        g.edge(2, 1);
        Outcome.Core core = refuted(g).core();
        assertThat(core.size()).isEqualTo(1);
        assertThat(core.reader(0)).isNegative();
        assertThat(core.other(0)).isNotNegative();
    }

    @Test
    void anOptionalTransactionCommitsWhenItIsNeeded() {
        RandomPolygraph g = problem(3, 1, 1);
        g.write(0, 0, 1);
        g.write(0, 1, 2);
        g.read(0, 2, 2);
        g.optional = new boolean[] {false, true, false};
        Outcome.Satisfiable outcome = (Outcome.Satisfiable) solve(g);
        assertThat(outcome.committed()).containsExactly(false, true, false);
        g.read(0, 1, 9 - 9);
        g.edge(0, 1);
        refuted(g);
    }

    /** Read-modify-writes of one key form a chain. A chain with a gap has no order, which only search shows. */
    @Test
    void pigeonsInAChain() {
        RandomPolygraph g = problem(6, 1, 1);
        for (int t = 0; t < 6; t++) {
            // There are five values for six increments, so two increments read the same version.
            g.read(0, t, Math.min(t, 4));
            g.write(0, t, Math.min(t, 4) + 1);
        }
        refuted(g);
    }

    @Test
    void aStopEndsASearch() {
        RandomPolygraph g = problem(2, 1, 0);
        g.position = new int[] {0, 1};
        Outcome outcome =
                new Solver().solve(g.build(false), SolverOptions.defaults().withStop(() -> true));
        assertThat(outcome).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    void contradictoryInputIsNamed() {
        assertThatThrownBy(() -> Polygraph.builder(3, 3)).hasMessageContaining("1 or 2");
        assertThatThrownBy(() -> Polygraph.builder(3, 1).build()).hasMessageContaining("position");
        RandomPolygraph g = problem(2, 1, 0);
        g.edge(0, 1);
        g.position = new int[] {1, 0};
        assertThatThrownBy(() -> g.build(false)).hasMessageContaining("against position");
        assertThatThrownBy(() -> Polygraph.builder(1, 1).position(new int[1]).build())
                .hasMessageContaining("predecessors");
        assertThatThrownBy(() -> SolverOptions.defaults().with(Option.LONG_JUMP, -1))
                .hasMessageContaining("0..2147483647");
        for (Option option : Option.values()) {
            assertThat(option.meaning()).isNotBlank();
        }
    }
}
