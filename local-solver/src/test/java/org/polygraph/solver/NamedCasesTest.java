package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.polygraph.solver.SolverOptions.Option;

/** Small problems with names. */
class NamedCasesTest {
    /**
     * A problem of words: {@code 0r1=5} is a read of key 1 by transaction 0 which returns 5, {@code 0w1=5} a write,
     * {@code 3>4} an edge between events, and {@code 2?} makes transaction 2 optional.
     */
    private static RandomPolygraph problem(int events, String words) {
        int most = Arrays.stream(words.split(" "))
                .mapToInt(word -> word.contains(">") ? 0 : Integer.parseInt(word.split("[rw?]")[0]))
                .max()
                .orElse(0);
        RandomPolygraph g = new RandomPolygraph(Math.max(2, most + 1), events, 2);
        for (int t = 0; events == 2 && t < g.n; t++) {
            g.edge(2 * t, 2 * t + 1);
        }
        g.optional = new boolean[g.n];
        for (String word : words.split(" ")) {
            String[] numbers = word.split("[rw=>?]");
            int first = Integer.parseInt(numbers[0]);
            if (word.contains(">")) {
                g.edge(first, Integer.parseInt(numbers[1]));
            } else if (word.contains("r")) {
                g.read(Integer.parseInt(numbers[1]), first, Integer.parseInt(numbers[2]));
            } else if (word.contains("w")) {
                g.write(Integer.parseInt(numbers[1]), first, Integer.parseInt(numbers[2]));
            } else {
                g.optional[first] = true;
            }
        }
        g.position = g.topological(new Random(7));
        return g;
    }

    /** The last columns: events of a transaction, and the clauses of the core, 0 if there is an order, -1 for some. */
    @ParameterizedTest
    @CsvFileSource(resources = "/named.txt", delimiter = ',')
    void haveTheirAnswer(String name, String words, int events, int core) {
        RandomPolygraph g = problem(events, words);
        assertThat(BruteForce.isSatisfiable(g)).as(name).isEqualTo(core == 0);
        Outcome outcome = ModelCheck.solve(g.build(false), SolverOptions.defaults());
        if (core == 0) {
            Outcome.Satisfiable found = (Outcome.Satisfiable) outcome;
            assertThat(found.committed()[1]).as(name).isEqualTo(g.optional[1]);
            return;
        }
        Outcome.Core found = ((Outcome.Unsatisfiable) outcome).core();
        assertThat(outcome.statistics().conflicts()).isPositive();
        assertThat(found.cycle()).doesNotHaveDuplicates();
        assertThat(found.size()).as(name).matches(size -> core < 0 ? size >= 1 : size == core);
        assertThat(found.key(0)).isBetween(0, name.equals("long fork") ? 1 : 0);
        if (core == 1) {
            assertThat(found.reader(0)).as(name).isEqualTo(events == 1 ? 0 : -1);
            assertThat(events == 1 ? found.writer(0) < 0 : found.other(0) >= 0)
                    .as(name)
                    .isTrue();
        }
    }

    @Test
    void nothing() {
        for (int events = 1; events <= 2; events++) {
            RandomPolygraph g = new RandomPolygraph(3 * events - 3, events, 2 * events - 2);
            for (int t = 0; t < g.n; t++) {
                g.edge(2 * t, 2 * t + 1);
            }
            g.position = g.topological(new Random(7));
            assertThat(ModelCheck.solve(g.build(false), SolverOptions.defaults()))
                    .isInstanceOf(Outcome.Satisfiable.class);
        }
    }

    @Test
    void aStopEndsASearch() {
        Outcome outcome = new Solver()
                .solve(problem(1, "0>1").build(false), SolverOptions.defaults().withStop(() -> true));
        assertThat(outcome).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    void contradictoryInputIsNamed() {
        assertThatThrownBy(() -> Polygraph.builder(3, 3)).hasMessageContaining("1 or 2");
        assertThatThrownBy(() -> Polygraph.builder(3, 1).build()).hasMessageContaining("position");
        RandomPolygraph g = new RandomPolygraph(2, 1, 0);
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
