package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.polygraph.storage.testkit.OracleCorpus;

/**
 * The small histories of {@code ../shared/cases}, on which earlier versions fell short. Its page has a table of files
 * with the right answers, in words; {@link #RIGHT} has them for each file.
 */
class SharedCasesTest {
    private static final List<String> LEVELS = List.of("lin", "sser", "ser", "ssi", "si", "cc", "ra", "rc");
    private static final Pattern FILE = Pattern.compile("[a-z]+/[A-Za-z0-9-_.]+|[A-Za-z0-9-_.]+");

    /**
     * What is right for a file.
     *
     * @param verdicts in the order of {@link #LEVELS}: P, V, I (INVALID) or . (not asked)
     * @param shown what the answers of all violations contain
     * @param notShown what no answer contains
     * @param enough the transactions of the smallest sub-history that violates the level; 0: any number
     */
    private record Right(String verdicts, List<String> options, List<String> shown, List<String> notShown, int enough) {
        Right shows(String... texts) {
            return new Right(verdicts, options, List.of(texts), notShown, enough);
        }

        Right doesNotShow(String... texts) {
            return new Right(verdicts, options, shown, List.of(texts), enough);
        }

        Right with(String... words) {
            return new Right(verdicts, List.of(words), shown, notShown, enough);
        }

        Right enough(int transactions) {
            return new Right(verdicts, options, shown, notShown, transactions);
        }
    }

    private static Right right(String verdicts) {
        return new Right(verdicts, List.of(), List.of(), List.of(), 0);
    }

    private static final Map<String, Right> RIGHT = new TreeMap<>();

    static {
        for (String file : List.of("u2-16.edn", "u2-17.edn", "u2-40.edn", "u2-100.edn", "u5-17.edn", "u5-60.edn")) {
            RIGHT.put("lin/" + file, right("P......."));
        }
        RIGHT.put("lin/lin-unknown-28ops.jsonl", right("PP......"));
        RIGHT.put("lin/lin2.jsonl", right("V......."));
        RIGHT.put("time/f2a-end-only.jsonl", right(".IPIPPPP"));
        RIGHT.put("time/f2b-start-only.jsonl", right(".IPIPPPP"));
        RIGHT.put("time/completions-only.edn", right(".IPIPPPP"));
        RIGHT.put("time/stale-read-with-invocations.edn", right(".VPVPPPP"));
        for (String file : List.of("g1.edn", "g4.edn", "l3.edn", "l5-own-append-lost.edn", "unobserved-append.edn")) {
            RIGHT.put("lists/" + file, right("..V.VVVV"));
        }
        for (String file : List.of("incompatible-1-2.jsonl", "diverged.jsonl", "fractured.jsonl", "half-txn.jsonl")) {
            RIGHT.put("lists/" + file, right("..V.VVVV"));
        }
        RIGHT.put("lists/lost-own-session.jsonl", right("..V.VVVP"));
        RIGHT.computeIfPresent("lists/l5-own-append-lost.edn", (k, v) -> v.shows("953", "954"));
        RIGHT.computeIfPresent("lists/unobserved-append.edn", (k, v) -> v.shows("G0"));
        for (String file : List.of("c8", "c30", "dirty-hidden-10", "s8_0")) {
            RIGHT.put("values/" + file + ".jsonl", right("..V.VVVV"));
        }
        RIGHT.put("rows/loader-w-null-ser.jsonl", right("..V.V..."));
        RIGHT.put("rows/loader-w-null-times.jsonl", right(".V......"));
        RIGHT.put("rows/sub1.jsonl", right("..V.V...").with("--initial", "implicit"));
        RIGHT.put("rows/key-twice-in-a-result.jsonl", right("..V.VVVV").shows("DuplicateRow"));
        RIGHT.put("rows/two-rows-one-key.jsonl", right("..V.VVVV").shows("DuplicateRow"));
        RIGHT.put("rows/pred-rc-min.jsonl", right("..P.PPPP"));
        RIGHT.put("rows/pd-without-keys-ra.jsonl", right("........"));
        RIGHT.put(
                "rows/g-realtime-name.jsonl",
                right(".V......").doesNotShow("G-realtime").enough(2));
        RIGHT.put("names/reg-g0.jsonl", right("..V.V..P").doesNotShow("G0"));
        RIGHT.put("names/g0-name-popl-a.jsonl", right("..V.V..P").doesNotShow("G0"));
        RIGHT.put("names/rc-non-monotonic.jsonl", right(".......V").shows("NonMonotonicRead"));
        RIGHT.put("names/failed-write-that-took-effect.edn", right("..V.VVVV").shows("AbortedRead"));
        RIGHT.put("names/aborted-read-of-later-write.edn", right("..V.VVVV").doesNotShow("AbortedRead"));
        RIGHT.put(
                "names/name-future-read-as-nonrepeatable.edn", right("..V.VVVV").shows("FutureRead"));
        RIGHT.put("names/predicate-miss-named-thinair.jsonl", right("..V.V...").doesNotShow("ThinAirRead"));
        RIGHT.put("edn/register-read-of-two-elements-misread.edn", right(".IIIIIII"));
        RIGHT.put("edn/microops-under-read-write-f.edn", right("..V.V..."));
        RIGHT.put("edn/no-process.edn", right("..V.V..."));
        RIGHT.put("edn/jepsen.json", right(".PPPPPPP"));
        RIGHT.put("edn/session-order-only.edn", right("....V...").shows("the history keeps si"));
        RIGHT.put("edn/session-order-own-sessions.jsonl", right("....P..."));
        // What the format has to say of savepoints is not decided yet.
        RIGHT.put("edn/savepoint-kept.jsonl", right("........"));
        RIGHT.put("edn/savepoint-dropped.jsonl", right("........"));
        // aChainTakesALateTransaction checks these as one history.
        RIGHT.put("chains/late-fills-gap/h1.jsonl", right("........"));
        RIGHT.put("chains/late-fills-gap/h2.jsonl", right("........"));
    }

    private static Path folder() {
        Path folder = OracleCorpus.folder()
                .map(corpus -> corpus.resolveSibling("cases"))
                .filter(Files::isDirectory)
                .orElse(null);
        if (folder == null) {
            System.out.println("SharedCasesTest: SKIPPED, no cases at ../shared/cases");
        }
        Assumptions.assumeTrue(folder != null, "skipped: no cases at ../shared/cases");
        return folder;
    }

    /** Each file has a right answer here, and the table has each name of a file, with or without its ending. */
    @Test
    void everyRowHasItsAnswers() throws IOException {
        Path folder = folder();
        List<String> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(folder)) {
            all.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .filter(file -> !file.equals("README.md"))
                    .sorted()
                    .forEach(files::add);
        }
        assertThat(files).containsExactlyElementsOf(RIGHT.keySet());
        int rows = 0;
        for (String line : Files.readAllLines(folder.resolve("README.md"))) {
            Matcher row = Pattern.compile("\\| ([a-z]+)/([^|]+)\\|.*").matcher(line);
            if (!row.matches()) {
                continue;
            }
            rows++;
            Matcher name = FILE.matcher(row.group(2).replaceAll("\\(.*", ""));
            assertThat(name.find()).as(line).isTrue();
            String first = row.group(1) + "/" + name.group();
            assertThat(files).as(line).anyMatch(file -> file.startsWith(first));
        }
        assertThat(rows).isGreaterThan(20);
    }

    static List<String> files() {
        return List.copyOf(RIGHT.keySet());
    }

    @ParameterizedTest
    @MethodSource("files")
    void isRight(String file) {
        Path path = folder().resolve(file);
        Right right = RIGHT.get(file);
        List<String> wrong = new ArrayList<>();
        for (int l = 0; l < LEVELS.size(); l++) {
            String expected = word(right.verdicts.charAt(l));
            if (expected.isEmpty()) {
                continue;
            }
            List<String> words = new ArrayList<>(List.of("check", "--timeout", "30s", "-l", LEVELS.get(l)));
            words.addAll(right.options);
            words.add(path.toString());
            InProcess answer = InProcess.run(words);
            if (!answer.word().equals(expected)) {
                wrong.add(LEVELS.get(l) + ": expected " + expected + ": " + answer);
            } else if (expected.equals("VIOLATION")) {
                words.set(0, "explain");
                String enough = right.enough + " transactions with ";
                if (right.enough > 0 && !InProcess.run(words).out().contains(enough)) {
                    wrong.add(LEVELS.get(l) + ": expected " + enough + ": " + InProcess.run(words));
                }
                for (String text : right.shown) {
                    if (!answer.out().contains(text)) {
                        wrong.add(LEVELS.get(l) + ": expected " + text + ": " + answer);
                    }
                }
                for (String text : right.notShown) {
                    if (answer.out().contains(text)) {
                        wrong.add(LEVELS.get(l) + ": not expected " + text + ": " + answer);
                    }
                }
            }
        }
        if (!wrong.isEmpty()) {
            fail(file + "\n" + String.join("\n", wrong));
        }
    }

    private static String word(char verdict) {
        return switch (verdict) {
            case 'P' -> "PASS";
            case 'V' -> "VIOLATION";
            case 'I' -> "INVALID";
            default -> "";
        };
    }

    @Test
    void timeThatIsStrictHasToOrderSomething() {
        for (String file : List.of("f2a-end-only.jsonl", "f2b-start-only.jsonl", "completions-only.edn")) {
            InProcess answer = InProcess.run(
                    "check",
                    "-l",
                    "ser",
                    "--time",
                    "strict",
                    folder().resolve("time/" + file).toString());
            assertThat(answer.word()).as(answer.toString()).isEqualTo("INVALID");
        }
    }

    @Test
    void withoutSessionOrderTheHistoryKeepsTheLevel() {
        String file = folder().resolve("edn/session-order-only.edn").toString();
        InProcess answer = InProcess.run("check", "-l", "si", "--session-order", "none", file);
        assertThat(answer.word()).as(answer.toString()).isEqualTo("PASS");
    }

    /** The client may not have learnt that the transaction was aborted; its error is shown. */
    @Test
    void anAbortedReadHasAdvice() {
        String file =
                folder().resolve("names/failed-write-that-took-effect.edn").toString();
        assertThat(InProcess.run("explain", "-l", "ser", file).out())
                .contains(
                        "timeout",
                        "has to be recorded as indeterminate",
                        "aborted, error: [:crud-error rollback is toward");
    }

    /** A recording of READ COMMITTED: a violation of a stronger level has a sub-history that shows it. */
    @Test
    void aDeleteWithoutKeysIsLegalAtReadCommitted() {
        String file = folder().resolve("rows/pd-without-keys-ra.jsonl").toString();
        assertThat(InProcess.run("check", "-l", "rc", file).word()).isIn("PASS", "UNKNOWN");
    }

    @Test
    void aChainTakesALateTransaction(@TempDir Path runs) {
        InProcess answer = InProcess.run(
                "check",
                "-l",
                "ser",
                "-o",
                runs.toString(),
                "--each",
                folder().resolve("chains/late-fills-gap").toString());
        assertThat(answer.exitCode()).as(answer.toString()).isZero();
    }

    /** Each sub-history that a run keeps violates the level when it is checked again. */
    @Test
    void subHistoriesViolateTheLevel(@TempDir Path runs) throws IOException {
        String file = folder().resolve("rows/sub1.jsonl").toString();
        for (String level : List.of("ser", "si")) {
            Path of = runs.resolve(level);
            InProcess.run("check", "-l", level, "--initial", "implicit", "-o", of.toString(), file);
            List<String> kept = new ArrayList<>();
            try (Stream<Path> all = Files.walk(of)) {
                all.filter(each -> each.endsWith("history.jsonl"))
                        .map(Path::toString)
                        .forEach(kept::add);
            }
            assertThat(kept).as(level).isNotEmpty();
            for (String each : kept) {
                InProcess again = InProcess.run("check", "-l", level, "--initial", "implicit", each);
                assertThat(again.word())
                        .as(level + " " + Files.readString(Path.of(each)) + again)
                        .isEqualTo("VIOLATION");
            }
        }
    }
}
