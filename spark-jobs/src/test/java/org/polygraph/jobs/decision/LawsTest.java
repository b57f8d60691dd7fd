package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.polygraph.jobs.application.ChainLaw;
import org.polygraph.jobs.cli.RunLaw;
import org.polygraph.jobs.windows.WindowLaw;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.ClientTimes;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.Interpreter;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SatChecker;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TinyHistories;

/** The laws, see {@link Law}. {@code -Dlaw=NAME} runs one, with {@code -Dseed=N} for one history. */
class LawsTest {
    private static final Set<IsolationLevel> ALL = EnumSet.allOf(IsolationLevel.class);
    private static final Set<IsolationLevel> ORDERS =
            EnumSet.of(IsolationLevel.SSER, IsolationLevel.SER, IsolationLevel.SSI, IsolationLevel.SI);
    private static final Set<IsolationLevel> TRANSACTIONS = EnumSet.complementOf(EnumSet.of(IsolationLevel.LIN));
    private static final Set<IsolationLevel> AXIOMS =
            EnumSet.of(IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);
    private static final List<OracleCorpus.Entry> ORACLE = new ArrayList<>();
    private static final int MOST_OF_SAT = 14;
    private static final Set<IsolationLevel> UNTIMED =
            EnumSet.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);
    private static final Set<IsolationLevel> STRICT = EnumSet.of(IsolationLevel.SSER, IsolationLevel.SSI);

    private static final List<Law<Example>> LAWS = List.of(
            verdicts("tiny", 1_000, LawsTest::tiny, ALL)
                    .atLeast(300)
                    .floor(0.05, of(TRANSACTIONS))
                    .floor(0.01, "proofs", "conflicts"),
            verdicts("read-modify-write", 1_000, LawsTest::readModifyWrites, ORDERS)
                    .floor(0.1, of(ORDERS))
                    .floor(1, "chains or first orders"),
            verdicts("client-times", 1_500, LawsTest::clientTimes, ORDERS)
                    .floor(0.1, of(STRICT))
                    .floor(0.01, "proofs"),
            verdicts("rows", 800, seed -> ConditionHistories.rows(new SplitMix(seed)), ALL)
                    .floor(0.05, of(ORDERS))
                    .floor(0.001, "conflicts"),
            verdicts("conditions", 700, seed -> new ConditionHistories(new SplitMix(seed)), ALL)
                    .floor(0.05, of(EnumSet.of(IsolationLevel.SER, IsolationLevel.SI)))
                    .floor(0.005, of(STRICT)),
            verdicts("lists", 400, ListExamples::of, ALL)
                    .atLeast(200)
                    .floor(0.01, of(TRANSACTIONS))
                    .floor(0, "DIRTY_WRITE", "INCOMPATIBLE_ORDER", "ABORTED_READ"),
            verdicts("oracle", 1_000, LawsTest::oracle, TRANSACTIONS)
                    .atLeast(250)
                    .floor(0.05, of(TRANSACTIONS)),
            verdicts("shapes", 1_000, ShapedGenerator::of, ALL).atLeast(300).floor(0.01, of(ALL)),
            verdicts("registers", 1_000, LawsTest::registers, ALL)
                    .atLeast(200)
                    .floor(0.2, of(EnumSet.of(IsolationLevel.LIN))),
            windows("windows", 250, WindowLaw::tiny, TRANSACTIONS),
            windows("windows-refused", 300, WindowLaw::refused, TRANSACTIONS),
            windows("windows-rows", 250, seed -> ConditionHistories.rows(new SplitMix(seed)), AXIOMS),
            new Law<>("windows-initial", 350, WindowLaw::initial, new WindowLaw(TRANSACTIONS, true))
                    .floor(0.05, "ORDERED", "VIOLATED"),
            windows("windows-lists", 250, ListExamples::of, ORDERS),
            windows("windows-registers", 300, WindowLaw::registers, EnumSet.of(IsolationLevel.LIN)),
            windows("windows-larger", 60, WindowLaw::larger, TRANSACTIONS),
            windows("windows-larger-lists", 20, WindowLaw::lists, ORDERS),
            chains("chains", 200, ChainLaw::tiny, TRANSACTIONS)
                    .floor(0.01, "states", "seams of an open part", "open")
                    .floor(0, "withheld"),
            chains("chains-registers", 200, ChainLaw::registers, EnumSet.of(IsolationLevel.LIN))
                    .floor(0.01, "states"),
            chains("chains-several", 100, ChainLaw::several, TRANSACTIONS).floor(0.01, "added to standing"),
            chains("chains-kinds", 200, ChainLaw::kinds, TRANSACTIONS),
            verdicts("larger", 250, LawsTest::larger, UNTIMED)
                    .floor(0.1, of(EnumSet.of(IsolationLevel.SER, IsolationLevel.SI))),
            verdicts("repeated", 100, LawsTest::repeated, TRANSACTIONS).floor(0.01, of(TRANSACTIONS)),
            new Law<>("sessions-of-their-own", 3_000, LawsTest::longSessions, SameVerdicts::withoutSessionOrder)
                    .atLeast(300)
                    .floor(0.06, "another with it"),
            new Law<>("other-initial-values", 1_000, LawsTest::tiny, SameVerdicts::withOtherInitialValues)
                    .floor(0.1, "PASS", "VIOLATION"),
            new Law<>("runs", 60, RunLaw::source, new RunLaw())
                    .atLeast(12)
                    .floor(0.1, "PASS by windows", "VIOLATION by windows"));

    @TestFactory
    Stream<DynamicTest> hold() {
        String wanted = System.getProperty("law", "");
        List<Law<Example>> laws = LAWS.stream()
                .filter(law -> wanted.isEmpty() || law.name().equals(wanted))
                .toList();
        assertThat(laws).as("laws with the name \"%s\"", wanted).isNotEmpty();
        return laws.stream()
                .map(law -> DynamicTest.dynamicTest(law.name(), () -> law.run("mvn test -Dlaw=" + law.name())));
    }

    private static Law<Example> verdicts(
            String name, int rounds, LongFunction<Example> source, Set<IsolationLevel> levels) {
        return new Law<>(name, rounds, source, new VerdictLaw(levels));
    }

    private static Law<Example> windows(
            String name, int rounds, LongFunction<Example> source, Set<IsolationLevel> levels) {
        return new Law<>(name, rounds, source, new WindowLaw(levels)).floor(0.05, "ORDERED", "VIOLATED");
    }

    private static Law<Example> chains(
            String name, int rounds, LongFunction<Example> source, Set<IsolationLevel> levels) {
        return new Law<>(name, rounds, source, new ChainLaw(levels))
                .floor(0.05, "PASS", "VIOLATION", "verified")
                .floor(0, "standing", "complete");
    }

    /** Both verdicts of levels. */
    private static String[] of(Set<IsolationLevel> levels) {
        List<String> events = new ArrayList<>();
        levels.forEach(level -> events.addAll(List.of(level + " holds", level + " violated")));
        return events.toArray(new String[0]);
    }

    private static Example tiny(long seed) {
        return Example.of(TinyHistories.of(seed));
    }

    /** Sessions of two transactions on average, or more. */
    private static Example longSessions(long seed) {
        HistoryTable history = TinyHistories.of(seed);
        for (int i = 0; history.transactions() < 2 * history.sessions(); i++) {
            history = TinyHistories.of(SplitMix.seedOf(seed, i));
        }
        return Example.of(history);
    }

    private static Example readModifyWrites(long seed) {
        SplitMix random = new SplitMix(seed);
        HistoryGenerator.Isolation[] isolations = HistoryGenerator.Isolation.values();
        HistoryGenerator generator = HistoryGenerator.withSeed(random.nextLong())
                .isolation(isolations[random.nextInt(isolations.length)])
                .readShare(1)
                .readModifyWriteShare(0.4 + 0.6 * random.nextDouble())
                .abortedShare(random.chance(0.7) ? 0 : 0.15)
                .indeterminateShare(random.chance(0.7) ? 0 : 0.2)
                .sessions(random.between(2, 4))
                .transactions(random.between(3, 6))
                .operations(random.between(1, 2), random.between(2, 4))
                .keys(random.between(1, 3));
        return Example.of(TinyHistories.of(generator, random.chance(0.3) ? random : null));
    }

    /** Times of every kind of client clock, also absurd ones. */
    private static Example clientTimes(long seed) {
        HistoryTable history = TinyHistories.of(seed);
        for (int i = 0; history.starts() == null; i++) {
            history = TinyHistories.of(SplitMix.seedOf(seed, i));
        }
        SplitMix random = new SplitMix(~seed);
        ClientTimes.Kind[] kinds = ClientTimes.Kind.values();
        ClientTimes.Kind kind = random.chance(0.3) ? ClientTimes.Kind.TRUE : kinds[random.nextInt(kinds.length)];
        ClientTimes.set(history, kind, random.chance(0.2) ? 0.3 : 0, random);
        return Example.of(history);
    }

    /** Histories of the corpus with verdicts of other programs, with which the judges agree. */
    private static Example oracle(long seed) {
        if (ORACLE.isEmpty()) {
            ORACLE.addAll(oracles());
        }
        OracleCorpus.Entry entry = ORACLE.get((int) Math.floorMod(seed, (long) ORACLE.size()));
        return new Example.OfTable(entry.history()) {
            @Override
            public @Nullable Boolean holds(IsolationLevel level, long skew, boolean maybe) {
                Boolean holds = super.holds(level, skew, maybe);
                if (skew == 0 && maybe) {
                    Definitions.Level of = Definitions.Level.valueOf(level.name());
                    Boolean truth = entry.verdicts().get(level.name());
                    assertThat(holds).as("%s at %s", entry.name(), level).isEqualTo(truth);
                    assertThat(SatChecker.accepts(entry.history(), of))
                            .as("%s at %s", entry.name(), level)
                            .isEqualTo(truth);
                    assertThat(level.isAxiom() || Interpreter.accepts(entry.history(), of) == truth)
                            .as("%s at %s", entry.name(), level)
                            .isTrue();
                }
                return holds;
            }
        };
    }

    private static List<OracleCorpus.Entry> oracles() {
        Path folder = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(folder != null, "skipped: no corpus at ../shared/corpus");
        List<OracleCorpus.Entry> all = new ArrayList<>();
        for (String file : List.of(OracleCorpus.HISTORIES, OracleCorpus.UNKNOWN, OracleCorpus.GOLDEN)) {
            try {
                all.addAll(OracleCorpus.read(folder.resolve(file)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return all;
    }

    private static Example registers(long seed) {
        SplitMix random = new SplitMix(seed);
        HistoryTable table = random.chance(0.5) ? Registers.tiny(random) : Registers.crashing(random, 10);
        if (random.chance(0.2)) {
            ClientTimes.set(table, ClientTimes.Kind.TRUE, 0.3, random);
        }
        return Example.of(table);
    }

    /** Up to 300 transactions with times of every kind of clock: all engines decide alike. */
    private static Example larger(long seed) {
        SplitMix random = new SplitMix(seed);
        boolean repeats = random.chance(0.4);
        HistoryGenerator.Isolation[] isolations = HistoryGenerator.Isolation.values();
        HistoryGenerator generator = HistoryGenerator.withSeed(random.nextLong())
                .isolation(isolations[random.nextInt(isolations.length - 1)])
                .sessions(random.between(2, 20))
                .transactions(random.between(20, repeats ? 80 : 300))
                .operations(1, 5)
                .keys(random.between(repeats ? 20 : 3, 100))
                .readModifyWriteShare(random.chance(0.5) ? 0 : random.nextDouble())
                .indeterminateShare(random.chance(0.5) ? 0 : 0.05);
        // Histories with few keys and few values are hard for the search, with times or without.
        if (repeats) {
            generator.repeatedValues(1, random.between(8, 30), 1);
        }
        HistoryTable history = TinyHistories.of(generator, random.chance(0.3) ? random : null);
        ClientTimes.Kind[] kinds = ClientTimes.Kind.values();
        ClientTimes.set(history, kinds[random.nextInt(kinds.length)], random.chance(0.3) ? 0.3 : 0, random);
        return new Example.OfTable(history) {
            @Override
            public @Nullable Boolean holds(IsolationLevel level, long skew, boolean maybe) {
                return null;
            }
        };
    }

    /** Few values, so that most reads have several possible writers. Up to 14 transactions are judged by sat4j. */
    private static Example repeated(long seed) {
        SplitMix random = new SplitMix(seed);
        HistoryGenerator.Isolation[] isolations = HistoryGenerator.Isolation.values();
        HistoryGenerator generator = HistoryGenerator.withSeed(random.nextLong())
                .isolation(isolations[random.nextInt(isolations.length)])
                .transactions(random.between(2, random.chance(0.3) ? 8 : 30))
                .sessions(random.between(1, random.chance(0.5) ? 4 : 30))
                .keys(random.between(1, 3))
                .operations(1, random.between(1, 4))
                .readShare(0.3 + 0.5 * random.nextDouble())
                .abortedShare(random.chance(0.5) ? 0 : 0.15)
                .indeterminateShare(random.chance(0.5) ? 0 : 0.3)
                .repeatedValues(random.nextInt(2), random.between(1, 3), 1);
        HistoryTable table = TinyHistories.of(generator, random.chance(0.3) ? random : null);
        return new Example.OfTable(table) {
            @Override
            public @Nullable Boolean holds(IsolationLevel level, long skew, boolean maybe) {
                boolean isSat = skew == 0 && maybe && table.transactions() <= MOST_OF_SAT;
                return isSat ? (Boolean) SatChecker.accepts(table, Definitions.Level.valueOf(level.name())) : null;
            }
        };
    }
}
