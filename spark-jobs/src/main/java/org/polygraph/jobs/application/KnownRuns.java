package org.polygraph.jobs.application;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;

/**
 * The runs of a folder whose parts were all found to be beginnings of one chain. The run of the next part keeps their
 * number and a hash of their names and times, so that the check of the part after it reads only the verdicts of runs
 * that have been added or changed since.
 *
 * @param count the number of the runs
 */
record KnownRuns(int count, String hash) {
    private static final String FILE = "runs.txt";
    /** The hash, two spaces and the number. */
    private static final int MOST_BYTES = 64 + 2 + 10;

    /**
     * A run.
     *
     * @param finished in milliseconds since 1970; 0 if the file system does not know
     * @param list the size of its list of parts in bytes; 0 if it has none
     */
    record Found(Location location, long finished, long list) {
        static Found of(Location run) throws IOException {
            Location list = Seam.file(run, Chain.FILE);
            return new Found(run, run.child(Claim.FILE).modified(), list.exists() ? list.length() : 0);
        }
    }

    /** Returns the runs, the oldest first. */
    private static List<Found> byTime(List<Found> runs) {
        List<Found> sorted = new ArrayList<>(runs);
        sorted.sort(Comparator.comparingLong(Found::finished)
                .thenComparing(run -> run.location().fileName()));
        return sorted;
    }

    static KnownRuns of(List<Found> runs) {
        return new KnownRuns(runs.size(), hash(byTime(runs)));
    }

    private static String hash(List<Found> sorted) {
        StringBuilder lines = new StringBuilder();
        for (Found run : sorted) {
            lines.append(run.location().fileName() + " " + run.finished() + "\n");
        }
        return Fingerprint.ofText(lines.toString());
    }

    /**
     * Returns the runs of a folder that are not known to be beginnings of the chain of one of them.
     *
     * @param last the run with the chain
     */
    static List<Found> unknown(List<Found> runs, Location last) throws IOException {
        KnownRuns known = in(last);
        if (known == null || known.count > runs.size()) {
            return runs;
        }
        List<Found> sorted = byTime(runs);
        return known.hash.equals(hash(sorted.subList(0, known.count)))
                ? sorted.subList(known.count, sorted.size())
                : runs;
    }

    /** Returns the known runs that a run lists; null if it lists none. */
    private static @Nullable KnownRuns in(Location run) throws IOException {
        Location file = Seam.file(run, FILE);
        if (!file.exists()) {
            return null;
        }
        byte[] bytes = new byte[MOST_BYTES];
        try (SeekableInput in = file.open()) {
            String text =
                    new String(bytes, 0, in.readNBytes(bytes, 0, bytes.length), StandardCharsets.US_ASCII).strip();
            return text.matches("[0-9a-f]{64}  \\d{1,9}")
                    ? new KnownRuns(Integer.parseInt(text.substring(66)), text.substring(0, 64))
                    : null;
        }
    }

    /** Writes the list of known runs to a run; writes nothing if there is none. */
    static void write(@Nullable KnownRuns known, Location run) throws IOException {
        Location file = Seam.file(run, FILE);
        if (known == null) {
            file.delete();
        } else {
            String text = known.hash + "  " + known.count + "\n";
            file.write(out -> out.write(text.getBytes(StandardCharsets.US_ASCII)));
        }
    }
}
