package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.polygraph.storage.testkit.Simulator.Feature.ABORTED;
import static org.polygraph.storage.testkit.Simulator.Feature.COMPARE_AND_SET;
import static org.polygraph.storage.testkit.Simulator.Feature.INITIAL;
import static org.polygraph.storage.testkit.Simulator.Feature.LONG;
import static org.polygraph.storage.testkit.Simulator.Feature.NOTATION;
import static org.polygraph.storage.testkit.Simulator.Feature.ODD_TIMES;
import static org.polygraph.storage.testkit.Simulator.Feature.REPEATED;
import static org.polygraph.storage.testkit.Simulator.Feature.TIMES;
import static org.polygraph.storage.testkit.Simulator.Feature.UNKNOWN;
import static org.polygraph.storage.testkit.Simulator.Feature.UPDATES;
import static org.polygraph.storage.testkit.Simulator.Feature.WIDE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
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
import org.polygraph.jobs.watch.WatchLaw;
import org.polygraph.jobs.windows.WindowLaw;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.ClientTimes;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.Interpreter;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SatChecker;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.Tampering;

/** The laws, see {@link Law}. {@code -Dlaw=NAME} runs one, with {@code -Dseed=N} for one history. */
class LawsTest {
    private static final Set<IsolationLevel> ALL = EnumSet.allOf(IsolationLevel.class);
    private static final Set<IsolationLevel> ORDERS =
            EnumSet.of(IsolationLevel.SSER, IsolationLevel.SER, IsolationLevel.SSI, IsolationLevel.SI);
    private static final Set<IsolationLevel> OF_EVENTS = EnumSet.of(
            IsolationLevel.SSER, IsolationLevel.SER, IsolationLevel.SSI, IsolationLevel.SI, IsolationLevel.PC);
    private static final Set<IsolationLevel> TRANSACTIONS = EnumSet.complementOf(EnumSet.of(IsolationLevel.LIN));
    private static final Set<IsolationLevel> AXIOMS =
            EnumSet.of(IsolationLevel.PC, IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC, IsolationLevel.PL2);
    private static final List<OracleCorpus.Entry> ORACLE = new ArrayList<>();
    private static final List<Path> FILES = new ArrayList<>();
    private static final int MOST_BYTES = 100_000;
    private static final int MOST_OF_SAT = 14;
    private static final Set<IsolationLevel> UNTIMED = EnumSet.copyOf(Checks.levels("SER SI PC CC RA RC PL2"));
    private static final Set<Feature> TIMED = EnumSet.of(TIMES, ODD_TIMES);
    /** What histories of single values may have. */
    private static final Feature[] VALUES = {COMPARE_AND_SET, REPEATED, ABORTED, UNKNOWN, TIMES, ODD_TIMES, INITIAL};

    private static final Set<IsolationLevel> STRICT = EnumSet.of(IsolationLevel.SSER, IsolationLevel.SSI);

    private static final List<Law<Example>> LAWS = List.of(
            verdicts("tiny", 600, LawsTest::tiny, ALL)
                    .atLeast(150)
                    .floor(0.05, of(TRANSACTIONS))
                    .floor(0.01, "proofs", "conflicts"),
            verdicts("updates", 600, simulated(EnumSet.of(UPDATES), TIMES, ABORTED, UNKNOWN), OF_EVENTS)
                    .floor(0.1, of(ORDERS))
                    .floor(1, "chains or first orders"),
            verdicts("client-times", 900, simulated(TIMED, UNKNOWN, ABORTED, REPEATED, COMPARE_AND_SET), ORDERS)
                    .floor(0.1, of(STRICT))
                    .floor(0.01, "proofs"),
            verdicts("rows", 500, simulated(Simulator::rows), ALL)
                    .floor(0.05, of(ORDERS))
                    .floor(0.001, "conflicts"),
            verdicts("conditions", 400, simulated(Simulator::conditions), ALL)
                    .atLeast(70)
                    .floor(0.05, of(EnumSet.of(IsolationLevel.SER, IsolationLevel.SI)))
                    .floor(0.005, of(STRICT)),
            verdicts("lists", 300, simulated(Simulator::lists), ALL)
                    .atLeast(80)
                    .floor(0.01, of(TRANSACTIONS))
                    .floor(0, "DIRTY_WRITE", "INCOMPATIBLE_ORDER", "ABORTED_READ"),
            verdicts("versions", 300, simulated(Simulator::versions), TRANSACTIONS)
                    .atLeast(80)
                    .floor(0.05, of(TRANSACTIONS)),
            verdicts("counters", 300, LawsTest::counters, ALL).atLeast(300).floor(0.05, of(TRANSACTIONS)),
            verdicts("blind-counters", 300, LawsTest::blindCounters, ORDERS)
                    .atLeast(300)
                    .floor(0.05, of(ORDERS))
                    .floor(0.01, "conflicts"),
            verdicts("single-lists", 300, simulated(Simulator::singleLists), ALL)
                    .atLeast(70)
                    .floor(0.1, of(EnumSet.of(IsolationLevel.LIN))),
            verdicts("savepoints", 300, seed -> savepoints(seed, Math.floorMod(seed, 3)), ALL)
                    .atLeast(90)
                    .floor(0.05, of(TRANSACTIONS))
                    .floor(0, "ABORTED_READ", "NOT_MY_OWN_WRITE"),
            verdicts("oracle", 600, LawsTest::oracle, TRANSACTIONS).atLeast(100).floor(0.05, of(TRANSACTIONS)),
            verdicts("notations", 500, simulated(EnumSet.of(NOTATION), VALUES), ALL)
                    .atLeast(120)
                    .floor(0.01, of(TRANSACTIONS)),
            verdicts("wide", 150, simulated(EnumSet.of(WIDE), ABORTED, UNKNOWN, TIMES, NOTATION), TRANSACTIONS)
                    .floor(0.01, of(TRANSACTIONS)),
            verdicts("registers", 1_000, simulated(Simulator::registers), ALL)
                    .atLeast(200)
                    .floor(0.2, of(EnumSet.of(IsolationLevel.LIN))),
            verdicts("joined", 120, JoinedExample::of, ALL).atLeast(60).floor(0.01, of(ALL)),
            windows("windows", 250, WindowLaw::tiny, TRANSACTIONS),
            windows("windows-refused", 300, simulated(Simulator::registers), TRANSACTIONS),
            windows("windows-rows", 250, simulated(Simulator::rows), AXIOMS),
            new Law<>(
                            "windows-initial",
                            350,
                            WindowLaw::initial,
                            new WindowLaw(TRANSACTIONS, WindowLaw.Beginning.STATE))
                    .floor(0.05, "ORDERED", "VIOLATED"),
            new Law<>("windows-loaders", 1_000, LawsTest::tiny, new WindowLaw(ALL, WindowLaw.Beginning.LOADERS))
                    .floor(0.02, "ORDERED", "VIOLATED", "loaded, ORDERED", "loaded, VIOLATED"),
            windows("windows-lists", 250, simulated(Simulator::lists), ORDERS),
            windows("windows-registers", 300, WindowLaw::registers, EnumSet.of(IsolationLevel.LIN)),
            windows("windows-larger", 60, WindowLaw::larger, TRANSACTIONS).atLeast(15),
            windows("windows-larger-lists", 20, WindowLaw::lists, ORDERS).atLeast(10),
            windows("windows-corpus", 40, LawsTest::corpus, TRANSACTIONS).atLeast(8),
            chains("chains", 200, ChainLaw::tiny, TRANSACTIONS)
                    .atLeast(40)
                    .floor(0.01, "states", "seams of an open part", "open")
                    .floor(0, "withheld"),
            chains("chains-registers", 200, ChainLaw::registers, EnumSet.of(IsolationLevel.LIN))
                    .atLeast(40)
                    .floor(0.01, "states"),
            chains("chains-several", 100, ChainLaw::several, TRANSACTIONS)
                    .atLeast(30)
                    .floor(0.01, "added to standing"),
            chains("chains-kinds", 130, ChainLaw::kinds, TRANSACTIONS).atLeast(40),
            verdicts("larger", 250, LawsTest::larger, UNTIMED)
                    .atLeast(40)
                    .floor(0.1, of(EnumSet.of(IsolationLevel.SER, IsolationLevel.SI))),
            verdicts("repeated", 100, LawsTest::repeated, TRANSACTIONS)
                    .atLeast(50)
                    .floor(0.01, of(TRANSACTIONS)),
            new Law<>("sessions-of-their-own", 1_500, LawsTest::longSessions, SameVerdicts::withoutSessionOrder)
                    .atLeast(150)
                    .floor(0.06, "another with it"),
            new Law<>("other-initial-values", 1_000, LawsTest::tiny, SameVerdicts::withOtherInitialValues)
                    .floor(0.1, "PASS", "VIOLATION"),
            new Law<>(
                            "loaders",
                            800,
                            simulated(EnumSet.noneOf(Feature.class), ABORTED, UNKNOWN, TIMES),
                            SameVerdicts::withLoader)
                    .floor(0.1, of(UNTIMED))
                    .floor(0.02, of(STRICT))
                    .floor(0, "another as any transaction"),
            new Law<>("minimal", 3_000, LawsTest::tiny, new MinimalSubHistories()).floor(0.25, "minimal"),
            new Law<>("repeated-rows", 1_000, simulated(Simulator::conditions), new RepeatedRows())
                    .floor(0.2, "repeated")
                    .floor(0.005, "aborted, holds"),
            new Law<>("recorded-predicates", 1_000, LawsTest::anyConditions, new RecordedPredicates())
                    .floor(0.3, "queries"),
            new Law<>("exports", 500, ExportLaw::source, new ExportLaw())
                    .atLeast(80)
                    .floor(
                            0.02,
                            ExportLaw.FORMATS.stream().map(HistoryFormat::label).toArray(String[]::new))
                    .floor(0.02, "SER holds", "SER violated", "LIN holds", "LIN violated"),
            new Law<>("relaxed-rows", 1_500, simulated(Simulator::unknownRows), new RelaxedRows())
                    .floor(0.3, "holds, order")
                    .floor(0.02, "violated, refuted", "at commits violated, refuted"),
            new Law<>("watched", 50, seed -> seed % 3 == 0 ? ChainLaw.kinds(seed) : ChainLaw.tiny(seed), new WatchLaw())
                    .atLeast(40)
                    .floor(0.03, "PASS", "VIOLATION", "killed")
                    .floor(0, "rotated"),
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
        return Example.of(Simulator.tiny(seed));
    }

    /** Sessions of two transactions on average, or more. */
    private static Example longSessions(long seed) {
        HistoryTable history = Simulator.tiny(seed).table();
        for (int i = 0; history.transactions() < 2 * history.sessions(); i++) {
            history = Simulator.tiny(SplitMix.seedOf(seed, i)).table();
        }
        return Example.of(history);
    }

    private static LongFunction<Example> simulated(Set<Feature> always, Feature... sometimes) {
        return seed -> Example.of(Simulator.with(always, seed, sometimes));
    }

    private static LongFunction<Example> simulated(LongFunction<SimulatedHistory> source) {
        return seed -> Example.of(source.apply(seed));
    }

    /** Savepoints. @param kind 0 with values, 1 with rows, 2 with lists */
    private static Example savepoints(long seed, int kind) {
        Feature[] others = {REPEATED, ABORTED, UNKNOWN, TIMES, INITIAL};
        Set<Feature> kinds = EnumSet.of(Feature.SAVEPOINTS);
        if (kind > 0) {
            kinds.add(kind == 1 ? Feature.ROWS : Feature.LISTS);
        }
        return Example.of(Simulator.with(kinds, seed, others));
    }

    /** Additions that return their sums; every fourth time in transactions of one operation. */
    private static Example counters(long seed) {
        Set<Feature> kinds = EnumSet.of(Feature.COUNTERS, Math.floorMod(seed, 4) == 0 ? Feature.SINGLE : TIMES);
        return Example.of(Simulator.with(kinds, seed, REPEATED, UPDATES, ABORTED, UNKNOWN, TIMES, INITIAL, NOTATION));
    }

    /** Additions most of which do not return their sums. */
    private static Example blindCounters(long seed) {
        Set<Feature> kinds = EnumSet.of(Feature.COUNTERS, Feature.BLIND);
        return Example.of(Simulator.with(kinds, seed, REPEATED, UPDATES, ABORTED, UNKNOWN, TIMES, ODD_TIMES, INITIAL));
    }

    private static Example anyConditions(long seed) {
        return Example.of(seed % 2 == 0 ? Simulator.conditions(seed) : Simulator.unknownRows(seed));
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
                    Boolean truth = entry.verdicts().getOrDefault(level.name(), holds);
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

    /** Small histories of the corpus. */
    private static Example corpus(long seed) {
        if (FILES.isEmpty()) {
            Path folder = OracleCorpus.folder().orElse(null);
            Assumptions.assumeTrue(folder != null, "skipped: no corpus at ../shared/corpus");
            for (String set : List.of("dbcop/known", "plume", "real")) {
                try (Stream<Path> files = Files.list(folder.resolve(set))) {
                    files.filter(file -> file.toFile().length() < MOST_BYTES)
                            .filter(file -> file.toString().matches(".*\\.(bincode.gz|txt|jsonl.gz|jsonl.zst)"))
                            .filter(file -> !file.toString().contains("-pred-"))
                            .sorted()
                            .forEach(FILES::add);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        Path file = FILES.get((int) Math.floorMod(seed, (long) FILES.size()));
        try {
            return Example.of(HistoryReader.read(file.toString(), HistoryFormat.AUTO));
        } catch (IOException | HistoryException e) {
            throw new IllegalStateException(file.toString(), e);
        }
    }

    /** Up to 300 transactions with times of every kind of clock: all engines decide alike. */
    private static Example larger(long seed) {
        SplitMix random = new SplitMix(seed);
        boolean repeats = random.chance(0.4);
        Workload.Level[] levels = Workload.Level.values();
        Workload generator = new Workload()
                .seed(random.nextLong())
                .level(levels[random.nextInt(levels.length)])
                .sessions(random.between(2, 20))
                .transactions(random.between(20, repeats ? 80 : 300))
                .operations(1, 5)
                .keys(random.between(repeats ? 20 : 3, 100))
                .modifies(random.chance(0.5) ? 0 : random.nextDouble())
                .indeterminate(random.chance(0.5) ? 0 : 0.05);
        // Histories with few keys and few values are hard for the search, with times or without.
        if (repeats) {
            generator.values(random.between(8, 30));
        }
        HistoryTable history = Tampering.oneRead(generator.table(), random.chance(0.3) ? random : null);
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
        HistoryTable table = Simulator.with(EnumSet.of(REPEATED, TIMES), seed, LONG, ABORTED, UNKNOWN)
                .table();
        return new Example.OfTable(table) {
            @Override
            public @Nullable Boolean holds(IsolationLevel level, long skew, boolean maybe) {
                boolean isSat = skew == 0 && maybe && table.transactions() <= MOST_OF_SAT;
                return isSat ? (Boolean) SatChecker.accepts(table, Definitions.Level.valueOf(level.name())) : null;
            }
        };
    }
}
