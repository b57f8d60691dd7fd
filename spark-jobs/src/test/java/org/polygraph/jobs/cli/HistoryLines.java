package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.polygraph.storage.testkit.HistoryDsl;

/**
 * JSON Lines of a history in one line of text: the language of {@link HistoryDsl} with conditions, compare-and-sets and
 * initial values of single keys, written without code of the product.
 *
 * <pre>
 * init null a=4; s0: pr(1..9,a=4) pw(1..9=3,a) pd(1..9); s1: @5..7 ?w(x,1) | cas(x,1,2,false) r(y,[1 2])
 * </pre>
 *
 * {@code pr} names the rows that it found, {@code pw} and {@code pd} the keys that they wrote, or {@code ?} where these
 * were not recorded, {@code ?2} if only their number was. A session that occurs again goes on; {@code _} is null too.
 */
public final class HistoryLines {
    private static final Pattern SESSION = Pattern.compile("(!?)s(\\d+): (.*)");
    private static final Pattern TRANSACTION = Pattern.compile("(?:@(\\d*)\\.\\.(\\d*) )?([!?]?)(.*)");
    private static final Pattern OPERATION = Pattern.compile("([a-z]+)\\(((?:[^()\\[]|\\[[^]]*])*)\\)");

    private HistoryLines() {}

    public static String of(String text) {
        String header = "{\"value\":null}";
        StringBuilder lines = new StringBuilder();
        Map<String, Integer> indexes = new HashMap<>();
        int place = 0;
        for (String part : text.strip().split("; ")) {
            if (part.startsWith("init ")) {
                header = initial(part.substring(5).split(" "));
                continue;
            }
            Matcher session = SESSION.matcher(part);
            boolean isNamed = session.matches();
            String label = isNamed ? session.group(2) : Integer.toString(place);
            place++;
            for (String each : (isNamed ? session.group(1) + session.group(3) : part).split(" \\| ")) {
                int index = indexes.merge(label, 1, Integer::sum) - 1;
                lines.append("{\"session\":" + label + ",\"index\":" + index + transaction(each) + "}\n");
            }
        }
        return "{\"format\":\"history\",\"version\":1,\"initial\":" + header + "}\n" + lines;
    }

    private static String initial(String[] words) {
        String state = Arrays.stream(words).skip(1).map(HistoryLines::pair).collect(Collectors.joining(","));
        return "{\"value\":" + json(words[0]) + (state.isEmpty() ? "" : ",\"state\":[" + state + "]") + "}";
    }

    private static String transaction(String text) {
        Matcher parts = TRANSACTION.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(text);
        }
        String status =
                switch (parts.group(3)) {
                    case "!" -> "aborted";
                    case "?" -> "indeterminate";
                    default -> "committed";
                };
        String operations = OPERATION
                .matcher(parts.group(4))
                .results()
                .map(each ->
                        "{\"op\":\"" + operation(each.group(1), each.group(2).split(",")) + "}")
                .collect(Collectors.joining(","));
        return time("start", parts.group(1)) + time("end", parts.group(2)) + ",\"status\":\"" + status + "\",\"ops\":["
                + operations + "]";
    }

    private static String time(String name, String time) {
        return time == null || time.isEmpty() ? "" : ",\"" + name + "\":" + time;
    }

    /** The rest of an operation after {@code "op":"}. */
    private static String operation(String op, String[] fields) {
        String key = "\",\"key\":" + json(fields[0]);
        return switch (op) {
            case "d" -> op + key;
            case "a" -> "append" + key + ",\"value\":" + json(fields[1]);
            case "cas" ->
                op + key + ",\"expected\":" + json(fields[1]) + ",\"value\":" + json(fields[2]) + ",\"ok\":"
                        + fields[3];
            case "savepoint" -> op + "\",\"name\":" + json(fields[0]);
            case "rollback" -> "rollback_to\",\"name\":" + json(fields[0]);
            case "pr", "pw", "pd" -> op + condition(op, fields);
            default -> op + key + ",\"value\":" + json(fields[1]);
        };
    }

    private static String condition(String op, String[] fields) {
        String[] bounds = fields[0].split("\\.\\.|=");
        String text = "\",\"lo\":" + bounds[0] + ",\"hi\":" + bounds[1]
                + (op.equals("pw") ? ",\"value\":" + json(bounds[2]) : "");
        List<String> rows = new ArrayList<>();
        for (String row : Arrays.asList(fields).subList(1, fields.length)) {
            if (row.startsWith("?")) {
                return text + (row.length() > 1 ? ",\"count\":" + row.substring(1) : "");
            }
            rows.add(op.equals("pr") ? pair(row) : json(row));
        }
        return text + (op.equals("pr") ? ",\"rows\":[" : ",\"keys\":[") + String.join(",", rows) + "]";
    }

    private static String pair(String row) {
        return "[" + json(row.split("=")[0]) + "," + json(row.split("=")[1]) + "]";
    }

    private static String json(String name) {
        if (name.startsWith("[")) {
            String[] elements = name.substring(1, name.length() - 1).split(" ");
            return Arrays.stream(elements)
                    .filter(each -> !each.isEmpty())
                    .map(HistoryLines::json)
                    .collect(Collectors.joining(",", "[", "]"));
        }
        return name.matches("-?\\d+|null|\"[^\"]*\"") ? name : name.equals("_") ? "null" : "\"" + name + "\"";
    }
}
