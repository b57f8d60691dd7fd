package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.partitioner.isolation.IsolationLevel;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code -l}: a level that this version decides. */
final class LevelConverter implements ITypeConverter<IsolationLevel> {

    @Override
    public IsolationLevel convert(String text) {
        List<String> known = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            known.add(level.label());
        }
        known.add("lin");
        IsolationLevel level = IsolationLevel.ofLabel(text).orElse(null);
        if (level != null) {
            return level;
        }
        if (text.equalsIgnoreCase("lin")) {
            throw new TypeConversionException(
                    "level " + text + " is not decided by this version, which decides " + decided());
        }
        throw new TypeConversionException(
                "unknown level '" + text + "'" + Suggestion.forWord(text, known) + " (levels: " + decided() + ")");
    }

    private static String decided() {
        List<String> labels = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            labels.add(level.label());
        }
        return String.join(", ", labels);
    }
}
