package org.polygraph.solver;

import java.util.Arrays;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.sat.SearchBudget;

/**
 * Finds counted transactions that are not founded under the choices that are left: each of them, directly or through
 * others, waits for itself, because all candidates of some read that are not excluded wait, or its session predecessor
 * does. Then one of the excluded candidates outside has to be chosen, which is a clause without a true literal. Without
 * these clauses, that n transactions cannot all read from one another takes a number of conflicts that grows much
 * faster than n.
 *
 * <p>Linear in the candidates of all reads; in the reads, if the current order shows that all are founded.
 */
final class FoundedChoices {
    private final CommitProblem p;
    private final CommitTheory theory;
    /** By candidate of each read: the next one of the same transaction; -1: none. */
    private final int[] nextOf;
    /** By transaction: the first place where it is a candidate; -1: none. */
    private final int[] firstOf;
    /** By place of a candidate: its read. */
    private final int[] readOf;
    /** By read: whether a candidate of it is founded. */
    private final boolean[] isMet;
    /** By transaction: how many reads and session predecessors still lack a founded one. */
    private final int[] lacks;

    private final boolean[] isFounded;
    /** Transactions by place in the current order. */
    private final int[] inOrder;

    private final boolean[] isReached;
    private final IntStack queue;
    private final IntStack clause;

    FoundedChoices(CommitProblem p, CommitTheory theory, SearchBudget budget) {
        this.p = p;
        this.theory = theory;
        int places = p.candidates.length;
        nextOf = budget.ints(places);
        readOf = budget.ints(places);
        firstOf = budget.ints(p.transactions);
        lacks = budget.ints(p.transactions);
        inOrder = budget.ints(p.transactions);
        budget.reserve(p.reads() + 2L * p.transactions);
        isMet = new boolean[p.reads()];
        isFounded = new boolean[p.transactions];
        isReached = new boolean[p.transactions];
        queue = new IntStack(budget);
        clause = new IntStack(budget);
        Arrays.fill(firstOf, -1);
        for (int r = 0; r < p.reads(); r++) {
            for (int c = p.candidateStarts[r]; c < p.candidateStarts[r + 1]; c++) {
                readOf[c] = r;
                if (p.candidates[c] != CommitProblem.INITIAL) {
                    nextOf[c] = firstOf[p.candidates[c]];
                    firstOf[p.candidates[c]] = c;
                }
            }
        }
    }

    /**
     * Adds a clause that is false, if some counted transaction is not founded; returns whether it did.
     *
     * @param position the current order
     */
    boolean refute(Search search, int[] position) {
        if (isFoundedInOrder(search, position)) {
            return false;
        }
        find(search);
        for (int t = 0; t < p.transactions; t++) {
            if (!isFounded[t] && theory.isCounted(t)) {
                addClause(search, t);
                return true;
            }
        }
        return false;
    }

    /**
     * Whether each counted transaction is founded by earlier ones of the order. Most are, and of each read the first such candidate is
     * enough, where {@link #find} looks at all candidates.
     */
    private boolean isFoundedInOrder(Search search, int[] position) {
        for (int t = 0; t < p.transactions; t++) {
            inOrder[position[t]] = t;
        }
        Arrays.fill(isFounded, false);
        for (int t : inOrder) {
            int before = predecessor(t);
            boolean isNext = !theory.isOut(search, t) && (before < 0 || isFounded[before]);
            for (int r = p.readStarts[t]; isNext && r < p.readStarts[t + 1]; r++) {
                isNext = hasFounded(search, r);
            }
            if (!isNext && theory.isCounted(t)) {
                return false;
            }
            isFounded[t] = isNext;
        }
        return true;
    }

    private boolean hasFounded(Search search, int read) {
        for (int c = p.candidateStarts[read]; c < p.candidateStarts[read + 1]; c++) {
            boolean isOfFounded = p.candidates[c] == CommitProblem.INITIAL || isFounded[p.candidates[c]];
            if (isOfFounded && mayBe(search, read, c)) {
                return true;
            }
        }
        return false;
    }

    private void find(Search search) {
        Arrays.fill(isFounded, false);
        Arrays.fill(isMet, false);
        queue.clear();
        for (int t = 0; t < p.transactions; t++) {
            lacks[t] = p.readStarts[t + 1] - p.readStarts[t] + (predecessor(t) < 0 ? 0 : 1);
            if (theory.isOut(search, t)) {
                lacks[t] = Integer.MAX_VALUE;
            }
        }
        for (int t = 0; t < p.transactions; t++) {
            for (int r = p.readStarts[t]; r < p.readStarts[t + 1]; r++) {
                for (int c = p.candidateStarts[r]; c < p.candidateStarts[r + 1] && !isMet[r]; c++) {
                    if (p.candidates[c] == CommitProblem.INITIAL && mayBe(search, r, c)) {
                        isMet[r] = true;
                        lacks[t]--;
                    }
                }
            }
            if (lacks[t] == 0) {
                queue.push(t);
            }
        }
        for (int i = 0; i < queue.size(); i++) {
            int t = queue.get(i);
            isFounded[t] = true;
            for (int c = firstOf[t]; c >= 0; c = nextOf[c]) {
                int r = readOf[c];
                if (!isMet[r] && mayBe(search, r, c)) {
                    isMet[r] = true;
                    lack(p.reader(r));
                }
            }
            boolean isNext = !p.optional[t];
            for (int u = t + 1; isNext && u < p.transactions && p.sessionOf[u] == p.sessionOf[t]; u++) {
                lack(u);
                isNext = p.optional[u];
            }
        }
    }

    private void lack(int transaction) {
        if (--lacks[transaction] == 0) {
            queue.push(transaction);
        }
    }

    private boolean mayBe(Search search, int read, int candidate) {
        return !p.isOpen(read) || theory.mayBe(search, read, candidate - p.candidateStarts[read]);
    }

    /** The last transaction before it in its session that is not optional, or -1. */
    private int predecessor(int t) {
        int before = t - 1;
        while (before >= 0 && p.sessionOf[before] == p.sessionOf[t] && p.optional[before]) {
            before--;
        }
        return before >= 0 && p.sessionOf[before] == p.sessionOf[t] ? before : -1;
    }

    private void addClause(Search search, int counted) {
        clause.clear();
        theory.beginNames();
        Arrays.fill(isReached, false);
        queue.clear();
        queue.push(counted);
        isReached[counted] = true;
        for (int i = 0; i < queue.size(); i++) {
            int t = queue.get(i);
            theory.name(t);
            if (theory.isOut(search, t)) {
                clause.push(theory.commit(search, t));
                continue;
            }
            int read = waiting(t);
            if (read < 0) {
                reach(predecessor(t));
                continue;
            }
            theory.name(~read);
            for (int c = p.candidateStarts[read]; c < p.candidateStarts[read + 1]; c++) {
                if (mayBe(search, read, c)) {
                    reach(p.candidates[c]);
                }
            }
        }
        for (int i = 0; i < queue.size(); i++) {
            int read = theory.isOut(search, queue.get(i)) ? -1 : waiting(queue.get(i));
            for (int c = read < 0 ? 0 : p.candidateStarts[read]; read >= 0 && c < p.candidateStarts[read + 1]; c++) {
                boolean isOutside = p.candidates[c] == CommitProblem.INITIAL || !isReached[p.candidates[c]];
                if (isOutside) {
                    clause.push(theory.choice(read, c - p.candidateStarts[read]));
                }
            }
        }
        theory.unlessUncommitted(search, counted, clause);
        search.addClause(clause, theory.endNames());
    }

    private void reach(int transaction) {
        if (!isReached[transaction]) {
            isReached[transaction] = true;
            queue.push(transaction);
        }
    }

    /** The read with the fewest candidates that waits; -1 if only the session predecessor does. */
    private int waiting(int t) {
        int best = -1;
        int fewest = Integer.MAX_VALUE;
        for (int r = p.readStarts[t]; r < p.readStarts[t + 1]; r++) {
            int candidates = p.candidateStarts[r + 1] - p.candidateStarts[r];
            if (!isMet[r] && candidates < fewest) {
                best = r;
                fewest = candidates;
            }
        }
        return best;
    }
}
