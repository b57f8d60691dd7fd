package org.polygraph.benchmarks.experiment;

import java.util.Locale;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.solver.SolverOptions;

/**
 * The settings of a check in words: {@code default}, or the differences from it, joined by {@code +}.
 *
 * <ul>
 *   <li>{@code rounds=}: {@code usual} (default: 2, or 8 if values repeat), {@code off} (no closure, no rules), {@code fixpoint}, or a number
 *   <li>{@code rows=by_keys} (default), {@code time} or {@code chains}: the closure of levels with real time
 *   <li>{@code workers=}: threads of closure and rules, 1 by default so that one thread's CPU time is all there is; 0
 *       for one on each processor
 *   <li>{@code time=hint}: timestamps may help to accept
 *   <li>any option of the solver, as {@code long_jump=100}
 * </ul>
 */
record Setting(Tuning tuning, TimeMode time) {
    static final String DEFAULT = "default";

    /** The meaning of {@value #DEFAULT}. */
    static final Tuning MEASURED = Tuning.DEFAULT.withWorkers(1);

    /** @throws IllegalArgumentException that names the part that is unknown */
    static Setting parse(String words) {
        Tuning tuning = MEASURED;
        TimeMode time = TimeMode.NONE;
        if (!words.equals(DEFAULT)) {
            for (String part : words.split("\\+", -1)) {
                int equals = part.indexOf('=');
                if (equals < 0) {
                    throw new IllegalArgumentException("'" + part + "' in setting " + words + "; name=value expected");
                }
                String value = part.substring(equals + 1);
                switch (part.substring(0, equals)) {
                    case "rounds" -> tuning = tuning.withRounds(rounds(value));
                    case "rows" -> tuning = tuning.withRows(Rules.RealTimeRows.valueOf(value.toUpperCase(Locale.ROOT)));
                    case "workers" -> tuning = tuning.withWorkers(Integer.parseUnsignedInt(value));
                    case "time" -> time = TimeMode.valueOf(value.toUpperCase(Locale.ROOT));
                    default -> {
                        String option = part.substring(0, equals).toUpperCase(Locale.ROOT);
                        tuning = tuning.with(SolverOptions.Option.valueOf(option), Long.parseLong(value));
                    }
                }
            }
        }
        return new Setting(tuning, time);
    }

    private static int rounds(String value) {
        return switch (value) {
            case "usual" -> Tuning.USUAL;
            case "off" -> Tuning.NO_RULES;
            case "fixpoint" -> Tuning.FIXPOINT;
            default -> Integer.parseUnsignedInt(value);
        };
    }

    CheckRequest request(IsolationLevel level) {
        return new CheckRequest(level, time, 0, IndeterminateMode.MAYBE);
    }
}
