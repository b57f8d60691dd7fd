package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.cluster.OwnSetting;

/** The settings that {@code -v} prints are the settings in force. */
@Tag("spark")
class EffectiveSettingsTest {
    /** A session that an earlier test of this JVM left running would be shared, with the settings of that test. */
    @BeforeAll
    static void stopsASharedSession() {
        SparkSession living = SparkSession.getDefaultSession().getOrElse(() -> null);
        if (living != null) {
            living.stop();
        }
    }

    @Test
    void everyOwnSettingIsThereAndWhatSizesThings() {
        System.setProperty("spark.sql.shuffle.partitions", "5");
        try (LazySession session = new LazySession("local[2]")) {
            List<String> lines = new EffectiveSettings(session.get(), "/scratch").lines();
            assertThat(lines)
                    .contains(
                            "spark.master=local[2]",
                            "spark.polygraph.profile=local",
                            "spark.sql.shuffle.partitions=5",
                            "spark.memory.offHeap.size=1g",
                            "tasks at once, now=2",
                            "spark.polygraph.stage.dir=not given",
                            "scratch files in=/scratch")
                    .anyMatch(line -> line.matches("driver heap=[0-9]+m"))
                    .anyMatch(line -> line.startsWith("spark.local.dir="));
            for (OwnSetting own : OwnSetting.values()) {
                assertThat(lines).as(own.key()).anyMatch(line -> line.startsWith(own.key() + "="));
            }
        } finally {
            System.clearProperty("spark.sql.shuffle.partitions");
        }
    }
}
