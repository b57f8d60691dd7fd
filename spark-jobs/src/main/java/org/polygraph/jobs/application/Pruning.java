package org.polygraph.jobs.application;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.VerdictFields;
import org.polygraph.jobs.report.RunList;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/**
 * What may go from a folder of runs when they are old. A run that is no part of a chain goes as a whole. A run of a chain
 * loses its certificate, and the state, tail and exchanges of its seam. It keeps its verdict, pages and violations,
 * and what later parts need: its list of parts, the hashes of what the part wrote, and {@code seam.parquet}, whose
 * hashes later seams rest on.
 *
 * <p>Of each level the run with the longest chain, the last one with a seam, and for each run that is kept the run on
 * whose seam it was decided stay as they are.
 */
public final class Pruning {
    /** What a run has instead of its evidence. */
    private static final String MARK = "pruned.txt";

    private final List<Item> items = new ArrayList<>();
    private final int runs;
    private long bytes;

    /**
     * What goes from a run.
     *
     * @param location of the run
     * @param files in the run; empty if the run goes as a whole
     * @param bytes of all that goes
     */
    public record Item(RunList.Run run, Location location, List<Location> files, long bytes) {
        /** Whether nothing of the run stays. */
        public boolean isWhole() {
            return files.isEmpty();
        }
    }

    /**
     * A run with what decides whether it is kept.
     *
     * @param parts the bytes of its list of parts, which has a line a part; 0 if it is no part of a chain
     * @param base the name of the run on whose seam it was decided; empty if there is none
     */
    private record Candidate(RunList.Run run, Location location, long parts, String base) {
        boolean hasSeam() throws IOException {
            return Seam.file(location, SeamFiles.STATE).exists();
        }
    }

    /**
     * Looks for what may go.
     *
     * @param folder of runs; or of such folders, as a job has that keeps each run in a folder of its own, whose runs are
     *     then looked at together
     * @param keep the number of the newest runs of each level that stay as they are
     * @param before runs that finished at this time or later stay as they are
     */
    public Pruning(Location folder, int keep, Instant before) throws IOException, HistoryException {
        List<Candidate> all = new ArrayList<>();
        addRuns(folder, all);
        if (all.isEmpty()) {
            for (Location child : folder.children()) {
                if (child.isFolder()) {
                    addRuns(child, all);
                }
            }
            all.sort(Comparator.comparing(candidate -> candidate.run.time()));
        }
        runs = all.size();
        List<Candidate> old = new ArrayList<>();
        Set<String> kept = new HashSet<>();
        Map<String, Integer> newer = new HashMap<>();
        Map<String, Candidate> longest = new HashMap<>();
        Map<String, Candidate> lastSeam = new HashMap<>();
        for (int i = all.size() - 1; i >= 0; i--) {
            Candidate candidate = all.get(i);
            String level = candidate.run.verdict().level();
            if (newer.merge(level, 1, Integer::sum) <= keep
                    || !Instant.parse(candidate.run.time()).isBefore(before)) {
                keep(candidate, kept);
            } else {
                old.add(candidate);
            }
            if (candidate.parts > 0) {
                longest.merge(level, candidate, Pruning::longer);
                if (candidate.hasSeam()) {
                    lastSeam.merge(level, candidate, Pruning::longer);
                }
            }
        }
        longest.values().forEach(run -> keep(run, kept));
        lastSeam.values().forEach(run -> keep(run, kept));
        for (Candidate candidate : old) {
            if (!kept.contains(candidate.run.name())) {
                add(candidate);
            }
        }
    }

    private static void keep(Candidate run, Set<String> kept) {
        kept.add(run.run.name());
        kept.add(run.base);
    }

    /** The run with more parts; the first one, which is newer, if both have as many. */
    private static Candidate longer(Candidate one, Candidate other) {
        return other.parts > one.parts ? other : one;
    }

    private static void addRuns(Location folder, List<Candidate> all) throws IOException, HistoryException {
        for (RunList.Run run : RunList.of(folder)) {
            all.add(candidate(run, folder.child(run.name())));
        }
    }

    private static Candidate candidate(RunList.Run run, Location location) throws IOException, HistoryException {
        VerdictFields fields = VerdictFields.read(
                new ByteArrayInputStream(run.verdict().json().getBytes(StandardCharsets.UTF_8)),
                found -> new HistoryException(location.name(), found, "a verdict", "check the part again"));
        boolean isOfChain = fields.number("chain.parts") > 1;
        Location seam = location.child(Seam.FOLDER);
        if (seam.exists()) {
            for (Location file : seam.children()) {
                // Every run of a file has the list, also one that no part was checked after.
                isOfChain |= !file.fileName().equals(Chain.FILE);
            }
        }
        if (!isOfChain) {
            return new Candidate(run, location, 0, "");
        }
        // The folder of runs may have moved since, so only the name counts.
        String base = fields.text("chain.base");
        return new Candidate(
                run, location, Seam.file(location, Chain.FILE).length(), base.substring(base.lastIndexOf('/') + 1));
    }

    private void add(Candidate run) throws IOException {
        List<Location> files = new ArrayList<>();
        if (run.parts > 0) {
            List<Location> all = new ArrayList<>(List.of(run.location.child(RankFile.FOLDER)));
            SeamFiles.names().forEach(name -> all.add(Seam.file(run.location, name)));
            for (Location file : all) {
                if (file.exists()) {
                    files.add(file);
                }
            }
            if (files.isEmpty()) {
                return;
            }
        }
        long size = 0;
        for (Location file : files.isEmpty() ? List.of(run.location) : files) {
            size += file.bytes();
        }
        items.add(0, new Item(run.run, run.location, files, size));
        bytes += size;
    }

    /** What goes, the oldest run first. */
    public List<Item> items() {
        return items;
    }

    /** The number of runs in the folder. */
    public int runs() {
        return runs;
    }

    /** The bytes of all that goes. */
    public long bytes() {
        return bytes;
    }

    /** Deletes it. A run that is half gone after a kill counts as unfinished, or as pruned. */
    public void delete() throws IOException {
        for (Item item : items) {
            Location run = item.location;
            if (item.isWhole()) {
                run.child(Claim.FILE).delete();
                run.delete();
                continue;
            }
            String text = Instant.now() + "  runs --prune removed the certificate and the state and tail of the seam\n";
            run.child(MARK).write(out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
            for (Location file : item.files) {
                file.delete();
            }
        }
    }

    /** Whether the evidence of a run was removed. */
    public static boolean isPruned(Location run) throws IOException {
        return run.child(MARK).exists() && !run.child(RankFile.FOLDER).exists();
    }
}
