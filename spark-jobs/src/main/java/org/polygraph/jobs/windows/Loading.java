package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transactions that load the initial rows, as {@code Loaders} defines them: the first ones of some sessions. They
 * write the initial value, precede all others by time, or else by their positions, and some read returns what they
 * wrote. What is recognized here is recognized there; other cases need the whole history.
 *
 * @param indexes by label of a session: those of its transactions
 * @param byTime whether times show that they precede all others
 */
record Loading(TreeMap<Long, long[]> indexes, boolean byTime) implements Serializable {
    /** Why windows do not decide a history. */
    static final String OPEN = "the first transactions of a session may load the initial rows";
    /** There are none. */
    static final Loading NONE = new Loading(new TreeMap<>(), false);

    /** How reads and writes of initial values contradict {@link Loading}. */
    record Uses(boolean isRead, boolean isMissing, boolean isWritten, boolean isTwice) implements Serializable {
        Uses and(Uses other) {
            return new Uses(
                    isRead || other.isRead,
                    isMissing || other.isMissing,
                    isWritten || other.isWritten,
                    isTwice || other.isTwice);
        }
    }

    /** A session of a piece with transactions that write initial values. */
    private record Candidate(Layout.PieceSession of, Leading.OfSession leading) {}

    /**
     * Returns the transactions that may load initial rows and precede all others.
     *
     * @param initial the initial values
     * @return null if the whole history is needed to find them
     */
    static @Nullable Loading of(
            Layout layout,
            Ingested.Input input,
            HistoryTable initial,
            InitialChoice choice,
            boolean usesTimes,
            long skew) {
        if (choice.kind() == InitialChoice.Kind.IMPLICIT) {
            return NONE;
        }
        List<Candidate> candidates = new ArrayList<>();
        Leading.Others others = Leading.Others.NONE;
        boolean hasRows = false;
        boolean hasStart = false;
        boolean hasEnd = false;
        for (Ingested piece : input.pieces()) {
            hasRows |= piece.leading().hasRows();
            hasStart |= piece.leading().hasStart();
            hasEnd |= piece.leading().hasEnd();
        }
        boolean byTime = usesTimes && hasStart && hasEnd;
        KeyDictionary keys = new KeyDictionary();
        keys.addAll(initial.keys());
        long session = 0;
        boolean leads = true;
        boolean isFirst = true;
        for (Layout.PieceSession each : layout.pieceSessions()) {
            leads |= isFirst || each.session().label() != session;
            isFirst = false;
            session = each.session().label();
            Leading leading = input.pieces().get(each.piece()).leading();
            Leading.OfSession first = leading.sessions()[each.number()];
            boolean loads = leads && first != null && loads(first.writes(), keys, initial);
            if (loads) {
                candidates.add(new Candidate(each, first));
            } else if (first != null) {
                others = others.and(at(each.piece(), first.own()));
            }
            leads = loads && first.isWhole();
        }
        for (int p = 0; p < input.pieces().size(); p++) {
            others = others.and(at(p, input.pieces().get(p).leading().others()));
        }
        // Among rows a write of null changes what there is at first.
        boolean isRow =
                hasRows && initial.initialState() == null && initial.values().isNull(initial.initialValue());
        if (isRow || candidates.isEmpty()) {
            return choice.kind() == InitialChoice.Kind.AUTO ? NONE : null;
        }
        if (initial.initialState() != null
                || candidates.stream().anyMatch(each -> each.leading.indexes().length == 0)) {
            return null;
        }
        TreeMap<Long, long[]> found = new TreeMap<>();
        for (Candidate each : candidates) {
            found.merge(each.of.session().label(), each.leading.indexes(), Loading::joined);
        }
        if (choice.kind() == InitialChoice.Kind.NAMED) {
            return named(found, choice);
        }
        if (usesTimes && hasStart != hasEnd) {
            return null;
        }
        Loading all = new Loading(found, byTime);
        return (byTime ? precede(candidates, others, skew) : comeFirst(candidates, others, layout)) ? all : null;
    }

    /** Whether some transactions may load initial rows. */
    static boolean mayBeIn(Layout layout, Ingested.Input input, HistoryTable initial) {
        Loading found = of(layout, input, initial, InitialChoice.AUTO, false, 0);
        return found == null || !found.isEmpty();
    }

    /** Puts the number of the piece before the number in the piece. */
    private static Leading.Others at(int piece, Leading.Others others) {
        return others.first() == Long.MAX_VALUE
                ? others
                : new Leading.Others(others.start(), position(piece, others.first()));
    }

    private static long position(int piece, long first) {
        return (long) piece << Integer.SIZE | first;
    }

    private static long[] joined(long[] a, long[] b) {
        long[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    private static boolean loads(byte[] writes, KeyDictionary keys, HistoryTable initial) {
        boolean loads = true;
        for (BlockReader in = new BlockReader(writes); in.hasMore(); ) {
            loads &= initial.initialValue(in.key(keys)) == in.value(initial.values());
        }
        return loads;
    }

    private static @Nullable Loading named(TreeMap<Long, long[]> found, InitialChoice choice) {
        long[] indexes = found.getOrDefault(choice.session(), new long[0]);
        int at = Arrays.binarySearch(indexes, choice.index());
        if (at < 0) {
            return null;
        }
        TreeMap<Long, long[]> named = new TreeMap<>();
        named.put(choice.session(), Arrays.copyOf(indexes, at + 1));
        return new Loading(named, false);
    }

    private static boolean precede(List<Candidate> candidates, Leading.Others others, long skew) {
        return candidates.stream()
                .mapToLong(each -> each.leading.end())
                .allMatch(end -> end != HistoryTable.NO_TIME
                        && end < others.start()
                        && Long.compareUnsigned(others.start() - end, skew) > 0);
    }

    /** Whether they are all transactions of their session, or come before all others in the input. */
    private static boolean comeFirst(List<Candidate> candidates, Leading.Others others, Layout layout) {
        Long2LongOpenHashMap counts = new Long2LongOpenHashMap();
        for (Layout.PieceSession each : layout.pieceSessions()) {
            counts.addTo(each.session().label(), each.session().count());
        }
        for (Candidate each : candidates) {
            counts.addTo(each.of.session().label(), -each.leading.indexes().length);
        }
        return candidates.stream()
                .allMatch(each -> counts.get(each.of.session().label()) == 0
                        || position(each.of.piece(), each.leading.last()) < others.first());
    }

    /** Whether reads and writes of others show that they may not load initial rows, if these are read. */
    boolean isContradicted(Uses uses) {
        return uses.isRead && (uses.isMissing || (!byTime && (uses.isWritten || uses.isTwice)));
    }

    boolean isEmpty() {
        return indexes.isEmpty();
    }

    /** The last index of each session of a piece up to which its transactions load initial rows. */
    long[] upTo(long[] labels) {
        long[] upTo = new long[labels.length];
        for (int s = 0; s < labels.length; s++) {
            long[] of = indexes.get(labels[s]);
            upTo[s] = of == null || of.length == 0 ? Long.MIN_VALUE : of[of.length - 1];
        }
        return upTo;
    }

    /** The names of the transactions by session and index. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        indexes.forEach((session, of) -> {
            for (long index : of) {
                names.add("s" + session + "#" + index);
            }
        });
        return names;
    }

    /** Finds the uses of initial values in a slice, in which transactions that load initial rows are marked. */
    record UsesTask(SliceRows.Slice slice) implements Task<Uses> {
        @Override
        public Uses run(Budget budget) throws IOException {
            SliceRows rows = slice.rows();
            Long2LongOpenHashMap loadedAt = new Long2LongOpenHashMap();
            boolean isTwice = false;
            while (rows.next()) {
                if (rows.isLoaded()) {
                    long before = loadedAt.getOrDefault(rows.key(), rows.place());
                    isTwice |= before != rows.place();
                    loadedAt.put(rows.key(), rows.place());
                }
            }
            boolean isRead = false;
            boolean isMissing = false;
            boolean isWritten = false;
            // By key: the place of its last writer.
            Long2LongOpenHashMap writtenAt = new Long2LongOpenHashMap();
            for (SliceRows again = slice.rows(); again.next(); ) {
                if (again.state() == SliceRows.INACTIVE || again.isIntent()) {
                    continue;
                }
                boolean isInitial = again.code() == again.common();
                if (again.isWrite()) {
                    isWritten |= isInitial;
                    writtenAt.put(again.key(), again.place());
                } else if (isInitial && loadedAt.containsKey(again.key())) {
                    isRead = true;
                } else if (isInitial) {
                    isMissing |= writtenAt.getOrDefault(again.key(), -1) != again.place();
                }
            }
            return new Uses(isRead, isMissing, isWritten, isTwice);
        }
    }
}
