package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.w3c.dom.Element;

class ReportTest {
    private static HistoryTable skew() throws HistoryException {
        HistoryTableBuilder b = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        b.file("skew.jsonl");
        b.initialValue(1);
        int alice = b.keys().id("alice");
        int bob = b.keys().id("bob\n");
        for (int s = 0; s < 2; s++) {
            b.begin(s, 7, TransactionStatus.COMMITTED, s + 2);
            b.read(alice, b.values().code(1));
            b.read(bob, b.values().code(1));
            b.write(s == 0 ? alice : bob, b.values().code(Long.MAX_VALUE - 7));
            b.end();
        }
        return b.build();
    }

    private static Verdict violation() throws HistoryException {
        HistoryTable table = skew();
        Violation violation = new Violation(
                Anomaly.WRITE_SKEW,
                List.of(0, 1),
                List.of(0, 1),
                List.of(
                        new Dependency(0, 1, EdgeKind.RW, 1, 1, "observed"),
                        new Dependency(1, 0, EdgeKind.RW, 0, 1, "forced: the other order closes a cycle")),
                "");
        return Verdict.of(Verdict.Status.VIOLATION, IsolationLevel.SER)
                .path("dir/skew.jsonl")
                .counts(Counts.of(table))
                .violations(List.of(violation), table)
                .assumptions(new Assumptions(1L, true, TimeMode.HINT, 0, IndeterminateMode.MAYBE))
                .phase(new Phase("read", 3, 4, 2))
                .certificate(new Certificate("cycle", null, true))
                .peakMemoryBytes(1L << 60)
                .millis(12)
                .build();
    }

    @Test
    void theResultLineIsTheContracts() throws HistoryException {
        assertThat(ResultLine.of(violation()))
                .isEqualTo("VIOLATION  ser  dir/skew.jsonl  2 txns  6 ops  12 ms  WriteSkew");
        Verdict pass = Verdict.of(Verdict.Status.PASS, IsolationLevel.SI)
                .path("a  b\nc")
                .millis(1)
                .build();
        assertThat(ResultLine.of(pass)).isEqualTo("PASS  si  a b c  0 txns  0 ops  1 ms");
        Verdict unknown = Verdict.of(Verdict.Status.UNKNOWN, IsolationLevel.SI)
                .path("x")
                .reason("timeout")
                .build();
        assertThat(ResultLine.of(unknown)).isEqualTo("UNKNOWN  si  x  0 txns  0 ops  0 ms  timeout");
    }

    @Test
    void everyLineOfAnExplanationIsIndented() throws HistoryException {
        HistoryTable table = skew();
        Violation oneRead = new Violation(
                Anomaly.THIN_AIR_READ, List.of(1), List.of(0), List.of(), "line one\nVIOLATION  ser  forged");
        Violation fromInitial = new Violation(
                Anomaly.SESSION_GUARANTEE_VIOLATION,
                List.of(0),
                List.of(0),
                List.of(
                        new Dependency(Dependency.INITIAL, 0, EdgeKind.WR, 0, 1, "observed"),
                        new Dependency(0, 1, EdgeKind.SO, Dependency.NO_KEY, 0, ""),
                        new Dependency(0, 1, EdgeKind.RT, Dependency.NO_KEY, 0, ""),
                        new Dependency(1, 0, EdgeKind.WW, 0, 1, "")),
                "");
        Verdict verdict = Verdict.of(Verdict.Status.VIOLATION, IsolationLevel.SER)
                .violations(List.of(oneRead, fromInitial), table)
                .build();
        String full = ViolationText.of(verdict, ViolationText.Detail.FULL);
        assertThat(full.lines()).allMatch(line -> line.startsWith("  ") && !line.isBlank());
        assertThat(full).contains("line one\\nVIOLATION").contains("initial --WR--> T1");
        String brief = ViolationText.of(verdict, ViolationText.Detail.BRIEF);
        assertThat(brief).contains("and 1 more violation").doesNotContain("initial --WR-->");
        assertThat(ViolationText.more(1, 10, 1_000)).startsWith("  and at least 999 more violations");
    }

    private static Verdict write(RunDirectory run, Verdict verdict) throws IOException {
        Verdict evidenced = verdict.with()
                .certificate(run.writeEvidence(verdict, "sha", () -> false))
                .build();
        run.finish(evidenced, () -> false);
        VerdictSchema.assertFollowed(VerdictJson.of(evidenced));
        return evidenced;
    }

    /** After the end of the time only what is small is written: the first violation, and a report that counts them. */
    @Test
    void aRunIsShortAfterTheEndOfTheTime(@TempDir Path folder) throws IOException, HistoryException {
        Violation first = violation().violations().get(0);
        Verdict two = violation()
                .with()
                .violations(List.of(first, first), violation().table())
                .build();
        RunDirectory run = new RunDirectory(Location.of(folder.toString()), "1");
        write(run, two);
        Path second = folder.resolve("run=1/violations/001");
        assertThat(second).exists();
        run.writeEvidence(two, "sha", () -> true);
        run.finish(two, () -> true);
        assertThat(second).doesNotExist();
        assertThat(folder.resolve("run=1/_SUCCESS")).exists();
        assertThat(Files.readString(folder.resolve("run=1/report.html"))).doesNotContain("class=\"finding\"");
        assertThat(folder.resolve("run=1/violations/000/cycle.svg")).doesNotExist();
        assertThat(run.finalVerdict().orElseThrow().explanation(ViolationText.Detail.BRIEF))
                .startsWith(ViolationText.of(violation(), ViolationText.Detail.BRIEF));
    }

    @Test
    void junitNamesAreEscaped(@TempDir Path folder) throws Exception {
        String name = "a<b>&\"c\"\u0001]]>\ud800 \n";
        for (Verdict verdict : List.of(
                violation().with().path(name).build(),
                Verdict.of(Verdict.Status.INVALID, IsolationLevel.SI)
                        .path(name)
                        .reason(name)
                        .build(),
                Verdict.of(Verdict.Status.PASS, IsolationLevel.SI).path(name).build())) {
            write(new RunDirectory(Location.of(folder.toString()), "1"), verdict);
            Element suite = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(folder.resolve("run=1/junit.xml").toFile())
                    .getDocumentElement();
            Element test = (Element) suite.getElementsByTagName("testcase").item(0);
            assertThat(test.getAttribute("name")).isEqualTo("a<b>&\"c\"\\u0001]]>\\ud800 \n");
            assertThat(suite.getElementsByTagName("failure").getLength())
                    .isEqualTo(verdict.status() == Verdict.Status.VIOLATION ? 1 : 0);
            assertThat(suite.getAttribute("errors")).isEqualTo(verdict.status() == Verdict.Status.INVALID ? "1" : "0");
        }
    }

    @Test
    void aRunWrittenAgainKeepsNothingOfTheOneBefore(@TempDir Path folder) throws Exception {
        RunDirectory run = new RunDirectory(Location.of(folder.toString()), "1");
        write(run, violation());
        Path stages = Files.createDirectories(folder.resolve("run=1/stages"));
        write(run, Verdict.of(Verdict.Status.PASS, IsolationLevel.SER).build());
        try (var files = Files.list(folder.resolve("run=1"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "_SUCCESS", "junit.xml", "metrics.json", "report.html", "verdict.json", "violations.jsonl");
        }
        // Checkpoints are of use only until there is a final verdict.
        assertThat(stages).doesNotExist();
    }
}
