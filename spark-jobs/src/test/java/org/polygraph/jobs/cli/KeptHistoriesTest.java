package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Each history.jsonl of a run with a VIOLATION violates the level when the command checks it, with the same level and
 * without options, and the violation has the same name. Each operation of its explanation was recorded, of the transaction that is named.
 */
class KeptHistoriesTest {
    private static final long SEED = 0x5e1f;
    private static final List<IsolationLevel> LEVELS =
            List.copyOf(EnumSet.complementOf(EnumSet.of(IsolationLevel.LIN)));

    @TempDir
    private Path folder;

    private final Map<String, Integer> counts = new TreeMap<>();
    private final List<String> wrong = new ArrayList<>();

    @Test
    void violateTheirLevelAgain() throws Exception {
        int violations = SuiteScale.of(500);
        int found = 0;
        for (int i = 0; found < violations; i++) {
            found += check(i);
        }
        System.out.println(counts + ", seed " + SEED);
        wrong.sort(null);
        assertThat(wrong.stream().limit(6)).isEmpty();
    }

    /** In a part a key of a row and its conditions may have the name of another condition that matches the same versions. */
    @Test
    void conditionsThatMatchTheSameVersionsHaveOneKey() throws Exception {
        String atSi = """
                {"format":"history","version":1,"initial":{"value":null,"state":[[0,null],[1,null]]}}
                {"session":1,"index":0,"start":4,"end":17,"status":"indeterminate","ops":[{"op":"pw","lo":2,"hi":4,"value":0,"keys":[]}, {"op":"pw","lo":3,"hi":4,"mod":2,"value":1,"keys":[]}, {"op":"w","key":1,"value":2}]}
                {"session":0,"index":1,"start":17,"end":20,"status":"indeterminate","ops":[{"op":"w","key":1,"value":0}, {"op":"w","key":0,"value":2}]}
                {"session":2,"index":2,"start":28,"end":35,"status":"committed","ops":[{"op":"pr","lo":2,"hi":3,"rows":[[1,0]]}, {"op":"pr","lo":2,"hi":2,"rows":[]}, {"op":"pw","lo":3,"hi":5,"mod":3,"value":null,"keys":[]}]}
                """;
        String atRa = """
                {"format":"history","version":1,"initial":{"value":null,"state":[[0,null],[1,null]]}}
                {"session":1,"index":0,"status":"committed","ops":[{"op":"pr","lo":2,"hi":3,"mod":2,"rows":[]}]}
                {"session":1,"index":1,"status":"indeterminate","ops":[{"op":"i","key":0,"value":0}, {"op":"pd","lo":0,"hi":0,"keys":[0]}]}
                {"session":0,"index":2,"status":"committed","ops":[{"op":"pr","lo":0,"hi":2,"rows":[[0,3]]}, {"op":"pr","lo":3,"hi":4,"rows":[]}]}
                """;
        Path file = folder.resolve("history.jsonl");
        assertThat(check(Files.writeString(file, named(atSi)), IsolationLevel.SI, "conditions", atSi))
                .isPositive();
        assertThat(check(Files.writeString(file, named(atRa)), IsolationLevel.RA, "conditions", atRa))
                .isPositive();
        assertThat(wrong).isEmpty();
    }

    /** A history with a transaction that names both keys, so that the table has them. */
    private static String named(String history) {
        return history
                + "{\"session\":90,\"index\":0,\"status\":\"aborted\",\"ops\":[{\"op\":\"r\",\"key\":0,\"value\":0},"
                + "{\"op\":\"r\",\"key\":1,\"value\":0}]}\n";
    }

    private int check(int i) throws Exception {
        SplitMix random = new SplitMix(SplitMix.seedOf(SEED, i));
        IsolationLevel level = LEVELS.get(random.nextInt(LEVELS.size()));
        String lines = history(i, random);
        boolean isTimed = lines.contains("\"start\"") && lines.contains("\"end\"");
        level = !isTimed && level == IsolationLevel.SSER
                ? IsolationLevel.SER
                : !isTimed && level == IsolationLevel.SSI ? IsolationLevel.SI : level;
        Path file = Files.writeString(folder.resolve("history.jsonl"), lines);
        return check(file, level, KINDS[i % KINDS.length], "seed " + SEED + " #" + i + "\n" + lines);
    }

    /** The small inputs that are not a part of this project, if they are beside it. */
    @Test
    void thoseOfTheCasesViolateTheirLevelAgain() throws Exception {
        Path cases = Path.of(System.getProperty("polygraph.root", ".."), "../shared/cases");
        if (!Files.isDirectory(cases)) {
            System.out.println("SKIPPED: there is no " + cases);
            return;
        }
        List<Path> files;
        try (Stream<Path> all = Files.walk(cases)) {
            files = all.filter(file -> file.toString().matches(".*\\.(jsonl|edn)"))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            for (IsolationLevel level : LEVELS) {
                check(file, level, "case", file.toString());
            }
        }
        System.out.println(counts);
        assertThat(counts).containsKey("case");
        assertThat(wrong).isEmpty();
    }

    private static final String[] KINDS = {
        "conditions", "unknown rows", "rows", "values", "registers", "versions", "lists", "lists by windows"
    };

    private static String history(int i, SplitMix random) {
        return switch (i % KINDS.length) {
            case 0 -> Simulator.conditions(random.nextLong()).json();
            case 1 -> Simulator.unknownRows(random.nextLong()).json();
            case 2 -> Simulator.rows(random.nextLong()).json();
            case 3 -> Simulator.values(random.nextLong()).json();
            case 4 -> Simulator.registers(random.nextLong()).json();
            case 5 -> Simulator.versions(random.nextLong()).json();
            default -> Simulator.lists(random.nextLong()).json();
        };
    }

    /** @return the number of violations whose histories were checked */
    private int check(Path file, IsolationLevel level, String kind, String what) throws IOException {
        Path runs = Files.createTempDirectory(folder, "runs");
        String window = kind.equals("lists by windows") ? "2" : "0";
        InProcess check = InProcess.of(
                "check -q --timeout 3s --window " + window + " -l " + level.label() + " -o " + runs + " " + file);
        if (!check.word().equals("VIOLATION")) {
            assertThat(check.word()).as(what + check).isNotEqualTo("ERROR");
            return 0;
        }
        Path violations = Faults.run(runs).resolve("violations");
        List<Path> kept = new ArrayList<>();
        try (Stream<Path> folders = Files.list(violations)) {
            folders.map(each -> each.resolve("history.jsonl"))
                    .filter(Files::exists)
                    .sorted()
                    .forEach(kept::add);
        }
        for (Path each : kept) {
            InProcess again = InProcess.run("check", "-l", level.label(), each.toString());
            String text = Files.readString(each);
            // Where rows of writes are not known, keys of conditions express what can be shown.
            boolean isText = !kind.equals("unknown rows") && text.matches("(?s).*(\"row [01] |\\[\\.\\. ).*");
            if (!again.word().equals("VIOLATION") || isText) {
                counts.merge("WRONG " + kind, 1, Integer::sum);
                wrong.add(String.format("%s at %s%n%.1500s%n%.1500s%s", kind, level, what, text, again));
            }
            String explanation = Files.readString(each.resolveSibling("explain.txt"));
            boolean isExamined = file.toString().endsWith(".jsonl") && !kind.equals("lists by windows");
            String invented = isExamined ? RecordedOperations.of(file).notRecorded(explanation) : "";
            if (!invented.isEmpty()) {
                counts.merge("WRONG explanation of " + kind, 1, Integer::sum);
                wrong.add(String.format("%s at %s: %s%n%.1500s%n%.1500s", kind, level, invented, what, explanation));
            }
            String name = explanation.strip().split("[ :]", 2)[0];
            if (name.equals("LostUpdate") && level == IsolationLevel.SER) {
                // Snapshot isolation forbids nearly all of them too.
                InProcess weaker = InProcess.run("check", "-l", "si", each.toString());
                counts.merge("LostUpdate", 1, Integer::sum);
                // An update beside a delete may write the row anew.
                if (!weaker.word().equals("VIOLATION") && !text.matches("(?s).*\"op\":\"p?d\".*")) {
                    counts.merge("WRONG LostUpdate", 1, Integer::sum);
                    wrong.add(String.format("LostUpdate at si %s%n%.1500s%n%.1500s", weaker.word(), what, text));
                }
            }
            boolean isNamed = again.out().lines().findFirst().orElse("").endsWith("  " + name);
            counts.merge(isNamed ? "same name" : "other name than " + name, 1, Integer::sum);
            if (!isNamed) {
                wrong.add(String.format(
                        "%s at %s, other name: %s%n%.1500s%n%.1500s%s", kind, level, what, explanation, text, again));
            }
            counts.merge(kind, 1, Integer::sum);
        }
        return kept.size();
    }
}
