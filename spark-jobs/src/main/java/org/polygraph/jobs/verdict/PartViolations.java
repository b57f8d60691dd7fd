package org.polygraph.jobs.verdict;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The violations of a chain, those that its last part adds apart from those that stand from before.
 *
 * @param added violations of the chain without the reads that earlier ones need
 * @param standing those of earlier parts that the last part does not change
 * @param isComplete whether the chain without the reads of all of these violations keeps the level; if not, the last
 *     part may add others
 * @param beyond what holds without these reads, or why that is not known; one clause
 */
public record PartViolations(List<Named> added, List<Named> standing, boolean isComplete, String beyond) {
    /** The most violations that a line names. */
    private static final int MOST_NAMED = 3;

    /**
     * A violation.
     *
     * @param name of the anomaly
     * @param part the number of the part that added it, from 1
     * @param location of this part
     * @param transactions as {@code s<session>#<index>}
     */
    public record Named(String name, int part, String location, List<String> transactions) {
        public Named {
            transactions = List.copyOf(transactions);
        }

        private String ofPart() {
            return name + " of " + fileName(location);
        }
    }

    public PartViolations {
        added = List.copyOf(added);
        standing = List.copyOf(standing);
    }

    /** The same with another clause about what holds beyond the violations. */
    public PartViolations beyond(String other) {
        return new PartViolations(added, standing, isComplete, other);
    }

    /** Whether it is not known that the last part adds a violation, nor that it adds none. */
    public boolean isUndecided() {
        return !isComplete && added.isEmpty();
    }

    /** Returns one line: what is new, what stands, and what holds beyond these violations. */
    public String text() {
        List<String> clauses = new ArrayList<>();
        if (!added.isEmpty()) {
            Set<String> names = new LinkedHashSet<>();
            added.forEach(each -> names.add(each.name));
            clauses.add((standing.isEmpty() ? "" : "new: ") + listed(names));
        } else {
            clauses.add(isComplete ? "no new violation" : "whether there is a new violation is UNKNOWN");
        }
        if (!standing.isEmpty()) {
            Set<String> names = new LinkedHashSet<>();
            standing.forEach(each -> names.add(each.ofPart()));
            clauses.add(listed(names) + (names.size() == 1 ? " stands" : " stand"));
        }
        if (!beyond.isEmpty()) {
            clauses.add(beyond);
        }
        return String.join("; ", clauses);
    }

    /**
     * Returns a line about a violation: whether it is new or stands, and of which part it is.
     *
     * @param number in the list of those that are new followed by those that stand
     * @param name of the anomaly
     * @return empty if none stands, so that all are new, or if the violation with this number has another name
     */
    public String heading(int number, String name) {
        boolean isNew = number < added.size();
        int other = number - added.size();
        if (standing.isEmpty() || (!isNew && other >= standing.size())) {
            return "";
        }
        Named named = isNew ? added.get(number) : standing.get(other);
        if (!named.name.equals(name)) {
            return "";
        }
        return (isNew ? "New in " : "Of ") + fileName(named.location) + ", part " + named.part + " of the chain"
                + (isNew ? "" : "; it stands");
    }

    private static String listed(Set<String> names) {
        List<String> first = names.stream().limit(MOST_NAMED).toList();
        int more = names.size() - first.size();
        if (more > 0) {
            return String.join(", ", first) + " and " + more + " more";
        }
        int last = first.size() - 1;
        return last == 0 ? first.get(0) : String.join(", ", first.subList(0, last)) + " and " + first.get(last);
    }

    /**
     * Returns a clause such as "of h1.jsonl and h2.jsonl" about files.
     *
     * @param files their names or locations; one at least
     */
    public static String ofFiles(Stream<String> files) {
        Set<String> names = new LinkedHashSet<>();
        files.forEach(each -> names.add(fileName(each)));
        return names.size() > MOST_NAMED ? "of " + names.size() + " parts" : "of " + listed(names);
    }

    private static String fileName(String location) {
        return location.substring(location.lastIndexOf('/') + 1);
    }
}
