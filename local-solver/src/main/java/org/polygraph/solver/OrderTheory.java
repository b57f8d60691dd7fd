package org.polygraph.solver;

import org.jspecify.annotations.Nullable;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.Literals;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.sat.SearchBudget;
import org.polygraph.solver.sat.Theory;
import org.polygraph.solver.theory.Atoms;
import org.polygraph.solver.theory.DynamicOrder;
import org.polygraph.solver.theory.PairTable;

/**
 * The total order as a theory: the order obeys all true edges, and only literals of items that the order violates are
 * decided.
 *
 * <p>The clause of a violated item has no true literal, because the order obeys true literals. After propagation no
 * clause is false. So the clause has an unassigned literal to decide.
 */
final class OrderTheory implements Theory {
    /** The cost of deciding a commit, in moved events. */
    private static final int COMMIT_COST = 8;

    private final Polygraph p;
    private final Atoms atoms;
    private final DynamicOrder order;
    private final ReadCheck check;
    private final ClauseMaker clauses;
    private final IntStack lastCycle;
    /** Brackets that became true before they were defined. Some may have been undone since then. */
    private final IntStack undefined;

    private final SearchBudget budget;
    private final ClauseLimit limit;
    private final @Nullable ProofTrace proof;
    private final int[] position;
    private long random;

    /** @param budget the budget of clauses and the structures that belong to them */
    OrderTheory(
            Polygraph p,
            Atoms atoms,
            DynamicOrder order,
            ReadCheck check,
            ClauseMaker clauses,
            ClauseLimit limit,
            SearchBudget budget,
            SolverOptions options) {
        this.p = p;
        this.atoms = atoms;
        this.order = order;
        this.check = check;
        this.clauses = clauses;
        this.limit = limit;
        this.budget = budget;
        lastCycle = new IntStack(budget);
        undefined = new IntStack(budget);
        proof = options.proof();
        position = order.position();
        random = options.get(Option.SEED) * 0x9E3779B97F4A7C15L | 1;
    }

    /** The events of the last cycle that was a conflict, in its direction. */
    int[] lastCycle() {
        int[] cycle = new int[lastCycle.size()];
        for (int i = 0; i < cycle.length; i++) {
            // The path was pushed last first.
            cycle[i] = lastCycle.get(cycle.length - 1 - i);
        }
        return cycle;
    }

    @Override
    public boolean assign(int literal, IntStack explanation) {
        int variable = Literals.variable(literal);
        switch (atoms.kind(variable)) {
            case Atoms.EDGE -> {
                int from = atoms.from(literal);
                int to = atoms.to(literal);
                if (!order.add(from, to, literal)) {
                    lastCycle.clear();
                    order.explain(from, to, explanation, lastCycle);
                    if (proof != null) {
                        record(proof, literal, explanation);
                    }
                    return false;
                }
            }
            case Atoms.COMMIT -> {
                check.setCounted(atoms.transaction(variable), !Literals.isNegative(literal));
            }
            case Atoms.BRACKET -> {
                if (!Literals.isNegative(literal)) {
                    undefined.push(variable);
                }
            }
            default -> {
                // A defined bracket implies its edges by clauses.
            }
        }
        return true;
    }

    private void record(ProofTrace trace, int literal, IntStack explanation) {
        int[] literals = new int[explanation.size() + 1];
        literals[0] = Literals.not(literal);
        for (int i = 0; i < explanation.size(); i++) {
            literals[i + 1] = Literals.not(explanation.get(i));
        }
        int[] cycle = lastCycle();
        trace.lemma(literals, literals.length, cycle, cycle.length);
    }

    /** Removes the edges of undone literals. The order and the commits stay: they are the saved phase. */
    @Override
    public void undo(int literal) {
        if (atoms.kind(Literals.variable(literal)) == Atoms.EDGE) {
            order.removeNewest();
        }
    }

    /** @throws ClausesOutgrown at the limit; order and check are then consistent */
    @Override
    public int next(Search search) {
        if (limit.isReached(budget.own())) {
            throw new ClausesOutgrown();
        }
        while (!undefined.isEmpty()) {
            int bracket = undefined.pop();
            if (search.value(Literals.positive(bracket)) > 0 && atoms.kind(bracket) == Atoms.BRACKET) {
                clauses.define(search, bracket);
            }
        }
        if (search.isPending()) {
            return AGAIN;
        }
        boolean isOfSum = !check.next();
        SumCheck sums = isOfSum ? check.sums() : null;
        if (isOfSum && (sums == null || !sums.next())) {
            return COMPLETE;
        }
        int id = PairTable.ABSENT;
        if (sums == null) {
            check.takeLastOfVersion();
            id = clauses.find();
        }
        if (id == PairTable.ABSENT) {
            if (sums == null) {
                clauses.make(search);
            } else {
                clauses.make(search, sums);
            }
            if (search.isPending()) {
                return AGAIN;
            }
            id = clauses.size() - 1;
        }
        int literal = cheapest(search, id, sums != null);
        if (atoms.kind(Literals.variable(literal)) == Atoms.BRACKET) {
            clauses.define(search, Literals.variable(literal));
            if (search.isPending()) {
                return AGAIN;
            }
        }
        return literal;
    }

    /** @param isOfSum whether it is the last clause of a sum, which another literal may leave wrong */
    private int cheapest(Search search, int id, boolean isOfSum) {
        int start = clauses.start(id);
        int size = clauses.end(id) - start;
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        int offset = size == 0 ? 0 : (int) Long.remainderUnsigned(random, size);
        int best = Literals.NONE;
        long bestCost = Long.MAX_VALUE;
        for (int i = 0; i < size; i++) {
            int at = i + offset < size ? i + offset : i + offset - size;
            int literal = clauses.literal(start + at);
            int value = search.value(literal);
            if (value > 0) {
                throw new IllegalStateException("a violated item's clause has a true literal: clause " + id);
            }
            if (value == 0) {
                long cost = cost(literal) + (isOfSum ? (long) clauses.error(at) * p.events() : 0);
                if (cost < bestCost) {
                    bestCost = cost;
                    best = literal;
                }
            }
        }
        if (best == Literals.NONE) {
            throw new IllegalStateException(
                    "the clause of a violated item is false and was not propagated: clause " + id);
        }
        return best;
    }

    private long cost(int literal) {
        int variable = Literals.variable(literal);
        return switch (atoms.kind(variable)) {
            case Atoms.EDGE -> displacement(atoms.from(literal), atoms.to(literal));
            case Atoms.COMMIT -> COMMIT_COST;
            default -> {
                int candidate = atoms.candidate(variable);
                int writer = atoms.writer(variable);
                int txn = p.transaction(candidate);
                yield (writer == Atoms.NONE ? 0 : displacement(writer, candidate))
                        + displacement(p.commit(txn), atoms.reader(variable))
                        + (check.counts(txn) ? 0 : COMMIT_COST);
            }
        };
    }

    /** The distance that the ends of an edge are apart in the order, or 0 if the edge agrees with the order. */
    private long displacement(int from, int to) {
        return Math.max(0, (long) position[from] - position[to]);
    }
}
