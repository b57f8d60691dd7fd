package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.polygraph.storage.format.io.Shown;

/**
 * What is wrong with text that is no JSON, in words of the format: the messages of Jackson are for programmers.
 *
 * @param remedy empty if the place of the text states it
 */
record JsonFault(String found, String expected, String remedy) {
    static final JsonFault ENCODING =
            new JsonFault("text that is not UTF-8", "UTF-8", "convert it, for example with iconv -f LATIN1 -t UTF-8");

    private static final JsonFault OTHER = new JsonFault("text that is not JSON", "JSON", "");
    private static final String LARGE = "write larger numbers as strings";
    private static final Pattern WORD = Pattern.compile("(Non-standard|Unrecognized) token '([^']*)'");
    private static final Pattern CHARACTER =
            Pattern.compile("Unexpected character \\('.*' \\(code (\\d+)", Pattern.DOTALL);
    private static final Pattern CONTROL =
            Pattern.compile("Illegal unquoted character \\(.*code (\\d+)", Pattern.DOTALL);
    private static final Pattern ESCAPE = Pattern.compile("Unrecognized character escape '(.)'");
    private static final Pattern CLOSE = Pattern.compile("Unexpected close marker '(.)'");
    private static final Pattern LONG_NUMBER = Pattern.compile("Number value length \\((\\d+)\\)");

    static JsonFault of(JacksonException e) {
        String message = String.valueOf(e.getOriginalMessage());
        if (e instanceof JsonEOFException) {
            return new JsonFault(
                    "the end of the file in the middle of a JSON object",
                    "a complete one",
                    "the file is cut off: copy it again");
        }
        if (e instanceof StreamConstraintsException) {
            Matcher number = LONG_NUMBER.matcher(message);
            return number.lookingAt()
                    ? new JsonFault("a number of " + number.group(1) + " digits", "an integer of 64 bits", LARGE)
                    : new JsonFault(
                            "JSON beyond the limits",
                            "nesting up to " + Json.MAX_DEPTH + ", strings up to " + Json.MAX_STRING
                                    + " and names up to " + Json.MAX_NAME + " characters",
                            "");
        }
        if (message.startsWith("Invalid UTF-8")) {
            return ENCODING;
        }
        Matcher word = WORD.matcher(message);
        if (word.lookingAt()) {
            return new JsonFault(
                    "the word " + Shown.text(word.group(2)),
                    "a string in double quotes, a number, null, true or false",
                    word.group(1).equals("Non-standard") ? "write such a number as a string" : "");
        }
        Matcher character = CHARACTER.matcher(message);
        if (character.lookingAt()) {
            return new JsonFault(Shown.character(Integer.parseInt(character.group(1))), expected(message), "");
        }
        Matcher control = CONTROL.matcher(message);
        if (control.lookingAt()) {
            int code = Integer.parseInt(control.group(1));
            return code == '\n' || code == '\r'
                    ? new JsonFault("the end of the line in a string", "the double quote that ends it", "")
                    : new JsonFault(
                            "the control character " + code + " in a string",
                            String.format("its escape \\u%04x", code),
                            "");
        }
        Matcher escape = ESCAPE.matcher(message);
        if (escape.lookingAt()) {
            return new JsonFault(
                    "the escape \\" + Shown.text(escape.group(1)),
                    "\\\\, \\\", \\/, \\b, \\f, \\n, \\r, \\t or \\u with four hexadecimal digits",
                    "");
        }
        Matcher close = CLOSE.matcher(message);
        if (close.lookingAt()) {
            return new JsonFault("'" + close.group(1) + "' that closes nothing", "JSON", "");
        }
        return message.contains("Leading zeroes")
                ? new JsonFault("a number that begins with 0", "no leading zeros", "")
                : OTHER;
    }

    /** Returns what could be at the place of a character. */
    private static String expected(String message) {
        if (message.contains("a colon")) {
            return "':' after the name of a field";
        }
        if (message.contains("comma")) {
            return message.contains("Object") ? "',' or '}'" : "',' or ']'";
        }
        if (message.contains("start field name")) {
            return "the name of a field in double quotes";
        }
        return message.contains("numeric value") ? "a number as JSON writes it" : "a value";
    }
}
