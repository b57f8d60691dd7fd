package org.polygraph.storage.testkit;

import org.polygraph.storage.table.HistoryTable;

/**
 * Anomalies that {@link HistoryGenerator} hides in a history. Each is a {@link HistoryDsl} script: a session of it is
 * played by a session of the history, its keys are fresh keys, value 0 is the initial value, any other a fresh value,
 * and times are ns after the moment when all its players were idle.
 */
public enum InjectedAnomaly {
    LOST_UPDATE("@0..4 r(0,0) w(0,1); @1..5 r(0,0) w(0,2)"),
    WRITE_SKEW("@0..4 r(0,0) r(1,0) w(0,1); @1..5 r(0,0) r(1,0) w(1,1)"),
    /**
     * Fekete, O'Neil, O'Neil 2004: the history would be serializable without the third transaction, which only reads.
     */
    READ_ONLY_ANOMALY("@0..9 r(0,0) r(1,0) w(0,1); @1..3 r(1,0) w(1,2); @4..6 r(0,0) r(1,2)"),
    LONG_FORK("@0..4 w(0,1); @0..4 w(1,1); @1..5 r(0,1) r(1,0); @1..5 r(1,1) r(0,0)"),
    READ_SKEW("@0..4 w(0,1) w(1,1); @1..5 r(0,0) r(1,1)"),
    /** Only real time forbids it. */
    STALE_READ("@0..1 w(0,1); @2..3 r(0,0)"),
    THIN_AIR_READ("@0..1 r(0,1)"),
    ABORTED_READ("@0..4 !w(0,1); @1..5 r(0,1)"),
    INTERMEDIATE_READ("@0..4 w(0,1) w(0,2); @1..5 r(0,1)"),
    FUTURE_READ("@0..1 r(0,1) w(0,1)"),
    NON_REPEATABLE_READ("@0..3 w(0,1); @0..4 w(0,2); @1..5 r(0,1) r(0,2)"),
    OWN_WRITE_MISS("@0..4 w(0,1); @1..5 w(0,2) r(0,1)"),
    CIRCULAR_INFORMATION("@0..4 w(0,1) r(1,1); @1..5 w(1,1) r(0,1)"),
    /** A session does not see its own write. */
    READ_YOUR_WRITES("@0..1 w(0,1) | @2..3 r(0,0)"),
    /** A session sees an older version after a newer. */
    MONOTONIC_READS("@0..1 w(0,1) | @2..3 w(0,2); @0..5 r(0,2) | @6..7 r(0,1)"),
    CAUSALITY("@0..4 w(0,1); @1..5 r(0,1) w(1,1); @1..6 r(1,1) r(0,0)");

    private final String script;
    private final int players;

    InjectedAnomaly(String script) {
        this.script = "init 0; " + script;
        players = script().sessions();
    }

    /** The number of sessions that take part. */
    public int players() {
        return players;
    }

    HistoryTable script() {
        return HistoryDsl.parse(script);
    }
}
