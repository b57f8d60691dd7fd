package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * The runs of a day in numbers. The page of the day begins with them, so that the page of all days can be made without
 * the verdicts of earlier days.
 *
 * @param shown a hash of the runs that the page of the day shows
 * @param violations of all levels
 * @param verdicts by the label of a level, such as {@code 23 PASS, 1 VIOLATION}
 */
public record DaySummary(String day, String shown, int histories, int violations, Map<String, String> verdicts) {
    private static final Pattern TEXT = Pattern.compile(
            "<meta name=\"runs\" content=\"([0-9a-f]{64}) (\\d{1,9}) (\\d{1,9})((?:; [a-z-]+ [0-9A-Z, ]+)*)\">");

    public DaySummary {
        verdicts = Map.copyOf(verdicts);
    }

    /** Counts the runs of a day. */
    public static DaySummary of(String day, String shown, List<RunsPage.Entry> entries) {
        Map<String, Map<String, Integer>> counts = new TreeMap<>();
        int violations = 0;
        for (RunsPage.Entry entry : entries) {
            counts.computeIfAbsent(entry.level(), level -> new TreeMap<>()).merge(entry.status(), 1, Integer::sum);
            violations += entry.status().equals("VIOLATION") ? 1 : 0;
        }
        Map<String, String> verdicts = new TreeMap<>();
        counts.forEach((level, of) -> {
            List<String> words = new ArrayList<>();
            of.forEach((status, count) -> words.add(count + " " + status));
            verdicts.put(level, String.join(", ", words));
        });
        int histories =
                (int) entries.stream().map(RunsPage.Entry::path).distinct().count();
        return new DaySummary(day, shown, histories, violations, verdicts);
    }

    /** Finds the summary at the beginning of the page of a day; null if there is none. */
    public static @Nullable DaySummary in(String page, String day) {
        Matcher matcher = TEXT.matcher(page);
        if (!matcher.find()) {
            return null;
        }
        Map<String, String> verdicts = new TreeMap<>();
        for (String verdict : matcher.group(4).split("; ", -1)) {
            int space = verdict.indexOf(' ');
            if (space > 0) {
                verdicts.put(verdict.substring(0, space), verdict.substring(space + 1));
            }
        }
        return new DaySummary(
                day,
                matcher.group(1),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)),
                verdicts);
    }

    /** The content that {@link #in} finds. */
    String text() {
        StringBuilder text = new StringBuilder(shown + " " + histories + " " + violations);
        for (IsolationLevel level : IsolationLevel.values()) {
            String of = verdicts.get(level.label());
            text.append(of == null ? "" : "; " + level.label() + " " + of);
        }
        return text.toString();
    }
}
