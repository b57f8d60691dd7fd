package org.polygraph.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every link from a document of the project to a file of the project leads to a file. */
class DocumentLinksTest {
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#\\s]+)(#[^)]*)?\\)");

    @Test
    void linksLeadToFiles() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            Matcher link = LINK.matcher(Files.readString(document));
            while (link.find()) {
                if (!Files.exists(document.resolveSibling(link.group(1)))) {
                    broken.add(document + ": " + link.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String module :
                List.of("", "storage", "partitioner", "local-solver", "spark-jobs", "cluster-config", "benchmarks")) {
            for (String folder : List.of("", "docs", "docs/recorders", "results")) {
                Path path = Path.of("..", module, folder);
                if (Files.isDirectory(path)) {
                    try (Stream<Path> files = Files.list(path)) {
                        files.filter(file -> file.toString().endsWith(".md")).forEach(found::add);
                    }
                }
            }
        }
        assertThat(found).hasSizeGreaterThan(30);
        return found;
    }
}
