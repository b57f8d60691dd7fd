package org.polygraph.partitioner.isolation;

import java.util.List;

/**
 * Named ways to break a promise. Names are Adya's (G...) where there is one, else those of MTC (Gu et al., "Boosting
 * End-to-End Database Isolation Checking via Mini-Transactions", ICDE 2025, table I).
 */
public enum Anomaly {
    THIN_AIR_READ("ThinAirRead", List.of(), "a read returned a value that nobody wrote"),
    ABORTED_READ("AbortedRead", List.of("G1a", "dirty read"), "a read returned what only an aborted transaction wrote"),
    INTERMEDIATE_READ(
            "IntermediateRead",
            List.of("G1b"),
            "a read returned a value that its writer had already overwritten itself"),
    FUTURE_READ("FutureRead", List.of(), "a transaction read a value that it wrote only later"),
    NOT_MY_OWN_WRITE(
            "NotMyOwnWrite",
            List.of("INT", "read misses own write"),
            "a transaction wrote a key and then read another value from it"),
    NOT_MY_LAST_WRITE(
            "NotMyLastWrite",
            List.of("INT"),
            "a transaction read an earlier one of its own writes instead of its last"),
    NON_REPEATABLE_READ(
            "NonRepeatableRead", List.of("fuzzy read", "P2"), "a transaction read one key twice and saw two values"),
    DIRTY_WRITE("G0", List.of("dirty write", "write cycle"), "writes of transactions interleave"),
    CIRCULAR_INFORMATION_FLOW("G1c", List.of("circular information flow"), "transactions saw each other's effects"),
    SESSION_GUARANTEE_VIOLATION(
            "SessionGuaranteeViolation",
            List.of("G-single", "stale session read"),
            "a session read something older than it had already seen or written"),
    FRACTURED_READ("FracturedRead", List.of("G-single", "read skew"), "a transaction saw part of another's writes"),
    CAUSALITY_VIOLATION(
            "CausalityViolation",
            List.of("G-single", "read skew"),
            "a read missed a write that its transaction depends on"),
    LOST_UPDATE(
            "LostUpdate",
            List.of("P4", "G-single"),
            "two transactions read the same version of a key and both overwrote it"),
    LONG_FORK("LongFork", List.of("G-nonadjacent"), "two readers saw two writes in opposite orders"),
    WRITE_SKEW("WriteSkew", List.of("G2-item", "A5B"), "transactions each overwrote what the other had read"),
    REAL_TIME_VIOLATION("G-realtime", List.of("stale read"), "the only possible orders contradict real time"),
    NO_VALID_ORDER("G2", List.of("unsatisfiable core"), "every choice of writers and of version order closes a cycle");

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // List.of, never another
    private final List<String> aliases;

    private final String meaning;

    Anomaly(String label, List<String> aliases, String meaning) {
        this.label = label;
        this.aliases = aliases;
        this.meaning = meaning;
    }

    /** The name in results. */
    public String label() {
        return label;
    }

    /** Other names for it, Adya's and SQL's. */
    public List<String> aliases() {
        return aliases;
    }

    /** One sentence for people. */
    public String meaning() {
        return meaning;
    }
}
