package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.polygraph.solver.ProofLines.accepts;
import static org.polygraph.solver.ProofLines.check;
import static org.polygraph.solver.ProofLines.text;
import static org.polygraph.solver.ProofLines.with;
import static org.polygraph.solver.ProofLines.without;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofFormatException;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofText;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.Formula;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;

/** The checker accepts the traces of the solver, and rejects traces with a change that matters. */
class ProofCheckerTest {
    private static final String STEPS = "ebcrodtlxq";

    /** A problem, its refutation as lines, and the line at which the steps begin. */
    private record Recorded(RandomPolygraph problem, Polygraph polygraph, ProofTrace trace, List<String> lines) {
        int firstStep() {
            return IntStream.range(1, lines.size())
                    .filter(i -> STEPS.indexOf(lines.get(i).charAt(0)) >= 0)
                    .findFirst()
                    .orElse(lines.size());
        }
    }

    private static Recorded record(RandomPolygraph g, Random random, boolean withReachability) throws IOException {
        ProofTrace trace = new ProofTrace(1 << 24);
        Polygraph polygraph = g.build(withReachability);
        SolverOptions options = SolverOptions.defaults()
                .with(Option.LONG_JUMP, random.nextBoolean() ? 50 : random.nextInt(3))
                .with(Option.REDUCE_INTERVAL, random.nextInt(3))
                .with(Option.CLAUSE_BYTES, random.nextBoolean() ? 1 << 26 : 1 + random.nextInt(2_000))
                .withProof(trace);
        Outcome outcome = ModelCheck.solve(polygraph, options);
        assertThat(trace.isEnded()).isEqualTo(outcome instanceof Outcome.Unsatisfiable);
        return new Recorded(g, polygraph, trace, text(polygraph, trace).lines().toList());
    }

    private static RandomPolygraph pigeons(int pigeons, int holes) {
        return RandomPolygraph.of(Formula.pigeons(pigeons, holes), false, new Random(1));
    }

    private static RandomPolygraph random(long seed) {
        Random random = new Random(seed);
        int events = 1 + random.nextInt(2);
        return RandomPolygraph.random(random, 2 + random.nextInt(events == 1 ? 5 : 4), events);
    }

    /** The checker may refuse correct traces, but it never accepts a refutation of a problem that has an order. */
    @Test
    void whatHasAnOrderIsNeverRefuted() {
        new Law<>("whatHasAnOrderIsNeverRefuted", 2_000, ProofCheckerTest::random, ProofCheckerTest::isNeverRefuted)
                .floor(0.05, "refutation of another problem")
                .floor(0.1, "forged")
                .run("mvn test -pl local-solver -am -Dtest=ProofCheckerTest");
    }

    private static void isNeverRefuted(RandomPolygraph g, SplitMix seeds, Law.Tally tally) throws IOException {
        Random random = new Random(seeds.nextLong());
        Recorded r = record(g, random, random.nextBoolean());
        List<String> steps = new ArrayList<>(r.lines.stream()
                .filter(line -> STEPS.indexOf(line.charAt(0)) >= 0)
                .toList());
        if (BruteForce.isSatisfiable(g)) {
            tally.count("forged");
            steps.add("q");
        } else {
            relax(g, random);
            if (!BruteForce.isSatisfiable(g)) {
                return;
            }
            tally.count("refutation of another problem");
        }
        g.position = g.topological(random);
        List<String> lines =
                new ArrayList<>(text(g.build(false), new ProofTrace(0)).lines().toList());
        int first = lines.size();
        lines.addAll(steps);
        assertThat(accepts(lines)).isFalse();
        for (int i = 0; i < 20; i++) {
            int at = first + random.nextInt(lines.size() - first);
            List<String> mutant =
                    random.nextInt(4) == 0 ? without(lines, at) : with(lines, at, altered(lines.get(at), random));
            assertThat(accepts(mutant)).as("mutant " + i).isFalse();
            if (random.nextBoolean() && mutant.size() > first) {
                lines = mutant;
            }
        }
    }

    /** Changes a problem, mostly to an easier one. */
    private static void relax(RandomPolygraph g, Random random) {
        for (int i = 0; i <= random.nextInt(3); i++) {
            int k = random.nextInt(g.keys);
            if (random.nextInt(3) == 0 && g.edges.size() > (g.eventsPerTxn == 2 ? g.n : 0)) {
                g.edges.remove(g.edges.size() - 1);
            } else if (random.nextInt(3) == 0 && !g.readers.get(k).isEmpty()) {
                g.readers.get(k).get(random.nextInt(g.readers.get(k).size()))[1] = 0;
            } else if (random.nextBoolean() && !g.readers.get(k).isEmpty()) {
                g.readers.get(k).remove(random.nextInt(g.readers.get(k).size()));
            } else {
                g.optional = g.optional == null ? new boolean[g.n] : g.optional;
                g.optional[random.nextInt(g.n)] = true;
            }
        }
    }

    private static String altered(String line, Random random) {
        String[] words = line.split(" ", -1);
        if (words.length < 2) {
            return "l 1 0";
        }
        int at = 1 + random.nextInt(words.length - 1);
        switch (random.nextInt(4)) {
            case 0 -> words[at] = words[at].startsWith("-") ? words[at].substring(1) : "-" + words[at];
            case 1 -> words[at] = String.valueOf(Integer.parseInt(words[at]) + 1 - 2 * random.nextInt(2));
            case 2 -> words[0] = String.valueOf(STEPS.charAt(random.nextInt(STEPS.length())));
            default -> {
                List<String> fewer = new ArrayList<>(List.of(words));
                fewer.remove(at);
                return String.join(" ", fewer);
            }
        }
        return String.join(" ", words);
    }

    /** Without known edges between transactions, no literal of a clause or lemma may be missing. */
    @Test
    void everyPartOfALineCounts() throws IOException {
        int mutants = 0;
        int overlaps = 0;
        int removed = 0;
        int learnt = 0;
        int learntMatters = 0;
        for (long seed = 1; seed <= 4_500; seed++) {
            Random random = new Random(seed);
            int events = seed <= 3_000 ? 1 : 2;
            RandomPolygraph g = RandomPolygraph.random(random, 2 + random.nextInt(4), events);
            g.edges.removeIf(edge -> edge[0] / events != edge[1] / events);
            Recorded r = record(g, random, false);
            if (!r.trace.isEnded()) {
                continue;
            }
            List<String> lines = r.lines;
            for (int i = r.firstStep(); i < lines.size(); i++) {
                String what = "seed " + seed + ", line " + (i + 1) + ": " + lines.get(i);
                char kind = lines.get(i).charAt(0);
                boolean dispensable = accepts(without(lines, i));
                switch (kind) {
                    case 'q' -> assertThat(dispensable).as(what).isFalse();
                    case 'e', 'b', 'c' -> {
                        // The search may end before it uses the last one.
                        assertThat(dispensable && isUsed(lines, i)).as(what).isFalse();
                    }
                    case 'r' -> {
                        // If the other clauses have an order, the refutation needs this clause.
                        if (events == 1 && BruteForce.exists(g, false, holdsAllBut(g, lines, i))) {
                            assertThat(dispensable).as(what).isFalse();
                            removed++;
                        }
                    }
                    case 't', 'l' -> {
                        learnt++;
                        learntMatters += dispensable ? 0 : 1;
                    }
                    default -> {
                        // A definition may be unused.
                    }
                }
                if (kind == 'r' || kind == 'o' || kind == 't' || kind == 'd') {
                    for (String mutant : withoutALiteral(lines.get(i))) {
                        assertThat(accepts(with(lines, i, mutant)))
                                .as(what + ", as " + mutant)
                                .isFalse();
                        mutants++;
                        overlaps += kind == 'o' && g.kinds != null ? 1 : 0;
                    }
                }
            }
        }
        System.out.println(mutants + " altered lines refused; " + removed + " clauses that cannot go; " + learntMatters
                + " of " + learnt + " lemmas and learnt clauses");
        assertThat(mutants).isGreaterThan(5_000);
        assertThat(overlaps).isGreaterThan(500);
        assertThat(removed).isGreaterThan(500);
        assertThat(learntMatters).isGreaterThan(learnt / 4);
    }

    private static int firstLiteral(String line) {
        return line.startsWith("r") || line.startsWith("o") ? 3 : 1;
    }

    /** Whether the variable that a line declares occurs in a later clause. */
    private static boolean isUsed(List<String> lines, int declaration) {
        String variable = lines.get(declaration).split(" ", -1)[1];
        for (String line : lines.subList(declaration + 1, lines.size())) {
            String[] words = line.split(" ", -1);
            for (int i = firstLiteral(line); "rodtl".contains(words[0]) && !words[i].equals("0"); i++) {
                if (words[i].equals(variable) || words[i].equals("-" + variable)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The line without one literal, or with one literal negated. */
    private static List<String> withoutALiteral(String line) {
        String[] words = line.split(" ", -1);
        List<String> mutants = new ArrayList<>();
        for (int i = firstLiteral(line); i < words.length && !words[i].equals("0"); i++) {
            List<String> copy = new ArrayList<>(List.of(words));
            copy.set(i, String.valueOf(-Integer.parseInt(words[i])));
            mutants.add(String.join(" ", copy));
            copy.remove(i);
            mutants.add(String.join(" ", copy));
        }
        return mutants;
    }

    /** The conditions that all 'r' lines but one put on an order, by definition. */
    private static BiPredicate<int[], boolean[]> holdsAllBut(RandomPolygraph g, List<String> lines, int except) {
        List<int[]> reads = IntStream.range(0, lines.size())
                .filter(i -> i != except && lines.get(i).startsWith("r"))
                .mapToObj(i -> lines.get(i).split(" ", -1))
                .map(words -> new int[] {Integer.parseInt(words[1]), Integer.parseInt(words[2])})
                .toList();
        return (position, committed) ->
                reads.stream().allMatch(read -> BruteForce.readClause(g, read[0], read[1], position, committed));
    }

    /** Without the known edges, literals are missing that were left out because known paths decide them. */
    @Test
    void leftOutLiteralsNeedTheirPath() throws IOException {
        int missed = 0;
        for (long seed = 1; seed <= 2_000; seed++) {
            Recorded r = record(random(seed), new Random(seed), true);
            if (r.trace.isEnded()) {
                List<String> lines =
                        r.lines.stream().filter(line -> !line.startsWith("s")).collect(Collectors.toList());
                ProofResult result = check(lines);
                missed += result.message().contains("leaves out") ? 1 : 0;
            }
        }
        assertThat(missed).isGreaterThan(50);
    }

    @Test
    void noiseIsNamedNotObeyed() throws IOException {
        Recorded r = record(pigeons(3, 2), new Random(3), false);
        String text = text(r.polygraph, r.trace);
        assertThat(check(r.lines).accepted()).isTrue();
        String noise = "0123456789- \nebcrodtlxqpswgku\u0000z";
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < 6_000; i++) {
            StringBuilder mutant = new StringBuilder(text);
            for (int j = 0; j <= random.nextInt(4); j++) {
                int at = random.nextInt(mutant.length());
                if (random.nextInt(8) == 0) {
                    mutant.setLength(at + 1);
                } else {
                    mutant.setCharAt(at, noise.charAt(random.nextInt(noise.length())));
                }
            }
            refused += accepts(mutant.toString().lines().toList()) ? 0 : 1;
        }
        assertThat(refused).isGreaterThan(5_000);
        for (String bad : new String[] {
            "p 1000000000 2 5",
            "p 5 1 2000000000",
            "p 2147483647 2 2147483647",
            "p 99999999999 1 1",
            "p -1 1 1",
            "p 1 3 1"
        }) {
            assertThatThrownBy(() -> ProofText.read(new StringReader("polygraph-proof 3\n" + bad + "\n"), 1 << 20))
                    .isInstanceOf(ProofFormatException.class)
                    .hasMessageStartingWith("line 2: ");
        }
        assertThatThrownBy(() -> ProofText.read(new StringReader("p cnf 3 4\n"), 1 << 20))
                .hasMessage("line 1: another title; expected 'polygraph-proof 3' (the format is in"
                        + " local-solver/docs/proof.md)");
        assertThatThrownBy(() -> ProofText.read(new StringReader("polygraph-proof 3\np 2 1 0\nl 1 2\n"), 1 << 20))
                .hasMessageStartingWith("line 3: a clause without an end; expected '0' after its literals");
        String endless = "polygraph-proof 3\np 2 1 0\nl" + " 1".repeat(1 << 20) + " 0\n";
        assertThatThrownBy(() -> ProofText.read(new StringReader(endless), 1 << 20))
                .isInstanceOf(ProofFormatException.class)
                .hasMessageContaining("larger bound");
    }

    @Test
    void aTraceThatIsFullForgetsAndTheAnswerStays() {
        RandomPolygraph g = pigeons(5, 4);
        ProofTrace trace = new ProofTrace(1 << 15);
        Polygraph polygraph = g.build(false);
        Outcome outcome = ModelCheck.solve(polygraph, SolverOptions.defaults().withProof(trace));
        assertThat(outcome).isInstanceOf(Outcome.Unsatisfiable.class);
        assertThat(trace.isOverflowed()).isTrue();
        assertThat(trace.isEnded()).isFalse();
        assertThat(trace.bytes()).isZero();
        assertThat(ProofChecker.check(polygraph.proofProblem(), trace).message())
                .contains("give it more bytes");
    }

    @Test
    void aCheckCanBeStoppedAndNeedsItsOwnProblem() {
        Polygraph polygraph = pigeons(3, 2).build(false);
        ProofTrace trace = new ProofTrace(1 << 24);
        ModelCheck.solve(polygraph, SolverOptions.defaults().withProof(trace));
        assertThat(ProofChecker.check(polygraph.proofProblem(), trace, () -> true)
                        .message())
                .isEqualTo("step 1: stopped before the end");
        Polygraph another = pigeons(3, 3).build(false);
        assertThat(ProofChecker.check(another.proofProblem(), trace).message()).contains("of another problem");
        assertThat(ProofChecker.check(another.proofProblem(), new ProofTrace(9)).accepted())
                .isFalse();
    }

    /** The checker must not share code with the solver. */
    @Test
    void theCheckerKnowsNoSolver() throws IOException {
        String folder = "/org/polygraph/solver/proof/";
        for (String name :
                List.of("ProofChecker", "ProofProblem", "Clauses", "KnownPaths", "ProofText", "ProofTrace")) {
            try (InputStream in = ProofChecker.class.getResourceAsStream(folder + name + ".class")) {
                String constants = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
                assertThat(constants.replace("org/polygraph/solver/sat/ProofSink", ""))
                        .as(name)
                        .doesNotContain("org/polygraph/solver/sat")
                        .doesNotContain("org/polygraph/solver/theory");
            }
        }
    }
}
