package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code docs/verdict.schema.json}, for tests that have a verdict. */
public final class VerdictSchema {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchema SCHEMA = load();

    private VerdictSchema() {}

    private static JsonSchema load() {
        Path file = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "docs", "verdict.schema.json");
        try {
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                    .getSchema(JSON.readTree(Files.readString(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asserts that one JSON object follows the schema. */
    public static void assertFollowed(String json) {
        try {
            assertThat(SCHEMA.validate(JSON.readTree(json))).as(json).isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asserts it for every verdict in the output of a command. */
    public static void assertFollowedIn(String output) {
        output.lines()
                .filter(line -> line.startsWith("{\"schema\":1,\"version\""))
                .forEach(VerdictSchema::assertFollowed);
    }

    /** Whether an object follows the schema. */
    static boolean isFollowed(String json) throws IOException {
        return SCHEMA.validate(JSON.readTree(json)).isEmpty();
    }
}
