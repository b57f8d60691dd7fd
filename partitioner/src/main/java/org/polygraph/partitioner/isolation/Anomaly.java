package org.polygraph.partitioner.isolation;

import java.util.List;

/**
 * The named ways to violate a level, the simplest first. Names are Adya's (G...) where there is one, else those of MTC
 * (Gu et al., "Boosting End-to-End Database Isolation Checking via Mini-Transactions", ICDE 2025, table I).
 */
public enum Anomaly {
    DIRTY_WRITE(
            "G0",
            List.of("dirty write", "write cycle"),
            "transactions overwrote each other's writes, and the order of the writes has a cycle"),
    THIN_AIR_READ(
            "ThinAirRead", List.of("G1", "out-of-thin-air read"), "a read returned a value that no transaction wrote"),
    ABORTED_READ("AbortedRead", List.of("G1a", "dirty read"), "a read returned what only an aborted transaction wrote"),
    INTERMEDIATE_READ(
            "IntermediateRead",
            List.of("G1b", "dirty read"),
            "a read returned a value that its writer had already overwritten itself"),
    FUTURE_READ(
            "FutureRead",
            List.of("read before write"),
            "a read returned a value that its own transaction or session wrote only later"),
    NOT_MY_OWN_WRITE(
            "NotMyOwnWrite",
            List.of("INT", "read misses own write"),
            "a transaction wrote a key and then read another value from it"),
    NOT_MY_LAST_WRITE(
            "NotMyLastWrite",
            List.of("INT"),
            "a transaction read an earlier one of its own writes instead of its last"),
    NON_REPEATABLE_READ(
            "NonRepeatableRead",
            List.of("fuzzy read", "P2", "non-repeatable read"),
            "a transaction read one key twice and saw two values"),
    INCOMPATIBLE_ORDER(
            "IncompatibleOrder",
            List.of("incompatible-order"),
            "the lists that were read contradict each other in the order of their elements"),
    DUPLICATE_ELEMENT(
            "DuplicateElement",
            List.of("duplicate-elements"),
            "a list that was read has an element twice, which was appended once"),
    DUPLICATE_INSERT(
            "DuplicateInsert", List.of("unique key violation"), "a transaction inserted a row that already existed"),
    DUPLICATE_ROW(
            "DuplicateRow",
            List.of("two versions of a row"),
            "one result had two rows with one key, so it was not read from one state"),
    MISSING_ROW("MissingRow", List.of("delete of no row"), "a transaction deleted a row that did not exist"),
    CIRCULAR_INFORMATION_FLOW("G1c", List.of("circular information flow"), "transactions saw each other's effects"),
    LOST_UPDATE(
            "LostUpdate",
            List.of("P4", "G-single", "lost update"),
            "two transactions wrote a key, and one that had read it did not see the other's write"),
    SESSION_GUARANTEE_VIOLATION(
            "SessionGuaranteeViolation",
            List.of("G-single", "stale session read"),
            "a session read something older than it had already seen or written"),
    NON_MONOTONIC_READ(
            "NonMonotonicRead",
            List.of("G-single", "read skew", "A5A"),
            "a transaction saw another's write and then read what that had overwritten"),
    FRACTURED_READ(
            "FracturedRead",
            List.of("G-single", "read skew", "A5A"),
            "a transaction saw only some of another's writes"),
    PHANTOM(
            "Phantom",
            List.of("G-single", "P3", "A3", "phantom"),
            "a query missed a row, or found one, that another transaction had inserted, changed or deleted"),
    CAUSALITY_VIOLATION(
            "CausalityViolation",
            List.of("G-single", "causality violation", "read skew"),
            "a read missed a write that its transaction depends on"),
    READ_SKEW(
            "ReadSkew", List.of("G-single", "read skew", "A5A"), "a transaction's reads do not come from one snapshot"),
    SINGLE(
            "G-single",
            List.of("G-single-item"),
            "a transaction missed a write of another that other dependencies order before it"),
    LONG_FORK("LongFork", List.of("G-nonadjacent", "long fork"), "two readers saw two writes in opposite orders"),
    NON_ADJACENT("G-nonadjacent", List.of("long fork"), "transactions saw writes in orders that contradict each other"),
    WRITE_SKEW(
            "WriteSkew",
            List.of("G2-item", "A5B", "write skew"),
            "two transactions each overwrote what the other had read"),
    ITEM_CYCLE(
            "G2-item",
            List.of("write skew"),
            "transactions overwrote what others of them had read, which no serial order explains"),
    PREDICATE_CYCLE(
            "G2",
            List.of("predicate write skew"),
            "transactions changed which rows the queries of others of them match, which no serial order explains"),
    READ_ONLY_ANOMALY(
            "ReadOnlyAnomaly",
            List.of("G2-item", "read-only anomaly"),
            "a read-only transaction saw a state that no serial order of the others produces"),
    REAL_TIME_VIOLATION("G-realtime", List.of("stale read"), "the only possible orders contradict real time"),
    NO_VALID_ORDER(
            "NoValidOrder",
            List.of("unsatisfiable core"),
            "every choice of writers and of version order closes a cycle");

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // always of List.of
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

    /** Whether an insert or a delete found the wrong state of its row. */
    public boolean isOfRow() {
        return this == DUPLICATE_INSERT || this == MISSING_ROW;
    }

    /** One sentence for people. */
    public String meaning() {
        return meaning;
    }
}
