package org.polygraph.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The files that users edit parse, and name the jars and versions of this build. */
class DeployFilesTest {
    private static final Path ROOT =
            Path.of(System.getProperty("polygraph.root", "..")).toAbsolutePath().normalize();
    private static final Path DEPLOY = ROOT.resolve("cluster-config/deploy");
    private static final Pattern JAR = Pattern.compile("[a-z][a-z0-9-]*-[0-9.]+(-native)?\\.jar");

    private static String text(String file) throws IOException {
        return Files.readString(DEPLOY.resolve(file));
    }

    private static String version(String property) throws IOException {
        Matcher matcher =
                Pattern.compile("<" + property + ">([^<]+)</").matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(matcher.find()).as(property).isTrue();
        return matcher.group(1);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Map<String, Object> parent, String key) {
        assertThat(parent.get(key)).as(key).isInstanceOf(Map.class);
        return (Map<String, Object>) parent.get(key);
    }

    @Test
    void theManifestIsOneApplicationThatIsNotRetried() throws IOException {
        Map<String, Object> manifest =
                new Yaml(new SafeConstructor(new LoaderOptions())).load(text("kubernetes/sparkapplication.yaml"));
        assertThat(manifest).containsEntry("kind", "SparkApplication");
        Map<String, Object> spec = map(manifest, "spec");
        assertThat(map(spec, "restartPolicy")).containsEntry("type", "Never");
        assertThat(spec.get("sparkVersion")).isEqualTo(version("spark.version"));
        assertThat(text("kubernetes/Dockerfile")).contains("apache/spark:" + version("spark.version") + "-");
        // The file system for S3 belongs to the Hadoop version of Spark, and it is in the image if the manifest has
        // such paths.
        assertThat(text("kubernetes/s3a.xml"))
                .contains("<artifactId>hadoop-aws</artifactId>\n      <version>" + version("hadoop.version") + "<");
        assertThat(text("kubernetes/Dockerfile")).contains("\nCOPY s3a/*.jar ");
        Map<String, Object> settings = map(spec, "sparkConf");
        assertThat(settings).containsEntry("spark.polygraph.profile", "kubernetes");
        assertThat(settings.values())
                .as("YAML must not make other types of settings")
                .allMatch(String.class::isInstance);
        assertThat(SparkProfile.NAMES).contains((String) settings.get("spark.polygraph.profile"));
    }

    @Test
    void allNameTheSameJars() throws IOException {
        List<String> manifest = jars(text("kubernetes/sparkapplication.yaml"));
        assertThat(manifest).hasSize(8).isEqualTo(jars(text("airflow/polygraph_check.py")));
        String own = version("version");
        for (String jar : manifest) {
            if (jar.startsWith("polygraph-")) {
                assertThat(jar).endsWith("-" + own + ".jar");
            }
        }
        assertThat(manifest).contains("picocli-" + version("picocli.version") + ".jar");
        assertThat(manifest).contains("fastutil-core-" + version("fastutil.version") + ".jar");
    }

    /** YARN reads this setting at submission only, so each way to submit in cluster mode has to contain it. */
    @Test
    void noSubmissionIsTriedAgainByYarn() throws IOException {
        String manual = Files.readString(ROOT.resolve("cluster-config/docs/submit.md"));
        int submissions = 0;
        for (String block : manual.split("\n\n")) {
            boolean isInCluster =
                    block.contains("--deploy-mode cluster") || block.contains("spark.submit.deployMode=cluster");
            if (block.startsWith("    ") && block.matches("(?s).*(spark-submit --class| jobs submit spark ).*")) {
                submissions += isInCluster ? 1 : 0;
                assertThat(block.contains("spark.yarn.maxAppAttempts=1"))
                        .as(block)
                        .isEqualTo(isInCluster);
            }
        }
        assertThat(submissions).isEqualTo(3);
    }

    @Test
    void everyOwnSettingIsDocumented() throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve("cluster-config/README.md"));
        for (OwnSetting own : OwnSetting.values()) {
            assertThat(lines).as(own.key()).anyMatch(line -> line.startsWith("| `" + own.key() + "` | "));
        }
    }

    private static List<String> jars(String text) {
        TreeSet<String> jars = new TreeSet<>();
        Matcher matcher = JAR.matcher(text);
        while (matcher.find()) {
            jars.add(matcher.group());
        }
        return new ArrayList<>(jars);
    }

    @Test
    void propertiesAreProperties() throws IOException {
        Properties logging = new Properties();
        logging.load(new StringReader(text("log4j2.properties")));
        assertThat(logging)
                .containsEntry("appender.stderr.target", "SYSTEM_ERR")
                .containsKey("rootLogger.level");
        Properties metrics = new Properties();
        metrics.load(new StringReader(text("metrics.properties")));
        assertThat(metrics)
                .containsEntry("*.sink.prometheusServlet.class", "org.apache.spark.metrics.sink.PrometheusServlet");
    }

    /**
     * The DAG runs with replacements for Airflow: a run with a verdict is not repeated, all others are, and every
     * verdict is evaluated.
     */
    @Test
    void theDagRetriesWhatHasNoVerdict() throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder("python3", "-B", "-")
                    .directory(DEPLOY.resolve("airflow").toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            assumeThat(e).as("no python3 here").isNull();
            return;
        }
        try (var in = process.getOutputStream()) {
            in.write(resource("dag.py").getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(said.lines())
                .containsExactly(
                        "task check retries 2 after []",
                        "task verdict retries 0 after ['check']",
                        "attempts of YARN 1",
                        "templates application conf runs",
                        "pass: check 1 success, verdict 1 success (PASS ser h)",
                        "violation: check 1 success, verdict 1 failed (VIOLATION ser h LostUpdate, WriteSkew)",
                        "violation, on-violation=fail: check 1 success,"
                                + " verdict 1 failed (VIOLATION ser h LostUpdate, WriteSkew)",
                        "unknown: check 1 success, verdict 1 failed (UNKNOWN ser h)",
                        "open: check 1 success, verdict 1 skipped (UNKNOWN ser h: the writer may follow)",
                        "open, stored: check 1 success, verdict 1 skipped (UNKNOWN ser h: the writer may follow)",
                        "invalid: check 1 success, verdict 1 failed (INVALID ser h)",
                        "error, then pass: check 2 success, verdict 1 success (PASS ser h)",
                        "error for good: check 3 failed (exit code 1), verdict upstream_failed",
                        "killed, then violation: check 2 success,"
                                + " verdict 1 failed (VIOLATION ser h LostUpdate, WriteSkew)",
                        "killed for good: check 3 failed (exit code 1), verdict upstream_failed",
                        "lost, then stored: check 1 success, verdict 1 success (PASS ser h)",
                        "unknown of an earlier budget, killed, then pass: check 2 success,"
                                + " verdict 1 success (PASS ser h)",
                        "stored violation: check 1 success,"
                                + " verdict 1 failed (VIOLATION ser h LostUpdate, WriteSkew)",
                        "nothing written: check 3 failed (s3://histories/runs/{{ data_interval_start.strftime('%Y-%m-%dT%H') }} has no final verdict),"
                                + " verdict upstream_failed");
        assertThat(process.exitValue()).isZero();
    }

    private static String resource(String name) throws IOException {
        try (var in = DeployFilesTest.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
