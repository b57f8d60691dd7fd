package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Strings of JSON may contain halves of surrogate pairs, which UTF-8 cannot encode: a run is written, read back and
 * verified, and different strings stay different.
 */
class HalfPairsTest {
    private static final String HEADER = "{'format':'history','version':1,";
    private static final String FIRST = "{'session':0,'index':0,'status':'committed','ops':[";
    private static final String SECOND = "]}\n{'session':1,'index':0,'status':'committed','ops':[";

    @TempDir
    private Path folder;

    private String history(String header, String first, String second) throws IOException {
        String lines = (header.isEmpty() ? "" : HEADER + header + "}\n") + FIRST + first + SECOND + second + "]}\n";
        return Files.writeString(
                        folder.resolve("h.jsonl"), lines.replace('\'', '"').replace("~", "\\ud800"))
                .toString();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            key      | ``                                           | {'op':'w','key':'a~','value':1}   | {'op':'r','key':'a~','value':1}
            value    | ``                                           | {'op':'w','key':1,'value':'~b'}   | {'op':'r','key':1,'value':'~b'}
            element  | ``                                           | {'op':'append','key':1,'value':'~'} | {'op':'r','key':1,'value':['~']}
            initial  | 'initial':{'value':'~'}                      | {'op':'r','key':1,'value':'~'}    | {'op':'w','key':1,'value':2}
            metadata | 'note':'~','isolation':'~','level':'ser'     | {'op':'w','key':1,'value':2}      | {'op':'r','key':1,'value':2}
            field    | ``                                           | {'op':'w','key':1,'value':2,'note':'~'} | {'op':'r','key':1,'value':2}
            row      | ``                                           | {'op':'i','key':'~','value':'~'}  | {'op':'d','key':'~'}
            """)
    void aRunIsWrittenAndVerified(String where, String header, String first, String second) throws IOException {
        String path = history(header, first, second);
        String runs = folder.resolve("runs").toString();
        InProcess check = InProcess.run("check", "-q", "-l", "ser,si", "-o", runs, path);
        assertThat(check.exitCode()).as(where + check).isZero();
        InProcess verify = InProcess.run("verify", "-q", runs);
        assertThat(verify.exitCode()).as(where + verify).isZero();
    }

    @ParameterizedTest
    @CsvSource({"~,\\udbff", "?,~", "\\ud83d\\ude00,\\ude00\\ud83d"})
    void keysOfAViolationStayDifferent(String one, String other) throws IOException {
        String read = "{'op':'r','key':'%s','value':null},{'op':'w','key':'%s','value':1}";
        String path = history("", read.formatted(one, other), read.formatted(other, one));
        String runs = folder.resolve("runs").toString();
        InProcess check = InProcess.run("check", "-q", "-l", "ser", "--json", "-o", runs, path);
        assertThat(check.exitCode()).isEqualTo(3);
        ObjectMapper mapper = new ObjectMapper();
        for (InProcess answer : new InProcess[] {check, InProcess.run("runs", "--json", runs)}) {
            JsonNode keys =
                    mapper.readTree(answer.out()).get("anomalies").get(0).get("keys");
            assertThat(keys).as(answer.out()).hasSize(2);
            assertThat(keys.get(0)).isNotEqualTo(keys.get(1));
            assertThat(answer.out()).doesNotContain("\"?\",\"?\"");
        }
        assertThat(InProcess.run("verify", "-q", runs).exitCode()).isZero();
    }

    /** The header is written with each sub-history. */
    @Test
    void theHeaderOfAViolationIsWritten() throws IOException {
        String read = "{'op':'r','key':'x','value':null},{'op':'w','key':'x','value':1}";
        String path = history("'name':'~','more':['\\udbff']", read, read.replace(":1}", ":2}"));
        InProcess check = InProcess.run(
                "check", "-q", "-l", "ser", "-o", folder.resolve("runs").toString(), path);
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(3);
        for (String copy : new String[] {"copy.jsonl", "copy.parquet"}) {
            String out = folder.resolve(copy).toString();
            assertThat(InProcess.run("convert", path, out).exitCode()).isZero();
            assertThat(InProcess.run("check", "-q", "-l", "ser", out).exitCode())
                    .isEqualTo(3);
        }
    }

    /** Bidirectional overrides, zero-width characters and line separators. */
    @Test
    void hiddenCharactersAreEscapedInJsonAndXml() throws IOException {
        String hidden = "\u202e\u200b\u0085\ufeff\u2066\u2028";
        String read = "{'op':'r','key':'%s','value':null},{'op':'w','key':'%s','value':1}".formatted(hidden, hidden);
        String path = history("", read, read.replace(":1}", ":2}"));
        String runs = folder.resolve("runs" + hidden).toString();
        String check = InProcess.run("check", "-q", "-l", "ser", "--json", "-o", runs, path)
                .out();
        assertThat(new ObjectMapper()
                        .readTree(check)
                        .get("anomalies")
                        .get(0)
                        .get("keys")
                        .get(0)
                        .asText())
                .isEqualTo(hidden);
        StringBuilder all = new StringBuilder(check);
        for (String command : new String[] {"runs", "explain"}) {
            all.append(InProcess.run(command, "--json", runs).out());
        }
        for (String command : new String[] {"stats", "estimate"}) {
            all.append(InProcess.run(command, "--json", path).out());
        }
        try (Stream<Path> files = Files.walk(Path.of(runs))) {
            for (Path file : files.filter(
                            each -> each.toString().matches(".*(verdict.json|junit.xml|violations.jsonl)"))
                    .toList()) {
                all.append(Files.readString(file));
            }
        }
        assertThat(all).doesNotContainPattern("[" + hidden + "]");
    }
}
