package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** With less memory than all clauses take, a search forgets them, keeps its order and goes on. */
class TightMemoryTest {
    private static Polygraph hotKeys(int transactions, int eventsPerTxn) {
        HiddenOrder g = new HiddenOrder();
        g.seed = 7;
        g.sessions = 20;
        g.transactions = transactions;
        g.keys = 40;
        g.values = 0;
        g.operations = 8;
        g.noise = 4_000;
        g.eventsPerTxn = eventsPerTxn;
        return g.build();
    }

    @Test
    void decidesWithHalfOfWhatAllClausesTake() {
        for (int events = 1; events <= 2; events++) {
            Polygraph polygraph = hotKeys(8_000, events);
            SolverOptions options = SolverOptions.defaults();
            Statistics all = new Solver().solve(polygraph, options).statistics();
            System.out.println(all);
            for (int share = 9; share > 0; share--) {
                Outcome o = new Solver().solve(polygraph, options.withMaxBytes(all.bytes() * share / 10));
                System.out.println(share + " " + o.getClass().getSimpleName() + " " + o.statistics());
            }
        }
    }
}
