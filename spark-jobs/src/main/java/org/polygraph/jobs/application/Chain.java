package org.polygraph.jobs.application;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.verdict.CoveredParts;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The parts of a history that was archived part by part, such as hour by hour, in their order. {@code seam/chain.txt}
 * of a run lists the parts that its verdict covers, one a line as {@code sha256sum} writes them, after a line for the
 * initial state if there is one.
 *
 * <p>A chain is decided as one history, either on the {@link Seam} of a run that covers its first parts, or from all of
 * its parts.
 *
 * @param state the file with the values of keys before the first part; null if there is none
 * @param seam what is read instead of the first parts; null if all parts are read
 * @param leftOut the reads that it is judged without, because earlier violations need them
 */
public record Chain(
        @Nullable Part state, List<Part> parts, @Nullable Seam seam, LeftOut leftOut) {
    /** The chain without parts. */
    static final Chain NONE = new Chain(null, List.of(), null, LeftOut.NOTHING);

    static final String FILE = "chain.txt";
    /** The name of the file with the run on whose seam a run was decided, and the SHA-256 of this seam. */
    private static final String BASE = "base.txt";

    /** The remedy for a part that has changed. */
    static final String IF_CHANGED =
            "restore it; or, if it was changed on purpose, check that part with --recheck, and the parts after it again";

    private static final String REMEDY =
            "restore the folder seam of the run; or delete the run, and check its part again after the run before it";
    private static final String STATE = "initial-state:";
    private static final String UP = "../";
    private static final int MOST_UP = 2;
    private static final Pattern LINE = Pattern.compile("[0-9a-f]{64}  .+");

    /**
     * A part.
     *
     * @param input SHA-256 of its bytes; empty if it is not known
     * @param location a name that does not depend on the working directory
     */
    public record Part(String input, String location) {
        /**
         * Returns the location of the part and requires that its bytes are those that were checked. @param name for
         * messages
         */
        Location present(String name, BooleanSupplier stop) throws IOException {
            return present(
                    name,
                    Location.of(location),
                    "restore it, or check the part of this run again with --overwrite",
                    stop);
        }

        /**
         * Returns the part in the folder of another one if it is not where it was, because an archive may have moved.
         */
        Location presentBeside(String other, String name, BooleanSupplier stop) throws IOException {
            return present(name, beside(other), IF_CHANGED, stop);
        }

        private Location beside(String other) throws IOException {
            Location file = Location.of(location);
            Location moved = Location.of(other.substring(0, other.lastIndexOf('/') + 1) + file.fileName());
            return file.exists() || !moved.exists() ? file : moved;
        }

        private Location present(String name, Location file, String remedy, BooleanSupplier stop) throws IOException {
            if (!file.exists()) {
                int seam = location.lastIndexOf("/seam/");
                boolean isPruned = seam > 0 && Pruning.isPruned(Location.of(location.substring(0, seam)));
                throw new BudgetException(
                        location + ", " + name + (isPruned ? ", was removed by runs --prune" : ", is gone")
                                + ", and the chain cannot be decided without it; "
                                + (isPruned ? "check the part of this run again with --overwrite" : "restore it"));
            }
            if (!input.isEmpty() && !Fingerprint.ofInput(file, stop).equals(input)) {
                // The user can restore the file, so this is not a fault of the history.
                throw new IOException(file.name() + ": found " + name
                        + ", which has changed since it was checked; expected the bytes with SHA-256 " + input
                        + "; " + remedy);
            }
            return file;
        }
    }

    public Chain {
        parts = List.copyOf(parts);
    }

    /**
     * Returns the parts that the verdict of a run covers, and the seam that it was decided on. A run without a list
     * covers its history.
     */
    public static Chain of(Location run) throws IOException, HistoryException {
        Chain listed = listed(run);
        return listed.on(base(run, listed.parts));
    }

    /** Returns the parts that the verdict of a run covers, without the seam that it was decided on. */
    static Chain listed(Location run) throws IOException, HistoryException {
        Claim claim = Claim.read(run);
        Location list = Seam.file(run, FILE);
        Claim.Parts stated = claim.chain().orElse(null);
        if (stated == null && !list.exists()) {
            return new Chain(null, List.of(new Part("", claim.path())), null, LeftOut.NOTHING);
        }
        if (!list.exists()) {
            throw new HistoryException(list.name(), "no list", "the parts that the verdict covers", REMEDY);
        }
        if (stated == null || !Fingerprint.ofInput(list, () -> false).equals(stated.list())) {
            throw new HistoryException(
                    list.name(), "another list than the verdict states", "the parts that it covers", REMEDY);
        }
        if (stated.isOnSeam() != Seam.file(run, BASE).exists()) {
            throw new HistoryException(
                    Seam.file(run, BASE).name(),
                    stated.isOnSeam() ? "no file" : "a file",
                    "the seam that the verdict states, or no file if it states none",
                    REMEDY);
        }
        Chain chain = listed(lines(list));
        if (chain.parts.isEmpty()) {
            throw new HistoryException(list.name(), "no part", "one or more", "check the parts again");
        }
        return chain;
    }

    private static Chain listed(List<Part> lines) {
        boolean hasState = !lines.isEmpty() && lines.get(0).location.startsWith(STATE);
        Part state =
                hasState ? new Part(lines.get(0).input, lines.get(0).location.substring(STATE.length())) : null;
        return new Chain(state, lines.subList(hasState ? 1 : 0, lines.size()), null, LeftOut.NOTHING);
    }

    /** Whether another seam has taken the place of the one that a run was decided on. */
    static boolean isOnReplacedSeam(Location run) throws IOException, HistoryException {
        List<Part> named = Seam.file(run, BASE).exists() ? lines(Seam.file(run, BASE)) : List.of();
        Location seam = named.size() == 1 ? Seam.file(resolved(run, named.get(0).location), Seam.FILE) : null;
        return seam != null
                && seam.exists()
                && !Fingerprint.ofInput(seam, () -> false).equals(named.get(0).input);
    }

    private static List<Part> lines(Location list) throws IOException, HistoryException {
        List<Part> parts = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(list.open(), StandardCharsets.UTF_8))) {
            for (String line; (line = in.readLine()) != null; ) {
                if (!LINE.matcher(line).matches()) {
                    throw new HistoryException(
                            list.name(), "a damaged line", "SHA-256 and name of a part", "check the parts again");
                }
                parts.add(new Part(line.substring(0, 64), line.substring(66)));
            }
        }
        return parts;
    }

    private static @Nullable Seam base(Location run, List<Part> parts) throws IOException, HistoryException {
        Location file = Seam.file(run, BASE);
        if (!file.exists()) {
            return null;
        }
        List<Part> named = lines(file);
        Seam seam = named.size() == 1 ? Seam.of(resolved(run, named.get(0).location), () -> false) : null;
        if (seam == null
                || !seam.input().equals(named.get(0).input)
                || seam.covered() < 0
                || seam.covered() >= parts.size()
                || !listed(lines(Seam.file(seam.run(), FILE))).parts.equals(parts.subList(0, seam.covered()))) {
            throw new HistoryException(
                    file.name(),
                    named.size() == 1
                            ? "no seam in " + named.get(0).location + " with SHA-256 " + named.get(0).input
                            : named.size() + " lines",
                    "one line, with the seam that the run was decided on",
                    "check the part of this run again with --overwrite");
        }
        return seam;
    }

    /** The runs on whose seams a run was decided, the latest first, up to the first one whose list is damaged. */
    public static List<String> bases(Location run) throws IOException {
        List<String> bases = new ArrayList<>();
        try {
            for (Seam seam = of(run).seam; seam != null; seam = of(seam.run()).seam) {
                bases.add(seam.run().name());
            }
        } catch (HistoryException e) {
            // The verification of the last run in the list reports the failure.
        }
        return bases;
    }

    /**
     * Returns the chain of a run as the order of the run explains it: without the reads that its violations need.
     *
     * @param run the run
     * @param of {@link #of} the run
     */
    public static Chain explained(Location run, Chain of) throws IOException, HistoryException {
        StandingViolations violations = StandingViolations.of(run, () -> false);
        return violations == null ? of : of.without(violations.leftOut());
    }

    /**
     * Returns the chain of a run as its violations are violations of it: all parts, without the reads that violations
     * need after which a new chain was begun.
     *
     * @param run the run
     * @param of {@link #of} the run
     */
    public static Chain violated(Location run, Chain of) throws IOException, HistoryException {
        StandingViolations violations = StandingViolations.of(run, () -> false);
        return violations == null
                ? of.on(null)
                : of.on(null).without(violations.onlyClosed().leftOut());
    }

    /** Requires that the lists and seams of all runs on which the verdict rests are those that were written. */
    public void requireUnchanged() throws IOException, HistoryException {
        for (Seam base = seam; base != null; ) {
            base = of(base.run()).seam;
        }
    }

    /**
     * The same chain, which begins with the values of keys in a file.
     *
     * @throws HistoryException if it begins with others
     */
    Chain beginningWith(String file, BooleanSupplier stop) throws IOException, HistoryException {
        Part given;
        try {
            given = new Part(
                    Fingerprint.ofInput(Location.of(file), stop),
                    Location.of(file).absolute());
        } catch (IOException e) {
            throw new IOException("--initial-state " + Failures.ofPath(file, e), e);
        }
        if (isEmpty()) {
            return new Chain(given, List.of(), null, LeftOut.NOTHING);
        }
        if (state == null || !state.input.equals(given.input)) {
            throw new HistoryException(
                    file,
                    "an initial state before part " + (parts.size() + 1) + " of a chain that begins with "
                            + (state == null ? "none" : "that of " + state.location),
                    "the file that was given with the first part",
                    "leave out --initial-state, which is of the first part");
        }
        return this;
    }

    /**
     * The number of a part; -1 if the chain does not have it. Archives may move to another folder, so a part is
     * recognized by its bytes and the name of its file.
     *
     * @throws HistoryException if the chain has the same bytes under another name, unless there is no transaction in
     *     them
     */
    int indexOf(Part part) throws IOException, HistoryException {
        String name = Location.of(part.location).fileName();
        int copied = -1;
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i).input.equals(part.input)) {
                copied = i;
                if (Location.of(parts.get(i).location).fileName().equals(name)) {
                    return i;
                }
            }
        }
        if (copied >= 0 && !HistoryReader.isEmpty(Location.of(part.location))) {
            throw new HistoryException(
                    part.location,
                    "the bytes of " + parts.get(copied).location + ", part " + (copied + 1) + " of the chain",
                    "a part that was not checked",
                    "leave out the copy");
        }
        return -1;
    }

    /** The number of a part at the same location with other bytes; -1 if the chain has none. */
    int changed(Part part) {
        for (int i = 0; i < parts.size() && !part.input.isEmpty(); i++) {
            if (parts.get(i).location.equals(part.location)
                    && !parts.get(i).input.equals(part.input)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * The number of the first of some parts that has changed since a run; negative if there is none. Only files that
     * were written since are read.
     *
     * @param run when the run finished, in milliseconds since 1970
     */
    int firstChanged(int count, long run, BooleanSupplier stop) throws IOException {
        for (int p = 0; p < count; p++) {
            Part part = parts.get(p);
            Location file = Location.of(part.location);
            if (!part.input.isEmpty()
                    && file.exists()
                    && file.modified() >= run
                    && !Fingerprint.ofInput(file, stop).equals(part.input)) {
                return p;
            }
        }
        return -1;
    }

    /** Returns the SHA-256 of the list of each beginning of the chain. */
    Set<String> beginnings() {
        Set<String> hashes = new HashSet<>();
        MessageDigest digest = Fingerprint.digest();
        for (String line : list().split("(?<=\n)", -1)) {
            digest.update(line.getBytes(StandardCharsets.UTF_8));
            try {
                hashes.add(Fingerprint.hex((MessageDigest) digest.clone()));
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
        return hashes;
    }

    /**
     * Whether its first parts have the bytes of another chain, at any location. The first part may have been checked
     * before its initial state was given.
     */
    boolean beginsWith(Chain other) {
        return parts.size() >= other.parts.size()
                && (other.state == null || (state != null && state.input.equals(other.state.input)))
                && IntStream.range(0, other.parts.size())
                        .allMatch(i -> parts.get(i).input.equals(other.parts.get(i).input));
    }

    /** This chain followed by a history. */
    Chain then(String input, String location) {
        List<Part> all = new ArrayList<>(parts);
        all.add(new Part(input, location));
        return new Chain(state, all, seam, leftOut);
    }

    /** The same parts, decided on a seam. */
    Chain on(@Nullable Seam other) {
        return new Chain(state, parts, other, leftOut);
    }

    /** The same parts, judged without some reads. */
    Chain without(LeftOut reads) {
        return new Chain(state, parts, seam, reads);
    }

    /** The first parts. */
    Chain first(int count) {
        return new Chain(state, parts.subList(0, count), null, leftOut);
    }

    /** The values of keys before the first part that is read; null if there are none. */
    @Nullable
    InitialState initial(BooleanSupplier stop, long memoryBytes) throws IOException, HistoryException {
        if (seam != null) {
            return seam.files().state().read(stop, memoryBytes);
        }
        return state == null
                ? null
                : InitialState.read(
                        state.present("the initial state", Location.of(state.location), "restore it", stop),
                        stop,
                        memoryBytes);
    }

    /** Whether some of the parts are where they were, or in the folder of another one. */
    boolean areThere(int from, int to, String other) throws IOException {
        for (Part part : parts.subList(from, to)) {
            if (!part.beside(other).exists()) {
                return false;
            }
        }
        return true;
    }

    /** Whether it begins with the parts of another chain. */
    boolean continues(Chain other) {
        return parts.size() >= other.parts.size()
                && Objects.equals(state, other.state)
                && parts.subList(0, other.parts.size()).equals(other.parts);
    }

    /** The chain without its last part. */
    public Chain withoutLast() {
        return new Chain(state, parts.subList(0, parts.size() - 1), seam, leftOut);
    }

    /** Whether no read is left out. */
    public boolean isWhole() {
        return leftOut.isEmpty();
    }

    /** Whether nothing precedes a history. */
    public boolean isEmpty() {
        return state == null && parts.isEmpty();
    }

    /** Returns a text that distinguishes the chain from others. */
    String label() {
        return (state == null ? "" : " state " + state.input)
                + parts.stream()
                        .map(part -> " " + (part.input.isEmpty() ? part.location : part.input))
                        .collect(Collectors.joining());
    }

    /** {@code chain.txt}. */
    private String list() {
        Part first = state == null ? null : new Part(state.input, STATE + state.location);
        return Stream.concat(Stream.ofNullable(first), parts.stream())
                .map(part -> part.input + "  " + part.location + "\n")
                .collect(Collectors.joining());
    }

    /** Writes the list of a run, and the seam that it was decided on. */
    CoveredParts write(Location run) throws IOException {
        write(Seam.file(run, FILE), list());
        Location base = Seam.file(run, BASE);
        if (seam == null) {
            base.delete();
        } else {
            write(base, seam.input() + "  " + relative(run, seam.run().absolute()) + "\n");
        }
        String on = seam == null ? "" : seam.run().absolute();
        return new CoveredParts(parts.size(), Fingerprint.ofText(list()), on, null);
    }

    /**
     * The path of another run relative to a run, if both are in one folder or in folders of one folder, so that this
     * folder may move; else the absolute path.
     */
    private static String relative(Location run, String other) {
        String from = run.absolute();
        String up = "";
        for (int i = 0; i < MOST_UP && from.lastIndexOf('/') > 0; i++) {
            from = from.substring(0, from.lastIndexOf('/'));
            up += UP;
            if (other.startsWith(from + "/")) {
                return up + other.substring(from.length() + 1);
            }
        }
        return other;
    }

    /** The run that {@link #relative} names. */
    private static Location resolved(Location run, String other) throws IOException {
        String from = run.absolute();
        String to = other;
        while (to.startsWith(UP)) {
            from = from.substring(0, Math.max(0, from.lastIndexOf('/')));
            to = to.substring(UP.length());
        }
        return Location.of(to.equals(other) ? other : from + "/" + to);
    }

    private static void write(Location file, String text) throws IOException {
        file.write(out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Reads the parts and a history as one.
     *
     * @throws BudgetException if a part is gone: without it the chain cannot be decided
     * @throws IOException if a part has changed
     * @throws HistoryException if a transaction appears twice, or a part is missing
     */
    public HistoryTable read(String path, HistoryFormat format, ReadContext context)
            throws IOException, HistoryException {
        BooleanSupplier stop = context.stop();
        long memoryBytes = context.memoryBytes();
        BitSet all = new BitSet();
        all.set(seam == null ? 0 : seam.covered(), parts.size());
        if (seam != null) {
            return leftOut.applied(seam.read(paths(all, path, stop), format, context));
        }
        HistoryTable table = HistoryReader.read(paths(all, path, stop), format, context);
        PartOrder.requireNoGap(table);
        return begun(table, stop, memoryBytes);
    }

    /** A history that begins with the initial state of the chain. */
    private HistoryTable begun(HistoryTable table, BooleanSupplier stop, long memoryBytes)
            throws IOException, HistoryException {
        InitialState initial = on(null).initial(stop, memoryBytes);
        return leftOut.applied(initial == null ? table : initial.applied(table));
    }

    /**
     * Reads some parts and a history as one, which begins with the initial state of the chain.
     *
     * @param some the numbers of the parts
     */
    HistoryTable readSome(BitSet some, OnePath path) throws IOException, HistoryException {
        BooleanSupplier stop = path.budget()::exhausted;
        long memoryBytes = path.budget().bytes();
        HistoryFormat format = path.settings().format();
        ReadContext context = new ReadContext(stop, memoryBytes, path.settings().readsVersions());
        HistoryTable table = HistoryReader.read(paths(some, path.name(), stop), format, context);
        return begun(table, stop, memoryBytes);
    }

    private List<String> paths(BitSet wanted, String path, BooleanSupplier stop) throws IOException {
        List<String> paths = new ArrayList<>();
        for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
            paths.add(parts.get(i)
                    .presentBeside(path, "part " + (i + 1) + " of " + (parts.size() + 1) + " of the chain", stop)
                    .name());
        }
        paths.add(path);
        return paths;
    }
}
