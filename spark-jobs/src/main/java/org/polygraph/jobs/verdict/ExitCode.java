package org.polygraph.jobs.verdict;

/** The exit codes of the process. The JVM itself exits with 130 and 143 on signals. */
public enum ExitCode {
    PASS(0),
    /** A bug. Worth a retry and a report. */
    INTERNAL(1),
    /** Wrong options or configuration; nothing was checked. */
    USAGE(2),
    VIOLATION(3),
    /** No answer was found. If a budget ran out, it is worth a retry with more of it. */
    UNKNOWN(4),
    /** The input is not a history, or nothing in it was committed. */
    INVALID(5),
    /** Storage or cluster I/O. Worth a retry. */
    IO(6);

    /** The exit code of several PATHs is the first of these that occurred. */
    private static final int[] PRECEDENCE = {1, 6, 5, 3, 4};

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /**
     * The exit code of two results together: the first of 1, 6, 5, 3, 4, 0 that occurred. Associative and commutative,
     * 0 is neutral.
     */
    public static int merge(int a, int b) {
        for (int code : PRECEDENCE) {
            if (a == code || b == code) {
                return code;
            }
        }
        return Math.max(a, b);
    }
}
