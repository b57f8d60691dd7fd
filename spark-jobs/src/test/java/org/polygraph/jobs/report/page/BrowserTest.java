package org.polygraph.jobs.report.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser. With {@code -Dpolygraph.screenshots=DIR} pictures are left there for people. */
class BrowserTest {
    private static final String CYCLE = "document.querySelectorAll('article.finding')[0].querySelector('figure svg')";

    @Test
    void aReportOfThreeViolationsIsReadWithoutANetwork(@TempDir Path folder) throws Exception {
        Optional<Path> program = Browser.installed();
        Assumptions.assumeTrue(
                program.isPresent(), "SKIPPED: no chromium, chromium-browser or google-chrome in PATH; install one");
        Path page = Files.writeString(
                folder.resolve("report.html"),
                HtmlReport.of(
                        Reports.lostUpdates(
                                "three.jsonl", "</script><b>", List.of("x", "<script>alert(1)</script>", "z")),
                        "out/run=1",
                        "1",
                        () -> false));
        Path profile = Files.createDirectory(folder.resolve("profile"));
        try (Browser browser = Browser.start(program.orElseThrow(), profile)) {
            browser.show(1280, 900, "light");
            browser.open(page.toUri());
            assertThat(browser.value("document.querySelectorAll('article.finding').length")
                            .asInt())
                    .isEqualTo(3);
            theCycleIsThere(browser);
            aReasonUnfoldsByKeyboard(browser);
            aLinkIntoAFoldedReasonUnfoldsIt(browser);
            for (int width : new int[] {1280, 400}) {
                for (String scheme : List.of("light", "dark")) {
                    fits(browser, width, scheme);
                }
            }
            nothingWasFetched(browser, page);
        }
    }

    private static void theCycleIsThere(Browser browser) throws Exception {
        assertThat(browser.value(CYCLE + ".querySelectorAll('.box').length").asInt())
                .isEqualTo(2);
        assertThat(browser.value(CYCLE + ".querySelectorAll('.arrow').length").asInt())
                .isEqualTo(2);
        assertThat(browser.value(CYCLE + ".getBoundingClientRect().width").asInt())
                .isBetween(200, 500);
        String dash = "getComputedStyle(" + CYCLE + ".querySelector('.arrow.%s .stroke')).%s";
        assertThat(browser.value(String.format(dash, "rw", "stroke")).asText())
                .isNotEqualTo(browser.value(String.format(dash, "ww", "stroke")).asText());
        assertThat(browser.value(String.format(dash, "rw", "strokeDasharray")).asText())
                .isNotEqualTo(browser.value(String.format(dash, "ww", "strokeDasharray"))
                        .asText());
    }

    /**
     * Tab goes to an arrow, and the panel shows its reason. Enter opens the reason below it, down to the other cycle.
     */
    private static void aReasonUnfoldsByKeyboard(Browser browser) throws Exception {
        String reason = "document.getElementById('v000r1')";
        assertThat(browser.value(reason + ".open").asBoolean()).isFalse();
        browser.value(CYCLE + ".querySelector('.arrow.rw').focus()");
        browser.press("Tab");
        assertThat(browser.value("document.activeElement.getAttribute('class')").asText())
                .startsWith("arrow ww");
        assertThat(browser.value("document.getElementById('v000p').textContent").asText())
                .contains("s1#7 WW s0#7")
                .contains("forced: the other order closes a cycle");
        browser.press("Enter");
        assertThat(browser.value(reason + ".open").asBoolean()).isTrue();
        assertThat(browser.value(reason + ".querySelector('.case').checkVisibility()")
                        .asBoolean())
                .isTrue();
        assertThat(browser.value(reason + ".querySelector('.case').innerText").asText())
                .contains("first before second")
                .contains("closes a cycle");
        browser.value("document.querySelector('#v001r1 > summary').focus()");
        browser.press("Enter");
        assertThat(browser.value("document.getElementById('v001r1').open").asBoolean())
                .isTrue();
    }

    private static void aLinkIntoAFoldedReasonUnfoldsIt(Browser browser) throws Exception {
        browser.value("location.hash = '#v002r1'");
        for (int i = 0; i < 100; i++) {
            if (browser.value("document.getElementById('v002r1').open").asBoolean()) {
                return;
            }
            Thread.sleep(50);
        }
        assertThat(browser.value("document.getElementById('v002r1').open").asBoolean())
                .isTrue();
    }

    private static void fits(Browser browser, int width, String scheme) throws Exception {
        browser.show(width, 900, scheme);
        assertThat(browser.value("document.documentElement.scrollWidth").asInt())
                .as("%d px", width)
                .isLessThanOrEqualTo(width);
        // The approximate relative luminance of a text and of its background.
        String sum = "getComputedStyle(document.body).%s.match(/[0-9]+/g).slice(0, 3).reduce((a, b) => +a + +b, 0)";
        int ground = browser.value(String.format(sum, "backgroundColor")).asInt();
        int ink = browser.value(String.format(sum, "color")).asInt();
        assertThat(scheme.equals("dark") ? ink - ground : ground - ink).isGreaterThan(450);
        String pictures = System.getProperty("polygraph.screenshots", "");
        if (!pictures.isEmpty()) {
            Files.createDirectories(Path.of(pictures));
            Files.write(Path.of(pictures, width + "-" + scheme + ".png"), browser.screenshot());
        }
    }

    private static void nothingWasFetched(Browser browser, Path page) {
        List<String> asked = browser.of("Network.requestWillBeSent").stream()
                .map(request -> request.at("/request/url").asText().replaceFirst("#.*", ""))
                .distinct()
                .toList();
        assertThat(asked).containsExactly(page.toUri().toString());
        assertThat(browser.of("Runtime.exceptionThrown")).isEmpty();
        assertThat(browser.of("Log.entryAdded").stream().map(JsonNode::toString))
                .isEmpty();
    }
}
