package org.polygraph.jobs.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.OracleCorpus;

/** One history a name, written by hand; and what the corpus calls its own. */
class AnomalyNamesTest {
    /** Names that need what is not decided yet. */
    private static final Set<String> NEVER_FOUND = Set.of("G-realtime");

    private static Verdict check(HistoryTable table, IsolationLevel level) {
        return new EmbeddedChecker().check(table, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
    }

    /** A header field of a history, a string. */
    private static String header(HistoryTable table, String field) {
        return table.metadata().get(field).replace("\"", "");
    }

    @Test
    void everyNameHasItsHistory() throws IOException, HistoryException {
        Path folder = Path.of("src/test/resources/golden").toAbsolutePath();
        Set<String> seen = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
                IsolationLevel level =
                        IsolationLevel.ofLabel(header(table, "level")).orElseThrow();
                Verdict verdict = check(table, level);
                assertThat(verdict.status()).as(file.toString()).isEqualTo(Verdict.Status.VIOLATION);
                Violation violation = verdict.violations().get(0);
                assertThat(violation.anomaly().label()).as(file.toString()).isEqualTo(header(table, "anomaly"));
                assertThat(violation.aliases()).as(file.toString()).contains(header(table, "alias"));
                if (level == IsolationLevel.SER) {
                    assertThat(check(table, IsolationLevel.SI).status())
                            .as("%s passes si, else si would be asked", file)
                            .isEqualTo(
                                    header(table, "anomaly").equals("ReadSkew")
                                            ? Verdict.Status.VIOLATION
                                            : Verdict.Status.PASS);
                }
                seen.add(violation.anomaly().label());
            }
        }
        seen.addAll(NEVER_FOUND);
        assertThat(seen)
                .isEqualTo(
                        Stream.of(Anomaly.values()).map(Anomaly::label).collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void theCorpusAgrees() throws IOException {
        Path corpus = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(corpus != null, "skipped: no corpus at ../shared/corpus");
        Map<String, String> names = new LinkedHashMap<>();
        names.put("thin-air-read", "ThinAirRead");
        names.put("aborted-read", "AbortedRead");
        names.put("future-read", "FutureRead");
        names.put("not-my-last-write", "NotMyLastWrite");
        names.put("not-my-own-write", "NotMyOwnWrite");
        names.put("intermediate-read", "IntermediateRead");
        names.put("non-repeatable-read", "NonRepeatableRead");
        names.put("session-guarantee-violation", "SessionGuaranteeViolation");
        names.put("non-monotonic-read", "NonMonotonicRead");
        names.put("causality-violation", "CausalityViolation");
        names.put("long-fork", "LongFork");
        names.put("lost-update", "LostUpdate");
        names.put("write-skew-not-overlapping", "WriteSkew");
        names.put("read-only-anomaly-fekete", "ReadOnlyAnomaly");
        names.put("dup-lost-update-same-value", "LostUpdate");
        names.put("mdev-26642", "NotMyOwnWrite");
        int named = 0;
        for (OracleCorpus.Entry entry : OracleCorpus.read(corpus.resolve(OracleCorpus.GOLDEN))) {
            for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
                Verdict verdict = check(entry.history(), level);
                assertThat(verdict.status() == Verdict.Status.PASS)
                        .as(entry.name())
                        .isEqualTo(entry.verdicts().get(level.name()));
                if (verdict.status() == Verdict.Status.VIOLATION) {
                    assertThat(verdict.violations().get(0).anomaly().label())
                            .as("%s at %s", entry.name(), level)
                            .isEqualTo(names.get(entry.name()));
                    named++;
                }
            }
        }
        assertThat(named).isGreaterThan(28);
    }

    @Test
    void realDatabasesAgree() throws IOException, HistoryException {
        Path corpus = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(corpus != null, "skipped: no corpus at ../shared/corpus");
        Map<String, String> names = Map.of(
                "maria-rr-mt-small ser", "LostUpdate",
                "maria-rr-mt-small si", "LostUpdate",
                "pg-rr-mt-small ser", "WriteSkew",
                "maria-rr-mdev26642-small ser", "NotMyOwnWrite",
                "maria-rr-mdev26642-deterministic si", "NotMyOwnWrite");
        for (Map.Entry<String, String> each : names.entrySet()) {
            String[] words = each.getKey().split(" ", 2);
            HistoryTable table = HistoryReader.read(
                    corpus.resolve("real/" + words[0] + ".jsonl.gz").toString(), HistoryFormat.AUTO);
            Verdict verdict = check(table, IsolationLevel.ofLabel(words[1]).orElseThrow());
            assertThat(verdict.violations()).as(each.getKey()).isNotEmpty();
            assertThat(verdict.violations().get(0).anomaly().label())
                    .as(each.getKey())
                    .isEqualTo(each.getValue());
        }
    }
}
