package org.polygraph.jobs.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/**
 * The verdict of a run that has finished: what is needed to say it again without checking again.
 *
 * @param json verdict.json, without its line break
 * @param anomaly the first anomaly's name, else the reason
 * @param explanation explain.txt of the first violations, empty if there are none
 */
public record StoredVerdict(
        String json,
        String status,
        String level,
        long transactions,
        long operations,
        String anomaly,
        int exitCode,
        String explanation) {

    /** The result line of this verdict for a PATH, found in {@code millis}. */
    public String line(String path, long millis) {
        return ResultLine.of(status, level, path, transactions, operations, millis, anomaly);
    }

    /** @throws IOException if it is not a verdict that this version can read; the message names {@code file} */
    static StoredVerdict parse(String json, String file, String explanation) throws IOException {
        String status = "";
        String level = "";
        String reason = "";
        String name = "";
        long transactions = 0;
        long operations = 0;
        int exitCode = -1;
        long schema = -1;
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException(file + ": no JSON object; give --overwrite");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken token = parser.nextToken();
                switch (field) {
                    case "schema" -> schema = parser.getValueAsLong(-1);
                    case "verdict" -> status = parser.getValueAsString("");
                    case "level" -> level = parser.getValueAsString("");
                    case "reason" -> reason = parser.getValueAsString("");
                    case "exit_code" -> exitCode = parser.getValueAsInt(-1);
                    case "counts" -> {
                        while (parser.nextToken() == JsonToken.FIELD_NAME) {
                            String count = parser.currentName();
                            parser.nextToken();
                            long value = parser.getValueAsLong();
                            if (count.startsWith("txns_")) {
                                transactions += value;
                            } else if (count.equals("reads") || count.equals("writes")) {
                                operations += value;
                            }
                        }
                    }
                    case "anomalies" -> {
                        while (parser.nextToken() == JsonToken.START_OBJECT) {
                            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                                boolean isName = parser.currentName().equals("name");
                                parser.nextToken();
                                if (isName && name.isEmpty()) {
                                    name = parser.getText();
                                }
                                parser.skipChildren();
                            }
                        }
                    }
                    default -> {
                        if (token.isStructStart()) {
                            parser.skipChildren();
                        }
                    }
                }
            }
        }
        if (schema != VerdictJson.SCHEMA || status.isEmpty() || level.isEmpty() || exitCode < 0) {
            throw new IOException(file + ": found verdict schema " + schema + "; expected " + VerdictJson.SCHEMA
                    + "; give --overwrite");
        }
        return new StoredVerdict(
                json, status, level, transactions, operations, name.isEmpty() ? reason : name, exitCode, explanation);
    }
}
