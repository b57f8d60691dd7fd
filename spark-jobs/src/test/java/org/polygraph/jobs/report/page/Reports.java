package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;

/** Makes verdicts whose pages are drawn. */
final class Reports {
    private Reports() {}

    /**
     * Lost updates of keys: each is read as the initial value and overwritten by two transactions; its edge WW has a
     * reason with a cycle of its own.
     */
    static Verdict lostUpdates(String path, String value, List<String> keys) throws HistoryException {
        HistoryTableBuilder b = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        b.file(path);
        b.initialValue(0);
        long start = 1_000_000;
        for (int i = 0; i < keys.size(); i++) {
            int key = b.keys().id(keys.get(i));
            for (int s = 0; s < 2; s++) {
                b.begin(2 * i + s, 7, TransactionStatus.COMMITTED, 2 * i + s + 1);
                long begin = start + 1000L * i + 10L * s;
                b.times(begin, begin + 500);
                b.read(key, b.values().code(0));
                b.write(key, b.values().code(value + s));
                b.end();
            }
        }
        HistoryTable table = b.build();
        List<Violation> violations = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            int key = table.key(table.firstOperation(2 * i));
            violations.add(lostUpdate(2 * i, 2 * i + 1, key, table));
        }
        return verdict(path, violations, table);
    }

    private static Violation lostUpdate(int first, int second, int key, HistoryTable table) {
        long initial = table.initialValue();
        Dependency supposed = new Dependency(
                first, second, EdgeKind.WW, key, initial, new Reason(Basis.ASSUMED, "if the first wrote first"));
        Dependency back =
                new Dependency(second, first, EdgeKind.RW, key, initial, "observed: it read the initial value");
        Reason forced = new Reason(
                Basis.FORCED,
                "forced: the other order closes a cycle",
                List.of(new Alternative("first before second", supposed, List.of(supposed, back))));
        int from = table.firstOperation(first);
        return new Violation(
                        Anomaly.LOST_UPDATE,
                        Anomaly.LOST_UPDATE.aliases(),
                        List.of(first, second),
                        List.of(key),
                        List.of(
                                new Dependency(first, second, EdgeKind.RW, key, initial, "observed: initial value"),
                                new Dependency(second, first, EdgeKind.WW, key, initial, forced)),
                        List.of(),
                        "",
                        null)
                .shownBy(new SubHistory(
                        new int[] {first, second},
                        new int[] {from, from + 1, from + 2, from + 3},
                        true,
                        SubHistory.Judge.BRUTE_FORCE));
    }

    static Verdict verdict(String path, List<Violation> violations, HistoryTable table) {
        return Verdict.of(Verdict.Status.VIOLATION, IsolationLevel.SI)
                .path(path)
                .counts(Counts.of(table))
                .violations(violations, table)
                .assumptions(new Assumptions(0L, true, TimeMode.HINT, 0, IndeterminateMode.MAYBE))
                .phase(new Phase("read", 3, 4, 2))
                .phase(new Phase("index", 12, 10, 20))
                .certificate(new Certificate("cycle", "violations", true))
                .peakMemoryBytes(90 << 20)
                .millis(15)
                .build();
    }
}
