package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.TransactionStatus;

/** The pieces of the input with their surveys, and the clock that orders their transactions. */
final class SurveyedInput {
    private final Workers workers;
    private final ReadPlan plan;
    private final Terms terms;
    private final int events;
    private final Clock clock;
    private final List<Survey> surveys;
    private final Layout layout;

    private SurveyedInput(
            Workers workers, ReadPlan plan, List<Survey> surveys, Clock clock, WindowSettings settings, Terms terms) {
        this.workers = workers;
        this.plan = plan;
        this.surveys = surveys;
        this.clock = clock;
        this.terms = terms;
        this.events = events(terms.guarantee());
        this.layout = new Layout(surveys, clock, events, events * settings.perSample(), events * settings.perCell());
    }

    /** Events of a transaction: 1, or 2 for its snapshot and its commit. */
    static int events(Guarantee guarantee) {
        return guarantee.isOfCommits() ? 2 : guarantee.events();
    }

    /** Surveys the input by the clock that suits it best. */
    static SurveyedInput of(Workers workers, ReadPlan plan, boolean usesTimes, WindowSettings settings, Terms terms)
            throws IOException {
        Clock first = usesTimes ? Clock.TIMES : Clock.POSITIONS;
        SurveyedInput made = by(first, !usesTimes, workers, plan, settings, terms);
        if (!made.layout.hasOperations() && !made.layout.hasTimes()) {
            first = Clock.POSITIONS;
            made = by(first, true, workers, plan, settings, terms);
        }
        Clock better = made.layout.better();
        if (better == first) {
            return made;
        }
        return better == Clock.PACE
                ? new SurveyedInput(workers, plan, made.surveys, better, settings, terms)
                : by(better, true, workers, plan, settings, terms);
    }

    /** Surveys an input whose transactions a certificate will order. */
    static SurveyedInput certified(Workers workers, ReadPlan plan, WindowSettings settings, Terms terms)
            throws IOException {
        return by(Clock.POSITIONS, false, workers, plan, settings, terms);
    }

    private static SurveyedInput by(
            Clock clock, boolean needsOperations, Workers workers, ReadPlan plan, WindowSettings settings, Terms terms)
            throws IOException {
        int events = events(terms.guarantee());
        List<Survey.SurveyTask> tasks = new ArrayList<>();
        for (Piece piece : plan.pieces()) {
            tasks.add(new Survey.SurveyTask(
                    piece,
                    tasks.size(),
                    clock,
                    terms.guarantee(),
                    events * settings.perSample(),
                    terms.mayCount(TransactionStatus.INDETERMINATE.code()),
                    needsOperations));
        }
        List<Survey> surveys = workers.run("survey the input", tasks).stream()
                .map(Survey::ofBytes)
                .toList();
        return new SurveyedInput(workers, plan, surveys, clock, settings, terms);
    }

    /** Reads what {@link #saveTo} wrote. */
    static SurveyedInput restored(
            Workers workers, ReadPlan plan, WindowSettings settings, Terms terms, BlockReader from) throws IOException {
        Clock clock = Clock.values()[from.count()];
        List<Survey> surveys = new ArrayList<>();
        for (int p = 0; p < plan.pieces().size(); p++) {
            surveys.add(Survey.ofBytes(from.bytes()));
        }
        return new SurveyedInput(workers, plan, surveys, clock, settings, terms);
    }

    void saveTo(BlockWriter to) {
        to.unsigned(clock.ordinal());
        for (Survey survey : surveys) {
            to.bytes(survey.toBytes());
        }
    }

    Layout layout() {
        return layout;
    }

    ReadPlan plan() {
        return plan;
    }

    int pieces() {
        return surveys.size();
    }

    /** Events of a transaction: 1, or 2 for its snapshot and its commit. */
    int events() {
        return events;
    }

    /** The sum over all pieces of the number of their sessions. */
    long sessions() {
        return surveys.stream().mapToLong(survey -> survey.sessions().length).sum();
    }

    /**
     * Reads the input, and once more if the clocks of its sessions have to be corrected.
     *
     * @param lists the orders of the lists
     * @param hasState whether keys have different initial values
     * @param loading the transactions that load initial rows
     * @param files gives other files for the pieces at each call
     */
    Ingested.Input read(ListOrders lists, boolean hasState, Loading loading, Supplier<Section.Files> files)
            throws IOException {
        long[] offsets = new long[layout.labels().length];
        SessionClocks.Sample sample = terms.guarantee().realTime() ? null : layout.sample();
        Ingested.Input input = read("read the input", lists, null, hasState, loading, files.get(), offsets, sample);
        if (sample == null || !input.problem().isEmpty()) {
            return input;
        }
        offsets = SessionClocks.offsets(input.samples(), offsets.length);
        if (Arrays.stream(offsets).allMatch(offset -> offset == 0)) {
            return input;
        }
        Section.delete(input.sections());
        return read("read the input with corrected clocks", lists, null, hasState, loading, files.get(), offsets, null);
    }

    /** Reads the input in the order of a certificate. */
    Ingested.Input read(PlacedRows placed, Section.Files files) throws IOException {
        return read(
                "read the input",
                ListOrders.NONE,
                placed,
                layout.hasInitialState(),
                Loading.NONE,
                files,
                new long[layout.labels().length],
                null);
    }

    private Ingested.Input read(
            String what,
            ListOrders lists,
            @Nullable PlacedRows placed,
            boolean hasState,
            Loading loading,
            Section.Files files,
            long[] offsets,
            SessionClocks.@Nullable Sample sample)
            throws IOException {
        int[] fileOf = plan.pieces().stream().mapToInt(Piece::file).toArray();
        List<IngestTask> tasks = new ArrayList<>();
        for (int p = 0; p < fileOf.length; p++) {
            tasks.add(new IngestTask(
                    plan.pieces().get(p),
                    p,
                    clock,
                    terms.guarantee(),
                    layout.context(p, offsets, fileOf, loading),
                    sample,
                    layout.borders(),
                    lists,
                    placed,
                    hasState,
                    files));
        }
        return new Ingested.Input(workers.run(what, tasks));
    }
}
