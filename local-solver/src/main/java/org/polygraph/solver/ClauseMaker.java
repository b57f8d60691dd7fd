package org.polygraph.solver;

import org.jspecify.annotations.Nullable;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.Literals;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.sat.SearchBudget;
import org.polygraph.solver.theory.Atoms;
import org.polygraph.solver.theory.PairTable;

/**
 * Makes a clause for each violated item, once, and records what each clause states.
 *
 * <p>Read r whose last counted writer W has another value: {@code b(r)->c(W) OR OR_T [c(W)->b(T) AND c(T)->b(r)]} over
 * the candidates T; with no writer before it {@code OR_T c(T)->b(r)}; writers that overlap:
 * {@code c(W)->b(W') OR c(W')->b(W)}. Whether a row exists, where W leaves a row and W' is its next writer:
 * {@code c(W)->b(W') OR c(W')->c(W) OR OR_T [c(W)->c(T) AND c(T)->c(W')]} over the writers T that leave none. Each
 * clause holds in every model in which the transactions that it names are committed, so a clause with an optional
 * transaction also contains the negation of its commit. A bracket is a variable that implies its two edges; one
 * direction suffices because brackets occur only positively. Literals that the known edges decide are left out.
 */
final class ClauseMaker {
    private static final long OVERLAP_TAG = 1L << 63;

    private final Polygraph p;
    private final Atoms atoms;
    private final ReadCheck check;
    private final @Nullable ProofTrace proof;
    private final PairTable known;
    private final IntStack readers;
    private final IntStack writers;
    private final IntStack others;
    /** Start of each clause's literals in {@link #literals}. */
    private final IntStack starts;

    private final IntStack literals;
    private final IntStack clause;
    private final IntStack binary;
    private final IntStack candidates;
    private final IntStack parts;
    /** By literal of the last clause of a sum: the error that the read would have with it, as a class from 0 to 2. */
    private final IntStack errors;

    ClauseMaker(Polygraph p, Atoms atoms, ReadCheck check, SearchBudget budget, @Nullable ProofTrace proof) {
        this.p = p;
        this.atoms = atoms;
        this.check = check;
        this.proof = proof;
        known = new PairTable(budget);
        readers = new IntStack(budget);
        writers = new IntStack(budget);
        others = new IntStack(budget);
        starts = new IntStack(budget);
        literals = new IntStack(budget);
        clause = new IntStack(budget);
        binary = new IntStack(budget);
        candidates = new IntStack(budget);
        parts = new IntStack(budget);
        errors = new IntStack(budget);
    }

    /** Number of clauses made. */
    int size() {
        return starts.size();
    }

    /** The clause of {@code check}'s current violated item, or {@link PairTable#ABSENT} if it has none yet. */
    int find() {
        return known.get(itemId());
    }

    private long itemId() {
        if (check.reader() >= 0) {
            return (long) check.reader() << 32 | (check.writer() + 1);
        }
        if (p.readsAtCommit(check.key())) {
            return OVERLAP_TAG | (long) check.writer() << 32 | check.otherWriter();
        }
        int low = Math.min(check.writer(), check.otherWriter());
        int high = Math.max(check.writer(), check.otherWriter());
        return OVERLAP_TAG | (long) low << 32 | high;
    }

    int start(int id) {
        return starts.get(id);
    }

    int end(int id) {
        return id + 1 < starts.size() ? starts.get(id + 1) : literals.size();
    }

    /** How bad the order is with a literal of the last clause of a sum: 0 if it alone makes the sum right. */
    int error(int literal) {
        return literal < errors.size() ? errors.get(literal) : 2;
    }

    /** Literals of all clauses, by {@link #start}. */
    int literal(int index) {
        return literals.get(index);
    }

    int reader(int id) {
        return readers.get(id);
    }

    int writer(int id) {
        return writers.get(id);
    }

    int other(int id) {
        return others.get(id);
    }

    /** Makes the clause of {@code check}'s current violated item and adds it to the search. */
    void make(Search search) {
        clause.clear();
        int reader = check.reader();
        int writer = check.writer();
        if (reader < 0) {
            overlap(search, p.writerTxn[writer], p.writerTxn[check.otherWriter()]);
        } else {
            read(search, reader, writer);
        }
        int id = starts.size();
        known.put(itemId(), id);
        readers.push(reader);
        writers.push(writer);
        others.push(check.otherWriter());
        starts.push(literals.size());
        for (int i = 0; i < clause.size(); i++) {
            literals.push(clause.get(i));
        }
        if (proof != null) {
            if (reader < 0) {
                proof.overlap(writer, check.otherWriter(), clause.array(), clause.size());
            } else {
                proof.read(reader, writer, clause.array(), clause.size());
            }
        }
        search.addClause(clause, id);
    }

    /**
     * Makes the clause of a wrong sum: the read comes before a write that it sees, or after one that it does not see, or
     * another write is the last one before it that sets the key, or is on the other side of that one.
     */
    void make(Search search, SumCheck sums) {
        SumItems items = sums.items();
        int read = sums.read();
        int base = sums.base();
        clause.clear();
        errors.clear();
        for (int i = items.starts()[sums.key()]; i < items.starts()[sums.key() + 1]; i++) {
            int txn = items.transactions()[i];
            if (items.kinds()[i] == SumItems.READ || txn == items.transactions()[read]) {
                continue;
            }
            parts.clear();
            boolean isSeen = sums.isBefore(i, read);
            boolean isAdded = base < 0 || !isSeen || sums.isBefore(base, i);
            if (!sums.counts(i)) {
                parts.push(Literals.positive(commitVariable(search, txn)));
            } else if (base < 0 || !isSeen || i == base) {
                addEdge(search, sums.event(isSeen ? read : i), sums.event(isSeen ? i : read));
            } else if (isAdded) {
                // It does not set the key, because the base is the last one that does.
                addEdge(search, sums.event(i), sums.event(base));
                addEdge(search, sums.event(read), sums.event(i));
            } else {
                addEdge(search, sums.event(base), sums.event(i));
            }
            if (p.isOptional(txn) && isSeen && sums.counts(i)) {
                parts.push(Literals.negative(commitVariable(search, txn)));
            }
            long error = isAdded && sums.counts(i) ? sums.errorWithout(i) : sums.error();
            for (int j = 0; j < parts.size(); j++) {
                clause.push(parts.get(j));
                errors.push(error == 0 ? 0 : error < sums.error() ? 1 : 2);
            }
        }
        unlessUncommitted(search, items.transactions()[read]);
        int id = starts.size();
        // No other clause has this number of a reader.
        readers.push(p.readerStart[p.keys()] + read);
        writers.push(-1);
        others.push(-1);
        starts.push(literals.size());
        for (int i = 0; i < clause.size(); i++) {
            literals.push(clause.get(i));
        }
        search.addClause(clause, id);
    }

    private void overlap(Search search, int first, int second) {
        parts.clear();
        addEdge(search, p.commit(first), p.snapshot(second));
        addEdge(search, p.commit(second), p.readsAtCommit(check.key()) ? p.commit(first) : p.snapshot(first));
        for (int i = 0; i < parts.size(); i++) {
            clause.push(parts.get(i));
        }
        if (p.readsAtCommit(check.key())) {
            // Unless the row was deleted between the two.
            noRowBetween(search, first, second);
        }
        unlessUncommitted(search, first);
        unlessUncommitted(search, second);
    }

    private void noRowBetween(Search search, int first, int second) {
        for (int w = p.writerStart[check.key()]; w < p.writerStart[check.key() + 1]; w++) {
            int txn = p.writerTxn[w];
            if (txn != first && txn != second && !p.bindsNext(check.key(), p.writerClass[w])) {
                addAlternative(search, p.commit(first), p.commit(txn), p.commit(second));
            }
        }
    }

    private void read(Search search, int reader, int writer) {
        int readTxn = p.readerTxn[reader];
        int read = p.readAt(check.key(), readTxn);
        if (writer >= 0) {
            parts.clear();
            if (addEdge(search, read, p.commit(p.writerTxn[writer]))) {
                clause.push(parts.get(0));
            }
        }
        candidates.clear();
        int before = writer < 0 ? Atoms.NONE : p.commit(p.writerTxn[writer]);
        check.candidates().pushPossible(check.key(), p.readerClass[reader], before, read, candidates);
        for (int i = 0; i < candidates.size(); i++) {
            int candidate = p.writerTxn[candidates.get(i)];
            if (candidate == readTxn) {
                continue;
            }
            addAlternative(search, before, p.overwrites(check.key(), candidate), read);
        }
        if (writer >= 0) {
            unlessUncommitted(search, p.writerTxn[writer]);
        }
        unlessUncommitted(search, readTxn);
    }

    /** As {@link #addPart}, for an edge that the current order reverses and that therefore cannot be certain. */
    private boolean addEdge(Search search, int from, int to) {
        int before = parts.size();
        boolean possible = addPart(search, from, to);
        if (possible && parts.size() == before) {
            throw certainYetBroken();
        }
        return possible;
    }

    /** Adds the literal of an edge to {@code parts} unless it is certain; false when it is impossible. */
    private boolean addPart(Search search, int from, int to) {
        if (p.certain(to, from)) {
            return false;
        }
        if (!p.certain(from, to)) {
            int variable = atoms.edge(from, to);
            if (variable == PairTable.ABSENT) {
                variable = search.addVariable();
                atoms.addEdge(from, to);
                if (proof != null) {
                    proof.edge(variable, Math.min(from, to), Math.max(from, to));
                }
            }
            parts.push(Atoms.edgeLiteral(variable, from, to));
        }
        return true;
    }

    /**
     * Adds the alternative that a candidate lies between writer and reader: nothing if known edges exclude it, one
     * literal if one part is open, otherwise a bracket.
     *
     * @param writer commit of the writer, or {@link Atoms#NONE}
     * @param candidate event of the candidate, which comes after the writer
     * @param reader event of the reader, which comes after the candidate's commit
     */
    private void addAlternative(Search search, int writer, int candidate, int reader) {
        int txn = p.transaction(candidate);
        boolean before = writer == Atoms.NONE || p.certain(writer, candidate);
        boolean after = p.certain(p.commit(txn), reader);
        if ((!before && p.certain(candidate, writer)) || (!after && p.certain(reader, p.commit(txn)))) {
            return;
        }
        int choices = (before ? 0 : 1) + (after ? 0 : 1) + (p.isOptional(txn) ? 1 : 0);
        if (choices > 1) {
            int bracket = search.addVariable();
            atoms.addBracket(writer, candidate, reader);
            if (proof != null) {
                proof.bracket(bracket, writer, candidate, reader);
            }
            clause.push(Literals.positive(bracket));
            return;
        }
        parts.clear();
        collectParts(search, writer, candidate, reader);
        if (parts.isEmpty()) {
            throw certainYetBroken();
        }
        clause.push(parts.get(0));
    }

    private void collectParts(Search search, int writer, int candidate, int reader) {
        int txn = p.transaction(candidate);
        if (writer != Atoms.NONE) {
            addPart(search, writer, candidate);
        }
        addPart(search, p.commit(txn), reader);
        if (p.isOptional(txn)) {
            parts.push(Literals.positive(commitVariable(search, txn)));
        }
    }

    /** Adds the clauses by which a bracket implies its edges, and its candidate's commit. */
    void define(Search search, int bracket) {
        parts.clear();
        collectParts(search, atoms.writer(bracket), atoms.candidate(bracket), atoms.reader(bracket));
        atoms.define(bracket);
        for (int i = 0; i < parts.size(); i++) {
            binary.clear();
            binary.push(Literals.negative(bracket));
            binary.push(parts.get(i));
            if (proof != null) {
                proof.definition(binary.array(), binary.size());
            }
            search.addClause(binary, -1);
        }
    }

    private void unlessUncommitted(Search search, int txn) {
        if (p.isOptional(txn)) {
            clause.push(Literals.negative(commitVariable(search, txn)));
        }
    }

    private int commitVariable(Search search, int txn) {
        int variable = atoms.commit(txn);
        if (variable == PairTable.ABSENT) {
            variable = search.addVariable();
            atoms.addCommit(txn);
            if (proof != null) {
                proof.commit(variable, txn);
            }
        }
        return variable;
    }

    private static IllegalStateException certainYetBroken() {
        return new IllegalStateException(
                "the order reverses a certain edge: Polygraph.reachability and position contradict each other");
    }
}
