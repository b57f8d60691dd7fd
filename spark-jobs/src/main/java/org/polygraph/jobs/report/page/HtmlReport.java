package org.polygraph.jobs.report.page;

import com.samskivert.mustache.Template;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.LevelStatement;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.CoveredParts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code report.html}: a verdict as one page of at most {@value #MOST_BYTES} bytes. It fetches nothing: styles and
 * script are part of it, and a content security policy names them by hash and forbids everything else. Violations that
 * do not fit are shortened; those that still do not fit are only counted.
 */
public final class HtmlReport {
    /** The largest file. */
    public static final int MOST_BYTES = 5 << 20;

    /** Reserved for everything but violations: tables of at most a hundred rows, the timeline, styles. */
    private static final int FRAME_BYTES = 1 << 20;

    private static final int PATH = 120;

    private final Verdict verdict;
    private final String run;
    private final String version;
    private final Assumed assumed;
    private final BooleanSupplier stop;

    private HtmlReport(Verdict verdict, String run, String version, BooleanSupplier stop) {
        this.stop = stop;
        this.verdict = verdict;
        this.run = run;
        this.version = version;
        this.assumed = Assumed.of(verdict);
    }

    /**
     * The page.
     *
     * @param run the run's location, for the commands on the page
     * @param stop polled before each violation; once it is true, the page only counts the others and has no timeline
     */
    public static String of(Verdict verdict, String run, String version, BooleanSupplier stop) {
        return new HtmlReport(verdict, run, version, stop).render();
    }

    /** {@code cycle.svg}: the picture of one violation. */
    public static String svg(Violation violation, HistoryTable table) {
        Drawing drawing = CycleDrawing.of(violation, new Facts(table), "c");
        return Templates.named("standalone").execute(new Standalone(drawing, Templates.text("drawing.css")));
    }

    record Standalone(Drawing drawing, String css) {}

    /** The fields of the template {@code page}. A list of at most one element is an optional field. */
    record Page(
            Assets assets,
            Heading heading,
            List<Item> coverage,
            Assumed assumed,
            Findings findings,
            List<Timeline> timeline,
            List<String> violations,
            Evidence evidence,
            Cost cost) {}

    /** Styles and script of the page, each with its hash for the content security policy. */
    record Assets(String css, String cssHash, String script, String scriptHash, String version) {}

    /** @param path shortened; the page shows {@code fullPath} on hover */
    record Heading(
            String title,
            String status,
            String word,
            String sentence,
            String path,
            String fullPath,
            String reason,
            String advice) {}

    /** @param verify the command that checks it; empty if there is no certificate to check */
    record Evidence(List<Item> items, String verify) {}

    /** A term, its value and a note. */
    record Item(String term, String value, String note) {}

    private String render() {
        String css = Templates.text("drawing.css") + Templates.text("page.css");
        String script = Templates.text("page.js");
        List<String> shown = violations();
        HistoryTable table = table();
        Page page = new Page(
                new Assets(css, hash(css), script, hash(script), version),
                heading(),
                coverage(),
                assumed,
                Findings.of(verdict, shown.size()),
                table == null || stop.getAsBoolean()
                        ? List.of()
                        : Timeline.of(table, verdict.violations(), verdict.unexplained()),
                shown,
                new Evidence(evidence(), verifyCommand()),
                Cost.of(verdict, run, assumed.options()));
        return Templates.named("page").execute(page);
    }

    private Heading heading() {
        String state = verdict.status().name();
        String path = Legible.shortened(verdict.path(), PATH);
        return new Heading(
                state + " " + verdict.level().label() + " " + path,
                state.toLowerCase(Locale.ROOT),
                state,
                sentence(),
                path,
                verdict.path(),
                verdict.reason(),
                part() + advice());
    }

    /** Says of which part of a chain the page is; empty if it is of a whole history. */
    private String part() {
        CoveredParts parts = verdict.parts();
        return parts == null || parts.count() < 2
                ? ""
                : "This is part " + parts.count()
                        + " of a chain. The verdict is of all parts up to it as one history. ";
    }

    private String verifyCommand() {
        return verdict.certificate() == null || verdict.certificate().path() == null
                ? ""
                : "polygraph verify " + Shell.quoted(run)
                        + (part().isEmpty() ? " " + Shell.quoted(verdict.path()) : "");
    }

    private @Nullable HistoryTable table() {
        HistoryTable table = verdict.table();
        if (table != null) {
            return table;
        }
        return verdict.witness() == null ? null : verdict.witness().table();
    }

    /** Returns the violations as HTML, as many as fit. */
    private List<String> violations() {
        HistoryTable table = verdict.table();
        List<String> shown = new ArrayList<>();
        if (table == null) {
            return shown;
        }
        Template template = Templates.named("violation");
        int left = MOST_BYTES - FRAME_BYTES;
        List<Violation> all = verdict.violations();
        for (int i = 0; i < all.size() && !stop.getAsBoolean(); i++) {
            // No violation takes more than its share of the remaining space, so that a huge one leaves room for others.
            int share = Math.max(left / Math.min(4, all.size() - i), 1);
            String text = "";
            for (ViolationPage.Extent extent : ViolationPage.Extent.values()) {
                ViolationPage model = ViolationPage.of(verdict, i, table, run, assumed.options(), extent);
                text = template.execute(model);
                if (bytes(text) <= share) {
                    break;
                }
            }
            int size = bytes(text);
            if (size > left) {
                break;
            }
            left -= size;
            shown.add(text);
        }
        return shown;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private String sentence() {
        return switch (verdict.status()) {
            case PASS -> LevelStatement.kept(assumed.level());
            case VIOLATION -> LevelStatement.broken(assumed.level());
            case UNKNOWN -> "The check found no answer: the history may keep the level or break it.";
            case INVALID -> "The input is not a history that can be checked.";
            case ERROR -> "The check failed.";
        };
    }

    private String advice() {
        if (verdict.status() != Verdict.Status.UNKNOWN) {
            return "";
        }
        int ended = verdict.phases().size();
        String last = ended == 0
                ? ""
                : "The last completed phase was "
                        + verdict.phases().get(ended - 1).name() + ". ";
        return last + "If --timeout or --memory ran out, check again with more of it.";
    }

    private List<Item> coverage() {
        Counts counts = verdict.counts();
        List<Item> items = new ArrayList<>();
        CoveredParts parts = verdict.parts();
        CoveredParts.Sizes sizes = parts == null || parts.count() < 2 ? null : parts.sizes();
        if (sizes != null) {
            items.add(new Item("This part", grouped(sizes.transactions()) + " transactions", ""));
            items.add(new Item(
                    "Chain",
                    sizes.chainTransactions() < 0
                            ? "not counted"
                            : grouped(sizes.chainTransactions()) + " transactions",
                    ""));
            items.add(new Item("Read for this verdict", grouped(counts.transactions()) + " transactions", ""));
        }
        items.addAll(List.of(
                item("Sessions", counts.sessions()),
                item("Committed", counts.transactionsCommitted()),
                item("Aborted", counts.transactionsAborted()),
                item("Outcome unknown", counts.transactionsIndeterminate()),
                item("Reads", counts.reads()),
                item("Writes", counts.writes()),
                item("Keys", counts.keys())));
        return items;
    }

    private static Item item(String term, long value) {
        return new Item(term, grouped(value), "");
    }

    static String grouped(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private List<Item> evidence() {
        Certificate certificate = verdict.certificate();
        if (certificate == null) {
            return List.of();
        }
        Witness witness = verdict.witness();
        String label = witness == null
                ? assumed.level().label()
                : witness.terms().guarantee().label();
        String what = LevelStatement.evidence(
                certificate.kind(), IsolationLevel.ofLabel(label).orElse(verdict.level()));
        List<Item> items = new ArrayList<>();
        items.add(new Item("Kind", certificate.kind(), what));
        items.add(
                certificate.verified()
                        ? new Item(
                                "Verified", "yes", "from the raw operations, by code that is independent of the search")
                        : new Item("Verified", "no", "it has not been checked independently"));
        if (certificate.path() != null) {
            items.add(new Item("Where", certificate.path(), "in the run's folder"));
        }
        return items;
    }

    static String hash(String text) {
        byte[] digest = Fingerprint.digest().digest(text.getBytes(StandardCharsets.UTF_8));
        return "sha256-" + Base64.getEncoder().encodeToString(digest);
    }
}
