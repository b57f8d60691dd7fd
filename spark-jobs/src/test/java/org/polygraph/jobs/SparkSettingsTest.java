package org.polygraph.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.internal.config.ConfigEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.polygraph.cluster.SparkProfile;

/** Spark takes any key and says nothing: a misspelt setting would pass for one that works. */
class SparkSettingsTest {
    @SuppressWarnings("unused") // the source of a parameterized test
    private static final List<String> NAMES = SparkProfile.NAMES;

    @BeforeAll
    static void registerSettings() throws ClassNotFoundException {
        for (String holder : List.of("package$", "UI$", "Kryo$", "Network$")) {
            Class.forName("org.apache.spark.internal.config." + holder);
        }
        Class.forName("org.apache.spark.sql.internal.SQLConf$");
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void sparkKnowsEverySetting(String name) {
        for (String key : SparkProfile.named(name).settings().keySet()) {
            // Read by SparkContext itself, before there are entries.
            boolean known = key.equals("spark.master") || ConfigEntry.findEntry(key) != null;
            assertThat(known).as(key).isTrue();
        }
    }
}
