package org.polygraph.solver.proof;

import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Problem and trace as text, a step a line; local-solver/docs/proof.md has the format. Lines end with a line
 * feed, numbers are decimal and stand one space apart.
 */
public final class ProofText {
    private static final String TITLE = "polygraph-proof 3";

    private ProofText() {}

    // ---------------------------------------------------------------- writing

    /** Writes both; the result alone is enough to check. O(problem + trace). */
    public static void write(ProofProblem p, ProofTrace trace, Appendable out) throws IOException {
        out.append(TITLE).append('\n');
        out.append("p ").append(Integer.toString(p.transactions));
        number(out, p.eventsPerTransaction);
        number(out, p.keys());
        out.append('\n');
        for (int e = 0; e < p.events(); e++) {
            if (p.successors.start[e] < p.successors.start[e + 1]) {
                out.append("s ").append(Integer.toString(e));
                for (int i = p.successors.start[e]; i < p.successors.start[e + 1]; i++) {
                    number(out, p.successors.target[i]);
                }
                out.append('\n');
            }
        }
        int writerBase = p.writers.start[0];
        for (int k = 0; k < p.keys(); k++) {
            items(out, 'w', k, p.writers, writerBase);
        }
        for (int k = 0; k < p.keys(); k++) {
            items(out, 'g', k, p.readers, writerBase);
        }
        for (int k = 0; k < p.keys(); k++) {
            if (p.kind(k) != KeyKind.PLAIN) {
                out.append('k');
                number(out, k);
                number(out, p.kind(k).ordinal());
                out.append('\n');
            }
        }
        for (int t = 0; t < p.transactions; t++) {
            if (p.isOptional(t)) {
                out.append("u ").append(Integer.toString(t)).append('\n');
            }
        }
        ProofTrace.Cursor cursor = new ProofTrace.Cursor(trace);
        while (cursor.next()) {
            step(out, cursor.kind(), cursor.numbers(), cursor.size(), p);
        }
    }

    private static void items(Appendable out, char letter, int key, KeyLists lists, int base) throws IOException {
        if (lists.start[key] == lists.start[key + 1]) {
            return;
        }
        out.append(letter);
        number(out, key);
        for (int i = lists.start[key]; i < lists.start[key + 1]; i++) {
            int valueClass = lists.valueClass[i];
            number(out, lists.txn[i]);
            number(out, valueClass == ProofProblem.INITIAL ? -1 : valueClass - base);
        }
        out.append('\n');
    }

    private static void step(Appendable out, int kind, int[] numbers, int size, ProofProblem p) throws IOException {
        out.append((char) kind);
        switch (kind) {
            case ProofTrace.EDGE, ProofTrace.BRACKET, ProofTrace.COMMIT -> {
                number(out, numbers[0] + 1);
                for (int i = 1; i < size; i++) {
                    number(out, numbers[i]);
                }
            }
            case ProofTrace.READ -> {
                number(out, numbers[0] - p.readers.start[0]);
                number(out, numbers[1] < 0 ? -1 : numbers[1] - p.writers.start[0]);
                literals(out, numbers, 2, size);
            }
            case ProofTrace.OVERLAP -> {
                number(out, numbers[0] - p.writers.start[0]);
                number(out, numbers[1] - p.writers.start[0]);
                literals(out, numbers, 2, size);
            }
            case ProofTrace.LEMMA -> {
                literals(out, numbers, 1, 1 + numbers[0]);
                for (int i = 1 + numbers[0]; i < size; i++) {
                    number(out, numbers[i]);
                }
            }
            case ProofTrace.LEARNT -> {
                literals(out, numbers, 1, 1 + numbers[0]);
                clauses(out, numbers, 1 + numbers[0], size);
            }
            case ProofTrace.DELETED, ProofTrace.END -> clauses(out, numbers, 0, size);
            default -> literals(out, numbers, 0, size);
        }
        out.append('\n');
    }

    private static void literals(Appendable out, int[] literals, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            int variable = (literals[i] >> 1) + 1;
            number(out, (literals[i] & 1) == 0 ? variable : -variable);
        }
        out.append(" 0");
    }

    private static void clauses(Appendable out, int[] numbers, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            number(out, numbers[i] + 1);
        }
    }

    private static void number(Appendable out, int number) throws IOException {
        out.append(' ').append(Integer.toString(number));
    }

    // ---------------------------------------------------------------- reading

    /**
     * Reads a text written by {@link #write} or another tool. The text is untrusted: memory stays in proportion to its
     * length and to {@code maxBytes}.
     *
     * @param maxBytes bound on the memory of the trace and, apart, of the problem
     * @throws ProofFormatException naming the line, when the text is no proof file or too large
     */
    public static Proof read(Reader in, long maxBytes) throws IOException {
        return new Parser(in, maxBytes).parse();
    }

    private static final class Parser {
        private final Reader in;
        private final long maxBytes;
        private final char[] buffer = new char[1 << 14];
        private int at;
        private int end;
        private long line;

        private int letter;
        private int[] numbers = new int[64];
        private int size;

        Parser(Reader in, long maxBytes) {
            this.in = in;
            this.maxBytes = maxBytes;
        }

        Proof parse() throws IOException {
            line = 1;
            for (int i = 0; i <= TITLE.length(); i++) {
                int expected = i == TITLE.length() ? '\n' : TITLE.charAt(i);
                if (read() != expected) {
                    throw bad("another title", "'" + TITLE + "'");
                }
            }
            ProofProblem problem = problem();
            ProofTrace trace = new ProofTrace(maxBytes);
            trace.begin(problem.shape());
            while (letter >= 0) {
                if (trace.isEnded()) {
                    throw bad("a line after 'q'", "the end");
                }
                step(trace);
                if (trace.isOverflowed()) {
                    throw bad("a trace of more than " + maxBytes + " bytes", "a smaller one, or a larger bound");
                }
                next();
            }
            return new Proof(problem, trace);
        }

        private ProofProblem problem() throws IOException {
            next();
            if (letter != 'p' || size != 3 || numbers[0] < 0 || numbers[1] < 1 || numbers[1] > 2 || numbers[2] < 0) {
                throw bad("no problem", "'p TRANSACTIONS EVENTS_PER_TRANSACTION KEYS'");
            }
            int transactions = numbers[0];
            int perTransaction = numbers[1];
            int keys = numbers[2];
            int most = (Integer.MAX_VALUE - 16) / 2;
            if (transactions > most / 2 || keys > most) {
                throw bad("a problem of " + transactions + " transactions and " + keys + " keys", "fewer than 2^29");
            }
            // 40 bytes an event and 16 a key is less than what a check takes.
            if (40L * transactions * perTransaction + 16L * keys > maxBytes) {
                throw bad("a problem of more than " + maxBytes + " bytes", "a smaller one, or a larger bound");
            }
            next();
            Lists successors = new Lists(transactions * perTransaction, 1, 's');
            Lists writers = new Lists(keys, 2, 'w');
            Lists readers = new Lists(keys, 2, 'g');
            successors.read();
            writers.read();
            readers.read();
            KeyKind[] kinds = null;
            while (letter == 'k') {
                if (size != 2 || numbers[0] < 0 || numbers[0] >= keys || numbers[1] < 1 || numbers[1] > 3) {
                    throw bad("no kind of a key", "'k KEY KIND', with a kind from 1 to 3");
                }
                if (kinds == null) {
                    kinds = new KeyKind[keys];
                    Arrays.fill(kinds, KeyKind.PLAIN);
                }
                kinds[numbers[0]] = KeyKind.values()[numbers[1]];
                next();
            }
            boolean[] optional = null;
            while (letter == 'u') {
                if (size != 1 || numbers[0] < 0 || numbers[0] >= transactions) {
                    throw bad("no transaction", "'u TRANSACTION'");
                }
                optional = optional == null ? new boolean[transactions] : optional;
                optional[numbers[0]] = true;
                next();
            }
            return assemble(transactions, perTransaction, successors, writers, readers, kinds, optional);
        }

        private ProofProblem assemble(
                int transactions,
                int perTransaction,
                Lists successors,
                Lists writers,
                Lists readers,
                KeyKind @Nullable [] kinds,
                boolean @Nullable [] optional)
                throws ProofFormatException {
            try {
                return new ProofProblem(
                        transactions,
                        perTransaction,
                        new EdgeLists(successors.start, successors.column(0)),
                        new KeyLists(writers.start, writers.column(0), writers.column(1)),
                        new KeyLists(readers.start, readers.column(0), readers.column(1)),
                        kinds,
                        optional);
            } catch (IllegalArgumentException e) {
                throw bad("the problem before this line is wrong: " + e.getMessage(), "indexes within its shape");
            }
        }

        /** Lines of one letter, by ascending owner, as CSR of entries of some numbers each. */
        private final class Lists {
            private final int owners;
            private final int width;
            private final char kind;
            final int[] start;
            private int[] entries = new int[16];
            private int used;

            Lists(int owners, int width, char kind) {
                this.owners = owners;
                this.width = width;
                this.kind = kind;
                start = new int[owners + 1];
            }

            void read() throws IOException {
                int next = 0;
                while (letter == kind) {
                    if (size < 1 || numbers[0] < next || numbers[0] >= owners || (size - 1) % width != 0) {
                        throw bad(
                                "a line '" + kind + "' of " + size + " numbers that starts with "
                                        + (size == 0 ? "nothing" : numbers[0]),
                                "owners that ascend below " + owners + " and entries of " + width);
                    }
                    while (next <= numbers[0]) {
                        start[next++] = used / width;
                    }
                    if (4L * used + 4L * size > Math.min(maxBytes, 1L << 32)) {
                        throw bad("a problem of more than " + maxBytes + " bytes", "a smaller one, or a larger bound");
                    }
                    if (used + size > entries.length) {
                        entries = Arrays.copyOf(entries, (int) Math.min(Integer.MAX_VALUE - 16L, 2L * (used + size)));
                    }
                    System.arraycopy(numbers, 1, entries, used, size - 1);
                    used += size - 1;
                    Parser.this.next();
                }
                while (next <= owners) {
                    start[next++] = used / width;
                }
            }

            int[] column(int index) {
                int[] column = new int[used / width];
                for (int i = 0; i < column.length; i++) {
                    column[i] = entries[width * i + index];
                }
                return column;
            }
        }

        private void step(ProofTrace trace) throws IOException {
            switch (letter) {
                case ProofTrace.EDGE -> declaration(3);
                case ProofTrace.BRACKET -> declaration(4);
                case ProofTrace.COMMIT -> declaration(2);
                case ProofTrace.READ, ProofTrace.OVERLAP -> clause(2);
                case ProofTrace.DEFINITION -> clause(0);
                case ProofTrace.LEMMA -> countedLiterals();
                case ProofTrace.LEARNT -> clauses(1 + countedLiterals());
                case ProofTrace.DELETED, ProofTrace.END -> clauses(0);
                default -> throw bad("a line that starts with " + shown(letter), "one of e b c r o d t l x q");
            }
            trace.step(letter, numbers, size);
        }

        /** Converts the literals from an index on, which end the line, and drops their zero. */
        private void clause(int from) throws ProofFormatException {
            if (literals(from) != size) {
                throw bad("numbers after the clause", "the end of the line");
            }
            size--;
        }

        /** Converts the literals up to their zero, in whose place their count comes, before them; returns the count. */
        private int countedLiterals() throws ProofFormatException {
            int count = literals(0) - 1;
            System.arraycopy(numbers, 0, numbers, 1, count);
            numbers[0] = count;
            return count;
        }

        /** Converts the numbers of clauses from an index on, which count from 1 in the text. */
        private void clauses(int from) throws ProofFormatException {
            for (int i = from; i < size; i++) {
                if (numbers[i] < 1) {
                    throw bad("clause " + numbers[i], "the number of a clause, from 1 on");
                }
                numbers[i]--;
            }
        }

        private void declaration(int count) throws ProofFormatException {
            if (size != count || numbers[0] < 1) {
                throw bad("a declaration of " + size + " numbers", count + ", the first a variable from 1 on");
            }
            numbers[0]--;
        }

        /** Converts signed literals, up to their zero, to those of the trace. Returns the index after the zero. */
        private int literals(int from) throws ProofFormatException {
            for (int i = from; i < size; i++) {
                int number = numbers[i];
                if (number == 0) {
                    return i + 1;
                }
                if (Math.abs((long) number) > Integer.MAX_VALUE / 2) {
                    throw bad("literal " + number, "a variable below 2^30");
                }
                numbers[i] = number > 0 ? 2 * (number - 1) : 2 * (-number - 1) + 1;
            }
            throw bad("a clause without an end", "'0' after its literals");
        }

        // ------------------------------------------------------------ lines

        /** Reads a line: a letter and numbers; the letter is -1 at the end of the text. */
        private void next() throws IOException {
            line++;
            size = 0;
            letter = read();
            if (letter < 0) {
                return;
            }
            int c = read();
            while (c == ' ') {
                c = read();
                boolean negative = c == '-';
                if (negative) {
                    c = read();
                }
                if (c < '0' || c > '9') {
                    throw bad(shown(c), "a digit");
                }
                long value = 0;
                while (c >= '0' && c <= '9') {
                    value = 10 * value + (c - '0');
                    if (value > Integer.MAX_VALUE) {
                        throw bad("a number beyond 2^31", "a smaller one");
                    }
                    c = read();
                }
                push((int) (negative ? -value : value));
            }
            if (c == '\r') {
                c = read();
            }
            if (c != '\n') {
                throw bad(shown(c), "a space and a number, or the end of the line");
            }
        }

        private void push(int number) throws ProofFormatException {
            if (size == numbers.length) {
                if (size >= ProofTrace.MAX_STEP || 8L * size > maxBytes) {
                    throw bad("a line of more than " + size + " numbers", "fewer, or a larger bound");
                }
                numbers = Arrays.copyOf(numbers, (int) Math.min(ProofTrace.MAX_STEP, 2L * size));
            }
            numbers[size++] = number;
        }

        private int read() throws IOException {
            if (at == end) {
                at = 0;
                end = Math.max(0, in.read(buffer, 0, buffer.length));
                if (end == 0) {
                    return -1;
                }
            }
            return buffer[at++];
        }

        private static String shown(int c) {
            if (c < 0) {
                return "the end of the text";
            }
            return c == '\n' ? "the end of the line" : c > ' ' && c < 127 ? "'" + (char) c + "'" : "character " + c;
        }

        private ProofFormatException bad(String found, String expected) {
            return new ProofFormatException(line, found, expected);
        }
    }
}
