package org.polygraph.solver;

import java.util.Arrays;
import java.util.BitSet;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.Literals;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.sat.SearchBudget;
import org.polygraph.solver.sat.Theory;
import org.polygraph.solver.theory.Atoms;
import org.polygraph.solver.theory.DynamicOrder;
import org.polygraph.solver.theory.PairTable;

/**
 * Choices of sources and the commit order as a theory. Clauses, each made when it is needed:
 *
 * <ul>
 *   <li>an open read of a counted transaction has a source: one of its choices;
 *   <li>a choice puts its source before the reader, and implies that both are counted;
 *   <li>an optional transaction that is counted is behind its predecessors;
 *   <li>what the axiom demands of some choices ({@link CommitAxiom});
 *   <li>of transactions each of which waits for others of them, one reads from outside ({@link FoundedChoices}).
 * </ul>
 *
 * <p>Only choices are decided: the reads by their transactions in the first order, first the candidate that the read had
 * before, then the latest one before the reader in the current order. A transaction of unknown outcome is not counted
 * unless a clause makes it so.
 */
final class CommitTheory implements Theory {
    /** There is no variable. */
    private static final int ABSENT = -1;

    private final CommitProblem p;
    private final DynamicOrder order;
    private final Atoms atoms;
    private final SearchBudget budget;
    private final CommitAxiom axiom;
    private final FoundedChoices founded;
    /** By read: its first choice; those of its other candidates follow. */
    private final int[] firstChoices;
    /** By read: the index of the candidate that is chosen, or -1. */
    private final int[] chosen;
    /** By read: the index of the candidate that was chosen last, or -1. */
    private final int[] lastChosen;
    /** By transaction: whether its commit is decided to be so, or not optional. */
    private final boolean[] counted;
    /** Choices that became true before they were defined. Some may have been undone since then. */
    private final IntStack undefined;

    private final IntStack clause;
    private final IntStack path;
    /** What each tagged clause names: transactions t and reads ~r. */
    private final IntStack named;

    private final IntStack namedStarts;
    /** By place in the first order: its transaction. Reads are decided in this order. */
    private final int[] turns;

    private final int[] turnOf;
    /**
     * The transactions of the turns below have a source for each read, and obey the axiom in what is chosen so far, but for {@link #open}.
     */
    private int settled;
    /** Turns below whose transactions lost a source or a commit since then; at CC all turns after the first of these begin again. */
    private final BitSet open = new BitSet();
    /** No turn below is open. */
    private int firstOpen;

    /** Whether a choice became false since the last look for transactions that are not founded. */
    private boolean hasFewerChoices;

    private int assigned;

    CommitTheory(CommitProblem p, DynamicOrder order, Atoms atoms, SearchBudget budget) {
        this.p = p;
        this.order = order;
        this.atoms = atoms;
        this.budget = budget;
        firstChoices = budget.ints(p.reads());
        chosen = budget.ints(p.reads());
        lastChosen = budget.ints(p.reads());
        Arrays.fill(firstChoices, ABSENT);
        Arrays.fill(lastChosen, -1);
        for (int r = 0; r < p.reads(); r++) {
            chosen[r] = p.isOpen(r) ? -1 : 0;
        }
        budget.reserve(p.transactions);
        counted = new boolean[p.transactions];
        for (int t = 0; t < p.transactions; t++) {
            counted[t] = !p.optional[t];
        }
        turns = budget.ints(p.transactions);
        turnOf = Arrays.copyOf(p.position, p.transactions);
        for (int t = 0; t < p.transactions; t++) {
            turns[turnOf[t]] = t;
        }
        undefined = new IntStack(budget);
        clause = new IntStack(budget);
        path = new IntStack(budget);
        named = new IntStack(budget);
        namedStarts = new IntStack(budget);
        axiom = new CommitAxiom(p, this, order.position(), budget);
        founded = new FoundedChoices(p, this, budget);
    }

    @Override
    public boolean assign(int literal, IntStack explanation) {
        int variable = Literals.variable(literal);
        assigned++;
        switch (atoms.kind(variable)) {
            case Atoms.EDGE -> {
                int from = atoms.from(literal);
                int to = atoms.to(literal);
                if (!order.add(from, to, literal)) {
                    path.clear();
                    order.explain(from, to, explanation, path);
                    return false;
                }
                order.moved().clear();
            }
            case Atoms.COMMIT -> {
                counted[atoms.transaction(variable)] = !Literals.isNegative(literal);
                unsettle(atoms.transaction(variable));
            }
            default -> {
                int read = atoms.read(variable);
                if (Literals.isNegative(literal)) {
                    hasFewerChoices = true;
                } else {
                    undefined.push(variable);
                    if (chosen[read] < 0) {
                        chosen[read] = atoms.candidateOf(variable);
                        lastChosen[read] = chosen[read];
                    }
                }
            }
        }
        return true;
    }

    @Override
    public void undo(int literal) {
        int variable = Literals.variable(literal);
        switch (atoms.kind(variable)) {
            case Atoms.EDGE -> order.removeNewest();
            case Atoms.COMMIT -> {
                counted[atoms.transaction(variable)] = false;
                unsettle(atoms.transaction(variable));
            }
            default -> {
                int read = atoms.read(variable);
                if (!Literals.isNegative(literal) && chosen[read] == atoms.candidateOf(variable)) {
                    chosen[read] = -1;
                    unsettle(p.reader(read));
                }
            }
        }
    }

    private void unsettle(int transaction) {
        int turn = turnOf[transaction];
        if (p.sees == CommitProblem.Sees.CAUSES) {
            settled = Math.min(settled, turn);
        } else if (turn < settled) {
            open.set(turn);
            firstOpen = Math.min(firstOpen, turn);
        }
    }

    @Override
    public int next(Search search) {
        while (!undefined.isEmpty()) {
            int choice = undefined.pop();
            if (search.value(Literals.positive(choice)) > 0 && atoms.kind(choice) == Atoms.CHOICE) {
                define(search, choice);
            }
        }
        if (search.isPending()) {
            return AGAIN;
        }
        if (hasFewerChoices && assigned >= p.transactions / 16) {
            assigned = 0;
            hasFewerChoices = false;
            if (founded.refute(search, order.position())) {
                return AGAIN;
            }
        }
        for (int turn = firstTurn(); turn < p.transactions; turn = firstTurn()) {
            int t = turns[turn];
            if (counted[t]) {
                for (int r = p.readStarts[t]; r < p.readStarts[t + 1]; r++) {
                    budget.tick();
                    if (chosen[r] < 0) {
                        return choose(search, r);
                    }
                }
            }
            if (axiom.demand(search, t)) {
                return AGAIN;
            }
            if (turn < settled) {
                open.clear(turn);
            } else {
                settled++;
            }
        }
        if (!axiom.demandAll(search) && !precede(search)) {
            return COMPLETE;
        }
        // The clocks are now of all choices, also of those of later turns.
        settled = p.sees == CommitProblem.Sees.CAUSES ? 0 : settled;
        return AGAIN;
    }

    private int firstTurn() {
        int turn = firstOpen < settled ? open.nextSetBit(firstOpen) : -1;
        firstOpen = turn < 0 ? settled : turn;
        return firstOpen;
    }

    /** Adds a clause for each predecessor that an optional transaction, which is counted, is not behind. */
    private boolean precede(Search search) {
        int[] starts = p.ofOptional.starts();
        boolean any = false;
        for (int t = 0; t < p.transactions; t++) {
            for (int i = starts[t]; counted[t] && i < starts[t + 1]; i++) {
                int before = p.ofOptional.transactions()[i];
                budget.tick();
                if (order.position()[before] > order.position()[t]) {
                    clause.clear();
                    unlessUncommitted(search, t, clause);
                    clause.push(edge(search, before, t));
                    beginNames();
                    name(t);
                    name(before);
                    search.addClause(clause, endNames());
                    any = true;
                }
            }
        }
        return any;
    }

    /** Whether the sources of a transaction are chosen and its turn is over. */
    boolean isSettled(int transaction) {
        return turnOf[transaction] < settled;
    }

    /** A choice for a read that has none. */
    private int choose(Search search, int read) {
        if (firstChoices[read] == ABSENT) {
            addChoices(search, read);
            return AGAIN;
        }
        int candidates = p.candidateStarts[read + 1] - p.candidateStarts[read];
        int reader = order.position()[p.reader(read)];
        int best = ABSENT;
        long bestCost = Long.MAX_VALUE;
        for (int i = 0; i < candidates; i++) {
            int literal = Literals.positive(firstChoices[read] + i);
            if (search.value(literal) == 0) {
                int candidate = p.candidates[p.candidateStarts[read] + i];
                int position = candidate == CommitProblem.INITIAL ? -1 : order.position()[candidate];
                long cost = position < reader ? reader - position : (long) p.transactions + position - reader;
                cost = i == lastChosen[read] ? -1 : cost;
                if (cost < bestCost) {
                    bestCost = cost;
                    best = literal;
                }
            }
        }
        if (best == ABSENT) {
            throw new IllegalStateException("a read has no possible source and no conflict: read " + read);
        }
        return best;
    }

    private void addChoices(Search search, int read) {
        clause.clear();
        for (int i = 0; i < p.candidateStarts[read + 1] - p.candidateStarts[read]; i++) {
            int choice = search.addVariable();
            atoms.addChoice(read, i);
            firstChoices[read] = i == 0 ? choice : firstChoices[read];
            clause.push(Literals.positive(choice));
        }
        unlessUncommitted(search, p.reader(read), clause);
        beginNames();
        name(~read);
        search.addClause(clause, endNames());
    }

    private void define(Search search, int choice) {
        int read = atoms.read(choice);
        int source = p.candidates[p.candidateStarts[read] + atoms.candidateOf(choice)];
        atoms.define(choice);
        if (source != CommitProblem.INITIAL) {
            imply(search, read, choice, edge(search, source, p.reader(read)));
            if (p.optional[source]) {
                imply(search, read, choice, Literals.positive(commitVariable(search, source)));
            }
        }
        if (p.optional[p.reader(read)]) {
            imply(search, read, choice, Literals.positive(commitVariable(search, p.reader(read))));
        }
    }

    private void imply(Search search, int read, int choice, int literal) {
        clause.clear();
        clause.push(Literals.negative(choice));
        clause.push(literal);
        beginNames();
        name(~read);
        search.addClause(clause, endNames());
    }

    /** The literal that one transaction is before another. */
    int edge(Search search, int from, int to) {
        int variable = atoms.edge(from, to);
        if (variable == PairTable.ABSENT) {
            variable = search.addVariable();
            atoms.addEdge(from, to);
        }
        return Atoms.edgeLiteral(variable, from, to);
    }

    private int commitVariable(Search search, int transaction) {
        int variable = atoms.commit(transaction);
        if (variable == PairTable.ABSENT) {
            variable = search.addVariable();
            atoms.addCommit(transaction);
        }
        return variable;
    }

    /** Adds the literal that a transaction is not counted, if it is optional. */
    void unlessUncommitted(Search search, int transaction, IntStack to) {
        if (p.optional[transaction]) {
            to.push(Literals.not(commit(search, transaction)));
        }
    }

    /** The literal that an optional transaction is counted. */
    int commit(Search search, int transaction) {
        return Literals.positive(commitVariable(search, transaction));
    }

    /** Whether an optional transaction is known not to be counted. */
    boolean isOut(Search search, int transaction) {
        int variable = p.optional[transaction] ? atoms.commit(transaction) : PairTable.ABSENT;
        return variable != PairTable.ABSENT && search.value(Literals.positive(variable)) < 0;
    }

    boolean isCounted(int transaction) {
        return counted[transaction];
    }

    /** Whether candidate i of a read is not excluded. */
    boolean mayBe(Search search, int read, int i) {
        return firstChoices[read] == ABSENT || search.value(Literals.positive(firstChoices[read] + i)) >= 0;
    }

    /** The literal of candidate i of a read, which has choices. */
    int choice(int read, int i) {
        return Literals.positive(firstChoices[read] + i);
    }

    /** The source of a read of a counted transaction; -2 if none is chosen. */
    int source(int read) {
        return chosen[read] < 0 ? -2 : p.candidates[p.candidateStarts[read] + chosen[read]];
    }

    /** Adds the literal that a read does not have its source, if that is a choice. */
    void unlessChosen(int read, IntStack to) {
        if (p.isOpen(read)) {
            to.push(Literals.not(choice(read, chosen[read])));
        }
    }

    /** Begins the names of a clause. */
    void beginNames() {
        namedStarts.push(named.size());
    }

    /** Names a transaction t, or a read as ~r, in the clause. */
    void name(int what) {
        named.push(what);
    }

    /** The tag of the clause whose names end here. */
    int endNames() {
        return namedStarts.size() - 1;
    }

    /** Adds the transactions that a clause names, and the keys of its reads. */
    void addNamed(int tag, BitSet transactions, BitSet keys) {
        int end = tag + 1 < namedStarts.size() ? namedStarts.get(tag + 1) : named.size();
        for (int i = namedStarts.get(tag); i < end; i++) {
            int what = named.get(i);
            transactions.set(what < 0 ? p.reader(~what) : what);
            if (what < 0) {
                keys.set(p.readKeys[~what]);
            }
        }
    }

    int[] sources() {
        int[] sources = new int[p.reads()];
        for (int r = 0; r < sources.length; r++) {
            sources[r] = source(r);
        }
        return sources;
    }

    boolean[] counted() {
        return counted.clone();
    }
}
