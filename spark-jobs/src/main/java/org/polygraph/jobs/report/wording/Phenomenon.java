package org.polygraph.jobs.report.wording;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * Describes what happened to the transactions of a violation, as one sentence without a full stop; see
 * docs/anomalies.md.
 */
public final class Phenomenon {
    /** The most RW edges that one sentence describes. */
    private static final int MOST = 3;

    private final Violation violation;
    private final Facts facts;

    private Phenomenon(Violation violation, Facts facts) {
        this.violation = violation;
        this.facts = facts;
    }

    /**
     * Returns a sentence that names the transactions if the violation is one cycle; else the meaning of the anomaly.
     */
    public static String of(Violation violation, Facts facts) {
        if (isOneRead(violation)) {
            return facts.name(violation.transactions().get(0)) + " "
                    + facts.detail(violation.keys().get(0), violation.detail());
        }
        if (violation.cycle().isEmpty() && violation.anomaly() == Anomaly.CIRCULAR_INFORMATION_FLOW) {
            return "none of " + facts.list(violation.transactions()) + " can be the first to commit";
        }
        return violation.cycle().isEmpty() || !violation.cases().isEmpty()
                ? violation.anomaly().meaning()
                : new Phenomenon(violation, facts).sentence();
    }

    /** The detail of a violation; empty if the sentence has it. */
    public static String detail(Violation violation) {
        return isOneRead(violation) ? "" : violation.detail();
    }

    /** Whether the detail is what the first transaction read, wrote or appended. */
    private static boolean isOneRead(Violation violation) {
        return violation.cycle().isEmpty()
                && (violation.detail().startsWith("read ")
                        || violation.detail().startsWith("wrote ")
                        || violation.detail().startsWith("appended "));
    }

    private String sentence() {
        List<Dependency> cycle = violation.cycle();
        String all = facts.list(violation.transactions());
        return switch (violation.anomaly()) {
            case DIRTY_WRITE ->
                all + " overwrote each other's writes, and the order of these writes"
                        + (has(EdgeKind.SO) ? " and of the sessions" : "") + " has a cycle" + shown();
            case CIRCULAR_INFORMATION_FLOW ->
                "each of " + all + " read " + (has(EdgeKind.WW) ? "or overwrote " : "") + "what another of them wrote"
                        + (has(EdgeKind.SO) ? ", or follows it in its session" : "");
            case FUTURE_READ -> future();
            case LOST_UPDATE -> lostUpdate(MissedWrite.of(cycle));
            case REAL_TIME_VIOLATION -> inTime();
            case WRITE_SKEW -> missed(MissedWrite.of(cycle)) + "; so neither can come first";
            case LONG_FORK, NON_ADJACENT, READ_ONLY_ANOMALY, ITEM_CYCLE, PREDICATE_CYCLE ->
                missed(MissedWrite.of(cycle)) + followers();
            case SESSION_GUARANTEE_VIOLATION,
                    NON_MONOTONIC_READ,
                    FRACTURED_READ,
                    PHANTOM,
                    CAUSALITY_VIOLATION,
                    READ_SKEW,
                    SINGLE -> single(MissedWrite.of(cycle));
            case DUPLICATE_INSERT, MISSING_ROW ->
                Objects.requireNonNullElse(
                        WrongRow.of(violation, facts, violation.anomaly() == Anomaly.MISSING_ROW),
                        violation.anomaly().meaning());
            case THIN_AIR_READ,
                    ABORTED_READ,
                    INTERMEDIATE_READ,
                    NOT_MY_OWN_WRITE,
                    NOT_MY_LAST_WRITE,
                    NON_REPEATABLE_READ,
                    INCOMPATIBLE_ORDER,
                    DUPLICATE_ELEMENT,
                    DUPLICATE_ROW,
                    NO_VALID_ORDER -> violation.anomaly().meaning();
        };
    }

    private boolean has(EdgeKind kind) {
        return violation.cycle().stream().anyMatch(edge -> edge.kind() == kind);
    }

    /** Describes the reads of lists that show the order of appends. */
    private String shown() {
        StringBuilder clauses = new StringBuilder();
        for (Dependency edge : violation.cycle()) {
            int reader = ShownOrder.reader(facts.table(), edge);
            if (reader >= 0) {
                clauses.append("; ").append(facts.name(reader)).append(" read a list of key ");
                clauses.append(facts.key(edge.key())).append(" that has the append of ");
                clauses.append(facts.name(edge.from())).append(" and none of ").append(facts.name(edge.to()));
                clauses.append(" before it");
            }
        }
        return clauses.toString();
    }

    private String future() {
        for (Dependency edge : violation.cycle()) {
            if (edge.kind() == EdgeKind.WR) {
                return facts.name(edge.to()) + " " + facts.read(edge) + ", which its session wrote only later, in "
                        + facts.name(edge.from());
            }
        }
        return violation.anomaly().meaning();
    }

    private String lostUpdate(List<MissedWrite> missed) {
        MissedWrite first = missed.get(0);
        for (MissedWrite one : missed) {
            first = facts.lastWrite(one.missed().key(), one.reader()) >= 0 ? one : first;
        }
        if (hasRead(first.writer(), first.missed().key(), first.missed().value())) {
            String read = facts.read(first.missed());
            return facts.list(violation.transactions()) + " both " + read
                    + (read.startsWith("found no row") ? " and wrote one" : " and overwrote it");
        }
        boolean isBoth = missed.size() == 2
                && facts.rowOf(missed.get(0).missed().key())
                        == facts.rowOf(missed.get(1).missed().key());
        return missed(missed)
                + (isBoth ? "" : "; " + overwrote(first, first.missed().key()));
    }

    /** Whether a transaction read a value of a key before it wrote the key. */
    private boolean hasRead(int t, int key, long value) {
        HistoryTable table = facts.table();
        int o = table.firstOperation(t);
        while (o < table.operationsEnd(t) && table.key(o) != key) {
            o++;
        }
        return o < table.operationsEnd(t) && table.isReadOf(o, key) && !table.isImplied(o) && table.value(o) == value;
    }

    private String inTime() {
        List<Dependency> cycle = violation.cycle();
        for (int i = 0; i < cycle.size(); i++) {
            Dependency edge = cycle.get(i);
            if (edge.kind() == EdgeKind.RT) {
                return facts.of(edge) + ", but "
                        + (cycle.size() == 2
                                ? facts.clause(cycle.get(1 - i))
                                : "the other steps of the cycle put " + facts.name(edge.to()) + " before "
                                        + facts.name(edge.from()));
            }
        }
        return inReasons(cycle);
    }

    /** Names two transactions that real time orders, if only the reasons of the cycle have them. */
    private String inReasons(List<Dependency> cycle) {
        for (Dependency edge : cycle) {
            for (Alternative failed : edge.reason().because()) {
                for (Dependency step : failed.cycle()) {
                    if (step.kind() == EdgeKind.RT) {
                        return facts.of(step) + ", but no order that has this explains the reads of "
                                + facts.list(violation.transactions());
                    }
                }
            }
        }
        return violation.anomaly().meaning();
    }

    private String single(List<MissedWrite> missed) {
        if (missed.isEmpty()) {
            return violation.anomaly().meaning();
        }
        MissedWrite only = missed.get(0);
        Dependency before = only.before();
        String other = facts.name(before.from());
        String later = before.from() == only.writer() ? "" : "; " + other + " comes after " + facts.name(only.writer());
        return missed(missed)
                + switch (before.kind()) {
                    case SO, RT -> ", although its session had run " + other + " before" + later;
                    case WR -> ", but it also " + facts.seen(before) + later;
                    case WW, RW -> ", but " + overwrote(only, only.before().key()) + later;
                };
    }

    /** Describes how the reader overwrote the transaction before it. */
    private String overwrote(MissedWrite missed, int key) {
        return facts.name(missed.reader()) + " overwrote what "
                + facts.name(missed.before().from())
                + " wrote to "
                + (key == Dependency.NO_KEY ? "another key" : facts.item(key));
    }

    private String missed(List<MissedWrite> missed) {
        List<String> clauses = new ArrayList<>();
        for (MissedWrite one : missed.subList(0, Math.min(missed.size(), MOST))) {
            clauses.add(facts.clause(one.missed()));
        }
        if (missed.size() > MOST) {
            clauses.add((missed.size() - MOST) + " more missed writes in this way");
        }
        return String.join("; ", clauses);
    }

    /** Describes which writes the readers have seen. */
    private String followers() {
        List<String> clauses = new ArrayList<>();
        for (MissedWrite one : MissedWrite.of(violation.cycle())) {
            if (one.before().kind() != EdgeKind.RW && clauses.size() < MOST) {
                clauses.add(facts.name(one.reader()) + " follows "
                        + facts.name(one.before().from()));
            }
        }
        return clauses.isEmpty() ? "" : "; yet " + String.join(", and ", clauses);
    }
}
