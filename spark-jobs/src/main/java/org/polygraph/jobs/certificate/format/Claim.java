package org.polygraph.jobs.certificate.format;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/**
 * The fields of verdict.json that evidence must confirm. They are read here, so that verification depends on no class
 * that makes verdicts.
 *
 * @param verdict PASS, VIOLATION, UNKNOWN, INVALID or ERROR
 * @param level the label of the level
 * @param terms empty if there is no evidence for the level
 * @param loaders how the loaders of initial rows were found
 * @param usesTimes whether timestamps were used to find them
 * @param hasSessionOrder whether session order is part of the level
 * @param readsVersions whether versions that the database gave have a meaning
 * @param path the PATH of the history when the run was made, as an absolute name
 * @param chain the parts that the verdict covers; empty if it names none
 * @param isRestOfOthers whether the order of the chain without the reads that its violations need leaves out
 *     transactions that a later part may explain
 * @param unshown numbers of the violations without a sub-history; their files have the transactions that they name
 */
public record Claim(
        String verdict,
        String level,
        Optional<Terms> terms,
        InitialChoice loaders,
        boolean usesTimes,
        boolean hasSessionOrder,
        boolean readsVersions,
        String path,
        Certificate certificate,
        Optional<Parts> chain,
        Set<Integer> unshown,
        boolean isRestOfOthers) {
    /** The name of the file in a run. */
    public static final String FILE = "verdict.json";

    /**
     * The certificate of a verdict.
     *
     * @param kind empty if there is none
     * @param isUnwritten whether there is none because the time ended before it was written
     * @param content hash of the contents of the history that was checked; empty if the verdict does not name it
     */
    public record Certificate(String kind, boolean isUnwritten, String content) {}

    /**
     * The parts that a verdict covers.
     *
     * @param list SHA-256 of their list
     * @param isOnSeam whether the verdict was decided on the seam of another run
     */
    public record Parts(String list, boolean isOnSeam) {}

    private static final String ASSUMPTIONS = "assumptions";
    private static final String CERTIFICATE = "certificate";
    private static final String CHAIN = "chain";
    private static final String ORDER_OF_OTHERS = "order-of-others";
    /** Kinds of evidence that are not made any more. */
    private static final Set<String> OLDER_KINDS = Set.of("choices", "row-choices", "necessary-reads");

    /**
     * Reads verdict.json of a run.
     *
     * @throws HistoryException if it is not a verdict
     */
    public static Claim read(Location run) throws IOException, HistoryException {
        Location file = run.child(FILE);
        VerdictFields read = VerdictFields.read(file.open(), found -> malformed(file, found));
        Map<String, String> fields = read.texts();
        String verdict = read.text("verdict");
        String level = read.text("level");
        if (verdict.isEmpty() || level.isEmpty()) {
            throw malformed(file, "JSON without \"verdict\" and \"level\"");
        }
        String kind = read.text(CERTIFICATE + ".kind");
        if (OLDER_KINDS.contains(kind)) {
            throw new HistoryException(
                    file.name(),
                    "evidence of the kind \"" + kind + "\", which only older versions make",
                    "evidence of this version",
                    "check the history again with --overwrite");
        }
        return new Claim(
                verdict,
                level,
                terms(file, level, fields),
                InitialChoice.ofLabel(fields.getOrDefault(ASSUMPTIONS + ".initial", InitialChoice.IMPLICIT.label()))
                        .orElseThrow(() -> malformed(file, "an invalid choice of initial rows")),
                !"none".equals(fields.get(ASSUMPTIONS + ".time")),
                !"none".equals(fields.get(ASSUMPTIONS + ".session_order")),
                !"ignore".equals(fields.get(ASSUMPTIONS + ".versions")),
                fields.getOrDefault("location", read.text("path")),
                new Certificate(
                        kind, "null".equals(fields.get(CERTIFICATE + ".path")), read.text(CERTIFICATE + ".content")),
                Optional.ofNullable(fields.get(CHAIN + ".sha256"))
                        .map(list -> new Parts(list, !read.text(CHAIN + ".base").isEmpty())),
                read.unshown(),
                read.text(CHAIN + ".rest").equals("open"));
    }

    /**
     * The claim of a VIOLATION of a chain about the chain without the reads that its violations need: it keeps the
     * level, or later parts may explain what its order leaves out. No loaders were looked for in it.
     */
    public Claim ofRest() {
        boolean isOfOthers = isRestOfOthers;
        return new Claim(
                isOfOthers ? "UNKNOWN" : "PASS",
                level,
                terms,
                InitialChoice.IMPLICIT,
                usesTimes,
                hasSessionOrder,
                readsVersions,
                path,
                new Certificate(isOfOthers ? ORDER_OF_OTHERS : "order", false, ""),
                chain,
                Set.of(),
                isOfOthers);
    }

    /** Whether the order may leave out transactions that a later part of the chain may explain. */
    public boolean isOfOthers() {
        return verdict.equals("UNKNOWN") && certificate.kind.equals(ORDER_OF_OTHERS);
    }

    private static Optional<Terms> terms(Location file, String level, Map<String, String> fields)
            throws HistoryException {
        boolean strict = "strict".equals(fields.get(ASSUMPTIONS + ".time"));
        Optional<Guarantee> guarantee = Guarantee.of(level, strict);
        if (guarantee.isEmpty() || !fields.containsKey(ASSUMPTIONS + ".clock_skew")) {
            return Optional.empty();
        }
        IndeterminateMode mode = IndeterminateMode.ABORT.label().equals(fields.get(ASSUMPTIONS + ".indeterminate"))
                ? IndeterminateMode.ABORT
                : IndeterminateMode.MAYBE;
        try {
            long skew = Long.parseLong(fields.getOrDefault(ASSUMPTIONS + ".clock_skew", ""));
            return Optional.of(new Terms(guarantee.get(), skew, mode));
        } catch (IllegalArgumentException e) {
            throw malformed(file, "an invalid clock skew");
        }
    }

    private static HistoryException malformed(Location file, String found) {
        return new HistoryException(
                file.name(), found, "the verdict of a run", "give the folder run=<id> that check --out wrote");
    }
}
