package org.polygraph.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class SparkProfileTest {
    @SuppressWarnings("unused") // the source of a parameterized test
    private static final List<String> NAMES = SparkProfile.NAMES;

    @ParameterizedTest
    @FieldSource("NAMES")
    void everySettingSaysWhy(String name) {
        SparkProfile profile = SparkProfile.named(name);
        assertThat(profile.documented()).hasSizeGreaterThan(15);
        assertThat(profile.documented()).allSatisfy(setting -> {
            assertThat(setting.reason()).endsWith(".").hasSizeGreaterThan(15);
            assertThat(profile.settings()).containsEntry(setting.key(), setting.value());
        });
        assertThat(profile.settings())
                .containsEntry("spark.kryo.registrationRequired", "true")
                .containsKey("spark.sql.shuffle.partitions");
        assertThat(profile.settings().get("spark.executor.extraJavaOptions")).isEqualTo("-XX:+UseParallelGC");
    }

    @Test
    void onlyTheLocalProfileNamesAMaster() {
        assertThat(SparkProfile.named("local").settings()).containsEntry("spark.master", "local[*]");
        assertThat(SparkProfile.named("standalone").settings()).doesNotContainKey("spark.master");
    }

    @Test
    void anUnknownProfileIsNamed() {
        assertThatThrownBy(() -> SparkProfile.named("mesos"))
                .hasMessage("found profile 'mesos'; expected one of local, standalone, yarn, kubernetes, managed");
    }

    @Test
    void brokenRulesAreLocated() {
        assertThatThrownBy(() -> SparkProfile.parse("p", "# [bytes] why\nspark.a=1x\n"))
                .hasMessage("p:2: found spark.a = '1x'; expected bytes matching [1-9][0-9]*[kmgt]");
        assertThatThrownBy(() -> SparkProfile.parse("p", "spark.a=1g\n"))
                .hasMessage("p:1: found spark.a without its comment; expected '# [unit] reason' on the line before");
        assertThatThrownBy(() -> SparkProfile.parse("p", "# [miles] why\nspark.a=1\n"))
                .hasMessageStartingWith("p:2: found unit [miles]; expected one of");
        assertThatThrownBy(() -> SparkProfile.parse("p", "# [text] why\nhadoop.a=1\n"))
                .hasMessage("p:2: found 'hadoop.a=1'; expected spark.key=value");
        assertThatThrownBy(() -> SparkProfile.parse("p", "# [text] why\nspark.a=1\n# [text] why\nspark.a=2\n"))
                .hasMessage("p:4: found spark.a again; expected it once");
    }
}
