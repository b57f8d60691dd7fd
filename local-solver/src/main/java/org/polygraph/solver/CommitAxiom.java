package org.polygraph.solver;

import java.util.Arrays;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.sat.SearchBudget;

/**
 * Finds what the axiom demands of the sources that are chosen and the current order does not obey: a read of t3 has
 * source t1, t3 sees t2, which writes the key too, and t2 is behind t1, or t1 is the initial version. The clause states
 * that t2 is before t1, or that the read has another source, or that t3 does not see t2, because one of the choices is
 * another by which it does.
 *
 * <p>Of the writers of a key in one session that a transaction sees, the last one is enough.
 */
final class CommitAxiom {
    /** So many clauses are made before the search goes on. */
    private static final int MOST_CLAUSES = 1_000;

    private final CommitProblem p;
    private final CommitTheory theory;
    private final int[] position;
    private final SearchBudget budget;

    // Clauses that are not added yet.
    private final IntStack literals;
    private final IntStack ends;
    private final IntStack tags;
    private final IntStack clause;

    /** By key: its last counted writer in the current session so far, or an earlier one. */
    private final int[] lastWriters;

    /** CC: by transaction and session, how many transactions of the session, the first ones, precede it. */
    private int[] clocks = new int[0];

    private final int[] sessionStarts;
    private final int sessions;
    // A search for the choices by which a transaction sees another.
    private final boolean[] isReached;
    private final int[] cameFrom;
    private final int[] cameBy;
    private final IntStack queue;

    CommitAxiom(CommitProblem p, CommitTheory theory, int[] position, SearchBudget budget) {
        this.p = p;
        this.theory = theory;
        this.position = position;
        this.budget = budget;
        literals = new IntStack(budget);
        ends = new IntStack(budget);
        tags = new IntStack(budget);
        clause = new IntStack(budget);
        queue = new IntStack(budget);
        lastWriters = budget.ints(p.writerStarts.length - 1);
        sessions = p.transactions == 0 ? 0 : p.sessionOf[p.transactions - 1] + 1;
        boolean isCausal = p.sees == CommitProblem.Sees.CAUSES;
        int n = isCausal ? p.transactions : 0;
        sessionStarts = budget.ints(sessions + 1);
        for (int t = 0; t < p.transactions; t++) {
            sessionStarts[p.sessionOf[t] + 1] = t + 1;
        }
        for (int s = 0; s < sessions; s++) {
            sessionStarts[s + 1] = Math.max(sessionStarts[s], sessionStarts[s + 1]);
        }
        budget.reserve(n);
        isReached = new boolean[n];
        cameFrom = budget.ints(n);
        cameBy = budget.ints(n);
    }

    /**
     * Adds clauses for what a transaction sees by its own reads and its session; returns whether it did. At CC also for
     * what these see, if their turn is over.
     */
    boolean demand(Search search, int t) {
        if (p.sees == CommitProblem.Sees.CAUSES) {
            fillClock(t, true);
            ofCauses(search, t);
        } else if (theory.isCounted(t)) {
            ofReads(search, t);
            for (int r = p.readStarts[t]; p.sees == CommitProblem.Sees.NEIGHBOURS && r < p.readStarts[t + 1]; r++) {
                ofSession(search, r, writerOfSession(r));
            }
        }
        return add(search);
    }

    /** The last transaction before the reader in its session that wrote the key and is not optional; -1 if none. */
    int writerOfSession(int read) {
        int t = p.reader(read);
        int key = p.readKeys[read];
        if (p.sees == CommitProblem.Sees.EARLIER_READS || p.sees == CommitProblem.Sees.NOTHING) {
            return -1;
        }
        int found = Arrays.binarySearch(p.writers, p.writerStarts[key], p.writerStarts[key + 1], t);
        int w = (found < 0 ? -found - 1 : found) - 1;
        while (w >= p.writerStarts[key] && p.isEarlier(p.writers[w], t) && p.optional[p.writers[w]]) {
            w--;
        }
        return w >= p.writerStarts[key] && p.isEarlier(p.writers[w], t) ? p.writers[w] : -1;
    }

    /** The same for all counted transactions, which have a source for each read, and all that they see. */
    boolean demandAll(Search search) {
        if (p.sees == CommitProblem.Sees.CAUSES) {
            causes(search);
        } else {
            Arrays.fill(lastWriters, -1);
            for (int t = 0; t < p.transactions && ends.size() < MOST_CLAUSES; t++) {
                if (theory.isCounted(t)) {
                    ofReads(search, t);
                    if (p.sees == CommitProblem.Sees.NEIGHBOURS) {
                        ofSession(search, t);
                    }
                }
            }
        }
        return add(search);
    }

    /** Adds the clauses that are prepared; returns whether there are any. */
    private boolean add(Search search) {
        for (int i = 0; i < ends.size(); i++) {
            clause.clear();
            for (int at = i == 0 ? 0 : ends.get(i - 1); at < ends.get(i); at++) {
                clause.push(literals.get(at));
            }
            search.addClause(clause, tags.get(i));
        }
        boolean any = !ends.isEmpty();
        literals.clear();
        ends.clear();
        tags.clear();
        return any;
    }

    /** Whether the source of a read has to come behind a writer that its transaction sees, and does not. */
    private boolean isDemanded(int read, int seen) {
        int source = theory.source(read);
        return source != seen && (source == CommitProblem.INITIAL || position[seen] > position[source]);
    }

    private void ofReads(Search search, int t) {
        int first = p.readStarts[t];
        int end = p.readStarts[t + 1];
        for (int r = first; r < end && p.sees != CommitProblem.Sees.NOTHING; r++) {
            int last = p.sees == CommitProblem.Sees.EARLIER_READS ? p.statements[r] : end;
            for (int other = first; other < last; other++) {
                int seen = theory.source(other);
                budget.tick();
                if (seen >= 0 && isDemanded(r, seen) && p.writes(seen, p.readKeys[r])) {
                    begin(r);
                    unless(other);
                    end(search, seen, theory.source(r));
                }
            }
        }
    }

    private void ofSession(Search search, int t) {
        int start = sessionStarts[p.sessionOf[t]];
        for (int r = p.readStarts[t]; r < p.readStarts[t + 1]; r++) {
            ofSession(search, r, lastWriters[p.readKeys[r]] < start ? -1 : lastWriters[p.readKeys[r]]);
        }
        for (int w = p.writeStarts[t]; w < p.writeStarts[t + 1]; w++) {
            lastWriters[p.writtenKeys[w]] = t;
        }
    }

    private void ofSession(Search search, int read, int seen) {
        if (seen >= 0 && isDemanded(read, seen)) {
            begin(read);
            theory.unlessUncommitted(search, seen, clause);
            end(search, seen, theory.source(read));
        }
    }

    private void begin(int read) {
        clause.clear();
        theory.beginNames();
        theory.name(~read);
        theory.unlessChosen(read, clause);
    }

    /** Adds the literal that a read does not have its source. */
    private void unless(int read) {
        theory.name(~read);
        int before = clause.size();
        theory.unlessChosen(read, clause);
        for (int i = 0; i < before && clause.size() > before; i++) {
            if (clause.get(i) == clause.get(before)) {
                clause.truncate(before);
            }
        }
    }

    private void end(Search search, int seen, int source) {
        theory.name(seen);
        if (source != CommitProblem.INITIAL) {
            theory.name(source);
            clause.push(theory.edge(search, seen, source));
        }
        for (int i = 0; i < clause.size(); i++) {
            literals.push(clause.get(i));
        }
        ends.push(literals.size());
        tags.push(theory.endNames());
    }

    // ---------------------------------------------------------------- CC

    private void causes(Search search) {
        int[] at = new int[p.transactions];
        for (int t = 0; t < at.length; t++) {
            at[position[t]] = t;
        }
        for (int t : at) {
            fillClock(t, false);
            if (ends.size() < MOST_CLAUSES) {
                ofCauses(search, t);
            }
        }
    }

    private void ofCauses(Search search, int t) {
        for (int r = p.readStarts[t]; theory.isCounted(t) && r < p.readStarts[t + 1]; r++) {
            int key = p.readKeys[r];
            int w = p.writerStarts[key];
            int end = p.writerStarts[key + 1];
            while (w < end) {
                budget.tick();
                int session = p.sessionOf[p.writers[w]];
                int bound = sessionStarts[session] + clocks[t * sessions + session];
                int seen = -1;
                for (; w < end && p.sessionOf[p.writers[w]] == session; w++) {
                    seen = p.writers[w] < bound && theory.isCounted(p.writers[w]) ? p.writers[w] : seen;
                }
                if (seen >= 0 && seen != t && isDemanded(r, seen)) {
                    begin(r);
                    unlessSeen(search, t, seen);
                    end(search, seen, theory.source(r));
                }
            }
        }
    }

    /**
     * Computes the clock of a transaction from those of its session predecessor and its sources.
     *
     * @param ofSettled whether the clocks of transactions whose turn is not over are unknown
     */
    private void fillClock(int t, boolean ofSettled) {
        if (clocks.length == 0) {
            if ((long) p.transactions * sessions > Integer.MAX_VALUE - 16) {
                budget.reserve(Long.MAX_VALUE / 2);
            }
            clocks = budget.ints(p.transactions * sessions);
        }
        budget.tick();
        Arrays.fill(clocks, t * sessions, (t + 1) * sessions, 0);
        if (t > sessionStarts[p.sessionOf[t]]) {
            join(t, t - 1, ofSettled);
        }
        for (int r = p.readStarts[t]; theory.isCounted(t) && r < p.readStarts[t + 1]; r++) {
            int source = theory.source(r);
            if (source >= 0) {
                join(t, source, ofSettled);
            }
        }
    }

    private void join(int t, int before, boolean ofSettled) {
        int to = t * sessions;
        int from = before * sessions;
        boolean isKnown = !ofSettled || theory.isSettled(before);
        for (int s = 0; isKnown && s < sessions; s++) {
            clocks[to + s] = Math.max(clocks[to + s], clocks[from + s]);
        }
        int session = p.sessionOf[before];
        clocks[to + session] = Math.max(clocks[to + session], before - sessionStarts[session] + 1);
    }

    /** Adds literals one of which holds if a transaction does not causally precede another: the fewest reads. */
    private void unlessSeen(Search search, int t, int seen) {
        Arrays.fill(isReached, false);
        queue.clear();
        reach(t, -1, -1);
        int found = -1;
        for (int i = 0; found < 0; i++) {
            int u = queue.get(i);
            for (int r = p.readStarts[u]; theory.isCounted(u) && r < p.readStarts[u + 1] && found < 0; r++) {
                int source = theory.source(r);
                if (source >= 0 && !isReached[source]) {
                    reach(source, u, r);
                    found = isAtOrBehind(source, seen) ? source : -1;
                }
            }
            found = isAtOrBehind(u, seen) ? u : found;
        }
        if (found != seen) {
            theory.unlessUncommitted(search, seen, clause);
        }
        for (int u = found; u >= 0; u = cameFrom[u]) {
            theory.name(u);
            if (cameBy[u] >= 0) {
                unless(cameBy[u]);
            }
        }
    }

    private boolean isAtOrBehind(int u, int seen) {
        return u == seen || p.isEarlier(seen, u);
    }

    /** Reaches a transaction by a read of another one, and all before it in its session. */
    private void reach(int u, int from, int read) {
        for (int v = u; v >= sessionStarts[p.sessionOf[u]] && !isReached[v]; v--) {
            isReached[v] = true;
            cameFrom[v] = v == u ? from : v + 1;
            cameBy[v] = v == u ? read : -1;
            queue.push(v);
        }
    }
}
