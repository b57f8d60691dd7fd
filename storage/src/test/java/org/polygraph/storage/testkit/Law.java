package org.polygraph.storage.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * What has to hold for the input of every seed. For example, the law "rows" takes tiny histories with inserts and
 * deletes, and every engine has to give the verdict of the definition. {@code -Dseed=N} tries one seed, {@code
 * -Dlaw.stream=N} others than the usual ones. A failure leaves the smallest part of the input that still fails in {@code
 * target/laws}.
 *
 * @param <T> the inputs
 * @param rounds at factor 1, see {@link SuiteScale}
 * @param least the rounds at a small factor; {@code law.least} sets those of all laws, for mutants
 * @param floors by event that the property counts: in which share of the rounds it has to happen
 */
public record Law<T extends Law.Input<T>>(
        String name, int rounds, int least, LongFunction<T> source, Property<T> property, Map<String, Double> floors) {
    private static final int USUAL = 60;
    /** Parts that are tried to make a failure smaller. */
    private static final int MOST_TRIALS = Integer.getInteger("law.trials", 300);
    /** Each number has inputs of its own, so that an hour of laws does not repeat those of every run; 0 also has floors. */
    private static final long STREAM = Long.getLong("law.stream", 0);

    /** What a law is about. */
    public interface Input<T> {
        /** The parts of it that lack one thing. */
        List<T> smaller();

        /** The input as a person can read it. */
        String text();
    }

    /** What holds. */
    public interface Property<T> {
        /**
         * Fails if it does not hold.
         *
         * @param random always the same for an input
         */
        void holds(T input, SplitMix random, Tally tally) throws Exception;
    }

    /** How often events happened. */
    public static final class Tally {
        private final Map<String, Integer> counts = new TreeMap<>();

        public void count(String event) {
            counts.merge(event, 1, Integer::sum);
        }

        public void count(String event, int times) {
            counts.merge(event, times, Integer::sum);
        }

        public int of(String event) {
            return counts.getOrDefault(event, 0);
        }
    }

    public Law(String name, int rounds, LongFunction<T> source, Property<T> property) {
        this(name, rounds, USUAL, source, property, Map.of());
    }

    /** The law with that many rounds at a small factor. */
    public Law<T> atLeast(int some) {
        return new Law<>(name, rounds, some, source, property, floors);
    }

    /** The law with one more floor. */
    public Law<T> floor(double share, String... events) {
        Map<String, Double> all = new TreeMap<>(floors);
        for (String event : events) {
            all.put(event, share);
        }
        return new Law<>(name, rounds, least, source, property, all);
    }

    /**
     * Runs the law.
     *
     * @param command runs this law, so that a failure can name it
     */
    public void run(String command) {
        Long only = Long.getLong("seed");
        Tally tally = new Tally();
        int tried = only == null ? SuiteScale.of(rounds, Integer.getInteger("law.least", least)) : 1;
        for (int i = 0; i < tried; i++) {
            long seed = only == null ? SplitMix.seedOf(name.hashCode() + (STREAM << 32), i) : only;
            T input = source.apply(seed);
            Throwable failure = failure(input, seed, tally);
            if (failure != null) {
                throw new AssertionError(
                        "law " + name + " fails: " + command + " -Dseed=" + seed + "; the smallest part is "
                                + kept(input, seed),
                        failure);
            }
        }
        System.out.println("law " + name + ", " + tried + " inputs: " + tally.counts);
        floors.forEach((event, share) -> {
            int count = tally.of(event);
            if (only == null && STREAM == 0 && count <= share * tried) {
                throw new AssertionError("law " + name + ": \"" + event + "\" happened " + count + " times in " + tried
                        + " inputs, and has to in more than " + share + " of them");
            }
        });
    }

    private Throwable failure(T input, long seed, Tally tally) {
        try {
            property.holds(input, new SplitMix(SplitMix.mix(seed)), tally);
            return null;
        } catch (Exception | AssertionError e) {
            return e;
        }
    }

    /** The file of a part that fails too, of which no smaller part does that leaves out one thing. */
    private Path kept(T failing, long seed) {
        T smallest = failing;
        int trials = 0;
        for (boolean isSmaller = true; isSmaller && trials < MOST_TRIALS; ) {
            isSmaller = false;
            for (T each : smallest.smaller()) {
                trials++;
                // An exception may also mean that the part is no input.
                if (failure(each, seed, new Tally()) instanceof AssertionError) {
                    smallest = each;
                    isSmaller = true;
                    break;
                }
            }
        }
        try {
            Path folder = Files.createDirectories(Path.of("target", "laws").toAbsolutePath());
            return Files.writeString(folder.resolve(name + "-" + seed + ".txt"), smallest.text());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
