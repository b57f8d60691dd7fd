package org.polygraph.jobs.report.page;

import com.samskivert.mustache.Template;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.InitialRows;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.report.wording.LevelStatement;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.InitialFile;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code report.html}: a verdict as one page of at most {@value #MOST_BYTES} bytes. It fetches nothing: styles and
 * script are part of it, and a content security policy names them by hash and forbids everything else. Violations that
 * do not fit are shortened, and those beyond are only counted.
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

    private HtmlReport(Verdict verdict, String run, String version) {
        this.verdict = verdict;
        this.run = run;
        this.version = version;
    }

    /**
     * The page.
     *
     * @param run the run's location, for the commands on the page
     */
    public static String of(Verdict verdict, String run, String version) {
        return new HtmlReport(verdict, run, version).render();
    }

    /** {@code cycle.svg}: the picture of one violation. */
    public static String svg(Violation violation, HistoryTable table) {
        Drawing drawing = CycleDrawing.of(violation, new Facts(table), "c");
        return Templates.named("standalone").execute(new Standalone(drawing, Templates.text("drawing.css")));
    }

    record Standalone(Drawing drawing, String css) {}

    /** The fields of the template {@code page}. A list of at most one element is an optional field. */
    record Page(
            String css,
            String cssHash,
            String script,
            String scriptHash,
            String title,
            String status,
            String word,
            String sentence,
            String path,
            String fullPath,
            String reason,
            String advice,
            List<Item> coverage,
            List<Item> assumptions,
            String under,
            List<Kind> anomalies,
            List<Entry> entries,
            String found,
            List<Timeline> timeline,
            List<String> violations,
            String leftOut,
            List<PhaseBar> phases,
            List<Item> cost,
            List<Item> evidence,
            String verify,
            String rerun,
            String version) {}

    /** A term, its value and a note. */
    record Item(String term, String value, String note) {}

    /** An anomaly, how often it occurs and the anchor of its first occurrence. */
    record Kind(String name, String meaning, int count, String first) {}

    /** A violation in the overview. */
    record Entry(String anchor, int number, String name, int transactions, String keys, String enough, boolean shown) {}

    /** @param width in percent of the longest */
    record PhaseBar(String name, String time, String cpu, String items, double width) {}

    private String render() {
        String css = Templates.text("drawing.css") + Templates.text("page.css");
        String script = Templates.text("page.js");
        List<String> shown = violations();
        HistoryTable table = table();
        String state = verdict.status().name();
        Page page = new Page(
                css,
                hash(css),
                script,
                hash(script),
                state + " " + verdict.level().label() + " " + Legible.shortened(verdict.path(), PATH),
                state.toLowerCase(Locale.ROOT),
                state,
                sentence(),
                Legible.shortened(verdict.path(), PATH),
                verdict.path(),
                verdict.reason(),
                advice(),
                coverage(),
                assumptions(),
                under(),
                anomalies(),
                entries(shown.size()),
                found(),
                table == null ? List.of() : Timeline.of(table, verdict.violations(), verdict.unexplained()),
                shown,
                leftOut(shown.size()),
                phases(),
                cost(),
                evidence(),
                verdict.certificate() == null || verdict.certificate().path() == null
                        ? ""
                        : "polygraph verify " + Shell.quoted(run) + " " + Shell.quoted(verdict.path()),
                "polygraph check -l " + verdict.level().label() + options() + " " + Shell.quoted(verdict.path()),
                version);
        return Templates.named("page").execute(page);
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
        for (int i = 0; i < all.size(); i++) {
            // No violation takes more than its share of the remaining space, so that a huge one leaves room for others.
            int share = Math.max(left / Math.min(4, all.size() - i), 1);
            String text = "";
            for (ViolationPage.Extent extent : ViolationPage.Extent.values()) {
                ViolationPage model = ViolationPage.of(verdict, i, table, run, options(), extent);
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

    private String leftOut(int shown) {
        int more = verdict.violations().size() - shown;
        int unexplained = verdict.violationsFound() - verdict.violations().size();
        List<String> sentences = new ArrayList<>();
        if (more > 0) {
            sentences.add(more + " more do not fit this page; violations.jsonl lists them.");
        }
        if (unexplained > 0 && verdict.status() == Verdict.Status.VIOLATION) {
            sentences.add(unexplained + " more were found but not explained (--max-violations)"
                    + (verdict.unexplained().isEmpty()
                            ? "."
                            : "; they are in the counts by kind and in the timeline."));
        }
        if (verdict.status() == Verdict.Status.VIOLATION) {
            sentences.add(
                    "The check ended with the phase that found these; in transactions that they do not concern there may"
                            + " be others.");
        }
        return String.join(" ", sentences);
    }

    private String sentence() {
        return switch (verdict.status()) {
            case PASS -> LevelStatement.kept(level());
            case VIOLATION -> LevelStatement.broken(level());
            case UNKNOWN -> "A budget ran out before there was an answer: the history may keep the level or break it.";
            case INVALID -> "The input is not a history that can be checked.";
            case ERROR -> "The check failed.";
        };
    }

    /** The level, with real time if the assumptions add it. */
    private IsolationLevel level() {
        Assumptions given = verdict.assumptions();
        return given != null && given.time() == TimeMode.STRICT
                ? verdict.level().strict()
                : verdict.level();
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
        return last + "Check again with a larger --timeout or --memory, whichever ran out.";
    }

    private List<Item> coverage() {
        Counts counts = verdict.counts();
        return List.of(
                item("Sessions", counts.sessions()),
                item("Committed", counts.transactionsCommitted()),
                item("Aborted", counts.transactionsAborted()),
                item("Outcome unknown", counts.transactionsIndeterminate()),
                item("Reads", counts.reads()),
                item("Writes", counts.writes()),
                item("Keys", counts.keys()));
    }

    private static Item item(String term, long value) {
        return new Item(term, grouped(value), "");
    }

    private static String grouped(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** The assumptions on one line. */
    private String under() {
        List<String> words = new ArrayList<>();
        words.add("session order");
        for (Item item : assumptions()) {
            words.add(item.term().toLowerCase(Locale.ROOT) + " " + item.value());
        }
        return String.join(", ", words);
    }

    private List<Item> assumptions() {
        Assumptions given = verdict.assumptions();
        if (given == null) {
            return List.of();
        }
        Object initial = given.initialValue();
        String value =
                initial == null ? "null" : initial instanceof String ? "\"" + initial + "\"" : initial.toString();
        List<Item> items = new ArrayList<>();
        items.add(new Item("Initial value", Legible.shortened(value, PATH), "of every key"));
        InitialFile state = given.state();
        if (state != null) {
            items.add(new Item(
                    "Initial state", Legible.shortened(state.path(), PATH), "has other initial values of some keys"));
        }
        items.add(new Item(
                "Initial rows",
                InitialRows.assumed(given.loaders()),
                given.loaders().count() == 0
                        ? "an implicit first transaction writes the initial value of every key"
                        : "they precede all other transactions"));
        items.add(
                given.uniqueValues()
                        ? new Item(
                                "Values",
                                "unique",
                                "no value was written twice to a key, so the value of a read identifies its writer")
                        : new Item(
                                "Values", "repeated", "a read may have several possible writers; all were considered"));
        items.add(new Item(
                "Timestamps",
                given.time().label(),
                switch (given.time()) {
                    case NONE -> "not used";
                    case HINT -> "used to find an order, never to report a violation";
                    case STRICT -> "real time is part of the level";
                }));
        if (given.time() == TimeMode.STRICT) {
            items.add(new Item(
                    "Clock skew",
                    Timeline.duration((double) given.clockSkewNanos()),
                    "at most, between any two clients"));
        }
        items.add(new Item(
                "Unknown outcomes",
                given.indeterminate().label(),
                given.indeterminate() == IndeterminateMode.MAYBE
                        ? "committed if a committed transaction read from them"
                        : "treated as aborted"));
        return items;
    }

    /** The options that repeat the same check. */
    private String options() {
        Assumptions given = verdict.assumptions();
        if (given == null) {
            return "";
        }
        StringBuilder options = new StringBuilder();
        if (given.time() != TimeMode.HINT) {
            options.append(" --time ").append(given.time().label());
        }
        if (given.clockSkewNanos() != 0) {
            options.append(" --clock-skew ").append(given.clockSkewNanos()).append("ns");
        }
        if (given.indeterminate() != IndeterminateMode.MAYBE) {
            options.append(" --indeterminate ").append(given.indeterminate().label());
        }
        if (given.loaders().choice() != InitialChoice.AUTO) {
            options.append(" --initial ").append(given.loaders().choice().label());
        }
        InitialFile state = given.state();
        if (state != null) {
            options.append(" --initial-state ").append(Shell.quoted(state.path()));
        }
        return options.toString();
    }

    private List<Kind> anomalies() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        int explained = verdict.violations().size();
        for (int i = 0; i < explained + verdict.unexplained().size(); i++) {
            Violation violation = i < explained
                    ? verdict.violations().get(i)
                    : verdict.unexplained().get(i - explained);
            String name = violation.anomaly().label();
            String first = i < explained ? "v" + String.format(Locale.ROOT, "%03d", i) : Timeline.UNEXPLAINED;
            kinds.merge(
                    name,
                    new Kind(name, violation.anomaly().meaning(), 1, first),
                    (a, b) -> new Kind(name, a.meaning(), a.count() + 1, a.first()));
        }
        return List.copyOf(kinds.values());
    }

    private List<Entry> entries(int shown) {
        HistoryTable table = verdict.table();
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < verdict.violations().size() && table != null; i++) {
            Violation violation = verdict.violations().get(i);
            Facts facts = new Facts(table);
            List<String> keys = new ArrayList<>();
            for (int key :
                    violation.keys().subList(0, Math.min(4, violation.keys().size()))) {
                keys.add(Legible.shortened(facts.key(key), 24));
            }
            if (violation.keys().size() > keys.size()) {
                keys.add("+ " + (violation.keys().size() - keys.size()) + " more");
            }
            String enough = violation.minimal() == null
                    ? ""
                    : violation.minimal().transactions().length + " transactions, "
                            + violation.minimal().operations().length + " operations";
            entries.add(new Entry(
                    "v" + String.format(Locale.ROOT, "%03d", i),
                    i + 1,
                    violation.anomaly().label(),
                    violation.transactions().size(),
                    String.join(", ", keys),
                    enough,
                    i < shown));
        }
        return entries;
    }

    private String found() {
        int found = verdict.violationsFound();
        int shown = verdict.violations().size();
        boolean atLeast = found >= IndexedHistory.MOST_VIOLATIONS;
        return found == shown
                ? found + (found == 1 ? " violation" : " independent violations")
                : found + (atLeast ? " or more" : "") + " independent violations, " + shown + " of them explained";
    }

    private List<PhaseBar> phases() {
        long longest = 1;
        for (Phase phase : verdict.phases()) {
            longest = Math.max(longest, phase.millis());
        }
        List<PhaseBar> bars = new ArrayList<>();
        for (Phase phase : verdict.phases()) {
            double width = Math.round(1000.0 * phase.millis() / longest) / 10.0;
            bars.add(new PhaseBar(
                    phase.name(),
                    grouped(phase.millis()) + " ms",
                    grouped(phase.cpuMillis()) + " ms",
                    grouped(phase.items()),
                    Math.max(0.4, width)));
        }
        return bars;
    }

    private List<Item> cost() {
        List<Item> items = new ArrayList<>();
        items.add(new Item("Elapsed", grouped(verdict.millis()) + " ms", "from opening the history to the verdict"));
        items.add(new Item(
                "Peak memory",
                String.format(Locale.ROOT, "%,.0f MiB", verdict.peakMemoryBytes() / 1048576.0),
                "of the whole process"));
        ResidualSize rest = verdict.residual();
        boolean decided = verdict.status() == Verdict.Status.PASS || verdict.status() == Verdict.Status.VIOLATION;
        if (!decided && rest.constraints() == 0) {
            return items;
        }
        items.add(new Item(
                "Left to the solver",
                grouped(rest.constraints()) + " constraints",
                rest.constraints() == 0
                        ? "the rules decided everything"
                        : grouped(rest.components()) + " components, the largest of " + grouped(rest.largest())
                                + " transactions; " + grouped(rest.decisions()) + " decisions, "
                                + grouped(rest.conflicts()) + " conflicts"));
        return items;
    }

    private List<Item> evidence() {
        Certificate certificate = verdict.certificate();
        if (certificate == null) {
            return List.of();
        }
        Witness witness = verdict.witness();
        String label =
                witness == null ? level().label() : witness.terms().guarantee().label();
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
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
