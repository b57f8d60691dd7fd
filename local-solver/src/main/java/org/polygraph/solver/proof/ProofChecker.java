package org.polygraph.solver.proof;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a {@link ProofTrace} refutes a {@link ProofProblem}. It trusts neither the trace nor its writer, and
 * shares no code with a search.
 *
 * <p>Every order that explains the problem, with its choice of commits, gives each declared variable a value by its
 * declared meaning. The checker admits a clause only if every such order makes it true. For a clause about a read or an
 * overlap, it finds the candidates in the problem's arrays; the clause must name each candidate, wholly or by one part,
 * or a path of known edges must exclude it. A definition is checked by the meaning of its bracket, a lemma by walking
 * its cycle, and a learnt clause by the clauses that it names. The empty clause then leaves no order.
 *
 * <p>Time: O(key's writers) a clause, and up to three searches of the known edges if literals were left out; O(cycle) a
 * lemma; the size of the clauses that it names a learnt clause. Memory: 36 bytes an event, 4 an edge, and the clauses that were not deleted.
 */
public final class ProofChecker {
    private static final int NONE = -1;

    private final ProofProblem p;
    private final KnownPaths paths;
    private final Clauses admitted;

    /** The meaning of each variable. */
    private byte[] kinds = new byte[0];

    private int[] first = new int[0];
    private int[] second = new int[0];
    private int[] third = new int[0];
    private int variables;

    /** By transaction: the last step whose clause names it as a candidate, or allows that it is uncommitted. */
    private final long[] namedAt;

    private final long[] uncommittedAt;
    private int[] unnamed = new int[16];

    private long step;
    private long clauses;
    private long lemmas;
    private long learnt;

    private ProofChecker(ProofProblem p, @Nullable Lrat lrat) {
        this.p = p;
        admitted = new Clauses(lrat);
        paths = new KnownPaths(p);
        namedAt = new long[p.transactions];
        uncommittedAt = new long[p.transactions];
    }

    /** Checks without a stop signal. */
    public static ProofResult check(ProofProblem problem, ProofTrace trace) {
        return check(problem, trace, () -> false);
    }

    /**
     * Checks a trace.
     *
     * @param stop polled at each step; true ends the check, and the trace is not accepted
     */
    public static ProofResult check(ProofProblem problem, ProofTrace trace, BooleanSupplier stop) {
        return check(problem, trace, stop, null);
    }

    /** Checks a trace, and writes its clauses. */
    static ProofResult check(ProofProblem problem, ProofTrace trace, BooleanSupplier stop, @Nullable Lrat lrat) {
        try {
            return new ProofChecker(problem, lrat).run(trace, stop);
        } catch (OutOfMemoryError e) {
            return new ProofResult(false, 0, "the Java heap is too small for this check: raise -Xmx", 0, 0, 0);
        }
    }

    private ProofResult run(ProofTrace trace, BooleanSupplier stop) {
        if (!paths.isAcyclic()) {
            return result("the known edges have a cycle: there is nothing to refute");
        }
        if (trace.isOverflowed()) {
            return result("the trace outgrew its memory and was discarded: give it more bytes");
        }
        if (!p.shape().equals(trace.shape())) {
            return result("the trace is of another problem: of " + trace.shape() + ", not of " + p.shape());
        }
        ProofTrace.Cursor cursor = new ProofTrace.Cursor(trace);
        while (cursor.next()) {
            step++;
            if (stop.getAsBoolean()) {
                return result("stopped before the end");
            }
            String fault = fault(cursor.kind(), cursor.numbers(), cursor.size());
            if (fault != null) {
                return result(fault);
            }
            if (cursor.kind() == ProofTrace.END) {
                return new ProofResult(true, step, "", clauses, lemmas, learnt);
            }
        }
        return result("the trace ends without a refutation");
    }

    private ProofResult result(String fault) {
        return new ProofResult(false, step, "step " + step + ": " + fault, clauses, lemmas, learnt);
    }

    /** Checks a step and adds its clause; returns its fault, or null. */
    private @Nullable String fault(int kind, int[] numbers, int size) {
        return switch (kind) {
            case ProofTrace.EDGE, ProofTrace.BRACKET, ProofTrace.COMMIT -> declare(kind, numbers, size);
            case ProofTrace.READ, ProofTrace.OVERLAP -> clause(kind, numbers, size);
            case ProofTrace.DEFINITION -> definition(numbers, size);
            case ProofTrace.LEMMA -> lemma(numbers, size);
            case ProofTrace.LEARNT -> learnt(numbers, size);
            case ProofTrace.DELETED ->
                size == 1 && admitted.delete(numbers[0]) ? null : "there is no such clause to delete";
            case ProofTrace.END ->
                admitted.derive(numbers, 0, 0, size) ? null : "the empty clause does not follow from the clauses named";
            default -> "there is no such kind of step: " + kind;
        };
    }

    // ---------------------------------------------------------------- variables

    private @Nullable String declare(int kind, int[] numbers, int size) {
        int expected = kind == ProofTrace.EDGE ? 3 : kind == ProofTrace.BRACKET ? 4 : 2;
        if (size != expected) {
            return "a declaration of " + size + " numbers, not " + expected;
        }
        if (numbers[0] != variables) {
            return "variable " + (numbers[0] + 1L) + " is declared where " + (variables + 1L) + " is next";
        }
        switch (kind) {
            case ProofTrace.EDGE -> {
                if (!isEvent(numbers[1]) || !isEvent(numbers[2]) || numbers[1] == numbers[2]) {
                    return "an edge needs two events, not " + numbers[1] + " and " + numbers[2];
                }
            }
            case ProofTrace.BRACKET -> {
                if ((numbers[1] != NONE && !isEvent(numbers[1])) || !isEvent(numbers[2]) || !isEvent(numbers[3])) {
                    return "a bracket needs an event or -1 and two events, not " + numbers[1] + ", " + numbers[2] + ", "
                            + numbers[3];
                }
            }
            default -> {
                if (!isTransaction(numbers[1]) || !p.isOptional(numbers[1])) {
                    return "transaction " + numbers[1] + " has no choice to commit";
                }
            }
        }
        if (variables == kinds.length) {
            int length = Math.max(16, 2 * variables);
            if (length > Integer.MAX_VALUE / 4) {
                return "too many variables to number their literals";
            }
            kinds = Arrays.copyOf(kinds, length);
            first = Arrays.copyOf(first, length);
            second = Arrays.copyOf(second, length);
            third = Arrays.copyOf(third, length);
        }
        kinds[variables] = (byte) kind;
        first[variables] = numbers[1];
        second[variables] = size > 2 ? numbers[2] : NONE;
        third[variables] = size > 3 ? numbers[3] : NONE;
        variables++;
        admitted.addVariable();
        return null;
    }

    private boolean isEvent(int event) {
        return event >= 0 && event < p.events();
    }

    private int transaction(int event) {
        return event / p.eventsPerTransaction;
    }

    private boolean isTransaction(int txn) {
        return txn >= 0 && txn < p.transactions;
    }

    private @Nullable String undeclared(int[] literals, int from, int to) {
        for (int i = from; i < to; i++) {
            if (literals[i] < 0 || literals[i] >> 1 >= variables) {
                return "variable " + ((literals[i] >> 1) + 1L) + " is used before it is declared";
            }
        }
        return null;
    }

    private static boolean isNegative(int literal) {
        return (literal & 1) != 0;
    }

    private boolean isKind(int literal, int kind) {
        return kinds[literal >> 1] == kind;
    }

    /** The source of the edge that a literal asserts. */
    private int from(int literal) {
        return isNegative(literal) ? second[literal >> 1] : first[literal >> 1];
    }

    private int to(int literal) {
        return isNegative(literal) ? first[literal >> 1] : second[literal >> 1];
    }

    private boolean asserts(int literal, int from, int to) {
        return isKind(literal, ProofTrace.EDGE) && from(literal) == from && to(literal) == to;
    }

    /** Whether the clause has this edge literal, or may lack it because a path of known edges makes it false. */
    private boolean isThereOrFalse(int[] literals, int from, int to, int source, int target) {
        for (int i = from; i < to; i++) {
            if (asserts(literals[i], source, target)) {
                return true;
            }
        }
        return paths.reaches(target, source);
    }

    // ---------------------------------------------------------------- clauses of the problem

    private @Nullable String clause(int kind, int[] numbers, int size) {
        if (size < 2) {
            return "a clause without the two indexes of its subject";
        }
        String fault = undeclared(numbers, 2, size);
        if (fault == null) {
            for (int i = 2; i < size; i++) {
                if (isKind(numbers[i], ProofTrace.COMMIT) && isNegative(numbers[i])) {
                    uncommittedAt[first[numbers[i] >> 1]] = step;
                }
            }
            fault = kind == ProofTrace.READ ? read(numbers, size) : overlap(numbers, size);
        }
        if (fault == null) {
            clauses++;
            admitted.axiom(numbers, 2, size);
        }
        return fault;
    }

    private @Nullable String mustAllowUncommitted(int txn) {
        return p.isOptional(txn) && uncommittedAt[txn] != step
                ? "the clause leaves out that transaction " + txn + " may not commit"
                : null;
    }

    private @Nullable String overlap(int[] numbers, int size) {
        int key = KeyLists.keyOf(p.writers.start, numbers[0]);
        if (key < 0
                || key != KeyLists.keyOf(p.writers.start, numbers[1])
                || numbers[0] == numbers[1]
                || !p.bindsNext(key, numbers[0])) {
            return "writers " + numbers[0] + " and " + numbers[1] + " may overlap, or are not two of one key";
        }
        int a = p.writers.txn[numbers[0]];
        int b = p.writers.txn[numbers[1]];
        boolean isExistence = p.kind(key).readsAtCommit();
        if (!isThereOrFalse(numbers, 2, size, p.commit(a), p.snapshot(b))
                || !isThereOrFalse(numbers, 2, size, p.commit(b), isExistence ? p.commit(a) : p.snapshot(a))) {
            return "the clause leaves out that transaction " + a + " precedes " + b + ", or the reverse";
        }
        String fault = mustAllowUncommitted(a);
        fault = fault == null ? mustAllowUncommitted(b) : fault;
        if (fault != null || !isExistence) {
            return fault;
        }
        // Unless a writer between the two leaves a state that does not bind the second one.
        return candidates(
                numbers,
                size,
                key,
                p.commit(a),
                p.commit(b),
                w -> w != numbers[0] && w != numbers[1] && !p.bindsNext(key, w));
    }

    private @Nullable String read(int[] numbers, int size) {
        int reader = numbers[0];
        int writer = numbers[1];
        int key = KeyLists.keyOf(p.readers.start, reader);
        if (key < 0) {
            return "there is no reader " + reader;
        }
        int readTxn = p.readers.txn[reader];
        int read = p.readAt(key, readTxn);
        int value = p.readers.valueClass[reader];
        int commit = NONE;
        String fault = mustAllowUncommitted(readTxn);
        if (writer == NONE) {
            if (value == ProofProblem.INITIAL) {
                return "reader " + reader + " needs no writer: it reads the initial value";
            }
        } else {
            if (KeyLists.keyOf(p.writers.start, writer) != key || p.writers.valueClass[writer] == value) {
                return "writer " + writer + " is of another key than reader " + reader + ", or wrote what that read";
            }
            int txn = p.writers.txn[writer];
            if (txn == readTxn) {
                return "reader " + reader + " does not see its own transaction's writer " + writer;
            }
            commit = p.commit(txn);
            fault = fault == null ? mustAllowUncommitted(txn) : fault;
            if (fault == null && !isThereOrFalse(numbers, 2, size, read, commit)) {
                return "the clause leaves out that reader " + reader + " may precede writer " + writer;
            }
        }
        if (fault != null) {
            return fault;
        }
        return candidates(
                numbers, size, key, commit, read, w -> p.writers.valueClass[w] == value && p.writers.txn[w] != readTxn);
    }

    /**
     * Checks each candidate, a writer of the key: the clause must name it, or it must certainly not lie between the
     * commit (of a writer, or {@link #NONE}) and the end. Returns the fault, or null.
     */
    private @Nullable String candidates(
            int[] numbers, int size, int key, int commit, int end, IntPredicate isCandidate) {
        for (int i = 2; i < size; i++) {
            name(numbers[i], key, commit, end);
        }
        int open = 0;
        int lastPlace = -1;
        int firstPlace = Integer.MAX_VALUE;
        for (int w = p.writers.start[key]; w < p.writers.start[key + 1]; w++) {
            int txn = p.writers.txn[w];
            if (!isCandidate.test(w) || namedAt[txn] == step) {
                continue;
            }
            if (open == unnamed.length) {
                unnamed = Arrays.copyOf(unnamed, 2 * open);
            }
            unnamed[open++] = txn;
            lastPlace = Math.max(lastPlace, paths.place(p.commit(txn)));
            firstPlace = Math.min(firstPlace, paths.place(p.overwrites(key, txn)));
        }
        if (open > 0) {
            paths.forward(end, lastPlace);
            int kept = 0;
            for (int i = 0; i < open; i++) {
                if (!paths.isReached(p.commit(unnamed[i]))) {
                    unnamed[kept++] = unnamed[i];
                }
            }
            open = kept;
        }
        if (open > 0 && commit != NONE) {
            paths.backward(commit, firstPlace);
            int kept = 0;
            for (int i = 0; i < open; i++) {
                if (!paths.isReached(p.overwrites(key, unnamed[i]))) {
                    unnamed[kept++] = unnamed[i];
                }
            }
            open = kept;
        }
        return open == 0 ? null : "the clause leaves out candidate " + unnamed[0] + ", which no known path rules out";
    }

    /**
     * Marks the candidates that this literal names: if the candidate lies between, the literal is true. The literal is
     * the candidate's bracket, one of its edges or its commit.
     */
    private void name(int literal, int key, int commit, int end) {
        int variable = literal >> 1;
        switch (kinds[variable]) {
            case ProofTrace.EDGE -> {
                int source = from(literal);
                int target = to(literal);
                int before = transaction(target);
                if (commit != NONE && source == commit && target == p.overwrites(key, before)) {
                    namedAt[before] = step;
                }
                int after = transaction(source);
                if (target == end && source == p.commit(after)) {
                    namedAt[after] = step;
                }
            }
            case ProofTrace.BRACKET -> {
                int candidate = transaction(second[variable]);
                if (!isNegative(literal)
                        && first[variable] == commit
                        && second[variable] == p.overwrites(key, candidate)
                        && third[variable] == end) {
                    namedAt[candidate] = step;
                }
            }
            default -> {
                if (!isNegative(literal)) {
                    namedAt[first[variable]] = step;
                }
            }
        }
    }

    private @Nullable String definition(int[] literals, int size) {
        String fault = undeclared(literals, 0, size);
        if (fault != null) {
            return fault;
        }
        if (size != 2 || !isKind(literals[0], ProofTrace.BRACKET) || !isNegative(literals[0])) {
            return "a definition is a negated bracket and one of its parts";
        }
        int bracket = literals[0] >> 1;
        int candidate = transaction(second[bracket]);
        int part = literals[1];
        boolean follows = (first[bracket] != NONE && asserts(part, first[bracket], second[bracket]))
                || asserts(part, p.commit(candidate), third[bracket])
                || (isKind(part, ProofTrace.COMMIT) && !isNegative(part) && first[part >> 1] == candidate);
        if (!follows) {
            return "bracket " + (bracket + 1L) + " has no such part";
        }
        admitted.axiom(literals, 0, size);
        return null;
    }

    // ---------------------------------------------------------------- what follows

    private @Nullable String lemma(int[] numbers, int size) {
        int end = size == 0 ? 0 : 1 + numbers[0];
        if (end < 1 || end > size) {
            return "a lemma whose count of literals is wrong";
        }
        String fault = undeclared(numbers, 1, end);
        if (fault != null) {
            return fault;
        }
        int length = size - end;
        if (length < 2) {
            return "a lemma without a cycle";
        }
        for (int i = end; i < size; i++) {
            if (!isEvent(numbers[i])) {
                return "there is no event " + numbers[i];
            }
        }
        for (int i = end; i < size; i++) {
            int from = numbers[i];
            int to = numbers[i + 1 < size ? i + 1 : end];
            boolean holds = false;
            for (int j = 1; j < end && !holds; j++) {
                // If the literal is false, its pair of events has the other direction.
                holds = asserts(numbers[j], to, from);
            }
            if (!holds && !paths.isEdge(from, to)) {
                return "the edge " + from + " -> " + to + " of the cycle is neither known nor denied by the lemma";
            }
        }
        lemmas++;
        admitted.axiom(numbers, 1, end);
        return null;
    }

    private @Nullable String learnt(int[] numbers, int size) {
        int end = size == 0 ? 0 : 1 + numbers[0];
        if (end < 1 || end > size) {
            return "a learnt clause whose count of literals is wrong";
        }
        String fault = undeclared(numbers, 1, end);
        if (fault != null) {
            return fault;
        }
        if (!admitted.derive(numbers, 1, end, size)) {
            return "the learnt clause does not follow from the clauses named";
        }
        learnt++;
        return null;
    }
}
