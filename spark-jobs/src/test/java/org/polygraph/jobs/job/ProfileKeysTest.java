package org.polygraph.jobs.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.internal.config.ConfigEntry$;
import org.apache.spark.sql.internal.SQLConf;
import org.junit.jupiter.api.Test;
import org.polygraph.cluster.SparkProfile;

/** A misspelt setting is ignored by Spark without a word; here it is not. */
class ProfileKeysTest {
    @Test
    void sparkKnowsEveryKey() throws ClassNotFoundException {
        // Keys are registered by the objects that declare them, when these are loaded.
        for (String object : List.of("package", "Kryo", "UI", "Network", "Deploy")) {
            Class.forName("org.apache.spark.internal.config." + object + "$");
        }
        assertThat(new SQLConf().numShufflePartitions()).isPositive();
        for (String name : SparkProfile.NAMES) {
            for (String key : SparkProfile.named(name).settings().keySet()) {
                if (key.equals("spark.master")) {
                    continue; // read by SparkContext itself, no registered entry
                }
                assertThat(ConfigEntry$.MODULE$.findEntry(key))
                        .as("%s of profile %s", key, name)
                        .isNotNull();
            }
        }
    }
}
