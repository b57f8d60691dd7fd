package org.polygraph.solver.sat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Unit propagation over a plain list of clauses: checks each learnt clause and the assignment. */
final class UnitPropagationCheck implements ProofSink {
    private final String what;
    private final List<int[]> clauses = new ArrayList<>();
    private long learnt;
    private long deleted;
    private boolean refuted;

    UnitPropagationCheck(String what) {
        this.what = what;
    }

    void given(int[] literals) {
        clauses.add(literals.clone());
    }

    boolean isRefuted() {
        return refuted;
    }

    long learnt() {
        return learnt;
    }

    long deleted() {
        return deleted;
    }

    @Override
    public void learnt(int[] literals, int from, int to) {
        assertThat(refuted).as(what).isFalse();
        int[] clause = Arrays.copyOfRange(literals, from, to);
        assertThat(follows(clause)).as(what + ": " + Arrays.toString(clause)).isTrue();
        learnt++;
        clauses.add(clause);
    }

    @Override
    public void deleted(int[] literals, int from, int to) {
        int[] sorted = Arrays.copyOfRange(literals, from, to);
        Arrays.sort(sorted);
        for (int i = clauses.size() - 1; i >= 0; i--) {
            int[] clause = clauses.get(i).clone();
            Arrays.sort(clause);
            if (Arrays.equals(clause, sorted)) {
                clauses.remove(i);
                deleted++;
                return;
            }
        }
        assertThat(false).as(what + ": deletes what is not there").isTrue();
    }

    @Override
    public void refuted() {
        assertThat(follows(new int[0])).as(what).isTrue();
        refuted = true;
    }

    /**
     * The literals that the decisions imply by the present clauses, computed from scratch; null if they contradict each
     * other.
     */
    @Nullable
    Set<Integer> rebuilt(Set<Integer> decisions) {
        Set<Integer> holds = new HashSet<>(decisions);
        return contradicts(holds) ? null : holds;
    }

    /** No present clause is false. */
    void noneIsFalse(Search search) {
        for (int[] clause : clauses) {
            boolean isFalse = true;
            for (int literal : clause) {
                isFalse &= search.value(literal) < 0;
            }
            assertThat(isFalse).as(what + ": " + Arrays.toString(clause)).isFalse();
        }
    }

    private boolean follows(int[] clause) {
        Set<Integer> holds = new HashSet<>();
        for (int literal : clause) {
            holds.add(literal ^ 1);
        }
        return contradicts(holds);
    }

    /** Propagates until nothing is left, or until a clause is false. */
    private boolean contradicts(Set<Integer> holds) {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int[] other : clauses) {
                int open = 0;
                int last = -1;
                for (int literal : other) {
                    if (!holds.contains(literal ^ 1)) {
                        open++;
                        last = literal;
                    }
                }
                if (open == 0) {
                    return true;
                }
                changed |= open == 1 && holds.add(last);
            }
        }
        return false;
    }
}
