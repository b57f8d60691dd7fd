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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Refutation;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/** Answers each PATH of a command at each level: from an earlier run, or by a check, whose run is kept if requested. */
public final class CheckRun {
    private final CheckSettings settings;
    private final Checker checker;
    private final Listener listener;
    /** The least number of transactions in the tail of a seam. */
    private final int leastTail;

    private Chain before = Chain.NONE;
    private @Nullable ChainCheck check;
    private boolean hasChanged;

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
    public List<Answer> answers(String name) {
        OnePath path = new OnePath(name, settings, checker, listener);
        listener.path(name);
        try {
            String parent = settings.runs().folder();
            if (parent == null) {
                before = before("", path);
                return consistent(check(path, settings.requests(), Set.of(), PathCheck.Kept.NOWHERE), name);
            }
            Location folder = Location.of(parent);
            return path.isStdin() ? keptStdin(path, folder) : kept(path, folder);
        } catch (IOException e) {
            hasChanged = e instanceof ChangedPartException;
            return failed(name, Failures.ofPath(name, e));
        } catch (HistoryException e) {
            return failed(name, Failures.text(e), Verdict.Status.INVALID);
        } catch (BudgetException e) {
            // Most phases make this an UNKNOWN themselves; hashing does not.
            Budget budget = path.budget();
            String reason = budget.exhausted() ? budget.exhaustion(listener.currentPhase()) : Failures.text(e);
            return settings.requests().stream()
                    .map(request -> Answer.found(Verdict.of(Verdict.Status.UNKNOWN, request.level())
                            .path(name)
                            .reason(reason)
                            .millis(path.millis())
                            .build()))
                    .toList();
        } finally {
            listener.pathEnds();
        }
    }

    /** Whether the PATH was not checked, because it is a part of a chain that has changed. */
    public boolean hasChanged() {
        return hasChanged;
    }

    /** @param input SHA-256 of the history; empty if it is not known */
    private Chain before(String input, OnePath path) throws IOException, HistoryException {
        Chain found = path.isOfChain()
                ? Predecessors.before(
                        settings.before(),
                        new Chain.Part(input, path.location().absolute()),
                        settings.runs().folder())
                : Chain.NONE;
        String state = settings.before().state();
        if (state == null) {
            return found;
        }
        listener.phase("hashing");
        return found.beginningWith(state, path.budget()::exhausted);
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

    /** @param begunAnew the levels at which the PATH begins a new chain */
    private List<Answer> check(
            OnePath path, List<CheckRequest> requests, Set<IsolationLevel> begunAnew, PathCheck.Kept kept)
            throws IOException, HistoryException {
        listener.phase("reading");
        check = new ChainCheck(path, before, requests, begunAnew);
        List<Verdict> verdicts = check.verdicts(kept);
        listener.pathEnds();
        String proof = settings.proof();
        return verdicts.stream()
                .map(verdict -> Answer.found(proof == null ? verdict : proved(path, verdict, proof)))
                .toList();
    }

    private List<Answer> kept(OnePath path, Location folder) throws IOException, HistoryException {
        listener.phase("hashing");
        Location location = path.location();
        BooleanSupplier stop = path.budget()::exhausted;
        String input = Objects.requireNonNull(
                Deadline.run(path.budget(), () -> Fingerprint.ofInput(location, stop)), "a hash");
        before = before(input, path);
        PathRuns runs = new PathRuns(path, folder, location.fileName(), input, before);
        List<Answer> answers = new ArrayList<>();
        List<CheckRequest> open = new ArrayList<>();
        Set<IsolationLevel> begunAnew = EnumSet.noneOf(IsolationLevel.class);
        for (CheckRequest request : settings.requests()) {
            RunDirectory run = runs.of(request);
            if (settings.runs().earlier() == CheckSettings.Earlier.OVERWRITTEN) {
                run.stages().delete();
            }
            boolean isBegunAnew = isBegunAnew(Location.of(run.name()));
            boolean startsOver = settings.before().startsOver() && !isBegunAnew;
            Answer answer = startsOver ? null : earlier(path, request, run);
            if (answer == null) {
                open.add(request);
                if (startsOver || isBegunAnew) {
                    begunAnew.add(request.level());
                }
            } else {
                answers.add(answer);
            }
        }
        if (!open.isEmpty()) {
            answers.addAll(check(path, open, begunAnew, runs::kept));
        }
        return written(answers, runs);
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
    private List<Answer> keptStdin(OnePath path, Location folder) throws IOException, HistoryException {
        InputStream stdin = System.in;
        MessageDigest digest = Fingerprint.digest();
        System.setIn(new DigestInputStream(stdin, digest));
        before = before("", path);
        List<Answer> answers;
        try {
            answers = check(path, settings.requests(), Set.of(), PathCheck.Kept.NOWHERE);
        } finally {
            System.setIn(stdin);
        }
        return written(answers, new PathRuns(path, folder, path.name(), Fingerprint.hex(digest), before));
    }

    /** Writes the runs of the answers that were found now. @return all answers, the strongest level first */
    private List<Answer> written(List<Answer> answers, PathRuns runs) {
        List<IsolationLevel> levels =
                settings.requests().stream().map(CheckRequest::level).toList();
        List<Answer> sorted = new ArrayList<>(answers);
        sorted.sort(Comparator.comparingInt(answer -> levels.indexOf(answer.level())));
        List<Answer> all = consistent(sorted, runs.path().name());
        ChainCheck made = check;
        all.replaceAll(answer -> {
            Verdict found = answer.found();
            return found == null || made == null || !made.isOf(answer.level())
                    ? answer
                    : runs.written(found, made, leastTail);
        });
        return all;
    }

    /** Returns the verdict of an earlier run, or an error if it cannot be read; null if the level is open. */
    private @Nullable Answer earlier(OnePath path, CheckRequest request, RunDirectory run) {
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
            String message = e instanceof IOException io
                    ? Failures.ofPath(path.name(), io)
                    : path.name() + ": " + Failures.text(e);
            listener.message(message);
            return Answer.found(Verdict.of(Verdict.Status.ERROR, request.level())
                    .path(path.name())
                    .reason(message)
                    .millis(path.millis())
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
                    ? check == null ? null : check.kept(answer.level())
                    : run == null ? null : StandingViolations.of(Location.of(run.name()), () -> false);
            return kept != null && kept.all().stream().anyMatch(StandingViolations.Kept::isClosed);
        } catch (IOException | HistoryException e) {
            return false;
        }
    }

    /** Writes the proof to its file. If it cannot be written, the verdict becomes an error. */
    private Verdict proved(OnePath path, Verdict verdict, String file) {
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
            return path.error(
                    verdict,
                    file + ": the proof cannot be written there (" + Failures.cause(e) + "); give another --proof");
        }
    }

    private void noProof(String file, String why) {
        listener.message(file + ": no proof is written, because " + why);
    }

    static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
