package org.polygraph.jobs.report.page;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.partitioner.isolation.Alternative;
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
    private final IdentityHashMap<Reason, Written> written = new IdentityHashMap<>();

    /**
     * One step.
     *
     * @param id of its element; empty for steps inside reasons
     * @param reason the reason, if it is written here
     * @param seen the reason, if it is written elsewhere
     * @param cut whether the reason is written nowhere on the page
     * @param cases the alternatives that the reason refutes
     */
    record Step(
            String id,
            Edge edge,
            @Nullable Written reason,
            @Nullable Written seen,
            boolean cut,
            List<Case> cases) {}

    /** A reason that is written on the page: the id of its element, and its number from 1. */
    record Written(String id, int number) {}

    /**
     * An alternative.
     *
     * @param more further cases, one of which would also have to hold
     * @param closed whether the steps are a cycle, which shows that the alternative fails
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
        // The steps of the chain take precedence over those nested in them.
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
        Written seen = has ? written.get(reason) : null;
        boolean cut = has && seen == null && (written.size() == most || depth >= DEEPEST);
        Written own = null;
        if (has && seen == null && !cut) {
            int reasonNumber = written.size() + 1;
            own = new Written(prefix + "r" + reasonNumber, reasonNumber);
            written.put(reason, own);
        }
        return new Step(
                depth == 0 ? prefix + "s" + number : "",
                Edge.of(edge, facts),
                own,
                seen,
                cut,
                own == null ? List.of() : cases(reason.because(), depth + 1));
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
