package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A plain local path is read and written without Hadoop's file systems, and read without Parquet's library. A JVM that
 * logs the classes that it loads shows this.
 */
class ClassLoadingTest {
    @TempDir
    Path folder;

    /** Reads the file args[0] and writes it to args[1]. */
    public static void main(String[] args) throws Exception {
        HistoryWriter.write(
                HistoryReader.read(args[0], HistoryFormat.AUTO),
                args[1],
                args[1].endsWith("parquet") ? HistoryFormat.PARQUET : HistoryFormat.JSONL);
        System.out.println("done");
    }

    private List<String> loaded(String from, String to) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClassLoadingTest.class.getName(),
                        from,
                        to)
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
        assertThat(lines).contains("done");
        return lines.stream().filter(line -> line.contains(" org.apache.")).toList();
    }

    @Test
    void jsonlLoadsNeitherHadoopNorParquet() throws Exception {
        Inputs inputs = new Inputs(folder);
        String path = inputs.write("h.jsonl", TestFiles.HEADER);
        assertThat(loaded(path, inputs.path("to.jsonl.gz").toString())).isEmpty();
        String text = inputs.write("h.txt", "r(1,1,1,1)\n");
        assertThat(loaded(text, inputs.path("to.jsonl.zst").toString())).isEmpty();
    }

    @Test
    void parquetIsReadByTheMetadataOfItsLibraryAndWrittenWithoutFileSystem() throws Exception {
        Inputs inputs = new Inputs(folder);
        String path = inputs.write("h.txt", "r(1,1,1,1)\n");
        String parquet = inputs.path("to.parquet").toString();
        assertThat(loaded(path, parquet))
                .anyMatch(line -> line.contains(" org.apache.parquet."))
                .noneMatch(line -> line.contains(" org.apache.hadoop.fs.FileSystem"));
        assertThat(loaded(parquet, inputs.path("back.jsonl").toString()))
                .allMatch(line -> line.contains(" org.apache.parquet.format."));
    }
}
