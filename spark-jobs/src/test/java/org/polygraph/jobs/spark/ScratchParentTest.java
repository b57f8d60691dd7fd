package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;

/** Tests whether executors can see the folder of scratch files. */
class ScratchParentTest {
    private static SparkConf conf(String master, String... keysAndValues) {
        SparkConf conf = new SparkConf(false).setMaster(master);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            conf.set(keysAndValues[i], keysAndValues[i + 1]);
        }
        return conf;
    }

    @Test
    void onlyAnUnconfiguredLocalFolderIsInDoubt() {
        assertThat(ScratchParent.isInDoubt(conf("local[2]"), null)).isFalse();
        for (String master : List.of("spark://h:7077", "yarn", "k8s://https://h")) {
            assertThat(ScratchParent.isInDoubt(conf(master), null)).as(master).isTrue();
            assertThat(ScratchParent.isInDoubt(conf(master, LazySession.SCRATCH_FOLDER, "/shared"), null))
                    .as(master)
                    .isFalse();
            assertThat(ScratchParent.isInDoubt(conf(master, "spark.hadoop.fs.defaultFS", "hdfs://h:8020"), null))
                    .as(master)
                    .isFalse();
        }
    }

    @Test
    void podsAreOtherMachines() {
        assertThatThrownBy(() -> ScratchParent.validate(conf("k8s://https://h"), null))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(
                        "found pods, which cannot see it; expected a folder that driver and executors see; give")
                .hasMessageContaining(LazySession.SCRATCH_FOLDER);
        ScratchParent.validate(conf("spark://h:7077"), null);
        ScratchParent.validate(conf("k8s://https://h", LazySession.SCRATCH_FOLDER, "s3a://b/stages"), null);
    }

    @Test
    void whatIsNoPathIsASettingThatCannotWork() {
        for (String wrong : List.of("hdfs:", ":", "a:b c")) {
            assertThatThrownBy(() -> ScratchParent.validate(conf("local[2]", LazySession.SCRATCH_FOLDER, wrong), null))
                    .as(wrong)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageStartingWith("found " + LazySession.SCRATCH_FOLDER + " = '" + wrong + "' (")
                    .hasMessageEndingWith("); expected a path such as hdfs://HOST/scratch");
        }
    }

    @Test
    @Tag("spark")
    void executorsLookForTheFolder(@TempDir Path folder) throws IOException {
        LazySession session = new LazySession("local[2]");
        try (SparkWorkers workers = new SparkWorkers(session, session.get(), null, Budget.unlimited(), Progress.NONE)) {
            workers.requireSeen();
            String absent = folder.resolve("absent").toString();
            assertThat(workers.run("look", List.of(new SparkWorkers.Look(absent))))
                    .noneMatch(String::isEmpty);
        }
    }
}
