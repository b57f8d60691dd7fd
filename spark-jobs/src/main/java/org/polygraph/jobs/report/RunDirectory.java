package org.polygraph.jobs.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.Verdict;

/**
 * {@code DIR/run=<id>/}: what a check leaves behind. {@code _SUCCESS} comes last and means finished, not passed. A new
 * run is written under a temporary name and renamed, so that it is whole or absent.
 */
public final class RunDirectory {
    private static final String SUCCESS = "_SUCCESS";
    private static final String VERDICT = "verdict.json";
    private static final String EXPLANATION = "explain.txt";

    private final Path parent;
    private final Path run;

    /** @param id from {@link RunId} */
    public RunDirectory(Path parent, String id) {
        this.parent = parent;
        this.run = parent.resolve("run=" + id);
    }

    public Path path() {
        return run;
    }

    public boolean exists() {
        return Files.exists(run);
    }

    public boolean finished() {
        return Files.exists(run.resolve(SUCCESS));
    }

    /**
     * The verdict of a finished run that another try could not change: PASS, VIOLATION or INVALID. Empty for UNKNOWN and
     * ERROR, and for a run that has not finished.
     */
    public Optional<StoredVerdict> finalVerdict() throws IOException {
        if (!finished()) {
            return Optional.empty();
        }
        Path file = run.resolve(VERDICT);
        String json = Files.readString(file).stripTrailing();
        StringBuilder explanation = new StringBuilder();
        Path text = violation(run, 0).resolve(EXPLANATION);
        if (Files.exists(text)) {
            explanation.append(Files.readString(text));
        }
        StoredVerdict stored = StoredVerdict.parse(json, file, explanation.toString());
        boolean last =
                switch (stored.status()) {
                    case "PASS", "VIOLATION", "INVALID" -> true;
                    default -> false;
                };
        return last ? Optional.of(stored) : Optional.empty();
    }

    /** Writes the run, in place of any that is there. */
    public void write(Verdict verdict) throws IOException {
        Files.createDirectories(parent);
        sweep();
        // Not createTempDirectory: that one is readable by its owner only, and stays so after the rename.
        Path temporary = parent.resolve(
                "." + run.getFileName() + "." + ProcessHandle.current().pid());
        delete(temporary);
        Files.createDirectory(temporary);
        try {
            Files.writeString(temporary.resolve(VERDICT), VerdictJson.of(verdict) + "\n", StandardCharsets.UTF_8);
            if (!verdict.violations().isEmpty()) {
                Path folder = violation(temporary, 0);
                Files.createDirectories(folder);
                String text = ViolationText.of(verdict, ViolationText.Detail.FULL);
                Files.writeString(folder.resolve(EXPLANATION), text, StandardCharsets.UTF_8);
            }
            Files.writeString(temporary.resolve(SUCCESS), "", StandardCharsets.UTF_8);
            delete(run);
            try {
                Files.move(temporary, run, StandardCopyOption.ATOMIC_MOVE);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(temporary, run);
            }
        } finally {
            delete(temporary);
        }
    }

    private static Path violation(Path run, int number) {
        return run.resolve("violations").resolve(String.format("%03d", number));
    }

    /** Removes what an earlier try left that was killed while writing; what is fresh may be another process's. */
    private void sweep() throws IOException {
        Instant old = Instant.now().minus(1, ChronoUnit.HOURS);
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(parent, "." + run.getFileName() + ".*")) {
            for (Path leftover : leftovers) {
                if (Files.getLastModifiedTime(leftover).toInstant().isBefore(old)) {
                    delete(leftover);
                }
            }
        }
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
