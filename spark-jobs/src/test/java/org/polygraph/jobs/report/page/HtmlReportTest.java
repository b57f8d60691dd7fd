package org.polygraph.jobs.report.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.xml.sax.InputSource;

class HtmlReportTest {
    private static final String RUN = "out/run=0123";

    private static String html(Verdict verdict) {
        return HtmlReport.of(verdict, RUN, "1.2.3", () -> false);
    }

    private static Verdict three() throws HistoryException {
        return Reports.lostUpdates("dir/three.jsonl", "v", List.of("x", "y", "z"));
    }

    @Test
    void violationsThatAreNotExplainedAreCountedAndDrawn() throws HistoryException {
        Verdict all = three();
        Verdict one = all.with()
                .violations(all.violations().subList(0, 1), all.table())
                .furtherViolations(all.violations().subList(1, 3), 3)
                .build();
        Document page = Jsoup.parse(html(one));
        assertThat(page.select("main h2").first().text()).isEqualTo("3 independent violations, 1 of them explained");
        assertThat(page.select(".kinds li a").eachText()).containsExactly("3 LostUpdate");
        assertThat(page.getElementById("unexplained").text())
                .isEqualTo(
                        "2 more were found but not explained (--max-violations); they are in the counts by kind and in"
                                + " the timeline. The check ended with the phase that found these; in transactions that"
                                + " they do not concern there may be others.");
        assertThat(page.select("svg.timeline a[href=#v000]")).hasSize(1);
        assertThat(page.select("svg.timeline a[href=#unexplained]")).isNotEmpty();
    }

    /** What a page shows is in the case files-of-a-run; here is what a reader can follow on it. */
    @Test
    void arrowsLeadToTheirReasons() throws HistoryException {
        Document page = Jsoup.parse(html(three()));
        assertThat(page.select(".timeline .mark")).hasSize(3);
        Element first = page.select("article.finding").get(0);
        assertThat(first.select("figure .arrow").eachAttr("class")).containsExactly("arrow rw", "arrow ww");
        for (Element arrow : first.select(".arrow")) {
            assertThat(arrow.attr("tabindex")).isEqualTo("0");
            assertThat(first.getElementById(arrow.attr("data-step"))).isNotNull();
        }
        Element reason = first.getElementById("v000r1");
        assertThat(reason).isNotNull();
        assertThat(reason.select("> summary .why").text()).isEqualTo("forced: the other order closes a cycle");
        assertThat(reason.select(".case .steps li")).hasSize(2);
        assertThat(reason.select(".closed").text()).contains("closes a cycle");
    }

    @ParameterizedTest
    @EnumSource(
            value = Verdict.Status.class,
            names = {"PASS", "UNKNOWN", "INVALID", "ERROR"})
    void everyOtherStatusHasAPageToo(Verdict.Status status) {
        Document page = Jsoup.parse(html(Verdict.of(status, IsolationLevel.SER)
                .path("h.jsonl")
                .reason(status == Verdict.Status.PASS ? "" : "timeout of 10 s ran out while solving")
                .build()));
        assertThat(page.select(".banner .word").text()).isEqualTo(status.name());
        assertThat(page.body().className()).isEqualTo(status.name().toLowerCase(java.util.Locale.ROOT));
        assertThat(page.select("article")).isEmpty();
        assertThat(page.select(".reason").text().contains("--timeout")).isEqualTo(status == Verdict.Status.UNKNOWN);
        assertThat(page.select("#rerun").text()).isEqualTo("polygraph check -l ser h.jsonl");
    }

    /** What each level guarantees, and each kind of evidence is: {@code page-sentences.txt}, by -Dcases.update=true. */
    @Test
    void theSentencesOfLevelsAndEvidence() throws IOException {
        StringBuilder now = new StringBuilder();
        for (IsolationLevel level : IsolationLevel.values()) {
            for (TimeMode time :
                    level.realTime() ? List.of(TimeMode.STRICT) : List.of(TimeMode.HINT, TimeMode.STRICT)) {
                for (Verdict.Status status : List.of(Verdict.Status.PASS, Verdict.Status.VIOLATION)) {
                    Assumptions assumptions = new Assumptions(0L, true, time, 0, IndeterminateMode.MAYBE);
                    Verdict verdict =
                            Verdict.of(status, level).assumptions(assumptions).build();
                    now.append("%s, time %s: ".formatted(level.label(), time.label()));
                    now.append(Jsoup.parse(html(verdict))
                                    .select(".banner .sentence")
                                    .text())
                            .append('\n');
                }
            }
            for (String kind : List.of("order", "cycle", "proof", "operations")) {
                Verdict verdict = Verdict.of(Verdict.Status.PASS, level)
                        .certificate(new Certificate(kind, null, true))
                        .build();
                now.append(level.label()).append(": ");
                now.append(Jsoup.parse(html(verdict)).select("dl.terms").text().replaceFirst(" Verified.*", ""))
                        .append('\n');
            }
        }
        Path golden =
                Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs/src/test/resources/page-sentences.txt");
        if (Boolean.getBoolean("cases.update")) {
            Files.writeString(golden, now);
        }
        assertThat(golden).hasContent(now.toString());
    }

    @Test
    void theSameVerdictGivesTheSameBytes() throws HistoryException {
        assertThat(html(three())).isEqualTo(html(three()));
        Verdict verdict = three();
        assertThat(svg(verdict)).isEqualTo(svg(three()));
    }

    @Test
    void nothingIsFetched() throws HistoryException {
        String html = html(three());
        assertThat(html).doesNotContain("http:", "https:", "@import", "url(", "//");
        Document page = Jsoup.parse(html);
        assertThat(page.select("[src], link, img, iframe, object, embed, base, form"))
                .isEmpty();
        assertThat(page.select("a").eachAttr("href")).allMatch(target -> target.startsWith("#"));
        for (String target : page.select("a").eachAttr("href")) {
            assertThat(page.getElementById(target.substring(1))).as(target).isNotNull();
        }
    }

    /** The policy allows this style sheet and this script, by their hashes, and nothing else. */
    @Test
    void thePolicyNamesWhatIsThere() throws Exception {
        Document page = Jsoup.parse(html(three()));
        String policy = page.select("meta[http-equiv=Content-Security-Policy]").attr("content");
        assertThat(policy).startsWith("default-src 'none'; ").doesNotContain("unsafe");
        assertThat(page.select("style")).hasSize(1);
        assertThat(page.select("script")).hasSize(1);
        assertThat(page.select("[style]")).isEmpty();
        for (String inline : List.of(
                page.select("style").first().data(),
                page.select("script").first().data())) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(inline.getBytes(StandardCharsets.UTF_8));
            assertThat(policy).contains("'sha256-" + Base64.getEncoder().encodeToString(digest) + "'");
        }
        for (Element element : page.getAllElements()) {
            assertThat(element.attributes().asList())
                    .noneMatch(attribute -> attribute.getKey().startsWith("on"));
        }
    }

    /** The elements and the names of attributes, which only templates write. */
    private static String skeleton(Document page) {
        StringBuilder text = new StringBuilder();
        for (Element element : page.getAllElements()) {
            text.append(element.tagName());
            element.attributes().asList().forEach(attribute -> text.append(' ').append(attribute.getKey()));
            text.append('\n');
        }
        return text.toString();
    }

    @Test
    void whateverStandsInAHistoryStaysText() throws Exception {
        long seed = 20261120;
        Random random = new Random(seed);
        String expected = skeleton(Jsoup.parse(html(Reports.lostUpdates("path", "value", List.of("key")))));
        Path hostile =
                Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs/src/test/resources/hostile.json");
        List<String> texts = new ArrayList<>(List.of("x".repeat(5000), "<".repeat(3000)));
        new ObjectMapper().readTree(hostile.toFile()).forEach(each -> texts.add(each.textValue()));
        List<String> parts = List.copyOf(texts);
        for (int i = 0; i < 60; i++) {
            StringBuilder text = new StringBuilder("k");
            for (int n = random.nextInt(12); n >= 0; n--) {
                String part = parts.get(random.nextInt(parts.size()));
                text.append(part, 0, Math.min(part.length(), 1 + random.nextInt(12)));
                text.append((char) random.nextInt(random.nextBoolean() ? 128 : 0x10000));
            }
            texts.add(text.toString());
        }
        for (String text : texts) {
            String as = "seed " + seed + ", " + Legible.of(text);
            Verdict verdict = Reports.lostUpdates("p" + text, text, List.of(text));
            String html = html(verdict);
            Document page = Jsoup.parse(html);
            assertThat(skeleton(page)).as(as).isEqualTo(expected);
            assertThat(html.codePoints().filter(c -> c != '\n').allMatch(Legible::isShown))
                    .as(as)
                    .isTrue();
            assertThat(page.select(".versions .k code").first().wholeText())
                    .as(as)
                    .isEqualTo(Legible.of('"' + text + '"'));
            assertThat(page.select("h1").attr("title").replace("\n", "\\n"))
                    .as(as)
                    .isEqualTo(Legible.of("p" + text));
            if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
                String lines = page.getElementById("v000j").wholeText();
                JsonNode write = new ObjectMapper()
                        .readTree(lines.lines().toList().get(1))
                        .at("/ops/1");
                assertThat(write.at("/key").textValue()).as(as).isEqualTo(text);
                assertThat(write.at("/value").textValue()).as(as).isEqualTo(text + "0");
            }
            org.w3c.dom.Document picture = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(svg(verdict))));
            assertThat(picture.getElementsByTagName("*").getLength()).as(as).isEqualTo(elements());
        }
    }

    private static String svg(Verdict verdict) {
        return HtmlReport.svg(verdict.violations().get(0), verdict.table());
    }

    private static int elements() throws HistoryException {
        String svg = svg(Reports.lostUpdates("path", "value", List.of("key")));
        return (int) Pattern.compile("<[a-z]").matcher(svg).results().count();
    }

    /** A hundred violations of very long keys: the first are explained, the others are shortened or counted. */
    @ParameterizedTest
    @ValueSource(ints = {3_000, 100_000})
    void aPageIsNoLargerThanItMayBe(int length) throws HistoryException {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            keys.add("<".repeat(length) + i);
        }
        String html = html(Reports.lostUpdates("p", "v", keys));
        assertThat(html.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(HtmlReport.MOST_BYTES);
        Document page = Jsoup.parse(html);
        int explained = page.select("article.finding").size();
        assertThat(explained).isPositive();
        assertThat(page.select("details.all tbody tr")).hasSize(100);
        if (explained < 100) {
            assertThat(page.select("main > section .note").text())
                    .contains((100 - explained) + " more do not fit this page; violations.jsonl lists them.");
        }
    }

    /** A cycle of 20,000 transactions that all read one key is drawn and explained within bounds. */
    @Test
    void aVeryLongCycleIsCut() throws HistoryException {
        int n = 20_000;
        HistoryTableBuilder b = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        b.file("long.jsonl");
        b.initialValue(0);
        int key = b.keys().id(1);
        List<Integer> all = new ArrayList<>();
        List<Dependency> cycle = new ArrayList<>();
        for (int t = 0; t < n; t++) {
            b.begin(t % 100, t / 100, TransactionStatus.COMMITTED, t);
            b.read(key, b.values().code(0));
            b.write(key, b.values().code(t + 1));
            b.end();
            all.add(t);
            cycle.add(new Dependency(t, (t + 1) % n, EdgeKind.RW, key, 0, "observed"));
        }
        Violation violation = new Violation(Anomaly.WRITE_SKEW, all, List.of(key), cycle, "");
        String html = html(Reports.verdict("long.jsonl", List.of(violation), b.build()));
        Document page = Jsoup.parse(html);
        assertThat(html.length()).isLessThan(1 << 21);
        assertThat(page.select("figure .box")).hasSize(CycleDrawing.MOST);
        int steps = page.select(".story > .steps > li").size();
        assertThat(steps).isBetween(40, 2000);
        assertThat(page.select(".story > .note").text())
                .isEqualTo("and " + (n - steps) + " more steps: see verdict.json");
    }
}
