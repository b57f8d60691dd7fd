package org.polygraph.jobs.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.polygraph.jobs.application.Answer;
import org.polygraph.jobs.application.CheckSettings;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Example;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TestFolders;

/**
 * A file is written in pieces that end anywhere in a line, and each watch of it is ended by force: between the two files
 * of a part, before the run of a part, or after it. The last watch has the verdict of the level's definition on all
 * lines, and each line is in one part.
 */
public final class WatchLaw implements Law.Property<Example> {
    private static final List<IsolationLevel> LEVELS =
            List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.RC, IsolationLevel.CC);

    @Override
    public void holds(Example example, SplitMix random, Law.Tally tally) throws Exception {
        Path folder = Files.createTempDirectory(TestFolders.root(), "watch");
        try {
            List<IsolationLevel> levels = new ArrayList<>(example.levels());
            levels.retainAll(LEVELS);
            if (!levels.isEmpty()) {
                watch(example, levels.get(random.nextInt(levels.size())), folder, random, tally);
            }
        } finally {
            FileUtil.fullyDelete(folder.toFile());
        }
    }

    private static void watch(Example example, IsolationLevel level, Path folder, SplitMix random, Law.Tally tally)
            throws Exception {
        byte[] text = text(example.table(), folder, random);
        Path source = Files.createFile(folder.resolve("history.jsonl"));
        Path out = folder.resolve("out");
        boolean rotates = random.chance(0.4);
        for (int from = 0; from < text.length; ) {
            int to = Math.min(text.length, from + random.between(1, text.length));
            while (rotates && text[to - 1] != '\n') {
                to++;
            }
            // A watch that is begun later knows the file that it has read to the end of the last part, and the one
            // after it.
            if (rotates && Files.exists(out.resolve("parts/00000001.jsonl"))) {
                tally.count("rotated");
                rotates = false;
                Files.move(source, folder.resolve("history.1"));
                Files.createFile(source);
            }
            Files.write(source, Arrays.copyOfRange(text, from, to), StandardOpenOption.APPEND);
            from = to;
            if (random.chance(0.5)) {
                Watch watch = watch(source, out, level, random);
                watch.begin();
                watch.read();
                watch.settle(false);
                // No close, as after a kill.
                tally.count("killed");
                kill(out, random);
            }
        }
        List<Answer> answers;
        try (Watch watch = watch(source, out, level, random)) {
            watch.begin();
            watch.read();
            watch.settle(true);
            watch.end();
            answers = watch.answers();
        }
        Verdict.Status status = answers.get(0).status();
        tally.count(status.name());
        Boolean holds = example.holds(level, 0, true);
        if (holds != null) {
            assertThat(status)
                    .as(level + " " + answers.get(0) + parts(out))
                    .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
        }
    }

    private static String parts(Path out) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(out.resolve("parts"))) {
            for (Path file : files.sorted().toList()) {
                text.append('\n').append(file.getFileName()).append('\n').append(Files.readString(file));
            }
        }
        return text.toString();
    }

    /** JSON Lines, in which the sessions are mixed. */
    private static byte[] text(HistoryTable table, Path folder, SplitMix random) throws Exception {
        Path file = folder.resolve("sorted.jsonl");
        HistoryWriter.write(table.asRead(), file.toString(), HistoryFormat.JSONL);
        List<String> lines = Files.readAllLines(file);
        StringBuilder mixed = new StringBuilder(lines.get(0)).append('\n');
        int[] next = IntStream.range(0, table.sessions())
                .map(table::firstTransaction)
                .toArray();
        for (int left = table.transactions(); left > 0; ) {
            int session = random.nextInt(next.length);
            if (next[session] < table.transactionsEnd(session)) {
                mixed.append(lines.get(1 + next[session]++)).append('\n');
                left--;
            }
        }
        return mixed.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Removes what a kill may leave out. */
    private static void kill(Path out, SplitMix random) throws IOException {
        Files.writeString(out.resolve("parts/next.jsonl"), "{\"half");
        if (random.chance(0.3)) {
            Files.writeString(out.resolve("places/00000099.json"), "{}");
        }
        if (random.chance(0.3)) {
            try (Stream<Path> runs = Files.list(out)) {
                Path last = runs.filter(each -> each.getFileName().toString().startsWith("run="))
                        .max(Comparator.comparing(each -> each.toFile().lastModified()))
                        .orElse(out);
                Files.deleteIfExists(last.resolve("_SUCCESS"));
                Files.deleteIfExists(last.resolve("verdict.json"));
            }
        }
    }

    private static Watch watch(Path source, Path out, IsolationLevel level, SplitMix random) throws Exception {
        Watch watch = new Watch(
                new Watch.Settings(
                        out,
                        List.of(CheckRequest.byDefault(level)),
                        random.chance(0.5) ? 0 : Long.MAX_VALUE,
                        random.chance(0.7) ? 0 : Long.MAX_VALUE,
                        0,
                        Long.MAX_VALUE,
                        false,
                        new CheckSettings.Limits(
                                Long.MAX_VALUE, Runtime.getRuntime().maxMemory())),
                Checker.EMBEDDED,
                new SilentReporter());
        watch.add(source.toString());
        return watch;
    }
}
