package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.polygraph.storage.format.HistoryFormat;

/**
 * Every kind of bad input, given to the command with its real engine: exit code, all of stderr, and a result line with
 * the same message. {@code @} stands for the path of the input.
 */
class BadInputAcceptanceTest {
    private static final String LINE = "; each line after the header is one transaction, as the README shows";
    private static final String DAMAGED = "; the file is damaged or another format: give the right one with -f";
    private static final String CUT = "; the file is cut off: copy it again";
    private static final String NOTHING =
            "; expected one at least, or there is nothing to judge; check what was recorded";
    private static final String NO_FORMAT =
            "found content of no format known; expected jsonl, parquet, arrow, dbcop, plume, edn, elle-json, or a"
                    + " folder of Cobra logs; name the format with -f to see what is wrong with it";

    @TempDir
    private Path folder;

    private String out = "";
    private String err = "";

    /** A file. If its name has a slash, the input is its folder. */
    @SuppressWarnings("ArrayRecordComponent") // instances are never compared
    record Case(String file, byte[] content, String format, int exitCode, String message) {
        @Override
        public String toString() {
            return file + " as " + format;
        }
    }

    private static Case invalid(String file, String content, String message) {
        return invalid(file, content.getBytes(StandardCharsets.UTF_8), message);
    }

    private static Case invalid(String file, byte[] content, String message) {
        return new Case(file, content, "auto", 5, message);
    }

    private static String transaction(String session, String index, String operations) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"committed\",\"ops\":[" + operations
                + "]}\n";
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(content);
        }
        return bytes.toByteArray();
    }

    /** The header of a dbcop file with empty strings (64 bytes), and the bytes after it. */
    private static byte[] dbcop(long... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(64 + 8 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 1; i <= 5; i++) {
            bytes.putLong(i);
        }
        bytes.position(64);
        for (long number : numbers) {
            bytes.putLong(number);
        }
        return bytes.array();
    }

    /** The start of a Cobra transaction (9 bytes), and a record: a tag and numbers. */
    private static byte[] cobra(char tag, long... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(10 + 8 * numbers.length);
        bytes.put((byte) 'S').putLong(1).put((byte) tag);
        for (long number : numbers) {
            bytes.putLong(number);
        }
        return bytes.array();
    }

    static List<Case> cases() throws IOException {
        String good = transaction("0", "0", "");
        byte[] noise = new byte[5000];
        new Random(1).nextBytes(noise);
        byte[] compressed = gzip(good.getBytes(StandardCharsets.UTF_8));
        List<Case> cases = new ArrayList<>();
        cases.add(invalid("empty.jsonl", "", "@: found an empty file; expected a history; check how it was written"));
        cases.add(invalid("blank", " \n\n", "@: found an empty file; expected a history; check how it was written"));
        cases.add(invalid("logless/notes.txt", "hello", "@/notes.txt: " + NO_FORMAT));
        cases.add(invalid(
                "nolog/.hidden",
                "hello",
                "@: found a folder without any history; expected *.log files (cobra) or part files (jsonl, parquet);"
                        + " check the path"));
        cases.add(new Case(
                "nocobra/notes.txt",
                new byte[1],
                "cobra",
                5,
                "@: found a folder without *.log files; expected one *.log a client (-f cobra); check the path"));
        cases.add(invalid(
                "cut.jsonl.gz",
                Arrays.copyOf(compressed, compressed.length - 9),
                "@: found a gzip stream that stops in the middle; expected a complete one" + CUT));
        cases.add(invalid(
                "named.jsonl.gz",
                good,
                "@: found content that is not compressed by gzip; expected gzip, as the name ends in .gz; rename the"
                        + " file or compress it"));
        cases.add(invalid(
                "cutline.jsonl",
                good + "{\"session\":0,\"index\":1,\"sta",
                "@:2:28: found the end of the file in the middle of a JSON object; expected a complete one" + CUT));
        cases.add(new Case(
                "cut.bincode",
                Arrays.copyOf(dbcop(1, 1), 76),
                "dbcop",
                5,
                "@:byte 64: found 1 as the number of sessions; expected at most 0, what the rest of the file can hold"
                        + DAMAGED));
        cases.add(new Case(
                "negative.bincode",
                dbcop(-1),
                "dbcop",
                5,
                "@:byte 64: found -1 as the number of sessions; expected 0 or more" + DAMAGED));
        cases.add(new Case(
                "huge.bincode",
                dbcop(1L << 62),
                "dbcop",
                5,
                "@:byte 64: found 4611686018427387904 as the number of sessions; expected at most 0, what the rest of"
                        + " the file can hold" + DAMAGED));
        cases.add(new Case(
                "huge.bincode.gz",
                gzip(dbcop(1, Long.MAX_VALUE)),
                "dbcop",
                5,
                "@:byte 80: found the end of the file; expected the number of events (8 bytes)" + CUT));
        cases.add(invalid(
                "tag/a.log",
                cobra('Z', 1),
                "@/a.log:byte 9: found the byte 0x5a as a record's tag; expected S, C, W, R or 0xff; the log is damaged"
                        + " or another format: give the right one with -f"));
        cases.add(invalid(
                "cutlog/a.log",
                cobra('W', 1, 2),
                "@/a.log:byte 26: found the end of the file; expected a write's value (8 bytes)" + CUT));
        cases.add(invalid(
                "single.log",
                cobra('C', 1),
                "@: found a single Cobra log; expected the folder that holds the logs of all clients; give the"
                        + " folder"));
        cases.add(new Case(
                "jsonl.jsonl",
                good.getBytes(StandardCharsets.UTF_8),
                "dbcop",
                5,
                "@: found JSON Lines; expected dbcop bincode (-f dbcop); give -f jsonl or -f auto"));
        cases.add(new Case(
                "file",
                good.getBytes(StandardCharsets.UTF_8),
                "cobra",
                5,
                "@: found a file; expected a folder of *.log files (-f cobra); give the folder, or another format with"
                        + " -f"));
        cases.add(invalid(
                "history.edn",
                "{:type :invoke}",
                "@:1:1: found an operation without :f, whose :value is no transaction; expected :type, :process, :f and :value; an operation is"
                        + " {:type :ok, :process 0, :f :txn, :value [[:r 1 2] [:w 1 3]]}"));
        cases.add(invalid(
                "twice.jsonl",
                good + good,
                "@:2: found session 0 index 0 a second time (first at @:1); expected each (session, index) once; number"
                        + " the transactions of a session in the order it ran them"));
        cases.add(invalid(
                "range.jsonl",
                transaction("0", "0", "{\"op\":\"w\",\"key\":1,\"value\":99999999999999999999}"),
                "@:1:78: found the number 99999999999999999999 as \"value\"; expected an integer of 64 bits; write"
                        + " larger numbers as strings"));
        cases.add(invalid(
                "session.jsonl",
                transaction("9223372036854775808", "0", ""),
                "@:1:12: found the number 9223372036854775808 as \"session\"; expected an integer of 64 bits; write"
                        + " larger numbers as strings"));
        cases.add(invalid(
                "index.jsonl",
                transaction("0", "1.5", ""),
                "@:1:22: found the number 1.5 as \"index\"; expected an integer" + LINE));
        cases.add(invalid("noise", noise, "@: " + NO_FORMAT));
        cases.add(new Case(
                "zeros",
                new byte[4096],
                "dbcop",
                5,
                "@:byte 72: found bytes after the last session; expected the end of the file" + DAMAGED));
        cases.add(invalid(
                "plume.txt",
                "r(1,0,0,0)\nw(1,5,1\n",
                "@:2:8: found the end of the line; expected ','; a line is r(key,value,session,txn) or"
                        + " w(key,value,session,txn)"));
        cases.add(invalid(
                "deep.jsonl",
                "{\"session\":0,\"a\":" + "[".repeat(100_000),
                "@:1:118: found JSON beyond the limits; expected nesting up to 100, strings up to 1048576 and names up"
                        + " to 4096 characters" + LINE));
        cases.add(invalid(
                "aborted.jsonl",
                good.replace("committed", "aborted"),
                "@: vacuous: found 1 transaction, which did not commit" + NOTHING));
        cases.add(invalid(
                "header.jsonl",
                "{\"format\":\"history\",\"version\":1}\n",
                "@: vacuous: found 0 transactions, none of them committed" + NOTHING));
        return cases;
    }

    private int run(String... args) {
        InProcess run = InProcess.run(args);
        out = run.out();
        err = run.err();
        return run.exitCode();
    }

    private String write(String name, byte[] content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        return (name.contains("/") ? file.getParent() : file).toString();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isRefusedInOneLocatedLine(Case bad) throws IOException {
        String path = write(bad.file, bad.content);
        assertThat(run("check", "-l", "ser", "-f", bad.format, path)).as(err).isEqualTo(bad.exitCode);
        assertThat(err.replace(path, "@")).isEqualTo("polygraph: " + bad.message + "\n");
        assertThat(out).startsWith("INVALID  ser  " + path + "  ").hasLineCount(1);
        for (String command : List.of("stats", "lint")) {
            boolean vacuous = bad.message.contains("vacuous");
            assertThat(run(command, "-f", bad.format, path)).isEqualTo(vacuous ? 0 : 5);
            assertThat(err.replace(path, "@")).isEqualTo(vacuous ? "" : "polygraph: " + bad.message + "\n");
        }
        if (!bad.message.contains("vacuous")) {
            assertThat(run("convert", "-f", bad.format, path, folder + "/out.jsonl"))
                    .isEqualTo(5);
            assertThat(folder.resolve("out.jsonl")).doesNotExist();
        }
    }

    @Test
    void pathsThatCannotBeReadAreErrors() throws IOException {
        String missing = folder.resolve("missing").toString();
        assertThat(run("check", "-l", "ser", missing)).isEqualTo(6);
        assertThat(err).isEqualTo("polygraph: " + missing + ": no such file or folder; check the path\n");
        assertThat(run("check", "-l", "ser", "nosuch:/x", "s3a://b/k")).isEqualTo(6);
        assertThat(err)
                .isEqualTo("polygraph: nosuch:/x: cannot be reached: No FileSystem for scheme \"nosuch\"\n"
                        + "polygraph: s3a://b/k: cannot be reached:"
                        + " java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found;"
                        + " add the file system's jars to the class path\n");
    }

    @Test
    void aLinkWithoutTargetInAFolderIsNamed() throws IOException {
        Path parts = Files.createDirectory(folder.resolve("parts"));
        Files.createSymbolicLink(parts.resolve("x.jsonl"), folder.resolve("nowhere"));
        for (String path : List.of(parts.toString(), parts + "/")) {
            assertThat(run("check", "-l", "ser", path)).isEqualTo(6);
            assertThat(err).startsWith("polygraph: " + parts + "/x.jsonl: no such file, though its folder lists it; ");
        }
    }

    @Test
    void aHeaderThatIsTooLongIsNotCalledCutOff() throws IOException {
        String header = "{\"format\":\"history\",\"version\":1,\"note\":\"" + "x".repeat(1 << 20) + "\"}\n";
        String path = write("long.jsonl", (header + transaction("0", "0", "")).getBytes(StandardCharsets.UTF_8));
        assertThat(run("check", "-l", "ser", path)).isEqualTo(5);
        assertThat(err)
                .isEqualTo("polygraph: " + path + ":1: found a header of 1 MiB or more; expected less than 1 MiB; keep"
                        + " large metadata in a file of its own\n");
    }

    @Test
    void anUnreadableFileIsAnError() throws IOException {
        String path = write("secret", transaction("0", "0", "").getBytes(StandardCharsets.UTF_8));
        Files.setPosixFilePermissions(Path.of(path), PosixFilePermissions.fromString("---------"));
        assumeTrue(!Files.isReadable(Path.of(path)), "skipped: this user may read everything");
        assertThat(run("check", "-l", "ser", path)).isEqualTo(6);
        assertThat(err).isEqualTo("polygraph: " + path + ": permission denied; check who may read it\n");
    }

    @Test
    void standardInputMayBeBadToo() {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream("{\"session\"".getBytes(StandardCharsets.UTF_8)));
            assertThat(run("check", "-l", "ser", "-")).isEqualTo(5);
            assertThat(err)
                    .isEqualTo("polygraph: -:1:11: found the end of the file in the middle of a JSON object; expected a"
                            + " complete one" + CUT + "\n");
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void goodAndBadTogetherGetALineEach() throws IOException {
        byte[] good = transaction("0", "0", "").getBytes(StandardCharsets.UTF_8);
        byte[] thinAir =
                transaction("0", "0", "{\"op\":\"r\",\"key\":1,\"value\":7}").getBytes(StandardCharsets.UTF_8);
        String pass = write("pass", good);
        String violation = write("violation", thinAir);
        String empty = write("empty", new byte[0]);
        String missing = folder.resolve("missing").toString();
        assertThat(run("check", "-l", "si", violation, missing, pass, empty)).isEqualTo(6);
        assertThat(out.lines()
                        .filter(line -> !line.startsWith(" "))
                        .map(line -> line.split("  ", 4)[0] + line.split("  ", 4)[2].replace(folder.toString(), "")))
                .containsExactly("VIOLATION/violation", "ERROR/missing", "PASS/pass", "INVALID/empty");
        assertThat(run("check", "-l", "si", violation, pass, empty)).isEqualTo(5);
        assertThat(run("check", "-l", "si", pass, violation)).isEqualTo(3);
        assertThat(run("check", "-l", "si", "--json", pass, empty)).isEqualTo(5);
        assertThat(out).hasLineCount(2);
    }

    @Test
    void commandLinesThatAreWrongCheckNothing() throws IOException {
        String pass = write("pass", transaction("0", "0", "").getBytes(StandardCharsets.UTF_8));
        String help = "\n  Try 'polygraph check --help'.\n";
        String[][] cases = {
            {"the same PATH is given twice: '" + pass + "'; give it once" + help, "check", "-l", "ser", pass, pass},
            {
                "the same PATH is given twice: '" + pass + "' and 'file:" + pass + "'; give it once" + help,
                "check",
                "-l",
                "ser",
                pass,
                "file:" + pass
            },
            {"Unknown option: '--bogus'" + help, "check", "-l", "ser", "--bogus", pass},
            {"Unknown option: '--lev'\n  Possible solutions: --level" + help, "check", "--lev", "ser", pass},
            {"Unknown option: '-dash'" + help, "check", "-l", "ser", "-dash"},
            {"Missing required parameter: 'PATH'" + help, "check", "-l", "ser"},
            {
                "Invalid value for option '--level': unknown level 'foo' (levels: sser, ser, ssi, si, cc, ra, rc, lin)"
                        + help,
                "check",
                "-l",
                "foo",
                pass
            },
            {
                "Invalid value for option '--format': unknown format 'foo' (formats: auto, jsonl, parquet, arrow, dbcop,"
                        + " cobra, plume, edn, elle-json)" + help,
                "check",
                "-l",
                "ser",
                "-f",
                "foo",
                pass
            },
            {
                "unknown command 'foo' (commands: check, explain, report, convert, verify, runs, stats, lint, estimate, generate, record, version)\n",
                "foo",
            },
        };
        for (String[] each : cases) {
            assertThat(run(Arrays.copyOfRange(each, 1, each.length))).isEqualTo(2);
            assertThat(err).isEqualTo("polygraph: " + each[0]);
            assertThat(out).isEmpty();
        }
    }

    @Test
    void everyOptionThatIsPromisedIsTaken() throws IOException {
        String pass = write("@pass", transaction("0", "0", "").getBytes(StandardCharsets.UTF_8));
        String runs = folder.resolve("runs").toString();
        String[] lines = {
            "--engine auto",
            "--engine embedded",
            "--master local[2]",
            "-o " + runs,
            "--out " + runs,
            "--json",
            "--timeout 10s --memory 1g",
            "--time none",
            "--time hint",
            "--clock-skew 5ms",
            "--indeterminate maybe",
            "--indeterminate abort",
            "--on-violation fail",
            "--on-violation succeed",
            "--resume -o " + runs,
            "--overwrite -o " + runs,
            "--progress auto",
            "--progress plain",
            "--progress json",
            "--progress none",
            "-q",
            "-v",
        };
        for (String line : lines) {
            List<String> words = new ArrayList<>(List.of("check", "-l", "ser"));
            words.addAll(List.of(line.split(" ")));
            words.add(pass);
            assertThat(run(words.toArray(new String[0]))).as(line + err).isZero();
        }
        for (String level : List.of("ser", "si", "cc", "ra", "rc")) {
            assertThat(run("check", "--level", level, pass)).isZero();
        }
        for (String strict : List.of("-l sser", "-l ssi", "-l ser --time strict", "-l si --time strict")) {
            List<String> words = new ArrayList<>(List.of("check"));
            words.addAll(List.of(strict.split(" ")));
            words.add(pass);
            assertThat(run(words.toArray(new String[0]))).as(strict).isEqualTo(5);
            assertThat(err).contains("found no start and end times; expected them");
        }
        assertThat(run("check", "-l", "linear", pass)).isEqualTo(2);
        assertThat(err).contains("unknown level 'linear'");
        for (HistoryFormat format : HistoryFormat.values()) {
            boolean isRight = format == HistoryFormat.AUTO || format == HistoryFormat.JSONL;
            assertThat(run("check", "-l", "ser", "-f", format.label(), pass))
                    .as(format.label())
                    .isEqualTo(isRight ? 0 : 5);
        }
    }
}
