package org.polygraph.storage.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The tiny histories of the corpus with their verdicts: a JSON object a line, {@code {initial, txns, verdicts}} (or
 * {@code expected}), whose transactions are lines of JSON Lines.
 */
public final class OracleCorpus {
    /** 1,973 histories without indeterminate transactions. */
    public static final String HISTORIES = "oracle/oracle-histories.jsonl.gz";
    /** 257 with indeterminate transactions; some have nothing committed. */
    public static final String UNKNOWN = "oracle/oracle-unknown.jsonl.gz";
    /** 23 named anomalies. */
    public static final String GOLDEN = "oracle/golden-anomalies.jsonl";

    private static final Pattern NAME = Pattern.compile("\"name\":\"([^\"]+)\"");
    private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");
    private static final Pattern INITIAL = Pattern.compile("\"initial\":(\\{[^}]*})");
    private static final Pattern VERDICT = Pattern.compile("\"([A-Z]+)\":(true|false)");
    private static final Pattern TRANSACTIONS = Pattern.compile("\"txns\":\\[(.*)]");

    /**
     * A line of a file.
     *
     * @param name the file's name for it: {@code name}, or {@code file#id}
     * @param verdicts level ({@code SSER, SER, SSI, SI, CC, RA, RC}; SSI is strong SI) to whether it accepts
     */
    public record Entry(String name, HistoryTable history, Map<String, Boolean> verdicts) {}

    private OracleCorpus() {}

    /**
     * The corpus folder: {@code POLYGRAPH_CORPUS} (system property or environment), else {@code ../shared/corpus}
     * beside the root, which is the property {@code polygraph.root} or found by walking up from the working directory.
     * Empty if there is none; tests are then skipped with a message.
     */
    public static Optional<Path> folder() {
        String override = System.getProperty("POLYGRAPH_CORPUS", System.getenv("POLYGRAPH_CORPUS"));
        if (override != null) {
            return Optional.of(Path.of(override)).filter(Files::isDirectory);
        }
        String root = System.getProperty("polygraph.root", "");
        for (Path at = Path.of(root).toAbsolutePath(); at != null; at = at.getParent()) {
            Path corpus = at.resolveSibling("shared").resolve("corpus");
            if (Files.isDirectory(corpus)) {
                return Optional.of(corpus);
            }
        }
        return Optional.empty();
    }

    /** Reads a file, gzip by its ending. Memory: all of its histories, a few kilobytes each. */
    public static List<Entry> read(Path file) throws IOException {
        String name = file.getFileName().toString();
        List<Entry> entries = new ArrayList<>();
        try (InputStream raw = Files.newInputStream(file);
                InputStream in = name.endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                String transactions = first(TRANSACTIONS, line, "")
                        .replace("\"status\":\"unknown\"", "\"status\":\"indeterminate\"")
                        .replace("},{\"session\"", "}\n{\"session\"");
                String header = "{\"format\":\"history\",\"version\":1,\"initial\":" + first(INITIAL, line, "") + "}\n";
                Map<String, Boolean> verdicts = VERDICT.matcher(line)
                        .results()
                        .collect(Collectors.toMap(each -> each.group(1), each -> Boolean.valueOf(each.group(2))));
                entries.add(new Entry(
                        first(NAME, line, name + "#" + first(ID, line, "")),
                        SimulatedHistory.read(header + transactions + "\n"),
                        verdicts));
            }
        } catch (HistoryException e) {
            throw new IOException(e.getMessage(), e);
        }
        return entries;
    }

    private static String first(Pattern pattern, String line, String otherwise) {
        Matcher found = pattern.matcher(line);
        return found.find() ? found.group(1) : otherwise;
    }
}
