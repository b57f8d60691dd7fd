package org.polygraph.jobs.application;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.CpuClock;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.CoveredParts;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Refutation;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** Answers each PATH of a command at each level: from an earlier run, or by a check, whose run is kept if requested. */
public final class CheckRun {
    private static final String STDIN = "-";

    private final CheckSettings settings;
    private final Checker checker;
    private final Listener listener;
    /** The least number of transactions in the tail of a seam. */
    private final int leastTail;
    /** The parts of the history before the PATH. */
    private Chain before = Chain.NONE;
    /** The runs of the chain; null if they were not compared. */
    private @Nullable KnownRuns known;

    private @Nullable OnSeams onSeams;
    private boolean hasChanged;
    /** The levels at which the PATH begins a new chain. */
    private final Set<IsolationLevel> begunAnew = EnumSet.noneOf(IsolationLevel.class);
    /** {@link Writes#of} the PATH; null if it was not read. */
    private long @Nullable [] writes;
    /** {@link PathHistory#part}; null if the PATH was not read. */
    private long @Nullable [] part;

    /** Creates a run; nothing is done yet. */
    public CheckRun(CheckSettings settings, Checker checker, Listener listener) {
        this(settings, checker, listener, SeamCut.LEAST);
    }

    /** Creates a run for tests of tiny histories. */
    CheckRun(CheckSettings settings, Checker checker, Listener listener, int leastTail) {
        this.settings = settings;
        this.checker = checker;
        this.listener = listener;
        this.leastTail = leastTail;
    }

    /**
     * Returns one answer for each level, the strongest first. With {@link CheckSettings#asFits} there is one for each
     * level that the history fits.
     *
     * @throws ConfigurationException if the engine cannot work as it is set; nothing else is thrown
     */
    public List<Answer> answers(String path) {
        long start = System.nanoTime();
        Budget budget = settings.budget();
        listener.path(path);
        try {
            String parent = settings.runs().folder();
            if (parent == null) {
                before = before("", path, budget);
                return consistent(check(path, start, budget), path);
            }
            Location folder = Location.of(parent);
            return path.equals(STDIN)
                    ? keptStdin(start, budget, folder)
                    : kept(path, Location.of(path), start, budget, folder);
        } catch (IOException e) {
            hasChanged = e instanceof ChangedPartException;
            return failed(path, Failures.ofPath(path, e));
        } catch (HistoryException e) {
            return failed(path, Failures.text(e), Verdict.Status.INVALID);
        } catch (BudgetException e) {
            // Most phases make this an UNKNOWN themselves; hashing does not.
            String reason = budget.exhausted() ? budget.exhaustion(listener.currentPhase()) : Failures.text(e);
            return found(settings.requests().stream()
                    .map(request -> Verdict.of(Verdict.Status.UNKNOWN, request.level())
                            .path(path)
                            .reason(reason)
                            .millis(millisSince(start))
                            .build())
                    .toList());
        } finally {
            listener.pathEnds();
        }
    }

    /** Whether the PATH was not checked, because it is a part of a chain that has changed. */
    public boolean hasChanged() {
        return hasChanged;
    }

    /** @param input SHA-256 of the history; empty if it is not known */
    private Chain before(String input, String path, Budget budget) throws IOException, HistoryException {
        String after = settings.before().run();
        String state = settings.before().state();
        Predecessors.Before found = after == null
                ? Predecessors.Before.NOTHING
                : Predecessors.before(
                        settings.before(),
                        new Chain.Part(input, Location.of(path).absolute()),
                        settings.runs().folder());
        known = found.known();
        Chain chain = found.chain();
        if (state == null) {
            return chain;
        }
        listener.phase("hashing");
        return chain.beginningWith(state, budget::exhausted);
    }

    /** Returns an error at every level, with one message. */
    public List<Answer> failed(String path, String message) {
        return failed(path, message, Verdict.Status.ERROR);
    }

    private List<Answer> failed(String path, String message, Verdict.Status status) {
        listener.message(message);
        List<Answer> answers = new ArrayList<>();
        for (CheckRequest request : settings.requests()) {
            answers.add(Answer.found(Verdict.of(status, request.level())
                    .path(path)
                    .reason(message)
                    .build()));
        }
        return answers;
    }

    private List<Answer> check(String path, long start, Budget budget) throws IOException, HistoryException {
        return found(check(path, settings.requests(), start, budget, PathCheck.Kept.NOWHERE));
    }

    private static List<Answer> found(List<Verdict> verdicts) {
        return new ArrayList<>(verdicts.stream().map(Answer::found).toList());
    }

    private List<Verdict> check(
            String path, List<CheckRequest> requests, long start, Budget budget, PathCheck.Kept kept)
            throws IOException, HistoryException {
        listener.phase("reading");
        OnSeams seams = new OnSeams(settings, checker, listener, path, before, requests, begunAnew, start, budget);
        onSeams = seams;
        seams.decide();
        String refusal = seams.refusal();
        if (refusal != null) {
            throw new HistoryException(path + ": " + refusal);
        }
        List<Verdict> verdicts = new ArrayList<>(seams.decided());
        writes = seams.writes();
        part = seams.part();
        List<CheckRequest> whole = new ArrayList<>(seams.left());
        for (CheckRequest request : seams.left()) {
            LeftOut closed = seams.closed(request.level());
            if (!closed.isEmpty()) {
                whole.remove(request);
                ofAllParts(seams, path, List.of(request), before.without(closed), start, budget, kept, verdicts);
            }
        }
        if (!whole.isEmpty()) {
            ofAllParts(seams, path, whole, before, start, budget, kept, verdicts);
        }
        listener.pathEnds();
        String proof = settings.proof();
        return proof == null
                ? verdicts
                : verdicts.stream().map(each -> proved(each, proof)).toList();
    }

    private void ofAllParts(
            OnSeams seams,
            String path,
            List<CheckRequest> requests,
            Chain parts,
            long start,
            Budget budget,
            PathCheck.Kept kept,
            List<Verdict> verdicts)
            throws IOException, HistoryException {
        PathCheck whole = new PathCheck(settings, requests, checker, listener, path, parts, start, budget);
        for (Verdict verdict : whole.run(kept)) {
            Verdict given = settings.before().run() == null ? verdict : unlessOpen(verdict, path, budget);
            String cutOut = settings.before().run() == null && before.isEmpty() ? OpenReads.cutOut(verdict) : null;
            if (cutOut != null) {
                listener.notice(cutOut);
            }
            verdicts.add(OpenReads.named(seams.ofWhole(given), seams.unexplained(verdict.level())));
        }
        writes = writes == null ? whole.writes() : writes;
        part = part == null ? whole.part() : part;
    }

    /** UNKNOWN in place of a VIOLATION of the chain that a writer in the next part may explain. */
    private Verdict unlessOpen(Verdict verdict, String path, Budget budget) {
        Verdict open = OpenReads.unlessWritten(verdict, path);
        HistoryTable table = verdict.table();
        if (open == verdict || table == null) {
            return verdict;
        }
        return OpenTransactions.decided(open, table, settings.request(verdict.level()), checker, listener, budget);
    }

    private List<Answer> kept(String path, Location location, long start, Budget budget, Location folder)
            throws IOException, HistoryException {
        listener.phase("hashing");
        String input = Objects.requireNonNull(
                Deadline.run(budget, () -> Fingerprint.ofInput(location, budget::exhausted)), "a hash");
        before = before(input, path, budget);
        Function<CheckRequest, RunDirectory> runs =
                request -> settings.run(folder, request, location.fileName(), input, before);
        List<Answer> answers = new ArrayList<>();
        List<CheckRequest> open = new ArrayList<>();
        for (CheckRequest request : settings.requests()) {
            RunDirectory run = runs.apply(request);
            if (settings.runs().earlier() == CheckSettings.Earlier.OVERWRITTEN) {
                run.stages().delete();
            }
            Location kept = Location.of(run.name());
            boolean startsOver = settings.before().startsOver() && !isBegunAnew(kept);
            Answer answer = startsOver ? null : earlier(path, request, run, start);
            if (answer == null && (startsOver || isBegunAnew(kept))) {
                begunAnew.add(request.level());
            }
            if (answer == null) {
                open.add(request);
            } else {
                answers.add(answer);
            }
        }
        if (!open.isEmpty()) {
            answers.addAll(found(check(path, open, start, budget, request -> {
                RunDirectory run = runs.apply(request);
                return new KeptRun(
                        run,
                        input,
                        operations -> settings.keepsCheckpoints(operations)
                                ? new CheckpointFiles(run.stages(), listener::message)
                                : Checkpoints.NONE);
            })));
        }
        return kept(answers, open, path, runs, input, budget);
    }

    /** Whether the part of a run began a new chain. It does so too when it is checked again. */
    private static boolean isBegunAnew(Location run) {
        try {
            StandingViolations violations = StandingViolations.of(run, () -> false);
            return violations != null && violations.areEarlierClosed();
        } catch (IOException | HistoryException e) {
            // The check of the part writes them again.
            return false;
        }
    }

    /** Standard input is read once: its bytes are hashed on their way to the reader. */
    private List<Answer> keptStdin(long start, Budget budget, Location folder) throws IOException, HistoryException {
        InputStream stdin = System.in;
        MessageDigest digest = Fingerprint.digest();
        System.setIn(new DigestInputStream(stdin, digest));
        before = before("", STDIN, budget);
        List<Answer> answers;
        try {
            answers = check(STDIN, start, budget);
        } finally {
            System.setIn(stdin);
        }
        String input = Fingerprint.hex(digest);
        Function<CheckRequest, RunDirectory> runs = request -> settings.run(folder, request, STDIN, input, before);
        return kept(answers, settings.requests(), STDIN, runs, input, budget);
    }

    /**
     * Writes the runs of the answers that were found now.
     *
     * @param checked the requests of these answers
     * @return all answers, the strongest level first
     */
    private List<Answer> kept(
            List<Answer> answers,
            List<CheckRequest> checked,
            String path,
            Function<CheckRequest, RunDirectory> runs,
            String input,
            Budget budget) {
        List<IsolationLevel> levels =
                settings.requests().stream().map(CheckRequest::level).toList();
        answers.sort(Comparator.comparingInt(answer -> levels.indexOf(answer.level())));
        List<Answer> all = consistent(answers, path);
        all.replaceAll(answer -> {
            CheckRequest request = settings.request(answer.level());
            return checked.contains(request) ? kept(answer, runs.apply(request), input, budget) : answer;
        });
        return all;
    }

    /** Returns the verdict of an earlier run, or an error if it cannot be read; null if the level is open. */
    private @Nullable Answer earlier(String path, CheckRequest request, RunDirectory run, long start) {
        if (settings.runs().earlier() == CheckSettings.Earlier.OVERWRITTEN) {
            return null;
        }
        try {
            StoredVerdict stored = run.finalVerdict().orElse(null);
            if (stored == null) {
                return null;
            }
            if (Chain.isOnReplacedSeam(Location.of(run.name()))) {
                listener.message(run.name() + ": another seam has taken the place of the one that the verdict rests on,"
                        + " so the part is checked again");
                return null;
            }
            String proof = settings.proof();
            if (proof != null) {
                noProof(proof, "an earlier run has the answer; give --overwrite to decide it again");
            }
            return Answer.stored(request.level(), stored, run);
        } catch (IOException | HistoryException e) {
            // The fault is in the run and not in the history, so this is not INVALID.
            String message = e instanceof IOException io ? Failures.ofPath(path, io) : path + ": " + Failures.text(e);
            listener.message(message);
            return Answer.found(Verdict.of(Verdict.Status.ERROR, request.level())
                    .path(path)
                    .reason(message)
                    .millis(millisSince(start))
                    .build());
        }
    }

    /** Turns verdicts that contradict each other into errors, because they show a bug. */
    private List<Answer> consistent(List<Answer> found, String path) {
        List<Answer> answers = new ArrayList<>(found);
        List<IsolationLevel> levels = answers.stream().map(Answer::level).toList();
        while (true) {
            Implications.Contradiction wrong = Implications.contradiction(
                    levels, answers.stream().map(Answer::status).toList());
            if (wrong == null || answers.stream().anyMatch(this::isOfBegunChain)) {
                return answers;
            }
            String reason = "internal error: " + wrong.text();
            listener.message(path + ": " + reason);
            for (int i = 0; i < answers.size(); i++) {
                Answer answer = answers.get(i);
                if (answer.level() == wrong.passes() || answer.level() == wrong.violated()) {
                    Verdict before = answer.found();
                    Verdict.Builder error = before == null
                            ? Verdict.of(Verdict.Status.ERROR, answer.level())
                                    .path(path)
                                    .reason(reason)
                            : before.instead(Verdict.Status.ERROR, reason);
                    answers.set(
                            i, Answer.found(error.exitCode(ExitCode.INTERNAL).build()));
                }
            }
        }
    }

    /** Whether an answer is of a chain that was begun anew. Another level may still be of the whole chain. */
    private boolean isOfBegunChain(Answer answer) {
        RunDirectory run = answer.run();
        try {
            StandingViolations kept = answer.found() != null
                    ? decided().kept(answer.level())
                    : run == null ? null : StandingViolations.of(Location.of(run.name()), () -> false);
            return kept != null && kept.all().stream().anyMatch(StandingViolations.Kept::isClosed);
        } catch (IOException | HistoryException e) {
            return false;
        }
    }

    /** Writes the proof to its file. If it cannot be written, the verdict becomes an error. */
    private Verdict proved(Verdict verdict, String file) {
        Refutation refutation = verdict.refutation();
        if (refutation == null) {
            noProof(
                    file,
                    verdict.status() == Verdict.Status.VIOLATION
                            ? "the evidence shown needed no search of the solver"
                            : "only a VIOLATION has a refutation, and this is " + verdict.status());
            return verdict;
        }
        try (AtomicFile target = Location.of(file).create()) {
            Writer out = new OutputStreamWriter(target.stream(), StandardCharsets.US_ASCII);
            refutation.writeTo(out);
            out.flush();
            target.commit();
            return verdict;
        } catch (IOException e) {
            return error(
                    verdict,
                    file + ": the proof cannot be written there (" + Failures.cause(e) + "); give another --proof");
        }
    }

    private void noProof(String file, String why) {
        listener.message(file + ": no proof is written, because " + why);
    }

    /** Returns the error, with one message, in place of a verdict that cannot be kept. */
    private Verdict error(Verdict verdict, String message) {
        listener.message(message);
        return verdict.instead(Verdict.Status.ERROR, message).build();
    }

    /** Writes the run of an answer. */
    private Answer kept(Answer answer, RunDirectory directory, String input, Budget budget) {
        Verdict found = answer.found();
        if (found == null) {
            return answer;
        }
        long evidence = System.nanoTime();
        Verdict.Builder kept = found.with();
        try {
            if (found.status() == Verdict.Status.ERROR && hasVerdict(directory)) {
                // The verdict of an earlier check says more than a failure of this one.
                return answer;
            }
            long cpu = CpuClock.millis();
            Certificate decided = found.certificate();
            Certificate written = evidence(kept, found, directory, input, budget);
            kept.certificate(written);
            if (written != null && (decided == null || decided.path() == null)) {
                long millis = millisSince(evidence);
                kept.phase(new Phase(
                                "certificate",
                                millis,
                                CpuClock.millis() - cpu,
                                found.counts().transactions()))
                        .millis(found.millis() + millis);
            }
            if (!found.path().equals(STDIN) || !before.isEmpty()) {
                Chain chain = chain(found, input);
                Seam seam = chain.seam();
                if (seam != null && !seam.isCurrent()) {
                    return Answer.found(error(
                            found,
                            directory.name() + ": not written, because another job replaced the seam of "
                                    + seam.run().name() + " after it was read; the verdict on it was "
                                    + found.status() + "; check again"));
                }
                kept.parts(written(chain, found, Location.of(directory.name()), input, budget));
            }
            Verdict verdict = kept.build();
            directory.finish(verdict, budget::exhausted);
            return Answer.kept(verdict, directory);
        } catch (OutOfMemoryError e) {
            return Answer.found(found.instead(
                            Verdict.Status.UNKNOWN, "memory ran out while the evidence was written; give --memory more")
                    .millis(found.millis() + millisSince(evidence))
                    .build());
        } catch (IOException e) {
            return Answer.found(error(
                    found,
                    directory.name() + ": the run cannot be written there (" + Failures.cause(e) + "); the verdict was "
                            + found.status() + "; give another --out"));
        }
    }

    private static boolean hasVerdict(RunDirectory run) throws IOException {
        try {
            return run.finalVerdict().isPresent();
        } catch (HistoryException e) {
            return false;
        }
    }

    private Chain chain(Verdict verdict, String input) throws IOException {
        return before.on(decided().seam(verdict.level()))
                .then(input, Location.of(verdict.path()).absolute());
    }

    private OnSeams decided() {
        return Objects.requireNonNull(onSeams, "a check");
    }

    /** Writes the parts that the verdict covers, and if it has an order the seam for the next part. */
    private CoveredParts written(Chain chain, Verdict verdict, Location run, String input, Budget budget)
            throws IOException {
        CoveredParts listed = chain.write(run).with(sizes(chain, verdict));
        KnownRuns.write(known, run);
        if (writes != null) {
            new Writes(input, writes).write(run);
        }
        Witness witness = verdict.witness();
        StandingViolations violations = decided().kept(verdict.level());
        if (violations == null) {
            Seam.file(run, StandingViolations.FILE).delete();
        } else {
            violations.write(run);
        }
        if (settings.before().run() == null || witness == null) {
            return listed;
        }
        try {
            SeamCut.write(run, witness, chain, leastTail, budget::exhausted, budget.bytes());
        } catch (BudgetException | HistoryException e) {
            listener.message(run.name() + ": no seam was written, so the next part is decided with earlier ones ("
                    + Failures.text(e) + ")"
                    + (budget.exhausted() ? "; to write it, check again with --overwrite and --timeout more" : ""));
        }
        return listed;
    }

    /** The sizes of the last part and of its chain; null if the part was not read. */
    private CoveredParts.@Nullable Sizes sizes(Chain chain, Verdict verdict) throws IOException {
        long[] own = part;
        if (own == null) {
            return null;
        }
        long all = verdict.counts().transactions();
        Seam seam = chain.seam();
        if (seam != null) {
            try {
                long before = new RunDirectory(seam.run()).verdict().chainTransactions();
                all = before < 0 ? before : before + all - seam.transactions();
            } catch (HistoryException e) {
                all = -1;
            }
        }
        return new CoveredParts.Sizes(own[0], own[1], all);
    }

    /**
     * Writes the evidence of a verdict. If the time ends before the certificate of a PASS is written, or a program that
     * checks what it records has no Parquet, the verdict is kept without it, and {@code kept} gets the reason.
     */
    private static @Nullable Certificate evidence(
            Verdict.Builder kept, Verdict found, RunDirectory directory, String input, Budget budget)
            throws IOException {
        try {
            return directory.writeEvidence(found, input, budget::exhausted);
        } catch (BudgetException e) {
            return withoutFile(kept, found, "the time ended before the certificate was written");
        } catch (NoClassDefFoundError e) {
            String library = Failures.missingLibrary(e);
            if (library == null) {
                throw e;
            }
            return withoutFile(kept, found, "no certificate was written, because " + library);
        }
    }

    private static @Nullable Certificate withoutFile(Verdict.Builder kept, Verdict found, String why) {
        kept.reason(found.reason().isEmpty() ? why : found.reason() + "; " + why);
        return found.certificate();
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
