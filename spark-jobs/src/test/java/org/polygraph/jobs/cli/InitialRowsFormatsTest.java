package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.testkit.BinaryFiles;

/** Loaders of initial rows in each format that can have them; loaders-of-the-initial-rows.case has the answers. */
class InitialRowsFormatsTest {
    private static final String LOST_UPDATE = "w(0,0,0,0)\nr(0,0,1,1)\nw(0,1,1,1)\nr(0,0,2,2)\nw(0,2,2,2)\n";

    @TempDir
    private Path folder;

    private static InProcess check(String level, String path, String... options) {
        List<String> words = new ArrayList<>(List.of("check", "-l", level));
        words.addAll(List.of(options));
        words.add(path);
        return InProcess.run(words);
    }

    /** The same history in other formats. */
    private List<String> copies(String lines) throws Exception {
        String path = Files.writeString(folder.resolve("plume.txt"), lines).toString();
        String parquet = folder.resolve("copy.parquet").toString();
        InProcess convert = InProcess.run("convert", "-q", "--overwrite", path, parquet);
        assertThat(convert.exitCode()).as(convert.toString()).isZero();
        Path dbcop = folder.resolve("copy.bincode");
        BinaryFiles.dbcop(HistoryReader.read(path, HistoryFormat.AUTO), dbcop);
        return List.of(path, parquet, dbcop.toString());
    }

    @Test
    void eachFormatHasTheSameAnswer() throws Exception {
        String oneByOne = "w(7,0,0,0)\n" + LOST_UPDATE.replace("w(0,0,0,0)", "w(0,0,0,1)") + "r(7,0,1,1)\n";
        for (String lines : List.of(LOST_UPDATE, oneByOne)) {
            for (String initial : List.of("auto", "implicit")) {
                Set<String> answers = new HashSet<>();
                for (String path : copies(lines)) {
                    InProcess answer = check("ser,si,rc", path, "--initial", initial);
                    assertThat(answer.exitCode()).isEqualTo(initial.equals("implicit") ? 0 : 3);
                    answers.add(answer.toString().replace(path, "@").replaceAll("\\d+ ms|@:[a-z]* ?\\d+", "~"));
                }
                assertThat(answers).hasSize(1);
            }
        }
    }

    @Test
    @Tag("spark")
    void sparkMakesTheSameChoice() throws Exception {
        for (String path : copies(LOST_UPDATE)) {
            InProcess embedded = check("ser,si,ra", path, "--json", "-q");
            InProcess spark = check("ser,si,ra", path, "--json", "-q", "--engine", "spark", "--master", "local[2]");
            // Windows do not find out whether a violation depends on the loaders, and have other phases.
            String others = ",\"effect\":\"[a-z]*\"|,\"phases\":.*|,\"windows\":\\{[^}]*\\}";
            assertThat(Untimed.json(spark.out()).replaceAll(others, ""))
                    .isEqualTo(Untimed.json(embedded.out()).replaceAll(others, ""));
            assertThat(spark.exitCode()).isEqualTo(3);
        }
    }
}
