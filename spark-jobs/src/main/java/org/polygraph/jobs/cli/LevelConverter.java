package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.polygraph.partitioner.isolation.IsolationLevel;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code -l}: levels that this version decides, separated by commas, or all of them. */
final class LevelConverter implements ITypeConverter<Levels> {
    static final String ALL = "all";

    /** The words that a shell may complete. */
    static final class Candidates implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(Arrays.stream(IsolationLevel.values()).map(IsolationLevel::label), Stream.of(ALL))
                    .iterator();
        }
    }

    @Override
    public Levels convert(String text) {
        if (text.equalsIgnoreCase(ALL)) {
            return Levels.ALL;
        }
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
        if (word.isEmpty() && !text.isEmpty()) {
            throw new TypeConversionException(
                    "a level is missing in '" + text + "'; give levels with one comma between them, such as ser,si");
        }
        return LevelNames.of(word).orElseThrow(() -> new TypeConversionException(LevelNames.refusal(word)));
    }
}
