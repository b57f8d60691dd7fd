package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.testkit.Definitions.Kind;
import org.polygraph.storage.testkit.Definitions.Op;
import org.polygraph.storage.testkit.Definitions.Transaction;

/**
 * The versions that a simulated database gave. The judges see a value of its own for each write, so they know what each
 * read returned. The file has these values as others, which repeat, with versions by which the reader finds the same.
 */
record SimulatedVersions(Map<Long, Shown> writes, boolean oddReads) {
    /** How the file has a value. @param version null for none */
    record Shown(long value, @Nullable Long version) {}

    /** Values that one write has, beside those that repeat. */
    private static final long OWN = 1_000;

    /** Gives versions to the writes of transactions in the order of commits, and now and then in another one. */
    static SimulatedVersions of(List<Transaction> all, SplitMix random) {
        Map<Long, Shown> writes = new HashMap<>();
        boolean isByTransaction = random.chance(0.4);
        boolean isWhole = random.chance(0.5);
        int domain = random.between(1, 4);
        Map<Integer, List<Long>> byKey = new HashMap<>();
        for (int t = 0; t < all.size(); t++) {
            Set<String> values = new HashSet<>();
            for (Op op : all.get(t).ops()) {
                if (op.kind() != Kind.WRITE) {
                    continue;
                }
                long id = op.row().value();
                boolean isCertain = all.get(t).status() == Definitions.COMMITTED;
                long value = id % domain;
                if (!(isWhole && isCertain) && random.chance(isCertain ? 0.25 : 0.6)) {
                    writes.put(id, new Shown(OWN + id, null));
                } else {
                    boolean repeats = random.chance(0.8) && values.add(op.key() + " " + value);
                    writes.put(id, new Shown(repeats ? value : OWN + id, isByTransaction ? t : 3 * id));
                    if (!isByTransaction && isCertain) {
                        byKey.computeIfAbsent(op.key(), k -> new ArrayList<>()).add(id);
                    }
                }
            }
        }
        for (List<Long> ids : byKey.values()) {
            if (ids.size() > 1 && random.chance(0.25)) {
                int i = random.nextInt(ids.size() - 1);
                Shown one = writes.get(ids.get(i));
                Shown other = writes.get(ids.get(i + 1));
                writes.put(ids.get(i), new Shown(one.value, other.version));
                writes.put(ids.get(i + 1), new Shown(other.value, one.version));
                Collections.swap(ids, i, i + 1);
            }
        }
        return new SimulatedVersions(writes, random.chance(0.5));
    }

    /** How the file has an operation. A version that no write has stands for what was written without one. */
    Shown shown(Op op) {
        long id = op.row().value();
        Shown write = writes.get(id);
        if (op.kind() == Kind.WRITE) {
            return write == null ? new Shown(id, null) : write;
        }
        boolean isOdd = oddReads && Math.floorMod(SplitMix.mix(id), 2L) == 0;
        if (write == null) {
            return new Shown(id, -7L);
        }
        boolean mayLack = write.version == null ? !isOdd : isOdd && write.value >= OWN;
        return mayLack ? new Shown(write.value, null) : write.version == null ? new Shown(write.value, -5L) : write;
    }

    /** By transaction: those, as bits, that the versions put before it. */
    int[] before(List<Transaction> all) {
        int[] before = new int[all.size()];
        for (int a = 0; a < before.length; a++) {
            for (int b = 0; b < before.length; b++) {
                Map<Integer, Long> first = lasts(all.get(a));
                for (Map.Entry<Integer, Long> last : lasts(all.get(b)).entrySet()) {
                    Long version = first.get(last.getKey());
                    before[b] |= version != null && version < last.getValue() ? 1 << a : 0;
                }
            }
        }
        return before;
    }

    private Map<Integer, Long> lasts(Transaction t) {
        Map<Integer, Long> lasts = new HashMap<>();
        for (Op op : t.ops()) {
            if (op.kind() == Kind.WRITE && t.status() == Definitions.COMMITTED) {
                Shown shown = shown(op);
                if (shown.version == null) {
                    lasts.remove(op.key());
                } else {
                    lasts.put(op.key(), shown.version);
                }
            }
        }
        return lasts;
    }
}
