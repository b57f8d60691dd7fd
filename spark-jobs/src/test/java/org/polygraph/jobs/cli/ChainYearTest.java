package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.testkit.SplitMix;

/**
 * A year of an archive in small: parts are checked one after the other, three of them add a violation, one is late, one
 * is missing at first, one is changed, old runs are pruned, and processes are killed at random moments. Each answer is compared with a fresh
 * check of everything so far. With {@code -Dpolygraph.test.parts=300} there are 300 parts.
 *
 * <p>What happens before a part is checked is a {@link Step} of {@link #steps}. A new kind of event is one more method
 * and one more entry there.
 */
@Tag("process")
class ChainYearTest extends Chains {
    private static final int PARTS = Integer.getInteger("polygraph.test.parts", 16);
    private static final long SEED = Long.getLong("polygraph.test.seed", 0x9ea2);

    /** What happens before a part is checked. */
    @FunctionalInterface
    private interface Step {
        void before(int part) throws Exception;
    }

    private final SplitMix random = new SplitMix(SEED);
    private final Map<Integer, Step> steps = new TreeMap<>();
    /** The files that the chain covers, in their order. */
    private final List<Path> covered = new ArrayList<>();
    /** The number of violations that the files add, by file. */
    private final Map<Path, Integer> planted = new TreeMap<>();

    private final int[] next = new int[3];
    private int value;
    private int last;
    private int sessions = next.length;
    private int killed;

    private String archive(int part) {
        return folder.resolve("archive").resolve("h" + part + ".jsonl").toString();
    }

    private List<String> words(String path, String... options) {
        List<String> words = new ArrayList<>(List.of("check", "-q", "--json", "-l", "ser", "-o", runs()));
        words.addAll(List.of("--after", runs()));
        words.addAll(List.of(options));
        words.add(path);
        return words;
    }

    /** Writes a part: sessions that increment a key in turns, and in some parts two that lose an update. */
    private void write(int part, boolean isViolated) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int t = 0; t < 6; t++) {
            int session = random.nextInt(next.length);
            String read = read("x", last == 0 ? "null" : last);
            last = ++value;
            lines.append(line(session, next[session]++, read + "," + write("x", last)));
        }
        for (int i = 0; i < 2 && isViolated; i++) {
            String read = read("lost" + part, "null");
            lines.append(line(sessions++, 0, read + "," + write("lost" + part, ++value)));
        }
        Path file = Path.of(archive(part));
        Files.writeString(file, lines);
        planted.put(file, isViolated ? 1 : 0);
    }

    @Test
    void eachAnswerIsThatOfEverythingSoFar() throws Exception {
        Files.createDirectory(folder.resolve("archive"));
        List<Integer> violated = List.of(PARTS / 5, PARTS / 2, PARTS - 3);
        steps.put(PARTS / 4, this::missing);
        // With a gap within a part, as before a late transaction, a gap between parts shows no missing one.
        steps.put(PARTS / 3, this::late);
        steps.put(2 * PARTS / 3, this::changed);
        steps.put(PARTS / 2, this::prune);
        steps.put(5 * PARTS / 6, this::prune);
        int kills = 2 + PARTS / 50;
        for (int i = 0; i < kills; i++) {
            steps.putIfAbsent(random.between(1, PARTS - 1), this::kill);
        }
        write(0, false);
        for (int part = 0; part < PARTS; part++) {
            write(part + 1, violated.contains(part + 1));
            Step step = steps.get(part);
            if (step != null) {
                step.before(part);
            }
            checked(Path.of(archive(part)));
        }
        System.out.println(PARTS + " parts, " + killed + " checks killed before they ended, seed " + SEED);
        InProcess verified = InProcess.run("verify", runs() + "/h" + (PARTS - 1) + ".jsonl");
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
    }

    /** Checks the next part, and compares the answer with a check of everything so far. */
    private void checked(Path part) throws IOException {
        String failOn = random.chance(0.5) ? "new" : "any";
        InProcess answer = InProcess.run(words(part.toString(), "--fail-on", failOn));
        boolean isKnown = covered.contains(part);
        int standing = covered.stream()
                .filter(each -> !each.equals(part))
                .mapToInt(planted::get)
                .sum();
        if (!isKnown) {
            covered.add(part);
        }
        StringBuilder all = new StringBuilder();
        for (Path each : covered) {
            all.append(Files.readString(each));
        }
        Path whole = Files.writeString(folder.resolve("whole.jsonl"), all);
        InProcess fresh = InProcess.run("check", "-q", "--json", "-l", "ser", whole.toString());
        assertThat(field(answer, "verdict")).as(part + " " + answer).isEqualTo(field(fresh, "verdict"));
        assertThat(field(answer, "new_violations")).as(answer.toString()).isEqualTo("" + planted.get(part));
        assertThat(field(answer, "standing_violations")).as(answer.toString()).isEqualTo("" + standing);
        boolean isViolated = fresh.exitCode() == 3;
        assertThat(answer.exitCode()).as(answer.toString()).isEqualTo(exitCode(failOn, part, isViolated));
        // The answer of the run that is kept is for any choice.
        String other = failOn.equals("new") ? "any" : "new";
        InProcess again = InProcess.run(words(part.toString(), "--fail-on", other));
        assertThat(again.exitCode()).as(again.toString()).isEqualTo(exitCode(other, part, isViolated));
    }

    private int exitCode(String failOn, Path part, boolean isViolated) {
        return isViolated && (failOn.equals("any") || planted.get(part) > 0) ? 3 : 0;
    }

    private static String field(InProcess answer, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(answer.out());
        assertThat(matcher.find()).as(name + " in " + answer).isTrue();
        return matcher.group(1);
    }

    /** A transaction that fills a gap in its session comes in a part of its own. */
    private void late(int part) throws IOException {
        Path gap = folder.resolve("archive").resolve("gap.jsonl");
        int session = sessions++;
        Files.writeString(gap, line(session, 0, write("late", 1)) + line(session, 2, read("late", 2)));
        planted.put(gap, 0);
        InProcess open = InProcess.run(words(gap.toString()));
        assertThat(field(open, "verdict")).as(open.toString()).isIn("UNKNOWN", "VIOLATION");
        covered.add(gap);
        Path late = folder.resolve("archive").resolve("late.jsonl");
        Files.writeString(late, line(session, 1, write("late", 2)));
        planted.put(late, 0);
        checked(late);
    }

    /** The part after this one is given first. */
    private void missing(int part) {
        InProcess gap = InProcess.run(words(archive(part + 1)));
        assertThat(gap.exitCode()).as(gap.toString()).isEqualTo(5);
        assertThat(gap.err()).contains("a part is missing");
    }

    /** An earlier part is changed: that is named, and what the message advises is done. */
    private void changed(int part) throws IOException {
        int changed = covered.size() / 2;
        Path file = covered.get(changed);
        Files.writeString(file, Files.readString(file).replaceFirst("\"status\"", "\"note\":1,\"status\""));
        InProcess found = InProcess.run(words(archive(part - 1)));
        assertThat(found.exitCode()).as(found.toString()).isEqualTo(6);
        assertThat(found.err()).contains(file + ": found part " + (changed + 1), "check that part with --recheck");
        List<Path> after = new ArrayList<>(covered.subList(changed, covered.size()));
        covered.subList(changed, covered.size()).clear();
        InProcess again = InProcess.run(words(file.toString(), "--recheck"));
        assertThat(again.exitCode()).as(again.toString()).isIn(0, 3, 4);
        for (Path each : after) {
            if (each.endsWith("gap.jsonl")) {
                InProcess.run(words(each.toString()));
                covered.add(each);
            } else {
                checked(each);
            }
        }
    }

    /** What is left of the runs before still decides the parts to come, and that of the last one is verified. */
    private void prune(int part) {
        InProcess pruned = InProcess.run("runs", "--prune", "--keep", "1", runs());
        assertThat(pruned.exitCode()).as(pruned.toString()).isZero();
        assertThat(pruned.out()).containsPattern("removed [1-9]\\d* bytes of [1-9]");
        InProcess verified = InProcess.run("verify", runs() + "/h" + (part - 1) + ".jsonl");
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
    }

    /** The check of this part is killed at a random moment, in a process of its own. */
    private void kill(int part) throws Exception {
        List<String> command = Command.main(List.of(), words(archive(part)));
        Process process =
                Command.start(folder, Map.of(), folder.resolve("out.log"), folder.resolve("err.log"), command);
        if (!process.waitFor(random.between(300, 900), TimeUnit.MILLISECONDS)) {
            killed++;
        }
        process.destroyForcibly();
        process.waitFor(30, TimeUnit.SECONDS);
    }
}
