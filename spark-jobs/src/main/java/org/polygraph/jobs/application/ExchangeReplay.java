package org.polygraph.jobs.application;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
        table = witness.table();
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

    private static List<Exchange> exchanges(@Nullable HistoryTable stored) {
        List<Exchange> exchanges = new ArrayList<>();
        long[] starts = stored == null ? null : stored.starts();
        long[] ends = stored == null ? null : stored.ends();
        for (int t = 0; stored != null && starts != null && ends != null && t < stored.transactions(); t++) {
            int write = stored.firstOperation(t);
            exchanges.add(new Exchange(
                    starts[t],
                    ends[t],
                    stored.keys().label(stored.key(write)),
                    stored.values().label(stored.value(write))));
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
     * @param orders of those that are more than moves of one writer
     * @param base the place of the first event
     * @param end the place of the first event after the cut
     * @param written by key that is written before the cut: its value there
     * @param writtenIn returns the same for another order
     */
    @Nullable
    String problem(
            @Nullable HistoryTable stored,
            ExchangeOrders orders,
            long base,
            long end,
            Map<String, String> written,
            Function<Witness, Map<String, String>> writtenIn) {
        if (made.stream().anyMatch(each -> made.stream().anyMatch(each::overlaps))) {
            return "two exchanges of the seam before overlap";
        }
        List<Exchange> own = new ArrayList<>();
        Map<Exchange, int[]> rearranged = new HashMap<>();
        List<Exchange> all = exchanges(stored);
        for (int e = 0; e < all.size(); e++) {
            Exchange each = all.get(e);
            int[] order = orders.of(e);
            if (order != null) {
                rearranged.put(each, order);
                if (!isPermutation(order, each.last - each.first + 1)) {
                    return "an exchange of key " + each.key + " has no order of its window";
                }
            }
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
            Witness moved = moved(disjoint, rearranged, base);
            if (!Replay.byDefinition(moved).holds() || !writtenIn.apply(moved).equals(expected)) {
                return "an exchange does not follow from the order";
            }
        }
        return null;
    }

    private static boolean isPermutation(int[] order, long size) {
        return order.length == size
                && Arrays.stream(order).allMatch(i -> i >= 0 && i < size)
                && Arrays.stream(order).distinct().count() == size;
    }

    /** Returns the order after exchanges with disjoint windows. @param rearranged the orders of some of them */
    private Witness moved(List<Exchange> exchanges, Map<Exchange, int[]> rearranged, long base) {
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
            int last = (int) (exchange.last - base);
            int[] order = rearranged.get(exchange);
            if (order != null) {
                int[] window = Arrays.copyOfRange(events, first, last + 1);
                for (int i = 0; i < order.length; i++) {
                    events[first + i] = window[order[i]];
                }
                continue;
            }
            List<Integer> moved = new ArrayList<>(List.of(events[first]));
            int place = first;
            for (int i = first + 1; i <= last; i++) {
                int event = events[i];
                String exempt = event / each == events[last] / each ? exchange.key : "";
                if (moved.stream().anyMatch(behind -> mustFollow(event, behind, exempt))) {
                    moved.add(event);
                } else {
                    events[place++] = event;
                }
            }
            for (int event : moved) {
                events[place++] = event;
            }
        }
        for (int place = 0; place < events.length; place++) {
            position[events[place]] = place;
        }
        return new Witness(table, witness.terms(), witness.counted(), position);
    }

    /** Whether an event must stay behind an earlier one. */
    private boolean mustFollow(int event, int earlier, String exempt) {
        int each = witness.terms().guarantee().events();
        int a = earlier / each;
        int b = event / each;
        boolean aCommits = earlier % each == each - 1;
        boolean aReads = earlier % each == 0;
        boolean bCommits = event % each == each - 1;
        boolean bReads = event % each == 0;
        if (a == b || (aCommits && bReads && (table.sessionOf(a) == table.sessionOf(b) || precedes(a, b)))) {
            return true;
        }
        for (int p = table.firstOperation(a); p < table.operationsEnd(a); p++) {
            for (int q = table.firstOperation(b); q < table.operationsEnd(b); q++) {
                if (table.key(p) != table.key(q)
                        || table.keys().label(table.key(q)).equals(exempt)) {
                    continue;
                }
                boolean isRead = !table.isWrite(p) && aReads && table.isWrite(q) && bCommits;
                boolean isWritten = table.isWrite(p) && aCommits && (bReads || table.isWrite(q));
                if (isRead || isWritten) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean precedes(int a, int b) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        return witness.terms().guarantee().realTime()
                && starts != null
                && ends != null
                && witness.terms().precedes(ends[a], starts[b]);
    }
}
