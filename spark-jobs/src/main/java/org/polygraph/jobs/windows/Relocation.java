package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Moves transactions that are far from the places at which most of their reads and writes are explained, such as those that last an hour and
 * those that read an old state. Otherwise a window would have to reach from one place to the other. Only the order changes, so a wrong move
 * is repaired by windows like any other order. Where real time is part of the level, the times of a transaction determine its place, and
 * nothing is moved: only {@link #sets} are found. Memory: the events of candidates, and 16 bytes a span.
 */
final class Relocation {
    /** The most candidates. Those that take part in the fewest violated reads are left out. */
    private static final int MOST = 4_096;
    /** The most operations of a candidate that are looked at. */
    private static final int MOST_OPERATIONS = 64;
    /** About the most spans of all candidates. */
    private static final int MOST_SPANS = 1 << 21;
    /** The least weight of the violated reads of a candidate. Many transactions take part in one such read by chance. */
    private static final int LEAST_WEIGHT = 2;
    /** The weight of a violated read that is explained only far away; that of the others is 1. */
    private static final int WEIGHT_OF_FAR = 16;

    /** The most transactions of a set that the driver judges. */
    private static final long MOST_TOGETHER = 1 << 20;

    /** The most sets that are judged alone; and the transactions of one that wrote or replaced what its reader read. */
    private static final int MOST_SETS = 4;

    private static final int MOST_BORDERS = 16;

    private final WindowStore store;
    private final boolean isRealTime;
    private List<Candidate> candidates = List.of();
    /**
     * By place of a transaction of which a violated read is explained only far away: the first and the last place that a repair has to
     * change, the last write before the read, and the writer if only one is possible. These are known also of keys with many operations.
     */
    private final Long2ObjectOpenHashMap<LongArrayList> farReaders = new Long2ObjectOpenHashMap<>();
    /** In real time: reads of a value that was replaced far before the reader. */
    private final List<Replaced> replaced = new ArrayList<>();
    /** The events of all candidates. */
    private final Cell all = new Cell();

    /** A read of a value that was replaced. */
    private record Replaced(long place, SourceTask.Sources source) {}

    /** A transaction that counts. */
    private static final class Candidate {
        final long place;
        final byte[] block;
        /** Its events among those of all candidates: the first, and how many. */
        final int event;

        final int events;
        /** The spans of places at which its operations are explained. */
        final LongArrayList begins = new LongArrayList();

        final LongArrayList ends = new LongArrayList();
        /** The places of the transactions that wrote and replaced what it read. */
        final LongArrayList borders = new LongArrayList();
        /** The first and the last place that the other transactions of its session allow, without candidates. */
        long low;

        long high = Long.MAX_VALUE;
        /** The place of the event before which most operations are explained; and how many more than at the present place. */
        long gap;

        int gain;

        Candidate(long place, byte[] block, int event, int events) {
            this.place = place;
            this.block = block;
            this.event = event;
            this.events = events;
        }

        boolean has(long other) {
            return place <= other && other < place + events;
        }

        /** The place of its first event, and the one behind its last, after a move if it gains by it. */
        long first() {
            return gain > 0 ? gap : place;
        }

        long end() {
            return gain > 0 ? gap : place + events;
        }

        /** Chooses the middle of the places at which most operations are explained. */
        void choose(long places) {
            long[] from = begins.toLongArray();
            long[] to = ends.toLongArray();
            long[] borders = new long[2 * from.length];
            System.arraycopy(from, 0, borders, 0, from.length);
            System.arraycopy(to, 0, borders, from.length, to.length);
            int now = 0;
            for (int i = 0; i < from.length; i++) {
                now += from[i] <= place && place < to[i] ? 1 : 0;
            }
            Arrays.sort(from);
            Arrays.sort(to);
            Arrays.sort(borders);
            gain = 0;
            int begun = 0;
            int ended = 0;
            for (int i = 0; i + 1 < borders.length; i++) {
                while (begun < from.length && from[begun] <= borders[i]) {
                    begun++;
                }
                while (ended < to.length && to[ended] <= borders[i]) {
                    ended++;
                }
                long begin = Math.max(low, borders[i]);
                long end = Math.min(Math.min(high, places) + 1, borders[i + 1]);
                if (begun - ended - now > gain && begin < end) {
                    gain = begun - ended - now;
                    gap = begin + (end - begin) / 2;
                }
            }
        }
    }

    Relocation(WindowStore store) {
        this.store = store;
        this.isRealTime = store.terms().guarantee().realTime();
    }

    /**
     * Moves the transactions that are far from where they are explained.
     *
     * @param results by slice
     * @param sources by slice: those of its named reads
     * @param far a violated read is explained only far away if the distance is greater than this
     * @return whether one was moved
     */
    boolean run(List<CheckTask.Result> results, List<SourceTask.Sources[]> sources, long far) throws IOException {
        candidates = candidates(suspects(results, sources, far));
        addReplaced();
        if (farReaders.isEmpty()) {
            candidates = List.of();
        }
        if (candidates.isEmpty()) {
            return false;
        }
        findSpans();
        if (isRealTime) {
            return false;
        }
        for (Candidate candidate : candidates) {
            candidate.choose(store.places());
        }
        // A gain of one operation is tried last: a transaction with one violated operation may be at the right place.
        for (int least = 2; least > 0; least--) {
            if (move(least)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns sets of transactions that may violate the level on their own. It is called if no transaction was moved. Each has a reader of which a
     * violated read is explained only far away, and those around it and around the transactions that wrote or replaced what it read. A
     * set that is too large for the driver is left out.
     *
     * @param margin how many places on both sides of each, at least 1
     */
    List<PlaceSet> sets(long margin) {
        List<PlaceSet> sets = new ArrayList<>();
        for (Candidate candidate : candidates) {
            LongArrayList writers = farReaders.get(candidate.place);
            if (sets.size() < MOST_SETS && writers != null) {
                long[] borders = candidate.borders.toLongArray();
                LongArrays.mergeSort(
                        borders, (a, b) -> Long.compare(Math.abs(a - candidate.place), Math.abs(b - candidate.place)));
                writers = new LongArrayList(writers);
                writers.addElements(writers.size(), borders);
                List<WindowStore.Range> ranges = new ArrayList<>();
                ranges.add(around(candidate.place, margin));
                for (int i = 0; i < Math.min(MOST_BORDERS, writers.size()); i++) {
                    ranges.add(around(writers.getLong(i), margin));
                }
                PlaceSet set = PlaceSet.of(ranges);
                if (set.size() <= MOST_TOGETHER * store.events()) {
                    sets.add(set);
                }
            }
        }
        return sets;
    }

    private WindowStore.Range around(long place, long margin) {
        return new WindowStore.Range(Math.max(0, place - margin), Math.min(store.places(), place + margin + 1));
    }

    /** Moves the candidates that gain at least so many explained operations, as far as sessions allow it. @return whether there are any */
    private boolean move(int least) throws IOException {
        List<Candidate> moving = new ArrayList<>(candidates);
        moving.removeIf(candidate -> candidate.gain < least);
        if (moving.isEmpty()) {
            return false;
        }
        moving.sort((a, b) -> all.compareTransactions(a.event, b.event));
        findNeighbours(moving);
        for (Candidate candidate : moving) {
            candidate.choose(store.places());
            candidate.gain = candidate.gain < least ? 0 : candidate.gain;
        }
        keepSessions(moving);
        moving.removeIf(candidate -> candidate.gain == 0);
        if (!moving.isEmpty()) {
            rewrite(moving);
        }
        return !moving.isEmpty();
    }

    /** The places of the transactions that take part in the most violated reads; none if all these reads are explained nearby. */
    private long[] suspects(List<CheckTask.Result> results, List<SourceTask.Sources[]> sources, long far) {
        Long2IntOpenHashMap counts = new Long2IntOpenHashMap();
        for (int s = 0; s < sources.size(); s++) {
            List<CheckTask.Read> reads = results.get(s).named();
            for (int i = 0; i < reads.size(); i++) {
                SourceTask.Sources source = sources.get(s)[i];
                // If real time is part of the level, a reader far behind the write that replaced its value violates the
                // level, unless the two writers overlap and may change places.
                long place = reads.get(i).place();
                boolean isFar = source.to() - source.from() > far;
                boolean isReplaced = isRealTime
                        && !isFar
                        && source.lastWrite() >= 0
                        && place - source.lastWrite() > far
                        && !source.isNear(place, far);
                int weight = isFar || isReplaced ? WEIGHT_OF_FAR : 1;
                if (isFar) {
                    addFar(place, source);
                } else if (isReplaced) {
                    replaced.add(new Replaced(place, source));
                }
                counts.addTo(place, weight);
                if (source.possible().size() == 1) {
                    counts.addTo(source.possible().getLong(0), weight);
                }
                if (source.lastWrite() >= 0) {
                    counts.addTo(source.lastWrite(), weight);
                }
            }
        }
        if (farReaders.isEmpty() && replaced.isEmpty()) {
            return new long[0];
        }
        counts.long2IntEntrySet().removeIf(entry -> entry.getIntValue() < LEAST_WEIGHT);
        long[] found = counts.keySet().toLongArray();
        LongArrays.mergeSort(found, (a, b) -> {
            int byWeight = Integer.compare(counts.get(b), counts.get(a));
            return byWeight != 0 ? byWeight : Long.compare(a, b);
        });
        found = Arrays.copyOf(found, Math.min(MOST, found.length));
        Arrays.sort(found);
        return found;
    }

    private void addFar(long place, SourceTask.Sources source) {
        LongArrayList writers = farReaders.computeIfAbsent(place, reader -> new LongArrayList());
        writers.addAll(LongArrayList.of(source.from(), source.to()));
        if (source.lastWrite() >= 0) {
            writers.add(source.lastWrite());
        }
        if (source.possible().size() == 1) {
            writers.add(source.possible().getLong(0));
        }
    }

    /** Adds the readers of a replaced value to those far away, unless its writer and the one that replaced it overlap. */
    private void addReplaced() {
        TreeMap<Long, Candidate> byPlace = new TreeMap<>();
        candidates.forEach(candidate -> byPlace.put(candidate.place, candidate));
        for (Replaced read : replaced) {
            SourceTask.Sources source = read.source();
            Map.Entry<Long, Candidate> writer = byPlace.floorEntry(source.from());
            Map.Entry<Long, Candidate> next = byPlace.floorEntry(source.to());
            boolean isKnown = writer != null
                    && next != null
                    && writer.getValue().has(source.from())
                    && next.getValue().has(source.to());
            if (!isKnown || all.end(writer.getValue().event) <= all.start(next.getValue().event)) {
                addFar(read.place(), source);
            }
        }
    }

    private List<Candidate> candidates(long[] places) throws IOException {
        if (places.length == 0) {
            return new ArrayList<>();
        }
        TreeMap<Long, Candidate> candidates = new TreeMap<>();
        for (List<EventTask.Copied> found :
                store.perGroup("find transactions", some -> new EventTask(some, within(places, some)))) {
            for (EventTask.Copied copied : found) {
                if (!candidates.containsKey(copied.place())) {
                    int event = all.size();
                    all.read(copied.block());
                    candidates.put(
                            copied.place(), new Candidate(copied.place(), copied.block(), event, all.size() - event));
                }
            }
        }
        return new ArrayList<>(candidates.values());
    }

    private static long[] within(long[] places, Cells cells) {
        long end = cells.first(cells.to());
        return Arrays.stream(places)
                .filter(place -> place >= cells.first(cells.from()) && place < end)
                .toArray();
    }

    private void findSpans() throws IOException {
        List<ArrayList<CheckTask.Read>> asked = new ArrayList<>();
        List<BitSet> writes = new ArrayList<>();
        List<List<Candidate>> askers = new ArrayList<>();
        for (int s = 0; s < store.slices(); s++) {
            asked.add(new ArrayList<>());
            writes.add(new BitSet());
            askers.add(new ArrayList<>());
        }
        VisibleOperations visible = new VisibleOperations(all);
        for (Candidate candidate : candidates) {
            int from = all.firstOperation(candidate.event);
            int to = all.operationsEnd(candidate.event + candidate.events - 1);
            for (int o = from; o < Math.min(from + MOST_OPERATIONS, to); o++) {
                if (visible.isVisible(o)) {
                    int slice = DealTask.slice(all.keys(), all.key(o), store.slices());
                    writes.get(slice).set(asked.get(slice).size(), all.isWrite(o));
                    asked.get(slice)
                            .add(CheckTask.Read.of(candidate.place, all.keys(), all.key(o), all.values(), all.code(o)));
                    askers.get(slice).add(candidate);
                }
            }
        }
        int mostSpans = MOST_SPANS / store.slices();
        List<long[][]> found = store.perSlice(
                "find better places",
                slice -> new SpanTask(
                        slice, asked.get(slice.number()), writes.get(slice.number()), store.events(), mostSpans));
        for (int s = 0; s < found.size(); s++) {
            for (int i = 0; i < askers.get(s).size(); i++) {
                Candidate candidate = askers.get(s).get(i);
                long[] spans = found.get(s)[i];
                for (int span = 0; span < spans.length; span += 2) {
                    long begin = spans[span];
                    long end = spans[span + 1];
                    candidate.begins.add(begin);
                    candidate.ends.add(end);
                    if (!writes.get(s).get(i)) {
                        candidate.borders.add(Math.max(0, begin - 1));
                        // A value that is not replaced ends behind the last place.
                        candidate.borders.add(Math.min(end, store.places()) - 1);
                    }
                }
            }
        }
    }

    /** The places of the events of some transactions. */
    private static long[] removed(List<Candidate> candidates) {
        LongArrayList places = new LongArrayList();
        for (Candidate candidate : candidates) {
            for (int e = 0; e < candidate.events; e++) {
                places.add(candidate.place + e);
            }
        }
        return places.toLongArray();
    }

    private void findNeighbours(List<Candidate> candidates) throws IOException {
        ArrayList<UnknownOutcomes.Name> names = new ArrayList<>();
        for (Candidate candidate : candidates) {
            candidate.low = 0;
            candidate.high = Long.MAX_VALUE;
            names.add(new UnknownOutcomes.Name(all.session(candidate.event), all.index(candidate.event)));
        }
        for (NeighbourTask.Bounds found :
                store.perGroup("find neighbours in sessions", some -> new NeighbourTask(some, names))) {
            for (int i = 0; i < candidates.size(); i++) {
                Candidate candidate = candidates.get(i);
                candidate.low = Math.max(candidate.low, found.low()[i]);
                candidate.high = Math.min(candidate.high, found.high()[i]);
            }
        }
    }

    /** Keeps the place of each candidate that would pass another transaction of its session. @param candidates by session and index */
    private void keepSessions(List<Candidate> candidates) {
        for (int i = 1; i < candidates.size(); ) {
            Candidate before = candidates.get(i - 1);
            Candidate next = candidates.get(i);
            boolean isInOrder = all.session(before.event) != all.session(next.event) || before.end() <= next.first();
            if (isInOrder || (before.gain == 0 && next.gain == 0)) {
                i++;
                continue;
            }
            boolean isNextLeft = before.gain == 0 || (next.gain > 0 && next.gain < before.gain);
            (isNextLeft ? next : before).gain = 0;
            i = Math.max(1, i - 1);
        }
    }

    /** Writes the cells that change, and deals the operations of all cells again. */
    private void rewrite(List<Candidate> candidates) throws IOException {
        candidates.sort(Comparator.comparingLong(candidate -> candidate.place));
        long places = store.places();
        List<Candidate> byGap = new ArrayList<>(candidates);
        byGap.sort(Comparator.comparingLong(candidate -> candidate.gap));
        long[] gaps = byGap.stream().mapToLong(candidate -> candidate.gap).toArray();
        int[] cellOfGap = Arrays.stream(gaps)
                .mapToInt(gap -> store.cellOf(Math.min(gap, places - 1)))
                .toArray();
        BitSet changed = new BitSet();
        long[] more = new long[store.cellCount()];
        for (int i = 0; i < gaps.length; i++) {
            Candidate candidate = byGap.get(i);
            changed.set(cellOfGap[i]);
            more[cellOfGap[i]] += candidate.events;
            for (int e = 0; e < candidate.events; e++) {
                int from = store.cellOf(candidate.place + e);
                changed.set(from);
                more[from]--;
            }
        }
        long[] removed = removed(candidates);
        Section.Files files = store.next("cells");
        List<MoveTask> tasks = new ArrayList<>();
        for (int c = changed.nextSetBit(0); c >= 0; ) {
            int first = c;
            ArrayList<Cells> cells = new ArrayList<>();
            for (; c >= 0 && (c == first || store.fitsTask(first, c + 1)); c = changed.nextSetBit(c + 1)) {
                cells.add(store.cells(c, c + 1));
            }
            int end = cells.get(cells.size() - 1).to();
            int[] arriving = IntStream.range(0, gaps.length)
                    .filter(i -> cellOfGap[i] >= first && cellOfGap[i] < end)
                    .toArray();
            tasks.add(new MoveTask(
                    cells,
                    within(removed, store.cells(first, end)),
                    Arrays.stream(arriving).mapToLong(i -> gaps[i]).toArray(),
                    new ArrayList<>(Arrays.stream(arriving)
                            .mapToObj(i -> byGap.get(i).block)
                            .toList()),
                    files));
        }
        List<Section> sections = store.workers().run("move transactions", tasks);
        for (int i = 0; i < sections.size(); i++) {
            for (Cells cell : tasks.get(i).cells()) {
                store.replace(cell.from(), sections.get(i));
            }
        }
        store.resize(more);
    }
}
