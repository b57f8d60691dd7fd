package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.format.HistoryFormat;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Option values: durations, sizes, formats. Their messages end with a valid value. */
final class Converters {
    private Converters() {}

    /** {@code 500ms}, {@code 10s}, {@code 5m}, {@code 1h}... as nanoseconds. */
    static final class DurationNanos implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            int unit = unitStart(text);
            long nanos =
                    switch (text.substring(unit)) {
                        case "ns" -> 1;
                        case "us" -> TimeUnit.MICROSECONDS.toNanos(1);
                        case "ms" -> TimeUnit.MILLISECONDS.toNanos(1);
                        case "s" -> TimeUnit.SECONDS.toNanos(1);
                        case "m" -> TimeUnit.MINUTES.toNanos(1);
                        case "h" -> TimeUnit.HOURS.toNanos(1);
                        case "d" -> TimeUnit.DAYS.toNanos(1);
                        default -> text.equals("0") ? 0 : -1;
                    };
            if (unit == 0 || nanos < 0) {
                throw new TypeConversionException(
                        "'" + text + "' is no duration: a number and one of ns, us, ms, s, m, h, d, such as 10s");
            }
            return times(text, unit, nanos);
        }
    }

    /** {@code 512m}, {@code 4g}... as bytes; units of 1024, upper or lower case, optional b at the end. */
    static final class Bytes implements ITypeConverter<Long> {
        /** Fewer bytes are a size whose unit was forgotten. */
        private static final long LEAST_WITHOUT_UNIT = 1 << 20;

        @Override
        public Long convert(String text) {
            int unit = unitStart(text);
            int shift =
                    switch (text.substring(unit).toLowerCase(Locale.ROOT)) {
                        case "", "b" -> 0;
                        case "k", "kb", "kib" -> 10;
                        case "m", "mb", "mib" -> 20;
                        case "g", "gb", "gib" -> 30;
                        case "t", "tb", "tib" -> 40;
                        default -> -1;
                    };
            if (unit == 0 || shift < 0) {
                throw new TypeConversionException(
                        "'" + text + "' is no size: a number and one of k, m, g, t, such as 512m");
            }
            long bytes = times(text, unit, 1L << shift);
            if (bytes == 0) {
                throw new TypeConversionException("'" + text + "' is no memory at all; give a size such as 512m");
            }
            if (unit == text.length() && bytes < LEAST_WITHOUT_UNIT) {
                throw new TypeConversionException("'" + text + "' means " + text
                        + " bytes, in which nothing fits; give a unit, such as " + text + "g");
            }
            return bytes;
        }
    }

    /** {@code 500}, {@code 10k}, {@code 2m}, {@code 1g}: a number, with units of 1000. */
    static final class Count implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            boolean isNegative = text.startsWith("-");
            String digits = isNegative ? text.substring(1) : text;
            int unit = unitStart(digits);
            long factor =
                    switch (digits.substring(unit).toLowerCase(Locale.ROOT)) {
                        case "" -> 1;
                        case "k" -> 1_000;
                        case "m" -> 1_000_000;
                        case "g" -> 1_000_000_000;
                        default -> -1;
                    };
            if (unit == 0 || factor < 0) {
                throw new TypeConversionException(
                        "'" + text + "' is no number: digits, and k for thousands or m for millions, such as 10k");
            }
            long number = times(digits, unit, factor);
            return isNegative ? -number : number;
        }
    }

    /** {@link Count} up to 2^31 - 1. */
    static final class IntCount implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            long number = new Count().convert(text);
            if (number != (int) number) {
                throw new TypeConversionException("'" + text + "' is too large");
            }
            return (int) number;
        }
    }

    /** One of several values, by its label in upper or lower case. */
    static class Labelled<T> implements ITypeConverter<T> {
        private final String what;
        private final String heading;
        private final T[] all;
        private final Function<T, String> label;

        /** @param heading the text before the list of labels in a message */
        Labelled(String what, String heading, T[] all, Function<T, String> label) {
            this.what = what;
            this.heading = heading;
            this.all = all;
            this.label = label;
        }

        @Override
        public T convert(String text) {
            List<String> labels = new ArrayList<>();
            for (T each : all) {
                if (label.apply(each).equalsIgnoreCase(text)) {
                    return each;
                }
                labels.add(label.apply(each));
            }
            throw new TypeConversionException("unknown " + what + " '" + text + "'" + Suggestion.forWord(text, labels)
                    + " (" + heading + String.join(", ", labels) + ")");
        }
    }

    /** {@code -f}: a format's label. */
    static final class Format extends Labelled<HistoryFormat> {
        static final String LABELS = HistoryFormat.LABELS + ".";

        Format() {
            super("format", "formats: ", formats(HistoryFormat::isRead), HistoryFormat::label);
        }
    }

    /** {@code -t}: the label of a format that is written. */
    static final class Target extends Labelled<HistoryFormat> {
        Target() {
            super("format", "formats: ", formats(format -> format != HistoryFormat.AUTO), HistoryFormat::label);
        }
    }

    private static HistoryFormat[] formats(Predicate<HistoryFormat> which) {
        return Arrays.stream(HistoryFormat.values()).filter(which).toArray(HistoryFormat[]::new);
    }

    /** {@code --initial}. */
    static final class Initial implements ITypeConverter<InitialChoice> {
        @Override
        public InitialChoice convert(String text) {
            return InitialChoice.ofLabel(text)
                    .orElseThrow(() -> new TypeConversionException(
                            "'" + text + "' names no transaction: auto, implicit, or SESSION#INDEX such as 0#0"));
        }
    }

    /** One of an enum's constants, in lower case. */
    static final class Choice<E extends Enum<E>> extends Labelled<E> {
        Choice(Class<E> type) {
            super("choice", "", type.getEnumConstants(), constant -> constant.name()
                    .toLowerCase(Locale.ROOT));
        }
    }

    private static int unitStart(String text) {
        int i = 0;
        while (i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9') {
            i++;
        }
        return i;
    }

    private static long times(String text, int digits, long unit) {
        try {
            return Math.multiplyExact(Long.parseLong(text.substring(0, digits)), unit);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new TypeConversionException("'" + text + "' is too large");
        }
    }
}
