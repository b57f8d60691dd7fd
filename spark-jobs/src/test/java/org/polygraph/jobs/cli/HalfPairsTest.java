package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
