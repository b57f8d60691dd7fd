package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.partitioner.isolation.IsolationLevel;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code -l}: levels that this version decides, separated by commas. */
final class LevelConverter implements ITypeConverter<Levels> {

    @Override
    public Levels convert(String text) {
        List<IsolationLevel> levels = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            IsolationLevel level = level(word.strip(), text);
            if (levels.contains(level)) {
                throw new TypeConversionException(
                        "level " + level.label() + " is given twice in '" + text + "'; give it once");
            }
            levels.add(level);
        }
        return new Levels(levels);
    }

    private static IsolationLevel level(String word, String text) {
        List<String> known = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            known.add(level.label());
        }
        IsolationLevel level = IsolationLevel.ofLabel(word).orElse(null);
        if (level != null) {
            return level;
        }
        if (word.isEmpty() && !text.isEmpty()) {
            throw new TypeConversionException(
                    "a level is missing in '" + text + "'; give levels with one comma between them, such as ser,si");
        }
        throw new TypeConversionException(
                "unknown level '" + word + "'" + Suggestion.forWord(word, known) + " (levels: " + decided() + ")");
    }

    private static String decided() {
        List<String> labels = new ArrayList<>();
        for (IsolationLevel level : IsolationLevel.values()) {
            labels.add(level.label());
        }
        return String.join(", ", labels);
    }
}
