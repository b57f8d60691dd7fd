package org.polygraph.jobs.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.columnar.HistoryPart;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.format.HistoryWriter;

/**
 * {@code DIR/run=<id>/}: what a check leaves behind, on any file system. Each file is whole or absent; {@code _SUCCESS}
 * goes first when a run is written again and comes last, so that where it is, all files are of one run. It means
 * finished, not passed.
 */
public final class RunDirectory {
    /** Violations that get a folder each; verdict.json has them all. */
    private static final int KEPT = 100;

    private static final String SUCCESS = "_SUCCESS";
    private static final String VERDICT = "verdict.json";
    private static final String EXPLANATION = "explain.txt";

    private final Location run;

    /** @param id from {@link RunId} */
    public RunDirectory(Location parent, String id) {
        this.run = parent.child("run=" + id);
    }

    /** Where it is, for people. */
    public String name() {
        return run.name();
    }

    /**
     * The verdict of a finished run that another try could not change: PASS, VIOLATION or INVALID. Empty for UNKNOWN and
     * ERROR, and for a run that has not finished.
     */
    public Optional<StoredVerdict> finalVerdict() throws IOException {
        Location file = run.child(VERDICT);
        if (!run.child(SUCCESS).exists() || !file.exists()) {
            return Optional.empty();
        }
        StoredVerdict stored = StoredVerdict.parse(read(file).stripTrailing(), file.name(), explanations());
        return switch (stored.status()) {
            case PASS, VIOLATION, INVALID -> Optional.of(stored);
            case UNKNOWN, ERROR -> Optional.empty();
        };
    }

    private List<String> explanations() throws IOException {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < KEPT; i++) {
            Location text = violation(i).child(EXPLANATION);
            if (!text.exists()) {
                break;
            }
            texts.add(read(text));
        }
        return texts;
    }

    /** Writes the run over any that is there, of which nothing is left but the stages of an engine. */
    public void write(Verdict verdict) throws IOException {
        run.child(SUCCESS).delete();
        run.child("violations").delete();
        HistoryTable table = verdict.table();
        if (table != null) {
            int kept = Math.min(KEPT, verdict.violations().size());
            for (int i = 0; i < kept; i++) {
                write(violation(i), verdict.violations().get(i), table);
            }
        }
        write(run.child("junit.xml"), JunitXml.of(verdict));
        write(run.child("metrics.json"), VerdictJson.metrics(verdict) + "\n");
        write(run.child(VERDICT), VerdictJson.of(verdict) + "\n");
        write(run.child(SUCCESS), "");
    }

    private static void write(Location folder, Violation violation, HistoryTable table) throws IOException {
        SubHistory part = violation.minimal();
        if (part != null) {
            HistoryTable alone = HistoryPart.of(table, part.operations()).table();
            folder.child("history.jsonl").write(out -> HistoryWriter.writeJsonl(alone, out));
        } else {
            BitSet involved = involved(violation);
            folder.child("history.jsonl").write(out -> HistoryWriter.writeJsonl(table, involved, out));
        }
        write(folder.child("cycle.dot"), CycleDot.of(violation, table));
        write(folder.child(EXPLANATION), ViolationText.of(violation, table));
    }

    private static BitSet involved(Violation violation) {
        BitSet involved = new BitSet();
        for (int t : violation.transactions()) {
            involve(involved, t);
        }
        for (Dependency edge : violation.cycle()) {
            involve(involved, edge.from());
            involve(involved, edge.to());
        }
        return involved;
    }

    private static void involve(BitSet involved, int transaction) {
        if (transaction != Dependency.INITIAL) {
            involved.set(transaction);
        }
    }

    private Location violation(int i) {
        return run.child("violations").child(String.format(Locale.ROOT, "%03d", i));
    }

    private static void write(Location file, String text) throws IOException {
        file.write(out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String read(Location file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[1 << 13];
        try (SeekableInput in = file.open()) {
            int n;
            while ((n = in.read(buffer, 0, buffer.length)) > 0) {
                bytes.write(buffer, 0, n);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
