package org.polygraph.benchmarks.pipeline;

import java.util.Locale;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.solver.SolverOptions;

/**
 * The settings of an engine in words: {@code default}, or the differences from it, joined by {@code +}.
 *
 * <ul>
 *   <li>{@code rounds=}: {@code usual} (default: 2, or 8 if values repeat), {@code off} (no closure, no rules), {@code fixpoint}, or a number
 *   <li>{@code rows=by_keys} (default), {@code time} or {@code chains}: the closure of levels with real time
 *   <li>{@code workers=}: threads of closure and rules, 1 by default so that one thread's CPU time is all there is; 0
 *       for one on each processor
 *   <li>any option of the solver, as {@code long_jump=100}
 * </ul>
 */
final class Setting {
    static final String DEFAULT = "default";

    private Setting() {}

    /** @throws IllegalArgumentException that names the part that is unknown */
    static Tuning parse(String words) {
        Tuning tuning = Tuning.DEFAULT.withWorkers(1);
        if (words.equals(DEFAULT)) {
            return tuning;
        }
        for (String part : words.split("\\+", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("'" + part + "' in setting " + words + "; name=value expected");
            }
            String name = part.substring(0, equals);
            String value = part.substring(equals + 1);
            tuning = switch (name) {
                case "rounds" -> tuning.withRounds(rounds(value));
                case "rows" -> tuning.withRows(Rules.RealTimeRows.valueOf(value.toUpperCase(Locale.ROOT)));
                case "workers" -> tuning.withWorkers(Integer.parseUnsignedInt(value));
                default ->
                    tuning.with(SolverOptions.Option.valueOf(name.toUpperCase(Locale.ROOT)), Long.parseLong(value));
            };
        }
        return tuning;
    }

    private static int rounds(String value) {
        return switch (value) {
            case "usual" -> Tuning.USUAL;
            case "off" -> Tuning.NO_RULES;
            case "fixpoint" -> Tuning.FIXPOINT;
            default -> Integer.parseUnsignedInt(value);
        };
    }
}
