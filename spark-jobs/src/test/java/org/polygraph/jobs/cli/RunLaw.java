package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileUtil;
import org.polygraph.jobs.decision.Example;
import org.polygraph.jobs.windows.WindowLaw;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TestFolders;

/** The command decides by windows what it decides of the whole history, and the runs of both verify. */
public final class RunLaw implements Law.Property<Example> {
    private static final int[] WINDOWS = {5, 30, 50, 500};

    /** Hundreds of transactions; of every third history on lists. */
    public static Example source(long seed) {
        return Math.floorMod(seed, 3) == 0 ? WindowLaw.lists(seed) : WindowLaw.larger(seed);
    }

    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws Exception {
        List<String> levels = new ArrayList<>(List.of("ser", "si"));
        if (history.table().starts() != null) {
            levels.add("sser");
        }
        String level = levels.get(random.nextInt(levels.size()));
        String window = Integer.toString(WINDOWS[random.nextInt(WINDOWS.length)]);
        Path folder = Files.createTempDirectory(TestFolders.root(), "runs");
        try {
            String file = folder.resolve("history.jsonl").toString();
            HistoryWriter.write(history.table().asRead(), file, HistoryFormat.JSONL);
            String verdict = "";
            for (String size : List.of("0", window)) {
                String runs = folder.resolve("runs" + size).toString();
                InProcess check = InProcess.run("check", "--json", "-l", level, "--window", size, "-o", runs, file);
                String what = level + " by windows of " + size + ": " + check;
                String found = check.out().replaceFirst("(?s).*?\"verdict\":\"(\\w+)\".*", "$1");
                assertThat(found).as(what).isEqualTo(verdict.isEmpty() ? found : verdict);
                verdict = found;
                if (verdict.equals("INVALID")) {
                    return;
                }
                assertThat(InProcess.run("verify", runs).word()).as(what).isEqualTo("VERIFIED");
                tally.count(verdict + (check.out().contains("\"name\":\"windows\"") ? " by windows" : ""));
            }
        } finally {
            FileUtil.fullyDelete(folder.toFile());
        }
    }
}
