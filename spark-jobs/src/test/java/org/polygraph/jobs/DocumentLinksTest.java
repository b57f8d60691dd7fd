package org.polygraph.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every link from a document of the project to a file of the project leads to a file, and to a heading if it names one. */
class DocumentLinksTest {
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#\\s]*)(?:#([^)]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void linksLeadToFiles() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            Matcher link = LINK.matcher(Files.readString(document));
            while (link.find()) {
                Path target = link.group(1).isEmpty() ? document : document.resolveSibling(link.group(1));
                if (!Files.exists(target)
                        || (link.group(2) != null && !anchors(target).contains(link.group(2)))) {
                    broken.add(document + ": " + link.group());
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    /** The anchors that GitHub gives to the headings of a document. */
    private static Set<String> anchors(Path document) throws IOException {
        return HEADING.matcher(Files.readString(document))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
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
