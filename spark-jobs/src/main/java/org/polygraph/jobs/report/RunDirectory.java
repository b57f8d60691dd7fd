package org.polygraph.jobs.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;

/**
 * {@code DIR/run=<id>/}: what a check leaves behind, on any file system. Each file is whole or absent; {@code _SUCCESS}
 * comes last and means finished, not passed.
 */
public final class RunDirectory {
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
        Location text = explanation();
        StoredVerdict stored =
                StoredVerdict.parse(read(file).stripTrailing(), file.name(), text.exists() ? read(text) : "");
        boolean last =
                switch (stored.status()) {
                    case "PASS", "VIOLATION", "INVALID" -> true;
                    default -> false;
                };
        return last ? Optional.of(stored) : Optional.empty();
    }

    /** Writes the run, over any that is there: the same question of the same input, so no file of it is left over. */
    public void write(Verdict verdict) throws IOException {
        if (!verdict.violations().isEmpty()) {
            write(explanation(), ViolationText.of(verdict, ViolationText.Detail.FULL));
        }
        write(run.child(VERDICT), VerdictJson.of(verdict) + "\n");
        write(run.child(SUCCESS), "");
    }

    private Location explanation() {
        return run.child("violations").child("000").child(EXPLANATION);
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
