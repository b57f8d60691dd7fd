package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Reason;

/**
 * The edges of a violation as steps with nested reasons, down to what was observed. A reason that occurs several times
 * is written once, with a number, and referred to.
 */
final class Steps {
    private static final int DEEPEST = 12;

    /** The most reasons written; verdict.json has more. */
    private final int most;

    /** The number of steps that may still be written. */
    private int left;

    private final Facts facts;
    private final String prefix;
    private final IdentityHashMap<Reason, Integer> numbers = new IdentityHashMap<>();

    /**
     * One step.
     *
     * @param id of its element; empty for steps inside reasons
     * @param fact empty for a supposition
     * @param reason its number, 0 if it is not written here
     * @param seen the number of the reason if it is written elsewhere, else 0
     * @param cases the alternatives that the reason refutes
     */
    record Step(
            String id,
            int number,
            String kind,
            String name,
            String from,
            String to,
            String fact,
            String why,
            String basis,
            String reasonId,
            int reason,
            String seenId,
            int seen,
            boolean cut,
            List<Case> cases) {}

    /**
     * An alternative.
     *
     * @param more further cases; one of them would also have to hold
     */
    record Case(String statement, List<Step> steps, List<Case> more, boolean closed) {}

    /** @param prefix prefix of element ids */
    Steps(Facts facts, String prefix, int most) {
        this.facts = facts;
        this.prefix = prefix;
        this.most = most;
        this.left = 8 + 12 * most;
    }

    /** The steps of the violation's own cycle, truncated if it is too long. */
    List<Step> of(List<Dependency> cycle) {
        return steps(cycle, 0);
    }

    private List<Step> steps(List<Dependency> chain, int depth) {
        List<Step> steps = new ArrayList<>();
        // The chain itself takes precedence over what is nested in its steps.
        int room = Math.min(chain.size(), left);
        left -= room;
        for (Dependency edge : chain.subList(0, room)) {
            steps.add(step(edge, steps.size(), depth));
        }
        return steps;
    }

    private Step step(Dependency edge, int number, int depth) {
        Reason reason = edge.reason();
        boolean has = !reason.because().isEmpty();
        int seen = numbers.getOrDefault(reason, 0);
        boolean cut = has && seen == 0 && (numbers.size() == most || depth >= DEEPEST);
        boolean isWritten = has && seen == 0 && !cut;
        int own = 0;
        if (isWritten) {
            own = numbers.size() + 1;
            numbers.put(reason, own);
        }
        boolean supposed = reason.basis() == Basis.ASSUMED;
        return new Step(
                depth == 0 ? prefix + "s" + number : "",
                number + 1,
                edge.kind().name().toLowerCase(Locale.ROOT),
                edge.kind().name(),
                facts.name(edge.from()),
                facts.name(edge.to()),
                supposed ? "" : facts.of(edge),
                reason.why(),
                reason.basis().label(),
                own == 0 ? "" : prefix + "r" + own,
                own,
                seen == 0 || !has ? "" : prefix + "r" + seen,
                has ? seen : 0,
                cut,
                isWritten ? cases(reason.because(), depth + 1) : List.of());
    }

    /** Alternatives with the steps of their cycles. */
    List<Case> cases(List<Alternative> alternatives, int depth) {
        List<Case> cases = new ArrayList<>();
        for (Alternative alternative : alternatives) {
            if (left == 0) {
                break;
            }
            List<Step> steps = steps(alternative.cycle(), Math.max(1, depth));
            List<Case> more = depth > DEEPEST ? List.of() : cases(alternative.cases(), depth + 1);
            cases.add(new Case(
                    alternative.statement(),
                    steps,
                    more,
                    !steps.isEmpty() && alternative.cases().isEmpty()));
        }
        return cases;
    }
}
