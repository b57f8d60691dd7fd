package org.polygraph.storage.format;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.HistoryTable;

class JsonlReaderTest {
    private static final String REMEDY = "each line after the header is one transaction, as the README shows";
    private static final String TXN = "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[]}\n";

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    private static String txn(String ops) {
        return "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[" + ops + "]}\n";
    }

    @Test
    @SuppressWarnings("StringConcatToTextBlock") // the line ends matter
    void theContractsExampleIsRead() throws Exception {
        HistoryTable table = inputs.read(
                "h.jsonl",
                "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0},\"clock\":\"ns\",\"who\":{\"a\":[1,2.5]}}\n"
                        + "{\"session\":0,\"index\":3,\"start\":123,\"end\":456,\"status\":\"committed\","
                        + " \"ops\":[{\"op\":\"w\",\"key\":1,\"value\":2},{\"op\":\"r\",\"key\":\"k2\",\"value\":null}]}\n");
        assertThat(TableText.rows(table))
                .containsExactly(
                        "initial 0 {clock=\"ns\", who={\"a\":[1,2.5]}}", "0 3 committed 123 456 w 1=2 r \"k2\"=null");
        assertThat(table.whereIs(0)).isEqualTo(inputs.path("h.jsonl") + ":2");
    }

    @Test
    void fieldsComeInAnyOrderAndUnknownOnesAreIgnored() throws Exception {
        assertThat(
                        inputs.rows(
                                "h.jsonl",
                                "{\"ops\":[{\"value\":\"v\",\"x\":[{}],\"op\":\"w\",\"key\":\"1\"},{\"value\":-7,\"key\":1,\"op\":\"r\"}],"
                                        + "\"node\":{\"deep\":[[]]},\"status\":\"unknown\",\"end\":9,\"index\":-4,\"session\":-2}\n\n"))
                .containsExactly("-2 -4 indeterminate " + HistoryTable.NO_TIME + " 9 w \"1\"=\"v\" r 1=-7");
    }

    @Test
    void withoutHeaderTheInitialValueIsNullAndLinesAreCounted() throws Exception {
        HistoryTable table = inputs.read("h.jsonl", "\n \r\n" + TXN);
        assertThat(table.initialValue()).isEqualTo(ValueDictionary.NULL);
        assertThat(table.whereIs(0)).endsWith("h.jsonl:3");
        HistoryTable headed = inputs.read("h.jsonl", "\n" + TestFiles.HEADER + "\n" + TXN);
        assertThat(headed.initialValue()).isZero();
        assertThat(headed.whereIs(0)).endsWith("h.jsonl:4");
    }

    @Test
    void compressionIsUndoneWhateverTheName() throws Exception {
        byte[] text = TestFiles.utf8(TestFiles.HEADER + TXN);
        assertThat(inputs.read("h.jsonl.gz", TestFiles.gzip(text), HistoryFormat.AUTO)
                        .transactions())
                .isEqualTo(1);
        assertThat(inputs.read("h.jsonl.zst", TestFiles.zstd(text), HistoryFormat.JSONL)
                        .transactions())
                .isEqualTo(1);
        assertThat(inputs.read("h", TestFiles.zstd(text), HistoryFormat.AUTO).transactions())
                .isEqualTo(1);
    }

    @Test
    void allMembersOfAGzipAndAllFramesOfAZstdAreRead() throws Exception {
        byte[] first = TestFiles.utf8(TXN);
        byte[] second = TestFiles.utf8(TXN.replace("\"index\":0", "\"index\":1"));
        assertThat(inputs.read("h.gz", joined(TestFiles.gzip(first), TestFiles.gzip(second)), HistoryFormat.AUTO)
                        .transactions())
                .isEqualTo(2);
        assertThat(inputs.read("h.zst", joined(TestFiles.zstd(first), TestFiles.zstd(second)), HistoryFormat.AUTO)
                        .transactions())
                .isEqualTo(2);
    }

    private static byte[] joined(byte[] a, byte[] b) {
        byte[] both = java.util.Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    @Test
    void partsOfAFolderAreOneHistory() throws Exception {
        inputs.write("parts/part-0.jsonl", TestFiles.HEADER + TXN);
        inputs.write(
                "parts/part-1.jsonl.gz", TestFiles.gzip(TestFiles.utf8(TXN.replace("\"session\":0", "\"session\":1"))));
        inputs.write("parts/part-2.jsonl", "");
        inputs.write("parts/_SUCCESS", "");
        inputs.write("parts/.part-0.jsonl.crc", "noise");
        HistoryTable table = HistoryReader.read(inputs.path("parts").toString(), HistoryFormat.AUTO);
        assertThat(table.transactions()).isEqualTo(2);
        assertThat(table.initialValue()).isZero();
        assertThat(table.whereIs(1)).endsWith("parts/part-1.jsonl.gz:1");
        assertThat(HistoryReader.detect(inputs.path("parts").toString())).isEqualTo(HistoryFormat.JSONL);

        inputs.write(
                "parts/part-3.jsonl", TestFiles.HEADER.replace("0}", "1}") + TXN.replace("\"index\":0", "\"index\":7"));
        assertThat(inputs.refusal("parts", HistoryFormat.AUTO))
                .isEqualTo(
                        "parts/part-3.jsonl: found the initial value 1; expected 0 as in parts/part-0.jsonl; parts of one"
                                + " history share their header");
        inputs.write("parts/part-3.jsonl", "r(1,1,1,1)\n");
        assertThat(inputs.refusal("parts", HistoryFormat.AUTO))
                .isEqualTo(
                        "parts/part-3.jsonl: found plume text; expected JSON Lines as in parts/part-0.jsonl; the files of"
                                + " a folder are parts of one history");
        inputs.write("mixed/a.jsonl", "\n");
        inputs.write("mixed/b.jsonl", TXN);
        inputs.write("mixed/c.txt", "r(1,1,1,1)\n");
        assertThat(inputs.refusal("mixed", HistoryFormat.AUTO))
                .startsWith("mixed/c.txt: found plume text; expected JSON Lines as in mixed/b.jsonl;");
        inputs.write("parts/part-3.jsonl", TXN);
        assertThat(inputs.refusal("parts", HistoryFormat.AUTO))
                .isEqualTo(
                        "parts/part-3.jsonl:1: found session 0 index 0 a second time (first at parts/part-0.jsonl:2);"
                                + " expected each (session, index) once; number the transactions of a session in the order it ran"
                                + " them");
        inputs.write("parts/sub/part-3.jsonl", TXN);
        assertThat(inputs.refusal("parts", HistoryFormat.AUTO))
                .isEqualTo(
                        "parts/sub: found a folder within a folder; expected *.log files, or part files only; give the"
                                + " inner folder, or each history as its own path");
    }

    @Test
    void badLinesAreLocated() throws Exception {
        String[][] cases = {
            {
                "{\"index\":0}\n",
                "h:1:11: found a transaction without \"session\"; expected session, index, status and ops"
            },
            {
                "{\"foo\":0}\n",
                "h:1:9: found an object that is neither a header nor a transaction; expected"
                        + " \"format\":\"history\", or session, index, status and ops"
            },
            {
                TXN + "{\"session\":0,\"index\":1}\n",
                "h:2:23: found a transaction without \"status\"; expected session, index, status and ops"
            },
            {"{\"session\":\"a\"", "h:1:12: found the string \"a\" as \"session\"; expected an integer"},
            {"{\"session\":1.5", "h:1:12: found the number 1.5 as \"session\"; expected an integer"},
            {"{\"session\":0,\"session\":1", "h:1:14: found the field \"session\" a second time; expected it once"},
            {
                "{\"status\":\"comitted\"",
                "h:1:11: found the string \"comitted\" as \"status\"; expected committed, aborted or" + " indeterminate"
            },
            {"{\"ops\":{}", "h:1:8: found an object as \"ops\"; expected a list of operations"},
            {
                "{\"ops\":[7]",
                "h:1:9: found the number 7 among \"ops\"; expected {\"op\":\"r\",\"key\":...,\"value\":...}"
            },
            {
                txn("{\"op\":\"r\",\"key\":true,\"value\":1}"),
                "h:1:68: found true as \"key\"; expected an integer or a string"
            },
            {
                txn("{\"op\":\"r\",\"key\":1,\"value\":1.0}"),
                "h:1:78: found the number 1.0 as \"value\"; expected an integer, a" + " string or null"
            },
            {txn("{\"op\":\"r\",\"value\":1}"), "h:1:71: found an operation without \"key\"; expected op, key and value"
            },
            {
                txn("{\"op\":\"x\""),
                "h:1:58: found the string \"x\" as \"op\"; expected \"r\", \"w\", \"i\", \"d\", \"append\", \"cas\", \"pr\", \"pw\" or \"pd\""
            },
            {
                TXN + TXN.stripTrailing() + " " + TXN,
                "h:2:" + (TXN.length() + 1) + ": found a second object in a line; expected the end of the line"
            },
            {TXN + "[1]\n", "h:2:1: found a list; expected a transaction object"},
            {
                TXN + "{\"session\":1,]\n",
                "h:2:14: found text that is not JSON (Unexpected character (']' (code 93)): was expecting double-quote to start field name); expected JSON"
            },
            {
                TXN + TXN.stripTrailing() + ",\n",
                "h:2:" + TXN.length()
                        + ": found text that is not JSON (Unexpected character (',' (code 44)): expected a value); expected JSON"
            },
            {
                TXN.replace("\"index\":", "\"index\" "),
                "h:1:22: found text that is not JSON (Unexpected character ('0' (code 48)): was expecting a colon to separate field name and value); expected JSON"
            },
            {
                TXN.replace(",\"index\"", " \"index\""),
                "h:1:14: found text that is not JSON (Unexpected character ('\"' (code 34)): was expecting comma to separate Object entries); expected JSON"
            },
            {
                TXN.replace("0", "007"),
                "h:1:13: found text that is not JSON (Invalid numeric value: Leading zeroes not allowed); expected JSON"
            },
            {
                TXN.replace("0", "+7"),
                "h:1:13: found text that is not JSON (Unexpected character ('+' (code 43)) in numeric value: JSON spec does not allow numbers to have plus signs); expected JSON"
            },
            {
                TXN.replace("session", "ses\tsion"),
                "h:1:6: found text that is not JSON (Illegal unquoted character ((CTRL-CHAR, code 9)): has to be escaped using backslash to be included in name); expected JSON"
            },
            {
                TXN.replace("session", "ses\\qsion"),
                "h:1:7: found text that is not JSON (Unrecognized character escape 'q' (code 113)); expected JSON"
            },
            {
                TXN.stripTrailing() + "}\n",
                "h:1:" + TXN.length()
                        + ": found text that is not JSON (Unexpected close marker '}': no open Object to close); expected JSON"
            },
            {
                TXN + "{\"a\n",
                "h:2:4: found text that is not JSON (Illegal unquoted character ((CTRL-CHAR, code 10)): has to be escaped using backslash to be included in name); expected JSON"
            },
        };
        for (String[] each : cases) {
            assertThat(inputs.refusal("h", each[0])).as(each[0]).isEqualTo(each[1] + "; " + REMEDY);
        }
    }

    @Test
    void badValuesHaveARemedy() throws Exception {
        assertThat(inputs.refusal("h", txn("{\"op\":\"r\",\"key\":1}")))
                .isEqualTo(
                        "h:1:69: found an operation without \"value\"; expected op, key and value; leave out a read whose"
                                + " result is not known");
        assertThat(inputs.refusal("h", txn("{\"op\":\"w\",\"key\":1,\"value\":9223372036854775808}")))
                .isEqualTo(
                        "h:1:78: found the number 9223372036854775808 as \"value\"; expected an integer of 64 bits; write"
                                + " larger numbers as strings");
        for (String kind : List.of("w", "i", "append")) {
            assertThat(inputs.refusal("h", txn("{\"op\":\"" + kind + "\",\"key\":1}")))
                    .as(kind)
                    .endsWith(": found an operation without \"value\"; expected op, key and value; " + REMEDY);
        }
        String write = txn("{\"op\":\"w\",\"key\":1,\"value\":~}");
        for (String value : List.of("NaN", "-Infinity", "None", "True")) {
            assertThat(inputs.refusal("h", write.replace("~", value)))
                    .as(value)
                    .startsWith("h:1:")
                    .contains(": found text that is not JSON (", " token '" + value + "'")
                    .endsWith("; expected JSON; " + REMEDY);
        }
        String large =
                ": found a number of too many digits; expected an integer of 64 bits; write larger numbers as strings";
        String digits = "9".repeat(400);
        assertThat(inputs.refusal("h", write.replace("~", digits)))
                .startsWith("h:1:")
                .endsWith(large);
        assertThat(inputs.refusal("h", "{\"format\":\"history\",\"initial\":{\"value\":" + digits + "}}\n" + TXN))
                .startsWith("h:1:")
                .endsWith(large);
        String latin =
                ": found text that is not UTF-8; expected UTF-8; convert it, for example with iconv -f LATIN1 -t UTF-8";
        assertThat(inputs.refusal(
                        "h",
                        write.replace("~", "\"caf\u00e9\"").getBytes(StandardCharsets.ISO_8859_1),
                        HistoryFormat.AUTO))
                .startsWith("h:1:")
                .endsWith(latin);
        assertThat(inputs.read("h", txn("{\"op\":\"pw\",\"lo\":1,\"hi\":2,\"value\":3}"))
                        .unknownRows())
                .isNotNull();
        assertThat(inputs.refusal("h", txn("{\"op\":\"pd\",\"lo\":1,\"hi\":2,\"count\":-1}")))
                .contains("found \"count\":-1; expected the number of rows, 0 or more");
        String unknownRows =
                txn("{\"op\":\"pw\",\"lo\":1,\"hi\":2,\"value\":3},{\"op\":\"r\",\"key\":1,\"value\":null}");
        assertThat(inputs.read("h", unknownRows.replace("committed", "aborted")).operations())
                .isEqualTo(1);
        assertThat(inputs.refusal("h", txn("{\"op\":\"pw\",\"lo\":1,\"hi\":2,\"value\":3,\"count\":2,\"keys\":[7]}")))
                .contains("found \"count\":2 with 1 keys");
        assertThat(inputs.refusal("h", txn("{\"op\":\"pr\",\"lo\":1,\"hi\":2,\"rows\":[[7,1],[7,2]]}")))
                .as("a key twice in one result is an observation")
                .isEqualTo("nothing");
        assertThat(inputs.refusal("h", txn("{\"op\":\"pr\",\"lo\":1,\"rows\":[[7,1]]}")))
                .contains("found a \"pr\" without \"hi\"");
        assertThat(inputs.refusal("h", txn("{\"op\":\"pr\",\"where\":{},\"rows\":[]}")))
                .contains("found a \"where\" without columns");
        assertThat(inputs.refusal("h", txn("{\"op\":\"pr\",\"where\":{\"v1\":[1]},\"lo\":1,\"rows\":[]}")))
                .contains("found \"where\" and bounds");
        assertThat(inputs.refusal("h", txn("{\"lo\":1,\"op\":\"pr\",\"hi\":2,\"rows\":[7]}")))
                .contains("found the number 7 in \"rows\"; expected [KEY,VALUE]");
        String keys = txn("{\"op\":\"pr\",\"lo\":1,\"hi\":2,\"keys\":[7]}");
        assertThat(inputs.refusal("h", keys))
                .isEqualTo("h:1:" + (keys.indexOf("}") + 1)
                        + ": found a \"pr\" with \"keys\" and without \"rows\"; expected the rows that it returned,"
                        + " [[KEY,VALUE],...]; spark-jobs/docs/predicates.md shows the fields");
        assertThat(inputs.refusal("h", keys.replace("\"keys\"", "\"rows\":[[7,1]],\"keys\"")))
                .isEqualTo("nothing");
    }

    @Test
    void timesAreNanosecondsThatAreKnown() throws Exception {
        String line = "{\"session\":1,\"index\":0,\"start\":1,\"end\":2,\"status\":\"committed\",\"ops\":[]}\n";
        for (String time : List.of("start", "end")) {
            String field = "\"" + time + "\":";
            String lines = line
                    + line.replace("\"index\":0", "\"index\":1").replaceFirst(field + "[12]", field + Long.MIN_VALUE);
            assertThat(inputs.refusal("h", lines))
                    .isEqualTo("h:2:"
                            + (lines.lines().skip(1).findFirst().orElseThrow().indexOf("-9") + 1)
                            + ": found -9223372036854775808 as \"" + time
                            + "\"; expected at least -9223372036854775807;"
                            + " leave out a time that is not known");
            assertThat(inputs.refusal("h", lines.replace("-9223372036854775808", "-9223372036854775807")))
                    .isEqualTo("nothing");
        }
        assertThat(inputs.refusal("h", "{\"format\":\"history\",\"clock\":\"ms\"}\n" + line))
                .isEqualTo("h:1:29: found the string \"ms\" as \"clock\"; expected \"ns\"; start and end are"
                        + " nanoseconds: convert them");
        assertThat(inputs.refusal("h", "{\"format\":\"history\",\"clock\":\"CLOCK_MONOTONIC of the client\"}\n" + line))
                .isEqualTo("nothing");
    }

    @Test
    void badListsHaveARemedy() throws Exception {
        assertThat(inputs.refusal("h", txn("{\"op\":\"w\",\"key\":1,\"value\":[1,5]}")))
                .isEqualTo(
                        "h:1:78: found the operation \"w\" with a list as its value; expected an integer, a string or"
                                + " null; lists are read, and made by \"append\"");
        assertThat(inputs.refusal("h", txn("{\"op\":\"append\",\"key\":1,\"value\":[1]}")))
                .isEqualTo("h:1:83: found the operation \"append\" with a list as its value; expected an integer or a"
                        + " string; append elements one by one");
        assertThat(inputs.refusal("h", txn("{\"op\":\"append\",\"key\":1,\"value\":null}")))
                .contains("found null as an element of a list; expected an integer or a string");
        assertThat(inputs.refusal("h", txn("{\"op\":\"r\",\"key\":1,\"value\":[1,[2]]}")))
                .isEqualTo("h:1:81: found a list in a list; expected an integer or a string; each line after the"
                        + " header is one transaction, as the README shows");
        assertThat(inputs.refusal("h", "{\"format\":\"history\",\"initial\":{\"value\":[7]}}\n" + TXN))
                .isEqualTo(
                        "h:1:40: found a list with elements as the initial value; expected [], an integer, a string or"
                                + " null; append what a list begins with in a first transaction");
        assertThat(inputs.refusal(
                        "h",
                        txn("{\"op\":\"append\",\"key\":1,\"value\":1},{\"op\":\"append\",\"key\":1,\"value\":1}")))
                .isEqualTo(
                        "h:1: found 1 appended a second time to key 1 (first at h:1); expected each element of a list to"
                                + " be appended once; append values that are different");
        assertThat(inputs.refusal(
                        "h", txn("{\"op\":\"append\",\"key\":1,\"value\":1},{\"op\":\"w\",\"key\":1,\"value\":1}")))
                .isEqualTo(
                        "h:1: found key 1 with lists and with other values; expected lists or other values; give lists"
                                + " keys of their own");
    }

    @Test
    void badHeadersAreLocated() throws Exception {
        assertThat(inputs.refusal("h", "{\"format\":\"elle\"}\n"))
                .isEqualTo(
                        "h:1:11: found the string \"elle\" as \"format\"; expected \"history\"; this is another kind of"
                                + " file");
        assertThat(inputs.refusal("h", "{\"format\":\"history\",\"version\":2}\n"))
                .isEqualTo("h:1:31: found version 2; expected version 1; use a newer release");
        assertThat(inputs.refusal("h", "{\"initial\":0}\n"))
                .isEqualTo(
                        "h:1:12: found the number 0 as \"initial\"; expected {\"value\":...}; see storage/docs/formats.md for the"
                                + " header");
        for (String field : List.of("state", "rows")) {
            assertThat(inputs.refusal("h", "{\"initial\":{\"" + field + "\":[[1,2],[1,3]]}}\n"))
                    .endsWith("found key 1 a second time in initial." + field
                            + "; expected each key once; keep one of the two");
            assertThat(inputs.refusal("h", "{\"initial\":{\"" + field + "\":[7]}}\n"))
                    .contains(": found the number 7 in initial." + field + "; expected pairs [KEY,VALUE]; see ");
        }
        assertThat(inputs.refusal("h", "{\"format\":\"history\"} {}\n"))
                .isEqualTo("h:1:22: found an object after the header; expected the end of the line; " + REMEDY);
    }

    @Test
    void aHeaderAloneIsAnEmptyHistory() throws Exception {
        assertThat(inputs.read("h.jsonl", TestFiles.HEADER).transactions()).isZero();
    }

    @Test
    void aCutLineIsNamedAsSuch() throws Exception {
        assertThat(inputs.refusal("h", TXN + "{\"session\":0,\"index\":1,\"sta"))
                .isEqualTo(
                        "h:2:28: found the end of the file in the middle of a JSON object; expected a complete one; the"
                                + " file is cut off: copy it again");
    }

    @Test
    void limitsHold() throws Exception {
        String limits =
                ": found JSON beyond the limits; expected nesting up to 100, strings up to 1048576 and names up to"
                        + " 4096 characters; " + REMEDY;
        assertThat(inputs.refusal("h", "{\"a\":" + "[".repeat(100_000))).endsWith(limits);
        assertThat(inputs.refusal("h", "{\"" + "a".repeat(1 << 20) + "\":1}")).endsWith(limits);
        assertThat(inputs.refusal("h", txn("{\"op\":\"w\",\"key\":\"" + "a".repeat(3 << 20) + "\",\"value\":1}")))
                .endsWith(limits);
        assertThat(inputs.refusal("h", txn("{\"op\":\"w\",\"key\":" + "1".repeat(1 << 20) + ",\"value\":1}")))
                .endsWith("expected an integer of 64 bits; write larger numbers as strings");
        // Skipped fields may have any length.
        assertThat(inputs.read("h", "{\"note\":\"" + "a".repeat(3 << 20) + "\"," + TXN.substring(1))
                        .transactions())
                .isEqualTo(1);
    }

    @Test
    void objectsStandInOneLineEach() throws Exception {
        for (String pretty : List.of(TXN.replace(",", ",\n"), TXN.replace("}\n", "\n}\n"))) {
            assertThat(inputs.refusal("h", TXN + pretty))
                    .startsWith("h:")
                    .endsWith(
                            ": found the end of an object that begins in line 2; expected each transaction in one line;"
                                    + " write each object without line ends, for example with jq -c");
        }
    }

    @Test
    void theEncodingIsUtf8() throws Exception {
        String marked = "\uFEFF";
        for (String text : List.of(TXN, TestFiles.HEADER + TXN)) {
            assertThat(inputs.read("h.jsonl", marked + text).transactions()).isEqualTo(1);
            for (Charset charset : List.of(UTF_16LE, UTF_16BE, UTF_16, Charset.forName("UTF-32BE"))) {
                assertThat(inputs.refusal("h", text.getBytes(charset), HistoryFormat.JSONL))
                        .isEqualTo("h:1:1: found text in UTF-16 or UTF-32; expected UTF-8; convert it, for example with"
                                + " iconv -f UTF-16 -t UTF-8");
            }
        }
        byte[] latin = txn("{\"op\":\"w\",\"key\":\"\u00e9\",\"value\":1}").getBytes(ISO_8859_1);
        assertThat(inputs.refusal("h", latin, HistoryFormat.JSONL))
                .startsWith("h:1:")
                .contains("UTF-8");
    }
}
