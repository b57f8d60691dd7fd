package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.util.regex.Pattern;
import org.polygraph.storage.format.io.Shown;

/**
 * What is wrong with text that is no JSON.
 *
 * @param remedy empty if the place of the text states it
 */
record JsonFault(String found, String expected, String remedy) {
    static final JsonFault ENCODING =
            new JsonFault("text that is not UTF-8", "UTF-8", "convert it, for example with iconv -f LATIN1 -t UTF-8");

    /** The end of a message of Jackson that names settings of a program, or the source again. */
    private static final Pattern FOR_PROGRAMMERS = Pattern.compile(": enable `.*| \\(for .*", Pattern.DOTALL);

    static JsonFault of(JacksonException e) {
        String message = String.valueOf(e.getOriginalMessage());
        if (e instanceof JsonEOFException) {
            return new JsonFault(
                    "the end of the file in the middle of a JSON object",
                    "a complete one",
                    "the file is cut off: copy it again");
        }
        if (e instanceof StreamConstraintsException) {
            return message.startsWith("Number value length")
                    ? new JsonFault(
                            "a number of too many digits", "an integer of 64 bits", "write larger numbers as strings")
                    : new JsonFault(
                            "JSON beyond the limits",
                            "nesting up to " + Json.MAX_DEPTH + ", strings up to " + Json.MAX_STRING
                                    + " and names up to " + Json.MAX_NAME + " characters",
                            "");
        }
        if (message.startsWith("Invalid UTF-8")) {
            return ENCODING;
        }
        String reason = Shown.message(FOR_PROGRAMMERS.matcher(message).replaceFirst(""));
        return new JsonFault("text that is not JSON (" + reason + ")", "JSON", "");
    }
}
