package org.polygraph.jobs.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.OracleCorpus;

/** The names of anomalies in the corpus and of real databases. */
class AnomalyNamesTest {
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
                Verdict verdict = Checks.check(entry.history(), level);
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

    /**
     * s2 writes x after s0 has ended, or before: only in the second case can s0 have overwritten the write of s2. Snapshot isolation allows
     * both histories, because it lets s2 write x later, so neither is a LostUpdate.
     */
    @Test
    void aWriterThatStartsLaterIsNotOverwritten() {
        String history = "init 0; s0: @10..20 r(x,0) w(x,1) | @44..47 r(y,0) w(z,1); s1: @25..60 w(y,1) r(x,1);"
                + " s2: @%s w(x,2) | @40..41 r(z,0)";
        assertThat(name(String.format(history, "30..31"))).isEqualTo("ReadOnlyAnomaly");
        assertThat(name(String.format(history, "15..16"))).isEqualTo("G2-item");
    }

    /** Other edges imply that s1 and s2 missed each other's writes of z, so saturation does not add these edges. */
    @Test
    void aLostUpdateThatOtherEdgesImplyIsNamedBeforeAWriteSkew() {
        assertThat(name("init 0; s0: r(z,1) w(x,5); s1: r(z,0) w(z,1) | w(z,4) r(x,0); s2: r(z,0) w(z,2) r(x,5)"))
                .isEqualTo("LostUpdate");
    }

    private static String name(String history) {
        return Checks.check(HistoryDsl.parse(history), IsolationLevel.SER)
                .violations()
                .get(0)
                .anomaly()
                .label();
    }

    @Test
    void realDatabasesAgree() throws IOException, HistoryException {
        Path corpus = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(corpus != null, "skipped: no corpus at ../shared/corpus");
        Map<String, String> names = Map.of(
                "maria-rr-mt-small ser", "LostUpdate",
                "maria-rr-mt-small si", "LostUpdate",
                "pg-rr-mt-small ser", "ReadOnlyAnomaly",
                "maria-rr-mdev26642-small ser", "NotMyOwnWrite",
                "maria-rr-mdev26642-deterministic si", "NotMyOwnWrite");
        for (Map.Entry<String, String> each : names.entrySet()) {
            String[] words = each.getKey().split(" ", 2);
            HistoryTable table = HistoryReader.read(
                    corpus.resolve("real/" + words[0] + ".jsonl.gz").toString(), HistoryFormat.AUTO);
            Verdict verdict =
                    Checks.check(table, IsolationLevel.ofLabel(words[1]).orElseThrow());
            assertThat(verdict.violations()).as(each.getKey()).isNotEmpty();
            assertThat(verdict.violations().get(0).anomaly().label())
                    .as(each.getKey())
                    .isEqualTo(each.getValue());
        }
    }
}
