package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.polygraph.partitioner.isolation.IsolationLevel;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code -l}: a level that this version decides. Levels that exist but are not decided have their own message. */
final class LevelConverter implements ITypeConverter<IsolationLevel> {
    private static final Set<IsolationLevel> DECIDED =
            EnumSet.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);

    @Override
    public IsolationLevel convert(String text) {
        List<String> known = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            known.add(level.label());
        }
        known.add("lin");
        IsolationLevel level = IsolationLevel.ofLabel(text).orElse(null);
        if (level != null && DECIDED.contains(level)) {
            return level;
        }
        if (level != null || text.equalsIgnoreCase("lin")) {
            throw new TypeConversionException(
                    "level " + text + " is not decided by this version, which decides " + decided());
        }
        throw new TypeConversionException(
                "unknown level '" + text + "'" + Suggestion.forWord(text, known) + " (levels: " + decided() + ")");
    }

    private static String decided() {
        List<String> labels = new ArrayList<>();
        for (IsolationLevel level : DECIDED) {
            labels.add(level.label());
        }
        return String.join(", ", labels);
    }
}
