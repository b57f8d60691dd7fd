package org.polygraph.solver.sat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Clauses by their numbers, null where one was deleted: checks each derived clause and the assignment. */
final class DerivationCheck implements ProofSink {
    private final String what;
    private final List<int @Nullable []> clauses = new ArrayList<>();
    private long learnt;
    private long deleted;
    private boolean refuted;

    DerivationCheck(String what) {
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
    public void learnt(int[] literals, int size, int[] parents, int count) {
        assertThat(refuted).as(what).isFalse();
        int[] clause = Arrays.copyOf(literals, size);
        assertThat(follows(clause, parents, count))
                .as(what + ": " + Arrays.toString(clause))
                .isTrue();
        learnt++;
        clauses.add(clause);
    }

    @Override
    public void deleted(int clause) {
        assertThat(clauses.set(clause, null)).as(what).isNotNull();
        deleted++;
    }

    @Override
    public void refuted(int[] parents, int count) {
        assertThat(follows(new int[0], parents, count)).as(what).isTrue();
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
            boolean isFalse = clause != null;
            for (int i = 0; isFalse && i < clause.length; i++) {
                isFalse = search.value(clause[i]) < 0;
            }
            assertThat(isFalse).as(what + ": " + Arrays.toString(clause)).isFalse();
        }
    }

    /** Whether each parent, from the last on, forces one literal if the clause is false, and the first one is false. */
    private boolean follows(int[] clause, int[] parents, int count) {
        Set<Integer> isFalse = new HashSet<>();
        Arrays.stream(clause).forEach(isFalse::add);
        for (int i = count - 1; i >= 0; i--) {
            int[] open = Arrays.stream(clauses.get(parents[i]))
                    .filter(literal -> !isFalse.contains(literal))
                    .toArray();
            if (open.length != (i == 0 ? 0 : 1) || (i > 0 && isFalse.contains(open[0] ^ 1))) {
                return false;
            }
            if (i > 0) {
                isFalse.add(open[0] ^ 1);
            }
        }
        return true;
    }

    /** Propagates until nothing is left, or until a clause is false. */
    private boolean contradicts(Set<Integer> holds) {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int[] other : clauses) {
                if (other == null) {
                    continue;
                }
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
