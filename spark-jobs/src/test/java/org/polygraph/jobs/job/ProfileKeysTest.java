package org.polygraph.jobs.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.internal.config.ConfigEntry$;
import org.apache.spark.sql.internal.SQLConf;
import org.junit.jupiter.api.Test;
import org.polygraph.cluster.SparkProfile;

/** A misspelt setting is ignored by Spark without a word; here it is not. */
class ProfileKeysTest {
    @Test
    void sparkKnowsEveryKey() {
        // Loads the objects that register their keys.
        assertThat(new SQLConf().numShufflePartitions()).isPositive();
        assertThat(org.apache
                        .spark
                        .internal
                        .config
                        .package$
                        .MODULE$
                        .EXECUTOR_CORES()
                        .key())
                .isEqualTo("spark.executor.cores");
        for (String name : SparkProfile.NAMES) {
            for (String key : SparkProfile.named(name).settings().keySet()) {
                assertThat(ConfigEntry$.MODULE$.findEntry(key))
                        .as("%s of profile %s", key, name)
                        .isNotNull();
            }
        }
    }
}
