package org.polygraph.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.internal.config.ConfigEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.polygraph.cluster.OwnSetting;
import org.polygraph.cluster.SparkProfile;

/** Spark accepts any key without a warning, so a misspelt setting would not be noticed. */
class SparkSettingsTest {
    @SuppressWarnings("unused") // the source of a parameterized test
    private static final List<String> NAMES = SparkProfile.NAMES;

    private static final Path ROOT =
            Path.of(System.getProperty("polygraph.root", "..")).toAbsolutePath().normalize();
    private static final Pattern KEY =
            Pattern.compile("(?<![\\w./-])spark\\.(?!(?:flags|libraries|version)\\b)[a-zA-Z]\\w*(?:\\.\\w+)*");

    /** Keys that Spark reads before its entries exist, or that modules register which are not on this class path. */
    private static final Set<String> ELSEWHERE =
            Set.of("spark.master", "spark.submit.deployMode", "spark.yarn.maxAppAttempts");

    @BeforeAll
    static void registerSettings() throws ClassNotFoundException {
        // Keys are registered by the objects that declare them, when these are loaded.
        for (String holder : List.of("package$", "UI$", "Kryo$", "Network$", "Deploy$")) {
            Class.forName("org.apache.spark.internal.config." + holder);
        }
        Class.forName("org.apache.spark.sql.internal.SQLConf$");
    }

    private static boolean isKnown(String key, Set<String> own) {
        // Keys after spark.hadoop. belong to Hadoop, which has no list of keys either.
        return key.startsWith("spark.hadoop.")
                || ELSEWHERE.contains(key)
                || own.contains(key)
                || ConfigEntry.findEntry(key) != null;
    }

    /** The code uses each of our settings. */
    private static Set<String> own() throws IOException {
        Set<String> own = new TreeSet<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("spark-jobs/src/main/java"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                Matcher matcher =
                        Pattern.compile("= OwnSetting\\.([A-Z_]+)\\.key\\(\\)").matcher(Files.readString(file));
                while (matcher.find()) {
                    own.add(OwnSetting.valueOf(matcher.group(1)).key());
                }
            }
        }
        assertThat(own)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(OwnSetting.values()).map(OwnSetting::key).toList());
        return own;
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void sparkKnowsEverySetting(String name) throws IOException {
        Set<String> own = own();
        for (String key : SparkProfile.named(name).settings().keySet()) {
            assertThat(isKnown(key, own)).as("%s of profile %s", key, name).isTrue();
        }
    }

    /** The settings in documents, scripts, the manifest and the DAG exist. */
    @Test
    void whatIsHandedOutNamesSettingsThatThereAre() throws IOException {
        Set<String> own = own();
        int seen = 0;
        try (Stream<Path> files = Files.walk(ROOT.resolve("cluster-config"))) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(each -> !each.startsWith(ROOT.resolve("cluster-config/target"))
                            && !each.startsWith(ROOT.resolve("cluster-config/src/test")))
                    .filter(each -> !each.toString().endsWith(".java"))
                    .toList()) {
                Matcher matcher = KEY.matcher(Files.readString(file));
                while (matcher.find()) {
                    seen++;
                    assertThat(isKnown(matcher.group(), own))
                            .as("%s in %s", matcher.group(), file)
                            .isTrue();
                }
            }
        }
        assertThat(seen).isGreaterThan(50);
    }
}
