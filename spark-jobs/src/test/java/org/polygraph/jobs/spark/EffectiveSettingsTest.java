package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.polygraph.cluster.OwnSetting;
import org.polygraph.storage.format.pieces.ReadPlan;

/** The settings that {@code -v} prints are the settings in force. */
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
        System.setProperty(OwnSetting.HOT_KEY_BYTES.key(), "3m");
        System.setProperty("spark.sql.shuffle.partitions", "5");
        try (LazySession session = new LazySession("local[2]")) {
            SparkChecker.TaskSizes division =
                    SparkChecker.settings(session.configuration(), SparkChecker.TaskSizes.DEFAULT);
            List<String> lines = new EffectiveSettings(session.get(), division).lines();
            assertThat(lines)
                    .contains(
                            "spark.master=local[2]",
                            "spark.polygraph.profile=local",
                            "spark.polygraph.slice.operations=100000",
                            "spark.polygraph.piece.bytes=16777216",
                            "spark.polygraph.clocks.heap=268435456",
                            "spark.polygraph.hot.key.bytes=3145728",
                            "spark.sql.shuffle.partitions=5",
                            "spark.memory.offHeap.size=1g",
                            "tasks at once, now=2")
                    .anyMatch(line -> line.matches("driver heap=[0-9]+m"))
                    .anyMatch(line -> line.startsWith("spark.local.dir="));
            for (OwnSetting own : OwnSetting.values()) {
                assertThat(lines).as(own.key()).anyMatch(line -> line.startsWith(own.key() + "="));
            }
        } finally {
            System.clearProperty(OwnSetting.HOT_KEY_BYTES.key());
            System.clearProperty("spark.sql.shuffle.partitions");
        }
    }

    /** The defaults are stated twice, with Spark and without it, and must agree. */
    @Test
    void defaultsAreThoseOfTheCode() {
        SparkChecker.TaskSizes division = SparkChecker.TaskSizes.DEFAULT;
        assertThat(OwnSetting.SLICE_OPERATIONS.defaultValue())
                .isEqualTo(Integer.toString(division.operationsPerSlice()));
        assertThat(JavaUtils.byteStringAsBytes(OwnSetting.CLOCKS_HEAP.defaultValue()))
                .isEqualTo(division.heapClocks());
        assertThat(JavaUtils.byteStringAsBytes(OwnSetting.HOT_KEY_BYTES.defaultValue()))
                .isEqualTo(division.hotKeyBytes());
        assertThat(JavaUtils.byteStringAsBytes(OwnSetting.PIECE_BYTES.defaultValue()))
                .isEqualTo(ReadPlan.Sizes.DEFAULT.pieceBytes());
        assertThat(Stream.of(OwnSetting.values())
                        .filter(each -> each.defaultValue().isEmpty()))
                .containsExactly(OwnSetting.PROFILE, OwnSetting.STAGE_DIR);
    }
}
