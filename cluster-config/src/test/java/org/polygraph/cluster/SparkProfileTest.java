package org.polygraph.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class SparkProfileTest {
    @SuppressWarnings("unused") // the source of a parameterized test
    private static final List<String> NAMES = SparkProfile.NAMES;

    @SuppressWarnings("unused") // the source of a parameterized test
    private static final List<String> FILES =
            Stream.concat(Stream.of("common"), NAMES.stream()).toList();

    private static final Pattern COMMENT = Pattern.compile("# \\[([a-z]+)] .{15,}\\.");

    private static final Map<String, String> UNITS = Map.of(
            "boolean", "true|false",
            "bytes", "[1-9][0-9]*[kmgt]",
            "count", "0|[1-9][0-9]*",
            "seconds", "[1-9][0-9]*s",
            "ratio", "0\\.[0-9]+",
            "class", "([a-z0-9]+\\.)+[A-Z][A-Za-z0-9]*",
            "flags", "-\\S+( -\\S+)*",
            "text", "\\S(.*\\S)?");

    @ParameterizedTest
    @FieldSource("NAMES")
    void everyProfileHasTheCommonSettings(String name) {
        SparkProfile profile = SparkProfile.named(name);
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

    /** Every key occurs once, after a comment {@code # [unit] reason}, and its value is of the unit. */
    @ParameterizedTest
    @FieldSource("FILES")
    void everySettingHasAUnitAndAReason(String name) throws IOException {
        Set<String> keys = new HashSet<>();
        Matcher comment = COMMENT.matcher("");
        List<String> lines;
        try (InputStream in = SparkProfile.class.getResourceAsStream("profiles/" + name + ".properties")) {
            lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
        for (String line : lines) {
            if (line.startsWith("#")) {
                comment = COMMENT.matcher(line);
            } else if (!line.isBlank()) {
                assertThat(line).matches("spark\\.[^=]+=.*");
                assertThat(comment.matches()).as("the comment before %s", line).isTrue();
                assertThat(keys.add(line.substring(0, line.indexOf('='))))
                        .as(line)
                        .isTrue();
                assertThat(UNITS).containsKey(comment.group(1));
                assertThat(line.substring(line.indexOf('=') + 1)).matches(UNITS.get(comment.group(1)));
                comment = COMMENT.matcher("");
            }
        }
        assertThat(keys).isNotEmpty();
    }
}
