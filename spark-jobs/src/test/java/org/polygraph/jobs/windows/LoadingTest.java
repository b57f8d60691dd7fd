package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.analysis.Loaders;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Transactions that load initial rows are those that the whole history shows, or windows leave it to that. */
class LoadingTest {
    private static final long SEED = 0x10ad;

    @TempDir
    private Path folder;

    private final Map<String, Integer> outcomes = new HashMap<>();

    @Test
    void loadersAreThoseOfTheWhole() throws IOException, HistoryException {
        for (int i = 0; i < SuiteScale.of(1_000); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED, i));
            HistoryTable plain = Simulator.tiny(SplitMix.seedOf(SEED, i)).table();
            IsolationLevel wanted = Checks.LEVELS.get(i % Checks.LEVELS.size());
            IsolationLevel level = wanted.realTime() && plain.starts() == null ? IsolationLevel.SER : wanted;
            Path file = folder.resolve("history.jsonl");
            HistoryWriter.write(plain, file.toString(), HistoryFormat.JSONL);
            Files.write(file, loaded(Files.readAllLines(file), plain, random));
            boolean usesTimes = level.realTime() || random.chance(0.5);
            boolean isNamed = random.chance(0.2);
            CheckRequest request = new CheckRequest(
                    level,
                    level.realTime() ? TimeMode.STRICT : usesTimes ? TimeMode.HINT : TimeMode.NONE,
                    random.between(0, 3),
                    IndeterminateMode.MAYBE,
                    isNamed
                            ? new InitialChoice(InitialChoice.Kind.NAMED, random.between(0, 2), random.between(0, 1))
                            : InitialChoice.AUTO,
                    true,
                    1);
            decide(
                    file.toString(),
                    request,
                    new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3),
                    random.between(60, 400),
                    usesTimes,
                    request + " seed " + SplitMix.seedOf(SEED, i) + " " + Files.readString(file));
        }
        System.out.println(outcomes + ", seed " + SEED);
        assertThat(outcomes).containsKeys("true ORDERED", "true VIOLATED", "false ORDERED", "false VIOLATED");
    }

    /** Adds transactions that write initial values, mostly before all others. */
    private static List<String> loaded(List<String> lines, HistoryTable plain, SplitMix random) {
        List<String> all = new ArrayList<>(lines);
        long initial = plain.values().integer(plain.initialValue());
        int at = random.chance(0.8) ? 1 : random.between(1, all.size());
        long session = random.chance(0.8) ? 1_000 : random.between(0, 2);
        long index = session == 1_000 ? 0 : -10;
        for (int more = random.between(1, 3); more > 0; more--, index++, at++) {
            StringBuilder operations = new StringBuilder();
            for (int key = 0; key < plain.keys().size(); key++) {
                if (random.chance(0.8)) {
                    operations
                            .append(operations.isEmpty() ? "" : ",")
                            .append("{\"op\":\"w\",\"key\":")
                            .append(plain.keys().label(key))
                            .append(",\"value\":")
                            .append(random.chance(0.97) ? initial : initial + 1)
                            .append('}');
                }
            }
            long end = random.chance(0.9) ? -10 : random.between(0, 20_000);
            String times = plain.starts() == null ? "" : "\"start\":-90,\"end\":" + end + ",";
            all.add(
                    Math.min(at, all.size()),
                    "{\"session\":" + session + ",\"index\":" + index + "," + times
                            + "\"status\":\"committed\",\"ops\":[" + operations + "]}");
        }
        return all;
    }

    private void decide(
            String file, CheckRequest request, WindowSettings settings, long pieceBytes, boolean usesTimes, String what)
            throws IOException, HistoryException {
        HistoryTable read = HistoryReader.read(file, HistoryFormat.AUTO);
        Loaders loaders;
        try {
            loaders = request.loaders(read);
        } catch (HistoryException e) {
            loaders = null;
        }
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, pieceBytes, settings, request);
            WindowCheck.Ending ending = check.run(usesTimes, request.initial());
            boolean loads = loaders != null && loaders.transactions().length > 0;
            outcomes.merge(
                    loads + " " + (ending == WindowCheck.Ending.OPEN ? check.reason() : ending), 1, Integer::sum);
            if (ending == WindowCheck.Ending.OPEN) {
                return;
            }
            assertThat(loaders).as(what).isNotNull();
            List<String> names = new ArrayList<>();
            for (int t : loaders.transactions()) {
                names.add(read.name(t));
            }
            assertThat(check.loaders()).as(what).isEqualTo(names);
            HistoryTable applied = loaders.applied();
            assertThat(ending == WindowCheck.Ending.ORDERED)
                    .as(what)
                    .isEqualTo(Checks.status(applied, request) == Verdict.Status.PASS);
            assertThat(check.counts()).as(what).isEqualTo(Counts.of(applied));
            if (ending == WindowCheck.Ending.ORDERED) {
                FileWindows.assertCertified(check, request.terms(), folder, applied, what);
            }
        }
    }
}
