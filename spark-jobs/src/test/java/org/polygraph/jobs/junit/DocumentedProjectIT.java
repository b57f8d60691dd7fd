package org.polygraph.jobs.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The project of java.md, built by Maven in a folder of its own from the packaged modules. Its repository is new, and reads the
 * files of the user's without changing them.
 */
@Tag("process")
class DocumentedProjectIT {
    private static final Path ROOT =
            Path.of(System.getProperty("polygraph.root", "..")).toAbsolutePath();
    private static final List<String> MODULES =
            List.of("storage", "partitioner", "local-solver", "cluster-config", "spark-jobs");
    /** What the class path may have at most; it has half of this. */
    private static final long MOST_BYTES = 20_000_000;

    private static final String WRITE_SKEW = """
            import static org.junit.jupiter.api.Assertions.assertThrows;
            import static org.junit.jupiter.api.Assertions.assertTrue;

            import java.nio.file.Path;
            import org.junit.jupiter.api.Test;
            import org.polygraph.jobs.application.IsolationCheck;
            import org.polygraph.jobs.record.HistoryRecorder;
            import org.polygraph.partitioner.isolation.Anomaly;
            import org.polygraph.partitioner.isolation.IsolationLevel;

            class WriteSkewTest {
                @Test
                void skew() throws Exception {
                    HistoryRecorder recorder = HistoryRecorder.inMemory(1);
                    HistoryRecorder.Transaction a = recorder.session().begin();
                    HistoryRecorder.Transaction b = recorder.session().begin();
                    a.read("x", 1);
                    a.read("y", 1);
                    b.read("x", 1);
                    b.read("y", 1);
                    a.write("x", 2);
                    b.write("y", 3);
                    a.commit();
                    b.commit();
                    IsolationCheck check = IsolationCheck.of(recorder.history()).keepIn(Path.of("target", "runs"));
                    AssertionError error =
                            assertThrows(AssertionError.class, () -> check.assertKeeps(IsolationLevel.SER));
                    assertTrue(error.getMessage().contains("\\nReport: "), error.getMessage());
                    check.assertKeeps(IsolationLevel.SI);
                    check.mayShow(Anomaly.WRITE_SKEW).assertKeeps(IsolationLevel.SER);
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void itTestsWithASmallClassPath() throws IOException, InterruptedException, URISyntaxException {
        String page = Files.readString(ROOT.resolve("spark-jobs/docs/java.md"));
        Path project = Files.createDirectories(folder.resolve("project"));
        Path tests = Files.createDirectories(project.resolve("src/test/java"));
        // The version that this build has used; Maven's default may not be in the user's repository.
        String resources = "<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>";
        Files.writeString(
                project.resolve("pom.xml"), block(page, "xml").replace("</plugins>", resources + "</plugins>"));
        Files.writeString(tests.resolve("TransfersTest.java"), block(page, "java"));
        Files.writeString(tests.resolve("WriteSkewTest.java"), WRITE_SKEW);
        Path repository = folder.resolve("repository");
        install(repository, "polygraph", ROOT.resolve("pom.xml"), null);
        for (String module : MODULES) {
            String artifact = "polygraph-" + module;
            install(
                    repository,
                    artifact,
                    ROOT.resolve(module).resolve("pom.xml"),
                    ROOT.resolve(module).resolve("target").resolve(artifact + "-0.1.0.jar"));
        }
        Path settings = Files.writeString(
                folder.resolve("settings.xml"),
                "<settings><localRepository>" + repository + "</localRepository><mirrors><mirror><id>here</id>"
                        + "<mirrorOf>*</mirrorOf><url>" + usersRepository().toUri()
                        + "</url></mirror></mirrors></settings>");
        maven(
                project,
                settings,
                "test",
                "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath",
                "-Dmdep.outputFile=classpath");

        assertThat(project.resolve("target/surefire-reports/TEST-TransfersTest.xml"))
                .content()
                .contains("tests=\"1\"");
        assertThat(project.resolve("target/surefire-reports/TEST-WriteSkewTest.xml"))
                .content()
                .contains("tests=\"1\"");
        assertThat(project.resolve("target/polygraph/TransfersTest/transfers.jsonl"))
                .exists();
        TreeSet<String> names = new TreeSet<>();
        long bytes = 0;
        for (String jar : Files.readString(project.resolve("classpath")).split(":")) {
            if (!jar.matches(".*/org/(junit|opentest4j|apiguardian)/.*")) {
                names.add(Path.of(jar).getFileName().toString().replaceAll("-\\d.*", ""));
                bytes += Files.size(Path.of(jar));
            }
        }
        assertThat(names).isEqualTo(listed(page));
        assertThat(bytes).isLessThan(MOST_BYTES);
    }

    /** The first block of a language. */
    private static String block(String page, String language) {
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private static TreeSet<String> listed(String page) {
        Matcher row = Pattern.compile("^\\| `([a-z0-9-]+)` \\| [0-9,]+ \\|$", Pattern.MULTILINE)
                .matcher(page);
        TreeSet<String> names = new TreeSet<>();
        while (row.find()) {
            names.add(row.group(1));
        }
        return names;
    }

    private static void install(Path repository, String artifact, Path pom, Path jar) throws IOException {
        Path target = Files.createDirectories(repository.resolve("org/polygraph/" + artifact + "/0.1.0"));
        Files.copy(pom, target.resolve(artifact + "-0.1.0.pom"));
        if (jar != null) {
            Files.copy(jar, target.resolve(jar.getFileName()));
        }
    }

    /** The repository from which this build has its libraries. */
    private static Path usersRepository() throws URISyntaxException {
        Path jar = Path.of(
                Test.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path repository = jar;
        for (int above = 0; above < 6; above++) {
            repository = repository.getParent();
        }
        assertThat(repository.resolve("org/junit/jupiter/junit-jupiter-api")).isDirectory();
        return repository;
    }

    private void maven(Path project, Path settings, String... goals) throws IOException, InterruptedException {
        Path out = folder.resolve("out.txt");
        Process process = new ProcessBuilder(Stream.concat(
                                Stream.of("mvn", "-B", "-q", "-s", settings.toString(), "-gs", settings.toString()),
                                Stream.of(goals))
                        .toList())
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES))
                    .as(Files.readString(out))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(out)).isZero();
    }
}
