package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class SparkSessionsTest {
    private static final Path ROOT = Path.of(System.getProperty("polygraph.root", ".."));

    /** Executors get the jars that {@code thin-jars} copies. */
    @Test
    void executorsGetTheJarsOfThinJars() throws IOException {
        String script = Files.readString(ROOT.resolve("cluster-config/bin/thin-jars"));
        List<String> globs = Pattern.compile("[a-z]+-\\*")
                .matcher(script.substring(script.indexOf("case "), script.indexOf("esac")))
                .results()
                .map(found -> found.group())
                .toList();
        assertThat(globs).contains("polygraph-*", "picocli-*").hasSizeGreaterThan(3);
        for (String glob : globs) {
            assertThat(glob.replace("*", "core-1.0.jar")).matches(SparkSessions.OWN);
        }
        assertThat("scala-compiler-2.12.18.jar").doesNotMatch(SparkSessions.OWN);
    }

    @Test
    void secretsAreNotShown() {
        SparkConf conf = new SparkConf(false)
                .set("spark.master", "local[2]")
                .set("spark.polygraph.stage.dir", "/shared")
                .set("spark.hadoop.fs.s3a.secret.key", "x");
        assertThat(SparkSessions.shown(conf))
                .containsExactly("spark.master=local[2]", "spark.polygraph.stage.dir=/shared");
    }
}
