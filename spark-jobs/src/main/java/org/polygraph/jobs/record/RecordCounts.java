package org.polygraph.jobs.record;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what was recorded so far. */
public final class RecordCounts {
    private final LongAdder committed = new LongAdder();
    private final LongAdder unknown = new LongAdder();
    private final LongAdder killed = new LongAdder();
    private final Map<String, LongAdder> aborts = new ConcurrentHashMap<>();

    void committed() {
        committed.increment();
    }

    void unknown() {
        unknown.increment();
    }

    void killed() {
        killed.increment();
    }

    void aborted(String reason) {
        aborts.computeIfAbsent(reason, missing -> new LongAdder()).increment();
    }

    public long commits() {
        return committed.sum();
    }

    /** Returns the number of transactions whose outcome is not known. */
    public long unknowns() {
        return unknown.sum();
    }

    public long kills() {
        return killed.sum();
    }

    public long aborts() {
        return aborts.values().stream().mapToLong(LongAdder::sum).sum();
    }

    public long transactions() {
        return commits() + unknowns() + aborts();
    }

    /** The number of aborts by reason. */
    public Map<String, Long> reasons() {
        Map<String, Long> reasons = new TreeMap<>();
        aborts.forEach((reason, count) -> reasons.put(reason, count.sum()));
        return reasons;
    }
}
