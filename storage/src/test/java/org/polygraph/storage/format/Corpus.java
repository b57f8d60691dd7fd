package org.polygraph.storage.format;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.polygraph.storage.testkit.OracleCorpus;

/** The corpus of histories beside the repository, or at the path in POLYGRAPH_CORPUS. */
public final class Corpus {
    private Corpus() {}

    /** The corpus; the test is skipped where there is none. */
    public static Path root() {
        Path corpus = OracleCorpus.folder().orElse(null);
        assumeTrue(corpus != null, "skipped: there is no corpus beside the repository (../shared/corpus)");
        return corpus;
    }

    /** The paths directly in a folder of the corpus, ascending. */
    public static List<Path> list(String folder) throws IOException {
        try (Stream<Path> paths = Files.list(root().resolve(folder))) {
            return paths.sorted().collect(Collectors.toList());
        }
    }
}
