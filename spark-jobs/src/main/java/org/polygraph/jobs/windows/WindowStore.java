package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.PlacedTimes;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.storage.artifact.ObjectFile;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The scratch files of one check, and the jobs that read and write them: cells with transactions, and slices with operations. The driver
 * keeps, of each cell, its first place and the name of its file.
 */
final class WindowStore implements Serializable {
    private static final long serialVersionUID = 1L;
    /** Violated operations that the driver holds, about; and how many more each slice may name. */
    private static final int MOST_NAMED = 1 << 18;

    private static final int LEAST_NAMED = 64;
    /** A history of so many transactions fits in the memory of a process. */
    private static final int MOST_OF_WHOLE = 100_000;

    /** Several times what the repair of a near order may take; a transaction more is a look more. */
    private static final int LOOKS = 8_000;

    /** A range of a certificate has the transactions of so many tasks, because its rows are short. */
    private static final int RANGES_PER_TASK = 4;
    /** Groups of cells. A task of a slice reads a block of each group, so more groups make these blocks too short. */
    private static final int MOST_GROUPS = 512;
    /** The most sessions of pieces in a checkpoint; each takes about 90 bytes. */
    private static final int MOST_SAVED_SESSIONS = 10_000_000;

    private transient Workers workers;
    private transient ReadPlan plan;
    /** The folder of the scratch files. No other store writes to it, because another store may divide the history in another way. */
    private final String folder;

    private final WindowSettings settings;
    private final Terms terms;
    private final boolean ignoresUnknown;
    /** Events of a transaction: 1, or 2 for its snapshot and its commit, which RC, RA and CC have too. */
    private final int events;

    private final Layout layout;
    /** By cell: its first place; and the place behind the last. */
    private long[] firsts = new long[1];
    /** By cell: the section with it. */
    private final ArrayList<Section> cells = new ArrayList<>();
    /** A task takes a group of cells. By group: its first cell; then the number of all cells. */
    private int[] groups = new int[1];

    /** By group: the section with its operations; and whether its cells have changed since. */
    private final ArrayList<Section> dealt = new ArrayList<>();

    private boolean[] isChanged = new boolean[0];
    /** Sections that nothing refers to since the last {@link #sweep}. */
    private final HashSet<Section> obsolete = new HashSet<>();

    /** The number of operations of all events, including intents. */
    private long operations;

    private long reads;
    private long writes;
    /** The {@link Tally} of the input. */
    private long tally;

    private boolean respectsTime;
    private int slices = 1;
    private transient InitialValues initialValues;
    /** How many names {@link #next} has given. */
    private int names;

    private WindowStore(Workers workers, ReadPlan plan, Layout layout, WindowSettings settings, Terms terms) {
        this.workers = workers;
        this.plan = plan;
        this.folder = workers.folder() + "/" + UUID.randomUUID();
        this.layout = layout;
        this.settings = settings;
        this.terms = terms;
        this.ignoresUnknown = terms.indeterminate() == IndeterminateMode.ABORT;
        this.events = layout.events();
        this.initialValues = InitialValues.common(layout);
    }

    /** Surveys the input. */
    static WindowStore of(Workers workers, ReadPlan plan, boolean usesTimes, WindowSettings settings, Terms terms)
            throws IOException {
        Layout layout = Layout.of(workers, plan, usesTimes, settings, terms);
        return new WindowStore(workers, plan, layout, settings, terms);
    }

    /** Surveys an input whose transactions a certificate will order. */
    static WindowStore certified(Workers workers, ReadPlan plan, WindowSettings settings, Terms terms)
            throws IOException {
        return new WindowStore(workers, plan, Layout.certified(workers, plan, settings, terms), settings, terms);
    }

    /**
     * Continues with the scratch files of an earlier process.
     *
     * @param given the values of keys before the history; null if they are not given
     * @throws ObjectFile.DamagedException if they are not there, or of another division of the history
     */
    void resume(Workers next, ReadPlan ofInput, WindowSettings wanted, @Nullable InitialState given)
            throws IOException {
        if (!settings.equals(wanted) || layout.pieces() != ofInput.pieces().size()) {
            throw new ObjectFile.DamagedException("found windows of another size");
        }
        if (!folder.startsWith(next.folder() + "/")) {
            throw new ObjectFile.DamagedException("found scratch files in " + folder);
        }
        Set<Section> needed = new HashSet<>(cells);
        needed.addAll(dealt);
        for (Section section : needed) {
            if (!section.existsIn(folder)) {
                throw new ObjectFile.DamagedException("found no scratch file " + section);
            }
        }
        workers = next;
        plan = ofInput;
        initialValues = InitialValues.common(layout);
        begin(given);
    }

    /** Whether a checkpoint has room for the surveys. */
    boolean isSmallEnoughToSave() {
        return layout.sessions() <= MOST_SAVED_SESSIONS;
    }

    Layout layout() {
        return layout;
    }

    int cellCount() {
        return cells.size();
    }

    /** Whether the first order has no transaction before one that had ended before it started. */
    boolean respectsTime() {
        return respectsTime;
    }

    /** The number of events. */
    long places() {
        return firsts[firsts.length - 1];
    }

    Terms terms() {
        return terms;
    }

    Workers workers() {
        return workers;
    }

    int slices() {
        return slices;
    }

    /** The {@link Tally} of the input. */
    long tally() {
        return tally;
    }

    ReadPlan plan() {
        return plan;
    }

    /** Transactions of a range of the certificate. */
    long perRange() {
        return Math.max(RANGES_PER_TASK * settings.perTask(), places() / events / MOST_GROUPS);
    }

    /** How often the decision of a window may look at its budget. The whole, if it fits, has more means than a window. */
    long looks() {
        return places() / events <= MOST_OF_WHOLE ? LOOKS + places() / events : Long.MAX_VALUE;
    }

    /** Events of a transaction: 1, or 2 for its snapshot and its commit. */
    int events() {
        return events;
    }

    long operations() {
        return operations;
    }

    /** Reads of the input. */
    long reads() {
        return reads;
    }

    /** Writes of the input. */
    long writes() {
        return writes;
    }

    long[] firsts() {
        return firsts;
    }

    int cellOf(long place) {
        return DealTask.cellOf(firsts, place);
    }

    /** Some neighbouring cells. */
    Cells cells(int from, int to) {
        return new Cells(from, Arrays.copyOfRange(firsts, from, to + 1), cells.subList(from, to));
    }

    /** Whether the transaction at a place committed for certain. */
    boolean isCommitted(long place) throws IOException {
        int c = cellOf(place);
        return cells(c, c + 1).read(c).status((int) (place - firsts[c])) == TransactionStatus.COMMITTED;
    }

    /**
     * Reads the input into cells, and deals their operations to slices, unless it has a problem.
     *
     * @param given the values of keys before the history; null if they are not given
     */
    Ingested.Input ingest(@Nullable InitialState given) throws IOException {
        return ingest(given, Loading.NONE);
    }

    /** Reads the input again, with other transactions that load initial rows. */
    Ingested.Input reread(@Nullable InitialState given, Loading loading) throws IOException {
        obsolete.addAll(cells);
        obsolete.addAll(dealt);
        cells.clear();
        dealt.clear();
        sweep();
        return ingest(given, loading);
    }

    private Ingested.Input ingest(@Nullable InitialState given, Loading loading) throws IOException {
        ListOrders lists = layout.hasLists() ? ListOrders.of(this, plan) : ListOrders.NONE;
        if (!lists.problem().isEmpty()) {
            return new Ingested.Input(List.of(Ingested.problem(lists.problem())));
        }
        boolean hasState = given != null || layout.hasInitialState();
        Ingested.Input ingested = Ingested.Input.of(this, lists, hasState, loading);
        Section.delete(lists.sections());
        return sorted(ingested, given);
    }

    /** Reads the input into cells in the order of a certificate, and deals their operations to slices, unless it has a problem. */
    Ingested.Input ingestPlaced(PlacedRows placed) throws IOException {
        return sorted(Ingested.Input.of(this, placed), null);
    }

    private Ingested.Input sorted(Ingested.Input ingested, @Nullable InitialState given) throws IOException {
        if (!ingested.problem().isEmpty()) {
            return ingested;
        }
        PlacedTimes times = new PlacedTimes();
        reads = ingested.reads();
        writes = ingested.writes();
        tally = ingested.tally();
        operations = ingested.operations();
        firsts = DealTask.firsts(ingested.events(layout.cells()));
        divide();
        List<Section> pieces = ingested.sections();
        Section.Files cellFiles = next("cells");
        Section.Files files = next("slices");
        List<SortTask.Result> results = workers.run(
                "sort transactions",
                IntStream.range(0, groups.length - 1)
                        .mapToObj(g -> new SortTask(
                                new ArrayList<>(having(pieces, groups[g], groups[g + 1])),
                                groups[g],
                                Arrays.copyOfRange(firsts, groups[g], groups[g + 1] + 1),
                                terms,
                                slices,
                                ignoresUnknown,
                                cellFiles,
                                files))
                        .toList());
        for (int g = 0; g < results.size(); g++) {
            SortTask.Result sorted = results.get(g);
            for (int c = groups[g]; c < groups[g + 1]; c++) {
                cells.add(sorted.cells());
            }
            dealt.add(sorted.dealt());
            times.then(terms, sorted.times());
        }
        Section.delete(pieces);
        respectsTime = times.discrepancy() == null;
        begin(given);
        return ingested;
    }

    /** Deals the initial values to slices. */
    private void begin(@Nullable InitialState given) throws IOException {
        if (given != null || layout.hasInitialState()) {
            initialValues = InitialValues.stated(layout, given, slices, next("initial"));
            initialValues = initialValues.used(
                    layout,
                    given,
                    perSlice("find initial values", slice -> new InitialTask(slice, null)),
                    slices,
                    next("initial"));
        }
    }

    InitialValues initialValues() {
        return initialValues;
    }

    /** By slice: of some keys those with an initial value of their own, and these values. */
    List<byte[]> initialValues(KeyDictionary keys) throws IOException {
        if (initialValues.ofSlices().others() == null) {
            return List.of();
        }
        BlockWriter asked = new BlockWriter();
        for (int key = 0; key < keys.size(); key++) {
            asked.key(keys, key);
        }
        return perSlice("find initial values", slice -> new InitialTask(slice, asked.toBytes()));
    }

    private void divide() {
        groups = grouped(firsts);
        isChanged = new boolean[groups.length];
        slices = (int) Math.max(1, Math.min(settings.mostSlices(), operations / settings.perSlice() + 1));
    }

    static List<Section> having(List<Section> sections, int from, int to) {
        return sections.stream()
                .filter(section -> section.from() < to && section.to() > from)
                .toList();
    }

    /** Groups of neighbouring cells with about as many transactions as one task takes. */
    private int[] grouped(long[] ofCells) {
        long most = Math.max(events * settings.perTask(), ofCells[ofCells.length - 1] / MOST_GROUPS);
        int[] found = new int[ofCells.length];
        int count = 0;
        for (int c = 0; c + 1 < ofCells.length; c++) {
            if (count == 0 || ofCells[c + 1] - ofCells[found[count - 1]] > most) {
                found[count++] = c;
            }
        }
        found[count] = ofCells.length - 1;
        return Arrays.copyOf(found, count + 1);
    }

    /** The most slices of keys. */
    int mostSlices() {
        return settings.mostSlices();
    }

    /** Runs a task for each group of cells. */
    <R extends Serializable> List<R> perGroup(String what, Function<Cells, Task<R>> task) throws IOException {
        return workers.run(
                what,
                IntStream.range(0, groups.length - 1)
                        .mapToObj(g -> task.apply(cells(groups[g], groups[g + 1])))
                        .toList());
    }

    /** Runs a task for each slice. */
    <R extends Serializable> List<R> perSlice(String what, Function<SliceRows.Slice, Task<R>> task) throws IOException {
        return workers.run(
                what,
                IntStream.range(0, slices)
                        .mapToObj(s ->
                                task.apply(new SliceRows.Slice(s, having(dealt, s, s + 1), initialValues.ofSlices())))
                        .toList());
    }

    /** The files of one job, which no other job writes. */
    Section.Files next(String name) {
        return new Section.Files(folder, name + "-" + ++names);
    }

    /** Deals the operations of all cells that have changed to slices, in place of those that were dealt before. */
    void deal() throws IOException {
        Section.Files files = next("slices");
        List<Integer> some = IntStream.range(0, groups.length - 1)
                .filter(g -> dealt.size() <= g || isChanged[g])
                .boxed()
                .toList();
        List<Section> sections = workers.run(
                "deal operations to keys",
                some.stream()
                        .map(g -> new DealTask(cells(groups[g], groups[g + 1]), slices, ignoresUnknown, files))
                        .toList());
        for (int i = 0; i < some.size(); i++) {
            int g = some.get(i);
            isChanged[g] = false;
            if (g < dealt.size()) {
                obsolete.add(dealt.set(g, sections.get(i)));
            } else {
                dealt.add(sections.get(i));
            }
        }
    }

    /** Violated operations that a slice names. */
    private int mostNamed() {
        return LEAST_NAMED + MOST_NAMED / slices;
    }

    /** Finds violated reads and writes. */
    List<CheckTask.Result> check(boolean asksUnique) throws IOException {
        return perSlice("check reads", slice -> new CheckTask(slice, firsts, asksUnique, mostNamed()));
    }

    /** Marks the transactions of unknown outcome that count, and deals again. */
    void countUnknown() throws IOException {
        if (ignoresUnknown) {
            return;
        }
        UnknownOutcomes outcomes = new UnknownOutcomes(perSlice("find unknown outcomes", UnknownTask::new));
        if (outcomes.outcomes().isEmpty()) {
            return;
        }
        Section.Files files = next("cells");
        List<Section> marked = perGroup(
                "mark unknown outcomes",
                some -> new CountTask(
                        some, outcomes.outcomes(), terms.guarantee().isOfCommits(), files));
        for (int g = 0; g < marked.size(); g++) {
            for (int c = groups[g]; c < groups[g + 1]; c++) {
                replace(c, marked.get(g));
            }
        }
        deal();
    }

    /** The places of a window: the first, and the one behind the last. */
    record Range(long from, long to) implements Serializable {
        long size() {
            return to - from;
        }
    }

    /** Whether a task has room for some neighbouring cells. */
    boolean fitsTask(int firstCell, int cellsEnd) {
        return firsts[cellsEnd] - firsts[firstCell] <= events * settings.perTask();
    }

    /** Puts a cell in place of an earlier one. */
    void replace(int cell, Section section) {
        int group = Arrays.binarySearch(groups, 0, groups.length - 1, cell);
        isChanged[group >= 0 ? group : -group - 2] = true;
        obsolete.add(cells.set(cell, section));
    }

    /** Changes the numbers of events of cells, and deals all cells. @param more by cell: the difference */
    void resize(long[] more) throws IOException {
        for (int c = 0, sum = 0; c < more.length; c++) {
            sum += (int) more[c];
            firsts[c + 1] += sum;
        }
        obsolete.addAll(dealt);
        dealt.clear();
        divide();
        deal();
    }

    /** Deletes the files that were replaced. */
    void sweep() throws IOException {
        obsolete.removeAll(new HashSet<>(cells));
        Section.delete(new ArrayList<>(obsolete));
        obsolete.clear();
    }
}
