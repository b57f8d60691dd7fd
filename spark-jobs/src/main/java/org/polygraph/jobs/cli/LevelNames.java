package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * The names of levels in the literature, in SQL and in Elle. A name means the weakest level here that implies its usual
 * meaning, so a PASS means what its reader expects.
 */
final class LevelNames {
    /** The labels of all levels, for messages. */
    static final String LABELS =
            Arrays.stream(IsolationLevel.values()).map(IsolationLevel::label).collect(Collectors.joining(", "));

    private static final Map<String, IsolationLevel> NAMES = new LinkedHashMap<>();

    /** Names that are not those of a level here, and the weakest level that implies each. */
    private static final Map<String, IsolationLevel> IMPLIED = new LinkedHashMap<>();

    static {
        name(IsolationLevel.SSER, "strict-serializable", "strict-serializability", "strong-serializable", "pl-ss");
        name(
                IsolationLevel.SER,
                "serializable",
                "serializability",
                "conflict-serializable",
                "view-serializable",
                "pl-3");
        name(IsolationLevel.SSI, "strong-snapshot-isolation", "strong-pl-si");
        name(IsolationLevel.SI, "snapshot-isolation", "snapshot", "pl-si");
        name(IsolationLevel.PC, "prefix-consistency", "prefix-consistent", "prefix", "consistent-prefix");
        name(IsolationLevel.CC, "causal-consistency", "causal", "causal-cerone");
        name(IsolationLevel.RA, "read-atomicity", "read-atomic");
        name(IsolationLevel.RC, "read-committed");
        name(IsolationLevel.PL2, "pl-2");
        name(IsolationLevel.LIN, "linearizable", "linearizability");
        implied(IsolationLevel.SER, "update-serializable", "pl-3u");
        implied(IsolationLevel.SER, "sequential", "sequential-consistency", "1sr", "one-copy-serializable");
        implied(IsolationLevel.SSER, "strong-1sr");
        implied(IsolationLevel.SSI, "strong-read-committed", "strong-pl-2", "strong-read-uncommitted", "strong-pl-1");
        implied(IsolationLevel.SI, "parallel-snapshot-isolation", "rola");
        implied(IsolationLevel.SI, "forward-consistent-view", "pl-fcv", "consistent-view", "pl-2+");
        implied(IsolationLevel.SI, "monotonic-view", "pl-2l", "monotonic-snapshot-read", "pl-msr");
        implied(IsolationLevel.SI, "cursor-stability", "pl-cs");
        implied(IsolationLevel.SI, "update-atomic");
        implied(IsolationLevel.CC, "pram", "monotonic-reads", "monotonic-writes");
        implied(IsolationLevel.CC, "read-your-writes", "writes-follow-reads");
        implied(IsolationLevel.RA, "monotonic-atomic-view");
        implied(IsolationLevel.PL2, "read-uncommitted", "pl-1");
    }

    private LevelNames() {}

    private static void name(IsolationLevel level, String... names) {
        for (String name : names) {
            NAMES.put(name, level);
        }
    }

    private static void implied(IsolationLevel level, String... names) {
        for (String name : names) {
            IMPLIED.put(name, level);
        }
    }

    /** The level of a name or label, in any case, with spaces or underscores for hyphens. */
    static Optional<IsolationLevel> of(String word) {
        Optional<IsolationLevel> labelled = IsolationLevel.ofLabel(word);
        return labelled.isPresent() ? labelled : Optional.ofNullable(NAMES.get(plain(word)));
    }

    private static String plain(String word) {
        // Session order is part of every level, so this prefix is ignored.
        return word.toLowerCase(Locale.ROOT).replaceAll("[ _]+", "-").replaceFirst("^:?(strong-session-)?", "");
    }

    /** Explains why a word is not the name of a level, and what to give instead. */
    static String refusal(String word) {
        String plain = plain(word);
        if (plain.equals("repeatable-read") || plain.equals("pl-2.99")) {
            return "'" + word + "' means another level in each database: in PostgreSQL snapshot isolation (si);"
                    + " in MySQL and MariaDB reads from one snapshot, where updates may be lost (cc);"
                    + " where locks on rows are held until the end, as in Derby, SQL Server and Elle's PL-2.99,"
                    + " serializability (ser) of transactions that access rows by key;"
                    + " give the level that your database promises";
        }
        IsolationLevel stronger = IMPLIED.get(plain);
        if (stronger != null) {
            return "'" + word + "' is not decided; " + stronger.label() + " (" + stronger.title() + ") implies it";
        }
        List<String> known = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            known.add(level.label());
        }
        known.addAll(NAMES.keySet());
        known.addAll(IMPLIED.keySet());
        known.add(LevelConverter.ALL);
        return "unknown level '" + word + "'" + Suggestion.forWord(word, known) + " (levels: " + LABELS + ")";
    }
}
