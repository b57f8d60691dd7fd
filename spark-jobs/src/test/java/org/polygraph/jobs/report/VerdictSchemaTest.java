package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;

class VerdictSchemaTest {
    @ParameterizedTest
    @EnumSource(
            value = Verdict.Status.class,
            names = {"PASS", "UNKNOWN", "INVALID", "ERROR"})
    void everyStatusFollowsIt(Verdict.Status status) {
        assertThatCode(() -> VerdictSchema.assertFollowed(VerdictJson.of(Verdict.of(status, IsolationLevel.SI)
                        .path("x\n")
                        .reason("\"")
                        .build())))
                .doesNotThrowAnyException();
    }

    @Test
    void numbersBeyondDoublesAreStrings() throws IOException {
        String json = VerdictJson.of(Verdict.of(Verdict.Status.PASS, IsolationLevel.SER)
                .peakMemoryBytes(Long.MAX_VALUE)
                .build());
        assertThat(VerdictSchema.isFollowed(json)).isTrue();
        assertThat(VerdictSchema.isFollowed(json.replace("\"9223372036854775807\"", "9223372036854775807")))
                .isFalse();
    }

    /** The schema rejects wrong documents. */
    @Test
    void whatIsWrongIsFound() throws IOException {
        String json = VerdictJson.of(
                Verdict.of(Verdict.Status.PASS, IsolationLevel.SER).build());
        assertThat(VerdictSchema.isFollowed(json)).isTrue();
        for (String[] change : new String[][] {
            {"\"schema\":1", "\"schema\":2"},
            {"\"PASS\"", "\"pass\""},
            {"\"PASS\"", "\"VIOLATION\""},
            {"\"exit_code\":0", "\"exit_code\":3"},
            {"\"phases\":[]", "\"phases\":{}"},
            {"\"anomalies\":[],", ""},
            {"\"keys\":0", "\"keys\":-1"},
        }) {
            assertThat(json).contains(change[0]);
            assertThat(VerdictSchema.isFollowed(json.replace(change[0], change[1])))
                    .as("%s instead of %s", change[1], change[0])
                    .isFalse();
        }
    }
}
