package org.polygraph.jobs.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.report.page.HtmlReport;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RecordedSelection;

/**
 * {@code DIR/run=<id>/}: the files of a check, on any file system. Each file is whole or absent. {@code _SUCCESS} is
 * removed first when a run is written again and written last, so if it exists all files belong to one run. It means
 * that the check has finished, not that the history has passed.
 */
public final class RunDirectory {
    /** The most violations with a folder of their own; verdict.json has all of them. */
    static final int KEPT = 100;

    /** The most violations that are tried to verify the verdict; one that is confirmed suffices. */
    private static final int JUDGED = 10;

    /** The age, in milliseconds, from which a temporary file counts as left behind. */
    private static final long ABANDONED_MILLIS = 3_600_000;

    private static final String VIOLATIONS = "violations";
    private static final String STAGES = "stages";
    static final String SEAM_FOLDER = "seam";
    /** Written last, if there was time for a seam. */
    private static final String SEAM = "seam.parquet";

    private static final String SUCCESS = "_SUCCESS";
    static final String VERDICT = "verdict.json";
    private static final String REPORT = "report.html";
    private static final String EXPLANATION = "explain.txt";

    private final Location run;

    /** @param id from {@link RunId} */
    public RunDirectory(Location parent, String id) {
        this(parent.child("run=" + id));
    }

    /** @param run the folder of the run */
    public RunDirectory(Location run) {
        this.run = run;
    }

    /** The location of the run, for messages. */
    public String name() {
        return run.name();
    }

    /**
     * The verdict of a finished run if it is final: PASS, VIOLATION or INVALID, or UNKNOWN because a later part of a
     * chain decides the rest. Empty for any other UNKNOWN and ERROR, which another attempt may change, and for a run
     * that has not finished.
     */
    public Optional<StoredVerdict> finalVerdict() throws IOException, HistoryException {
        Location file = run.child(VERDICT);
        if (!run.child(SUCCESS).exists() || !file.exists()) {
            return Optional.empty();
        }
        StoredVerdict stored = verdict();
        return switch (stored.status()) {
            case PASS, VIOLATION, INVALID -> Optional.of(stored);
            // With a seam another attempt would find the same, and the next part may be decided on the seam.
            case UNKNOWN ->
                RankFile.in(run).exists() && run.child(SEAM_FOLDER).child(SEAM).exists()
                        ? Optional.of(stored)
                        : Optional.empty();
            case ERROR -> Optional.empty();
        };
    }

    /**
     * The verdict of an existing run, final or not.
     *
     * @throws HistoryException if it is damaged, or this version cannot read it
     */
    public StoredVerdict verdict() throws IOException, HistoryException {
        Location file = run.child(VERDICT);
        return StoredVerdict.parse(read(file).stripTrailing(), file.name(), explanations());
    }

    /** Returns the same without its explanations. */
    StoredVerdict brief() throws IOException, HistoryException {
        Location file = run.child(VERDICT);
        return StoredVerdict.parse(read(file).stripTrailing(), file.name(), List.of());
    }

    /**
     * By which runs are sorted that finished at one time: the history and the place of the level, the strongest first;
     * empty if the verdict cannot be read.
     */
    public String historyAndLevel() {
        try {
            StoredVerdict verdict = brief();
            int level = IsolationLevel.ofLabel(verdict.level())
                    .map(IsolationLevel::ordinal)
                    .orElse(IsolationLevel.values().length);
            return verdict.path() + (char) ('a' + level);
        } catch (IOException | HistoryException e) {
            // The code that reads the run reports the failure.
            return "";
        }
    }

    /** {@code report.html}, which exists if the run has finished. */
    public Location report() {
        return run.child(REPORT);
    }

    /** The folder of the checkpoints, until there is a final verdict. */
    public Location stages() {
        return run.child(STAGES);
    }

    /** Returns the folder, for a new certificate: the run counts as unfinished until {@link #finish}. */
    public Location reopened() throws IOException {
        run.child(SUCCESS).delete();
        sweep(run.child(RankFile.FOLDER));
        return run;
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

    /**
     * Replaces the evidence of a run: for a PASS the certificate, which is read back and compared; for a VIOLATION one
     * folder per violation, which are read back and checked against the history as {@code polygraph verify} does.
     *
     * @param input fingerprint of the bytes of the history
     * @param stop whether the time has ended: then only the first violation has a folder, without drawings and reasons
     * @return the location of the evidence and whether it was verified; null if there is none
     * @throws BudgetException if {@code stop} returned true before the certificate of a PASS was written
     */
    public @Nullable Certificate writeEvidence(Verdict verdict, String input, BooleanSupplier stop) throws IOException {
        run.child(SUCCESS).delete();
        Witness witness = verdict.witness();
        Certificate certificate = verdict.certificate();
        boolean isWritten = certificate != null && certificate.path() != null;
        // Another job may be writing the same run, so only files that this verdict does not have are deleted.
        if (witness == null && !isWritten) {
            run.child(RankFile.FOLDER).delete();
        }
        boolean isOrder = witness != null && verdict.status() != Verdict.Status.VIOLATION;
        int kept = verdict.table() == null || isOrder
                ? 0
                : Math.min(KEPT, verdict.violations().size());
        sweep(run);
        sweep(run.child(RankFile.FOLDER));
        sweep(run.child(SEAM_FOLDER));
        for (int i = 0; violation(i).exists(); i++) {
            if (i < kept) {
                sweep(violation(i));
            } else {
                violation(i).delete();
            }
        }
        if (kept == 0) {
            run.child(VIOLATIONS).delete();
        }
        boolean verified = certificate != null && certificate.verified();
        HistoryTable recorded = verdict.recorded();
        if (witness != null) {
            HistoryTable ordered = recorded == null || !isOrder ? witness.table() : recorded;
            String content = Fingerprint.ofContent(ordered, stop);
            String path = RankFile.write(run, witness, new Fingerprint(input, content), Version.current(), stop);
            if (isOrder) {
                return located(certificate, path, verified, null);
            }
        }
        String content = certificate == null || isWritten || recorded == null ? null : content(recorded, stop);
        HistoryTable table = verdict.table();
        if (table == null) {
            return certificate == null || content == null
                    ? certificate
                    : located(certificate, certificate.path(), certificate.verified(), content);
        }
        int written = 0;
        for (; written < kept && (written == 0 || !stop.getAsBoolean()); written++) {
            Violation violation = verdict.violations().get(written);
            write(violation(written), violation, table, stop);
            write(violation(written).child(EXPLANATION), ViolationText.full(verdict, written, table, stop));
        }
        for (int i = written; i < kept; i++) {
            violation(i).delete();
        }
        Optional<Terms> terms = terms(verdict);
        boolean holds = terms.isPresent()
                && Verification.anyViolationHolds(run, terms.get(), table, Math.min(written, JUDGED), stop);
        return located(certificate, VIOLATIONS, verified || holds, content);
    }

    private static Certificate located(
            @Nullable Certificate certificate, @Nullable String path, boolean verified, @Nullable String content) {
        return new Certificate(certificate == null ? "" : certificate.kind(), path, verified, content);
    }

    /** The hash of the contents; null if the time ends. */
    private static @Nullable String content(HistoryTable recorded, BooleanSupplier stop) {
        try {
            return Fingerprint.ofContent(recorded, stop);
        } catch (StoppedException e) {
            return null;
        }
    }

    private static Optional<Terms> terms(Verdict verdict) {
        Assumptions assumptions = verdict.assumptions();
        if (assumptions == null) {
            return Optional.empty();
        }
        return Guarantee.of(verdict.level().label(), assumptions.time() == TimeMode.STRICT)
                .map(guarantee -> new Terms(guarantee, assumptions.clockSkewNanos(), assumptions.indeterminate()));
    }

    /**
     * Writes the other files, {@code _SUCCESS} last, and deletes the checkpoints unless another attempt may resume from
     * them.
     *
     * @param stop whether the time has ended: then the report only counts the violations
     */
    public void finish(Verdict verdict, BooleanSupplier stop) throws IOException {
        write(report(), HtmlReport.of(verdict, run.name(), Version.current(), stop));
        write(run.child("violations.jsonl"), VerdictJson.violations(verdict));
        write(run.child("junit.xml"), JunitXml.of(verdict, stop));
        write(run.child("metrics.json"), VerdictJson.metrics(verdict, System.currentTimeMillis()) + "\n");
        write(run.child(VERDICT), VerdictJson.of(verdict) + "\n");
        write(run.child(SUCCESS), "");
        switch (verdict.status()) {
            case PASS, VIOLATION, INVALID -> stages().delete();
            case UNKNOWN, ERROR -> {
                // The checkpoints are kept for another attempt.
            }
        }
    }

    /** Removes temporary files that a killed process left. A recent one may belong to another job. */
    private static void sweep(Location folder) throws IOException {
        if (!folder.exists()) {
            return;
        }
        long recent = System.currentTimeMillis() - ABANDONED_MILLIS;
        for (Location child : folder.children()) {
            if (child.fileName().startsWith(".") && child.fileName().endsWith(".tmp") && isBefore(child, recent)) {
                child.delete();
            }
        }
    }

    private static boolean isBefore(Location file, long millis) {
        try {
            return file.modified() < millis;
        } catch (IOException e) {
            // Another job has renamed it.
            return false;
        }
    }

    private static void write(Location folder, Violation violation, HistoryTable table, BooleanSupplier stop)
            throws IOException {
        SubHistory sub = violation.minimal();
        if (sub != null) {
            HistoryTable alone = RecordedSelection.written(table, sub.operations(), sub.recorded(), sub.ofWrites());
            folder.child("history.jsonl").write(out -> HistoryWriter.writeJsonl(alone, out));
        } else {
            BitSet involved = involved(violation);
            folder.child("history.jsonl").write(out -> HistoryWriter.writeJsonl(table, involved, out));
        }
        Location dot = folder.child("cycle.dot");
        Location svg = folder.child("cycle.svg");
        if (stop.getAsBoolean()) {
            dot.delete();
            svg.delete();
        } else {
            write(dot, CycleDot.of(violation, table));
            write(svg, HtmlReport.svg(violation, table));
        }
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
        return run.child(VIOLATIONS).child(folder(i));
    }

    /** The folder name of a violation. */
    static String folder(int i) {
        return String.format(Locale.ROOT, "%03d", i);
    }

    private static void write(Location file, String text) throws IOException {
        file.write(out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String read(Location file) throws IOException {
        try (SeekableInput in = file.open()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
