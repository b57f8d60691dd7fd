package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Phenomenon;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Random histories of lists: every read that an explanation names is a read of the history, and the edges
 * of its cycle are what Adya defines: WR and RW need a read, WW two writers.
 */
class ListSentencesTest {
    private static final Pattern READ = Pattern.compile(
            "(s\\d#\\d|it) (?:also |both )?read (\\[\\]|\\[\\.\\. \\d+(?: \\.\\.)?\\]) from key \"(.)\"");

    /** What a list has in relation to another element. */
    private static final Pattern HAS =
            Pattern.compile("(s\\d#\\d) read (?:a list of key \"(.)\"|one) that has (\\d+) (and not|before) (\\d+)");

    private final Map<Anomaly, Integer> named = new EnumMap<>(Anomaly.class);

    @Test
    void everyReadIsOfTheHistory() {
        for (int seed = 0; seed < SuiteScale.of(1_200); seed++) {
            String history = history(new Random(seed));
            for (IsolationLevel level : IsolationLevel.values()) {
                if (level == IsolationLevel.LIN) {
                    continue;
                }
                CheckRequest request = CheckRequest.of(level);
                HistoryTable table = request.judged(HistoryDsl.parse(history));
                Verdict verdict = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
                for (Violation violation : verdict.violations()) {
                    holds(history, table, violation, "seed " + seed + " " + level + ": " + history);
                }
            }
        }
        System.out.println("named " + named);
        assertThat(named).containsKey(Anomaly.DIRTY_WRITE).hasSizeGreaterThan(4);
    }

    private void holds(String history, HistoryTable table, Violation violation, String context) {
        named.merge(violation.anomaly(), 1, Integer::sum);
        String sentence = Phenomenon.of(violation, new Facts(table));
        String at = context + "\n" + violation.anomaly().label() + ": " + sentence;
        assertThat(sentence).as(at).doesNotContain("in list");
        Matcher m = READ.matcher(sentence);
        String subject = "";
        while (m.find()) {
            subject = m.group(1).equals("it") ? subject : m.group(1);
            assertThat(reads(history, subject, m.group(3), m.group(2))).as(at).isTrue();
        }
        m = HAS.matcher(sentence);
        String key = "";
        while (m.find()) {
            key = m.group(2) == null ? key : m.group(2);
            boolean isAbsent = m.group(4).equals("and not");
            String first = m.group(3);
            String second = m.group(5);
            assertThat(lists(history, m.group(1), key)
                            .anyMatch(list -> isAbsent
                                    ? list.contains(first) && !list.contains(second)
                                    : list.contains(first) && list.indexOf(first) < list.indexOf(second)))
                    .as(at)
                    .isTrue();
        }
        int missed = 0;
        int read = 0;
        for (Dependency edge : violation.cycle()) {
            missed += edge.kind() == EdgeKind.RW ? 1 : 0;
            read += edge.kind() == EdgeKind.WR ? 1 : 0;
            if (edge.key() != Dependency.NO_KEY && (edge.kind() == EdgeKind.RW || edge.kind() == EdgeKind.WR)) {
                int reader = edge.kind() == EdgeKind.RW ? edge.from() : edge.to();
                String label = table.keys().label(edge.key()).replace("\"", "");
                assertThat(reads(history, Facts.id(reader, table), label, new Facts(table).value(edge)))
                        .as(at)
                        .isTrue();
            }
        }
        if (!violation.cycle().isEmpty() && violation.cases().isEmpty()) {
            if (violation.anomaly() == Anomaly.DIRTY_WRITE) {
                assertThat(missed + read).as(at).isZero();
            }
            if ((violation.anomaly() == Anomaly.SINGLE && !violation.isOfOrders())
                    || violation.anomaly() == Anomaly.READ_SKEW) {
                assertThat(missed).as(at).isEqualTo(1);
            }
        }
    }

    /**
     * Whether a transaction of the text reads a list that ends with a value, perhaps before its own appends, or that
     * has it inside.
     */
    private static boolean reads(String history, String transaction, String key, String value) {
        String element = value.equals("[]") ? "" : value.replaceAll("\\D", "");
        String text = text(history, transaction);
        Matcher m = Pattern.compile("r\\(" + key + ",\\[([\\d ]*)\\]\\)").matcher(text);
        while (m.find()) {
            List<String> list = List.of(m.group(1).split(" "));
            if (value.endsWith(" ..]") && list.contains(element)) {
                return true;
            }
            int last = list.size() - 1;
            while (last >= 0
                    && !list.get(last).equals(element)
                    && text.contains("a(" + key + "," + list.get(last) + ")")) {
                last--;
            }
            if (last < 0 ? element.isEmpty() : list.get(last).equals(element)) {
                return true;
            }
        }
        return false;
    }

    private static String text(String history, String transaction) {
        return history.substring(history.indexOf("s" + transaction.charAt(1) + ":"))
                .split(";")[0]
                .split("\\|")[transaction.charAt(3) - '0'];
    }

    /** The lists that a transaction of the text reads. */
    private static Stream<List<String>> lists(String history, String transaction, String key) {
        return Pattern.compile("r\\(" + key + ",\\[([\\d ]*)\\]\\)")
                .matcher(text(history, transaction))
                .results()
                .map(read -> List.of(read.group(1).split(" ")));
    }

    /** Two to four transactions whose appends have a random order on each key, and that read some prefix of it. */
    private static String history(Random random) {
        int n = 2 + random.nextInt(3);
        List<List<List<Integer>>> appends = List.of(new ArrayList<>(), new ArrayList<>());
        List<List<Integer>> plans = new ArrayList<>();
        int element = 0;
        for (int t = 0; t < n; t++) {
            appends.forEach(groups -> groups.add(new ArrayList<>()));
            List<Integer> plan = new ArrayList<>();
            for (int o = 1 + random.nextInt(3); o > 0; o--) {
                int key = random.nextInt(2);
                boolean append = random.nextBoolean();
                plan.add(key << 1 | (append ? 1 : 0));
                if (append) {
                    appends.get(key).get(t).add(++element);
                }
            }
            plans.add(plan);
        }
        List<List<Integer>> orders = new ArrayList<>();
        for (List<List<Integer>> groups : appends) {
            List<List<Integer>> shuffled = new ArrayList<>(groups);
            Collections.shuffle(shuffled, random);
            orders.add(shuffled.stream().flatMap(List::stream).toList());
        }
        StringBuilder[] sessions = {new StringBuilder(), new StringBuilder(), new StringBuilder()};
        for (int t = 0; t < n; t++) {
            StringBuilder out = sessions[random.nextInt(3)];
            out.append(out.isEmpty() ? "" : " |");
            int[] appended = new int[2];
            int[] seen = {-1, -1};
            for (int code : plans.get(t)) {
                int key = code >> 1;
                List<Integer> own = appends.get(key).get(t);
                if ((code & 1) != 0) {
                    out.append(" a(").append("xy".charAt(key)).append(',');
                    out.append(own.get(appended[key]++)).append(')');
                    continue;
                }
                List<Integer> order = orders.get(key);
                int most = own.isEmpty() ? order.size() : order.indexOf(own.get(0));
                seen[key] = seen[key] >= 0 ? seen[key] : random.nextBoolean() ? most : random.nextInt(most + 1);
                List<Integer> list = new ArrayList<>(order.subList(0, seen[key]));
                list.addAll(own.subList(0, appended[key]));
                out.append(" r(").append("xy".charAt(key)).append(",[");
                out.append(String.join(" ", list.stream().map(String::valueOf).toList()))
                        .append("])");
            }
        }
        StringBuilder history = new StringBuilder("init null");
        for (int s = 0; s < 3; s++) {
            if (!sessions[s].isEmpty()) {
                history.append("; s").append(s).append(':').append(sessions[s]);
            }
        }
        return history.toString();
    }
}
