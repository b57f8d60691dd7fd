package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.RankRanges;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.RecordedTimes;

/**
 * The surveys of all pieces together: numbers of sessions, how many events the sessions of each piece have in earlier pieces, and the clocks at which cells begin.
 * Memory: about 60 bytes for each session of each piece.
 */
final class Layout implements Serializable {
    private static final long serialVersionUID = 1L;
    /** The transactions of a session with at most so many may all be neighbours, although the input is in the order of time. */
    private static final int SHORT = 3;

    private final ArrayList<Survey> surveys;
    private final int events;
    private final Clock clock;
    private final long[] labels;
    private long[] borders;
    private final byte[] initialValue;
    private String problem = "";
    private boolean startsAscend = true;
    private boolean valuesAscend = true;
    private boolean hasValues;
    /** By piece: see {@link PieceContext}. */
    private final long[][] leads;

    private final long[][] before;

    private Layout(ArrayList<Survey> surveys, Clock clock, WindowSettings settings, Terms terms) {
        this.surveys = surveys;
        this.clock = clock;
        this.events = PieceRows.events(terms.guarantee());
        labels = surveys.stream()
                .flatMap(survey -> Arrays.stream(survey.sessions()))
                .mapToLong(Survey.Session::label)
                .sorted()
                .distinct()
                .toArray();
        leads = new long[surveys.size()][];
        before = new long[surveys.size()][];
        byte[] initial = new byte[0];
        for (int p = 0; p < surveys.size(); p++) {
            Survey survey = surveys.get(p);
            leads[p] = new long[survey.sessions().length];
            before[p] = new long[survey.sessions().length];
            if (!survey.problem().isEmpty() && problem.isEmpty()) {
                problem = survey.problem();
            }
            if (survey.initialValue().length > 0) {
                if (initial.length > 0 && !Arrays.equals(initial, survey.initialValue())) {
                    problem = Survey.UNREADABLE;
                }
                initial = survey.initialValue();
            }
            byte[] state = survey.initialState();
            if (state.length > 0 && !Arrays.equals(state, surveys.get(0).initialState())) {
                problem = Survey.UNREADABLE;
            }
        }
        initialValue = initial.length == 0 ? new byte[] {BlockWriter.NULL} : initial;
        joinSessions();
        if (clock == Clock.PACE) {
            pace();
        }
        long perCell = events * settings.perCell();
        borders = clock == Clock.PACE ? evenBorders(perCell) : borders(events * settings.perSample(), perCell);
    }

    /** Surveys the input by the clock that suits it best. */
    static Layout of(Workers workers, ReadPlan plan, boolean usesTimes, WindowSettings settings, Terms terms)
            throws IOException {
        Clock first = usesTimes ? Clock.TIMES : Clock.POSITIONS;
        Layout made = by(first, !usesTimes, workers, plan, settings, terms);
        if (!made.hasOperations() && !made.hasTimes()) {
            first = Clock.POSITIONS;
            made = by(first, true, workers, plan, settings, terms);
        }
        Clock better = made.better();
        if (better == first) {
            return made;
        }
        return better == Clock.PACE
                ? new Layout(made.surveys, better, settings, terms)
                : by(better, true, workers, plan, settings, terms);
    }

    /** Surveys an input whose transactions a certificate will order. */
    static Layout certified(Workers workers, ReadPlan plan, WindowSettings settings, Terms terms) throws IOException {
        return by(Clock.POSITIONS, false, workers, plan, settings, terms);
    }

    private static Layout by(
            Clock clock, boolean needsOperations, Workers workers, ReadPlan plan, WindowSettings settings, Terms terms)
            throws IOException {
        List<Survey.SurveyTask> tasks = new ArrayList<>();
        for (Piece piece : plan.pieces()) {
            tasks.add(new Survey.SurveyTask(
                    piece,
                    tasks.size(),
                    clock,
                    terms.guarantee(),
                    PieceRows.events(terms.guarantee()) * settings.perSample(),
                    terms.mayCount(TransactionStatus.INDETERMINATE.code()),
                    needsOperations));
        }
        return new Layout(new ArrayList<>(workers.run("survey the input", tasks)), clock, settings, terms);
    }

    /** The clock to use, after surveys with the clock of times or of positions. */
    Clock better() {
        long transactions = surveys.stream().mapToLong(Survey::transactions).sum();
        if (clock == Clock.TIMES && hasTimes()) {
            return Clock.TIMES;
        }
        boolean isBySession = surveys.stream().mapToLong(Survey::neighbours).sum() > transactions / 2
                && transactions > (long) SHORT * labels.length;
        if (!isBySession) {
            return Clock.POSITIONS;
        }
        return valuesAscend && hasValues ? Clock.VALUES : Clock.PACE;
    }

    /** Puts the number of all events of a session in place of the leads. */
    private void pace() {
        Long2LongOpenHashMap sums = new Long2LongOpenHashMap();
        List<PieceSession> sessions = pieceSessions();
        for (PieceSession each : sessions) {
            sums.addTo(each.session.label(), events * each.session.count());
        }
        for (PieceSession each : sessions) {
            leads[each.piece][each.number] = sums.get(each.session.label());
        }
    }

    /** The borders of cells if sessions have an even pace. */
    private long[] evenBorders(long perCell) {
        long sum = events * surveys.stream().mapToLong(Survey::transactions).sum();
        long[] even = new long[(int) Math.max(0, sum / perCell - 1)];
        for (int i = 0; i < even.length; i++) {
            even[i] = PieceRows.PACE / (even.length + 1) * (i + 1);
        }
        return even;
    }

    /** A session of a piece. */
    record PieceSession(int piece, int number, Survey.Session session) implements Serializable {
        /** Whether it begins with a transaction or before it. */
        boolean begins(long label, long index) {
            return session.label() < label || (session.label() == label && session.least() <= index);
        }
    }

    /** All sessions of pieces, by label and index. */
    List<PieceSession> pieceSessions() {
        List<PieceSession> sessions = new ArrayList<>();
        for (int p = 0; p < surveys.size(); p++) {
            Survey.Session[] ofPiece = surveys.get(p).sessions();
            for (int s = 0; s < ofPiece.length; s++) {
                sessions.add(new PieceSession(p, s, ofPiece[s]));
            }
        }
        sessions.sort(Comparator.<PieceSession>comparingLong(each -> each.session.label())
                .thenComparingLong(each -> each.session.least()));
        return sessions;
    }

    /** Ranges of a certificate with about so many transactions; a session of a piece is in one range. */
    RankRanges ranges(long transactions) {
        LongArrayList ofSession = new LongArrayList();
        LongArrayList indexes = new LongArrayList();
        long count = 0;
        for (PieceSession each : pieceSessions()) {
            if (count >= transactions) {
                ofSession.add(each.session.label());
                indexes.add(each.session.least());
                count = 0;
            }
            count += each.session.count();
        }
        return new RankRanges(ofSession.toLongArray(), indexes.toLongArray());
    }

    private void joinSessions() {
        List<PieceSession> sessions = pieceSessions();
        long count = 0;
        long lead = PieceRows.NONE;
        Ascent starts = Ascent.EMPTY;
        Ascent written = Ascent.EMPTY;
        for (int i = 0; i < sessions.size(); i++) {
            PieceSession each = sessions.get(i);
            Survey.Session session = each.session;
            boolean isFirst = i == 0 || sessions.get(i - 1).session.label() != session.label();
            if (isFirst) {
                count = 0;
                lead = PieceRows.NONE;
                starts = Ascent.EMPTY;
                written = Ascent.EMPTY;
            } else if (problem.isEmpty() && sessions.get(i - 1).session.greatest() >= session.least()) {
                problem = "the transactions of session " + session.label() + " are not in their order in the input";
            }
            starts = starts.then(session.starts(), false);
            startsAscend &= starts.ascends();
            written = written.then(session.written(), true);
            valuesAscend &= written.ascends();
            hasValues |= written.last() != Ascent.NONE;
            leads[each.piece][each.number] = lead;
            before[each.piece][each.number] = count;
            lead = Math.max(lead, session.lead() == PieceRows.NONE ? PieceRows.NONE : session.lead() - count);
            count += events * session.count();
        }
    }

    /** Clocks at which a cell begins, but for the first cell. */
    private long[] borders(long perSample, long perCell) {
        LongArrayList clocks = new LongArrayList();
        LongArrayList weights = new LongArrayList();
        for (Survey survey : surveys) {
            for (int i = 0; i < survey.sample().length; i++) {
                clocks.add(survey.sample()[i]);
                weights.add(Math.min(perSample, events * survey.transactions() - i * perSample));
            }
        }
        long[] sorted = clocks.toLongArray();
        long[] counts = weights.toLongArray();
        LongArrays.radixSort(sorted, counts);
        LongArrayList found = new LongArrayList();
        long sum = 0;
        long end = perCell;
        for (int i = 0; i < sorted.length; i++) {
            if (sum >= end && (found.isEmpty() || sorted[i] > found.getLong(found.size() - 1))) {
                found.add(sorted[i]);
                end = sum + perCell;
            }
            sum += counts[i];
        }
        return found.toLongArray();
    }

    /** Why the history cannot be decided by windows; empty if it can. */
    String problem() {
        return problem;
    }

    private boolean has(int content) {
        return surveys.stream().anyMatch(survey -> survey.has(content));
    }

    boolean hasTimes() {
        return has(Survey.HAS_TIMES);
    }

    /** Whether all pieces were surveyed with their operations. */
    boolean hasOperations() {
        return surveys.stream().allMatch(survey -> survey.has(Survey.HAS_OPERATIONS));
    }

    /** Whether the history has appends or reads of lists. */
    boolean hasLists() {
        return has(Survey.HAS_LISTS);
    }

    /** Whether times could order two transactions, and none ended before it started. */
    boolean hasRealTime() {
        return times().mayOrder() && !isReversed();
    }

    /** Whether a transaction ended before it started. */
    boolean isReversed() {
        return has(Survey.IS_REVERSED);
    }

    /** The times of the transactions that may count. */
    RecordedTimes times() {
        RecordedTimes times = new RecordedTimes(true);
        surveys.forEach(survey -> times.add(survey.times()));
        return times;
    }

    /** Whether the starts of the transactions of each session ascend, where one that is not known is before all others. */
    boolean startsAscend() {
        return startsAscend;
    }

    /** Whether the header states initial values of single keys. */
    boolean hasInitialState() {
        return !surveys.isEmpty() && surveys.get(0).initialState().length > 0;
    }

    /** The initial values that the header states, in a history without transactions. */
    HistoryTableBuilder initialValues() {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.initialValue(new BlockReader(initialValue).value(builder.values()));
        for (BlockReader in = new BlockReader(hasInitialState() ? surveys.get(0).initialState() : new byte[0]);
                in.hasMore(); ) {
            builder.initialValue(in.key(builder.keys()), in.value(builder.values()));
        }
        return builder;
    }

    int pieces() {
        return surveys.size();
    }

    /** The sum over all pieces of the number of their sessions. */
    long sessions() {
        return surveys.stream().mapToLong(survey -> survey.sessions().length).sum();
    }

    /** The clock that orders the transactions. */
    Clock clock() {
        return clock;
    }

    /** Events of a transaction: 1, or 2 for its snapshot and its commit. */
    int events() {
        return events;
    }

    /** The number of cells. */
    int cells() {
        return borders.length + 1;
    }

    long[] borders() {
        return borders;
    }

    /** Puts places of a certificate in place of the borders that the clocks gave. */
    void borders(long[] places) {
        borders = places;
    }

    /** By number of a session: its label. */
    long[] labels() {
        return labels;
    }

    /** As a block. */
    byte[] initialValue() {
        return initialValue;
    }

    /**
     * What the rest of the input determines of a piece.
     *
     * @param offsets by number of a session: what to add to its clocks
     * @param files by piece: the number of its file
     * @param loading the transactions that load initial rows
     */
    PieceContext context(int piece, long[] offsets, int[] files, Loading loading) {
        int[] numbers = Arrays.stream(surveys.get(piece).sessions())
                .mapToInt(session -> Arrays.binarySearch(labels, session.label()))
                .toArray();
        long lines = 0;
        for (int p = piece - 1; p >= 0 && files[p] == files[piece]; p--) {
            lines += surveys.get(p).lines();
        }
        return new PieceContext(
                numbers,
                leads[piece],
                before[piece],
                Arrays.stream(numbers).mapToLong(s -> offsets[s]).toArray(),
                lines,
                loading.upTo(Arrays.stream(surveys.get(piece).sessions())
                        .mapToLong(Survey.Session::label)
                        .toArray()));
    }

    /** The sample by which clocks of sessions are corrected; null if the first order does not depend on such clocks. */
    SessionClocks.@Nullable Sample sample() {
        long transactions = Arrays.stream(byStatus()).sum();
        return clock == Clock.TIMES && labels.length > 1 ? SessionClocks.Sample.of(transactions, surveys.size()) : null;
    }

    /** By status: the number of transactions. */
    long[] byStatus() {
        long[] sums = new long[TransactionStatus.values().length];
        for (Survey survey : surveys) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += survey.byStatus()[i];
            }
        }
        return sums;
    }
}
