package org.polygraph.jobs.report.page;

import java.util.List;
import java.util.Map;

/** The page of a watch. A browser reads its file again every two seconds. */
public final class WatchPage {
    private WatchPage() {}

    record Page(List<Row> rows) {}

    record Row(String name, String value) {}

    /** @param facts in their order */
    public static String of(Map<String, ?> facts) {
        return Templates.filled(
                "watch",
                new Page(facts.entrySet().stream()
                        .map(each -> new Row(each.getKey(), String.valueOf(each.getValue())))
                        .toList()));
    }
}
