package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.report.VerdictJson;
import org.polygraph.jobs.report.VerdictSchema;
import org.polygraph.jobs.report.ViolationText;
import org.polygraph.jobs.report.page.HtmlReport;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Every finding of a check can be reported: in JSON that follows its schema, as text, and on a page. */
class ReportsTest {
    private int violations;
    private int cases;

    @Test
    void everyExample() throws IOException, HistoryException {
        Path folder = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "examples");
        try (var files = Files.newDirectoryStream(folder, "*.jsonl")) {
            for (Path file : files) {
                HistoryTable history = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
                if (Counts.of(history).transactionsCommitted() > 0) {
                    assertReported(history, file.toString());
                }
            }
        }
        assertThat(violations).isGreaterThan(15);
    }

    @Test
    void tinyHistories() {
        int histories = SuiteScale.of(100, 80);
        for (int i = 0; i < histories; i++) {
            HistoryTable history = Simulator.tiny(SplitMix.seedOf(0x7e11, i)).table();
            if (Counts.of(history).transactionsCommitted() > 0) {
                assertReported(history, "seed " + SplitMix.seedOf(0x7e11, i));
            }
        }
        String split = "init 0; s0: ?w(0,0) | ?w(0,0); s1: r(1,0) w(1,1) r(0,0); s2: ?r(1,0) w(0,1) | r(0,1) w(1,2)";
        assertReported(HistoryDsl.parse(split), "a violation whose evidence is cases");
        assertThat(violations).isGreaterThan(histories / 5);
        assertThat(cases).isPositive();
    }

    private void assertReported(HistoryTable history, String as) {
        for (IsolationLevel level : Checks.LEVELS) {
            for (boolean rules : new boolean[] {true, false}) {
                Verdict verdict = new EmbeddedChecker(
                                rules ? Tuning.DEFAULT : Tuning.DEFAULT.withRounds(Tuning.NO_RULES))
                        .check(history, CheckRequest.of(level), Progress.NONE, Budget.unlimited())
                        .with()
                        .path(as)
                        .counts(Counts.of(history))
                        .build();
                VerdictSchema.assertFollowed(VerdictJson.of(verdict));
                text(verdict, as);
                page(verdict, as);
                violations += verdict.violations().size();
            }
        }
    }

    private void text(Verdict verdict, String as) {
        String text = ViolationText.of(verdict, ViolationText.Detail.FULL);
        assertThat(text.lines()).as(as).allMatch(line -> line.startsWith("  ") && !line.isBlank());
        if (verdict.status() == Verdict.Status.VIOLATION) {
            assertThat(text).as(as).contains("\n  Expected\n");
        }
        for (Violation violation : verdict.violations()) {
            boolean split = !violation.cases().isEmpty();
            cases += split ? 1 : 0;
            assertThat(!split || text.contains("\n  Reasons\n    one of these would have to hold"))
                    .as(as)
                    .isTrue();
        }
    }

    private static void page(Verdict verdict, String as) {
        Document page = Jsoup.parse(HtmlReport.of(verdict, "run=1", "1", () -> false));
        assertThat(page.select("article.finding"))
                .as(as)
                .hasSize(verdict.violations().size());
        for (Element link : page.select("a[href^=#]")) {
            assertThat(page.getElementById(link.attr("href").substring(1)))
                    .as("%s: %s", as, link)
                    .isNotNull();
        }
        for (int i = 0; i < verdict.violations().size(); i++) {
            Element finding = page.select("article.finding").get(i);
            Violation violation = verdict.violations().get(i);
            int cycle = violation.cycle().size();
            assertThat(finding.select("figure .arrow")).as(as).hasSize(cycle);
            assertThat(finding.select(".story > .case"))
                    .as(as)
                    .hasSize(violation.cases().size());
        }
    }
}
