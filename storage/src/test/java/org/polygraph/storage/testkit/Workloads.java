package org.polygraph.storage.testkit;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.polygraph.storage.generate.Workload;

/** Workloads in one line of text. */
public final class Workloads {
    private Workloads() {}

    /** Calls the setters that the words name, as in {@code "sessions 4 operations 1 6 level SI timed false"}. */
    public static Workload of(String words) {
        Workload workload = new Workload();
        // A setter begins where a letter in lower case does, but for true and false.
        for (String call : words.split(" (?=[a-z])(?!true|false)")) {
            String[] all = call.split(" ");
            try {
                Method setter = Stream.of(Workload.class.getMethods())
                        .filter(each -> each.getName().equals(all[0]) && each.getParameterCount() == all.length - 1)
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("no setter for " + call));
                Class<?>[] types = setter.getParameterTypes();
                Object[] values = new Object[types.length];
                Arrays.setAll(values, i -> value(types[i], all[i + 1]));
                setter.invoke(workload, values);
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException(call, e);
            }
        }
        return workload;
    }

    public static Workload of(long seed, String words) {
        return of(words).seed(seed);
    }

    private static Object value(Class<?> type, String word) {
        return switch (type.getSimpleName().toLowerCase(Locale.ROOT)) {
            case "int" -> Integer.valueOf(word);
            case "long" -> Long.valueOf(word);
            case "double" -> Double.valueOf(word);
            case "boolean" -> Boolean.valueOf(word);
            default ->
                Stream.of(type.getEnumConstants())
                        .filter(each -> each.toString().equals(word))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("no " + word));
        };
    }
}
