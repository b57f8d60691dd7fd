package org.polygraph.storage.format;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The corpus of histories beside the repository, or where POLYGRAPH_CORPUS says. */
public final class Corpus {
    private Corpus() {}

    /** The corpus; the test is skipped where there is none. */
    public static Path root() {
        String override = System.getProperty("POLYGRAPH_CORPUS", System.getenv("POLYGRAPH_CORPUS"));
        Path corpus = override != null ? Path.of(override) : repository().resolve("../shared/corpus");
        assumeTrue(Files.isDirectory(corpus), "skipped: there is no corpus at " + corpus);
        return corpus;
    }

    private static Path repository() {
        String root = System.getProperty("polygraph.root");
        if (root != null) {
            return Path.of(root);
        }
        Path folder = Path.of("").toAbsolutePath();
        while (folder.getParent() != null && !Files.exists(folder.resolve(".mvn"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** The paths directly in a folder of the corpus, ascending. */
    public static List<Path> list(String folder) throws IOException {
        try (Stream<Path> paths = Files.list(root().resolve(folder))) {
            return paths.sorted().collect(Collectors.toList());
        }
    }
}
