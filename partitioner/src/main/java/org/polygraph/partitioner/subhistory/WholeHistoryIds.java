package org.polygraph.partitioner.subhistory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/** Converts violations of a selection to the ids of the whole history. Shared reasons stay shared. */
public final class WholeHistoryIds {
    private final HistorySelection selection;
    private final IdentityHashMap<Dependency, Dependency> dependencies = new IdentityHashMap<>();
    private final IdentityHashMap<Reason, Reason> reasons = new IdentityHashMap<>();
    private final IdentityHashMap<Alternative, Alternative> alternatives = new IdentityHashMap<>();

    /** By label of a key of the selection, its label in the whole; only those that differ. */
    private final Map<String, String> labels = new HashMap<>();

    private @Nullable Pattern differing;

    public WholeHistoryIds(HistorySelection selection) {
        this.selection = selection;
    }

    /** The same, where keys of conditions may have other labels in the selection, which texts then have too. */
    public WholeHistoryIds(HistorySelection selection, HistoryTable whole) {
        this(selection);
        for (int key = 0; key < selection.keys().length; key++) {
            String label = selection.table().keys().label(key);
            int id = selection.keys()[key];
            if (id >= 0 && !label.equals(whole.keys().label(id))) {
                labels.put(label, whole.keys().label(id));
            }
        }
        if (!labels.isEmpty()) {
            differing =
                    Pattern.compile(labels.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|")));
        }
    }

    private String text(String of) {
        return differing == null ? of : differing.matcher(of).replaceAll(this::labelInWhole);
    }

    private String labelInWhole(MatchResult found) {
        return Matcher.quoteReplacement(labels.getOrDefault(found.group(), found.group()));
    }

    /** The violation and its sub-history in the ids of the whole history. */
    public Violation of(Violation v) {
        return new Violation(
                v.anomaly(),
                v.aliases(),
                v.transactions().stream().map(t -> selection.transactions()[t]).toList(),
                v.keys().stream().map(this::key).distinct().toList(),
                dependencies(v.cycle()),
                alternatives(v.cases()),
                text(v.detail()),
                subHistory(v.minimal()));
    }

    /** All of them. */
    public List<Violation> of(List<Violation> violations) {
        return violations.stream().map(this::of).toList();
    }

    private @Nullable SubHistory subHistory(@Nullable SubHistory of) {
        if (of == null) {
            return null;
        }
        return new SubHistory(
                inWhole(of.transactions(), selection.transactions()),
                inWhole(of.operations(), selection.operations()),
                of.minimal(),
                of.judge(),
                of.recorded(),
                of.ofWrites());
    }

    private static int[] inWhole(int[] ids, int[] whole) {
        // Operations that imply others stand for these too.
        return IntStream.of(ids).map(id -> whole[id]).sorted().distinct().toArray();
    }

    private List<Dependency> dependencies(List<Dependency> of) {
        List<Dependency> all = new ArrayList<>(of.size());
        for (Dependency d : of) {
            all.add(dependency(d));
        }
        return all;
    }

    private Dependency dependency(Dependency d) {
        Dependency known = dependencies.get(d);
        if (known == null) {
            known = new Dependency(
                    transaction(d.from()),
                    transaction(d.to()),
                    d.kind(),
                    d.key() == Dependency.NO_KEY ? Dependency.NO_KEY : key(d.key()),
                    d.value(),
                    reason(d.reason()));
            dependencies.put(d, known);
        }
        return known;
    }

    /** The key in the whole; of an element of a list, which has a key of its own only where lists are reduced, the list. */
    private int key(int key) {
        HistoryTable table = selection.table();
        int of = key;
        for (int o = 0; key >= selection.keys().length && of == key; o++) {
            of = table.key(o) == key ? table.key(table.implying(o)) : key;
        }
        return selection.keys()[of];
    }

    private int transaction(int t) {
        return t == Dependency.INITIAL ? t : selection.transactions()[t];
    }

    private Reason reason(Reason r) {
        Reason known = reasons.get(r);
        if (known == null) {
            known = new Reason(r.basis(), text(r.why()), alternatives(r.because()));
            reasons.put(r, known);
        }
        return known;
    }

    private List<Alternative> alternatives(List<Alternative> of) {
        List<Alternative> all = new ArrayList<>(of.size());
        for (Alternative a : of) {
            Alternative known = alternatives.get(a);
            if (known == null) {
                Dependency assumed = a.assumed();
                known = new Alternative(
                        text(a.statement()),
                        assumed == null ? null : dependency(assumed),
                        dependencies(a.cycle()),
                        alternatives(a.cases()));
                alternatives.put(a, known);
            }
            all.add(known);
        }
        return all;
    }
}
