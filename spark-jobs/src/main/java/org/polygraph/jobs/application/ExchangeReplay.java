package org.polygraph.jobs.application;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.storage.table.HistoryTable;

/**
 * Checks the exchanges of a seam: applies each to the order, which must still explain the history and lead to the
 * stated value.
 */
final class ExchangeReplay {
    /** An exchange, with the labels of its key and value. */
    private record Exchange(long first, long last, String key, String value) {
        boolean overlaps(Exchange other) {
            return this != other && first <= other.last && other.first <= last;
        }
    }

    /** By exchange: the places of the events that come last in its window, in their new order. */
    private final Map<Exchange, long[]> moved = new HashMap<>();

    private final Witness witness;
    private final HistoryTable table;
    private final List<Exchange> earlier;
    /** The earlier exchanges that the history was decided with. */
    private final List<Exchange> made = new ArrayList<>();
    /** The keys whose initial value is read. */
    private final Set<String> read = new HashSet<>();

    /** @param earlier the exchanges of the seam that the history was decided on; null if it has none */
    ExchangeReplay(Witness witness, @Nullable HistoryTable earlier) {
        this.witness = witness;
        // RC, RA and CC take inserts and deletes as other writes.
        HistoryTable recorded = witness.table();
        table = witness.terms().guarantee().hasPlainWrites() ? recorded.withoutRows() : recorded;
        this.earlier = exchanges(earlier);
        Map<String, String> initial = new HashMap<>();
        for (int o = 0; o < table.operations(); o++) {
            String key = table.keys().label(table.key(o));
            long value = table.initialValue(table.key(o));
            initial.put(key, table.values().label(value));
            if (!table.isWrite(o) && table.value(o) == value) {
                read.add(key);
            }
        }
        for (Exchange each : this.earlier) {
            if (each.value.equals(initial.get(each.key))) {
                made.add(each);
            }
        }
    }

    private List<Exchange> exchanges(@Nullable HistoryTable stored) {
        List<Exchange> exchanges = new ArrayList<>();
        long[] starts = stored == null ? null : stored.starts();
        long[] ends = stored == null ? null : stored.ends();
        for (int s = 0; stored != null && starts != null && ends != null && s < stored.sessions(); s++) {
            int t = stored.firstTransaction(s);
            int write = stored.firstOperation(t);
            Exchange each = new Exchange(
                    starts[t],
                    ends[t],
                    stored.keys().label(stored.key(write)),
                    stored.values().label(stored.value(write)));
            exchanges.add(each);
            moved.put(each, Arrays.copyOfRange(starts, t + 1, stored.transactionsEnd(s)));
        }
        return exchanges;
    }

    /** Applies the exchanges that the history was decided with to the earlier state. */
    void apply(Map<String, String> state) {
        made.forEach(each -> state.put(each.key, each.value));
    }

    /**
     * Returns the first problem as one sentence; null if there is none.
     *
     * @param stored the exchanges of the seam; null if it has none
     * @param base the place of the first event
     * @param end the place of the first event after the cut
     * @param written by key that is written before the cut: its value there
     * @param writtenIn returns the same for another order
     */
    @Nullable
    String problem(
            @Nullable HistoryTable stored,
            long base,
            long end,
            Map<String, String> written,
            Function<Witness, Map<String, String>> writtenIn) {
        if (made.stream().anyMatch(each -> made.stream().anyMatch(each::overlaps))) {
            return "two exchanges of the seam before overlap";
        }
        List<Exchange> own = new ArrayList<>();
        for (Exchange each : exchanges(stored)) {
            if (each.first >= base && each.first < each.last && each.last < end) {
                own.add(each);
            } else if (!earlier.contains(each)
                    || made.contains(each)
                    || made.stream().anyMatch(each::overlaps)
                    || read.contains(each.key)
                    || written.containsKey(each.key)) {
                return "an exchange of key " + each.key + " is not an exchange of the earlier seam";
            }
        }
        while (!own.isEmpty()) {
            List<Exchange> disjoint = new ArrayList<>();
            Map<String, String> expected = new HashMap<>(written);
            for (Exchange each : own) {
                if (disjoint.stream().noneMatch(each::overlaps)) {
                    disjoint.add(each);
                    expected.put(each.key, each.value);
                }
            }
            own.removeAll(disjoint);
            Witness exchanged = exchanged(disjoint, base);
            if (exchanged == null
                    || !Replay.of(exchanged).holds()
                    || !writtenIn.apply(exchanged).equals(expected)) {
                return "an exchange does not follow from the order";
            }
        }
        return null;
    }

    /** Returns the order after exchanges with disjoint windows; null if one moves an event twice. */
    private @Nullable Witness exchanged(List<Exchange> exchanges, long base) {
        int each = witness.terms().guarantee().events();
        int[] position = witness.position().clone();
        int[] events = IntStream.range(0, position.length)
                .filter(e -> witness.counted()[e / each])
                .boxed()
                .sorted(Comparator.comparing(e -> position[e]))
                .mapToInt(Integer::intValue)
                .toArray();
        for (Exchange exchange : exchanges) {
            int first = (int) (exchange.first - base);
            int[] window = Arrays.copyOfRange(events, first, (int) (exchange.last - base) + 1);
            BitSet isLeft = new BitSet();
            isLeft.set(0, window.length);
            int last = first + window.length;
            long[] places = Objects.requireNonNull(moved.get(exchange));
            for (int i = places.length - 1; i >= 0; i--) {
                int old = (int) (places[i] - exchange.first);
                if (!isLeft.get(old)) {
                    return null;
                }
                isLeft.clear(old);
                events[--last] = window[old];
            }
            int place = first;
            for (int old = isLeft.nextSetBit(0); old >= 0; old = isLeft.nextSetBit(old + 1)) {
                events[place++] = window[old];
            }
        }
        for (int place = 0; place < events.length; place++) {
            position[events[place]] = place;
        }
        return new Witness(table, witness.terms(), witness.counted(), position, witness.sources());
    }
}
