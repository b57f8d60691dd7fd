package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each message about chains recommends is done here, and works. */
class ChainAdviceTest extends Chains {
    /** The last command of some steps on a chain. */
    @FunctionalInterface
    private interface Steps {
        InProcess done(ChainAdviceTest chain) throws IOException;
    }

    /**
     * A message, and what it recommends.
     *
     * @param text of the message
     * @param cause what the message follows
     * @param remedy ends with a command that shows that all is well
     */
    private record Advice(String text, Steps cause, Steps remedy) {
        @Override
        public String toString() {
            return text;
        }
    }

    private static final String PRUNED = "was removed by runs --prune, and the chain cannot be decided without it;"
            + " check the part of this run again with --overwrite";

    /** The hours that are checked before each message. */
    private static final int HOURS = 3;

    private final Path[] run = new Path[HOURS + 1];
    /** What a cause has set aside. */
    private byte[] aside = new byte[0];

    private InProcess next() throws IOException {
        return after(hour(HOURS + 1));
    }

    /** A part that no seam explains. */
    private InProcess stale(Path after) throws IOException {
        return check("ser", write("stale.jsonl", line(0, HOURS, read("x", 1))), "--after", after.toString());
    }

    private InProcess isViolated(InProcess answer) {
        assertThat(answer.exitCode()).as(answer.toString()).isEqualTo(3);
        return InProcess.run("runs", runs());
    }

    private void change(Path file) throws IOException {
        aside = Files.readAllBytes(file);
        Files.writeString(file, " \n", StandardOpenOption.APPEND);
    }

    private Path hourFile(int i) {
        return folder.resolve("hour-" + i + ".jsonl");
    }

    private Path in(int hour, String file) {
        return run[hour].resolve("seam/" + file);
    }

    private Path violation() throws IOException {
        return run(after(lost("a", 2))).resolve("seam/violation.jsonl");
    }

    /** The hours in a folder of their own, and what {@code --each} answers. */
    private InProcess each(String... options) throws IOException {
        Path archive = Files.createDirectories(folder.resolve("archive"));
        for (int i = 1; i <= HOURS; i++) {
            if (!Files.exists(archive.resolve("hour-" + i + ".jsonl"))) {
                Files.copy(hourFile(i), archive.resolve("hour-" + i + ".jsonl"));
            }
        }
        return InProcess.run(Stream.concat(
                        Stream.of(
                                "check",
                                "-q",
                                "-l",
                                "ser",
                                "-o",
                                folder.resolve("each").toString(),
                                "--each"),
                        Stream.concat(Stream.of(options), Stream.of(archive.toString())))
                .toList());
    }

    private InProcess fromStdin() throws IOException {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(Files.readAllBytes(hourFile(1))));
        try {
            return InProcess.run("check", "-q", "-l", "ser", "-o", other(), "-");
        } finally {
            System.setIn(before);
        }
    }

    private String other() {
        return folder.resolve("other").toString();
    }

    private InProcess other(String path, String... options) {
        return InProcess.run(Stream.concat(
                        Stream.of("check", "-q", "-l", "ser", "-o", other(), "--after", other(), path),
                        Stream.of(options))
                .toList());
    }

    private Path fork() throws IOException {
        return run(check("ser", write("fork.jsonl", line(1, 0, read("x", 2))), "--after", run[2].toString()));
    }

    private String reads(String key, int value) throws IOException {
        return write("first.jsonl", line(9, 0, read(key, value) + "," + write(key, value + 1)));
    }

    private String state(String key, int value) throws IOException {
        return write("state.jsonl", "{\"key\":\"" + key + "\",\"value\":" + value + "}\n");
    }

    private InProcess lin(String out, String path, String... options) {
        return InProcess.run(Stream.concat(
                        Stream.of("check", "-q", "-l", "lin", "-o", out, "--after", out, path), Stream.of(options))
                .toList());
    }

    /** An operation of its own session at a time. */
    private String timed(String name, int time, String operation) throws IOException {
        return write(
                name,
                line(time, 0, operation)
                        .replace("{\"session\"", "{\"start\":" + time + ",\"end\":" + time + ",\"session\""));
    }

    private static String append(int element) {
        return "{\"op\":\"append\",\"key\":\"L\",\"value\":" + element + "}";
    }

    private static List<Advice> onRuns() {
        Steps noList = chain -> {
            Files.delete(chain.in(3, "chain.txt"));
            return chain.next();
        };
        Steps noBase = chain -> {
            Files.write(chain.in(3, "base.txt"), new byte[0]);
            return chain.check("ser", chain.hour(4), "--after", chain.run[3].toString());
        };
        Steps changedViolation = chain -> {
            Path file = chain.violation();
            chain.change(file);
            return InProcess.run("verify", file.getParent().getParent().toString());
        };
        Steps fork = chain -> {
            chain.fork();
            return chain.next();
        };
        return List.of(
                new Advice("or delete the run, and check its part again after the run before it", noList, chain -> {
                    delete(chain.run[3]);
                    chain.after(chain.hour(3));
                    return chain.next();
                }),
                new Advice("check the part of this run again with --overwrite", noBase, chain -> {
                    chain.after(chain.hour(3), "--overwrite");
                    return chain.check("ser", chain.hour(4), "--after", chain.run[3].toString());
                }),
                new Advice(
                        "check the part of this run again with --overwrite",
                        chain -> {
                            Files.writeString(chain.in(3, "seam.parquet"), "damaged");
                            return chain.next();
                        },
                        chain -> {
                            chain.after(chain.hour(3), "--overwrite");
                            return InProcess.run(
                                    "verify", "--chain", run(chain.next()).toString());
                        }),
                new Advice("restore it, or check the part of this run again", changedViolation, chain -> {
                    Path file = chain.folder.resolve("a.jsonl");
                    Path kept = run(chain.after(file.toString())).resolve("seam/violation.jsonl");
                    Files.write(kept, chain.aside);
                    return InProcess.run("verify", chain.runs() + "/a.jsonl");
                }),
                new Advice("or check the part of this run again with --overwrite", changedViolation, chain -> {
                    chain.after(chain.folder.resolve("a.jsonl").toString(), "--overwrite");
                    return InProcess.run("verify", chain.runs() + "/a.jsonl");
                }),
                new Advice(
                        PRUNED,
                        chain -> {
                            chain.next();
                            InProcess.run("runs", "--prune", "--keep", "1", chain.runs());
                            return InProcess.run("verify", "--chain", chain.runs() + "/hour-3.jsonl");
                        },
                        chain -> {
                            chain.after(chain.hour(2), "--overwrite");
                            return InProcess.run("verify", chain.runs() + "/hour-3.jsonl");
                        }),
                new Advice("or delete the run of the later part, and check that part again", fork, chain -> {
                    delete(chain.fork());
                    assertThat(chain.after(chain.folder.resolve("fork.jsonl").toString())
                                    .word())
                            .isEqualTo("PASS");
                    return chain.next();
                }),
                new Advice(
                        "check the file again with --overwrite",
                        chain -> {
                            chain.fromStdin();
                            return chain.other(chain.hour(2));
                        },
                        chain -> {
                            InProcess.run("check", "-l", "ser", "-o", chain.other(), "--overwrite", chain.hour(1));
                            return chain.other(chain.hour(2));
                        }),
                new Advice(
                        "give that",
                        chain -> {
                            Path none = run(chain.check("ser", chain.write("none.jsonl", "")));
                            return chain.check("ser", chain.hour(4), "--after", none.toString());
                        },
                        chain -> chain.check("ser", chain.hour(4), "--after", chain.run[3].toString())),
                new Advice(
                        "give that",
                        chain -> chain.check("ser", chain.hour(3), "--after", chain.run[3].toString()),
                        chain -> chain.check("ser", chain.hour(3), "--after", chain.run[2].toString())),
                new Advice(
                        "give --after the folder that check --out wrote",
                        chain -> chain.check("ser", chain.hour(4), "--after", chain.other()),
                        ChainAdviceTest::next),
                new Advice(
                        "or that of --out",
                        chain -> chain.check("ser", chain.hour(1), "--after", chain.other()),
                        chain -> chain.other(chain.hour(1))));
    }

    private static List<Advice> onParts() {
        Steps changed = chain -> {
            chain.change(chain.hourFile(1));
            return chain.stale(chain.run[3]);
        };
        Steps recheck = chain -> {
            for (int i = 2; i <= HOURS; i++) {
                assertThat(chain.after(chain.hourFile(i).toString()).word()).isEqualTo("PASS");
            }
            return chain.next();
        };
        Steps missing = chain -> chain.after(chain.hour(5));
        Steps open = chain -> chain.other(chain.reads("y", 7));
        return List.of(
                new Advice("restore it", changed, chain -> {
                    Files.write(chain.hourFile(1), chain.aside);
                    return chain.isViolated(chain.stale(chain.run[3]));
                }),
                new Advice("if it was changed on purpose, check that part with --recheck", changed, chain -> {
                    chain.after(chain.hourFile(1).toString(), "--recheck");
                    return recheck.done(chain);
                }),
                new Advice(
                        "is gone, and the chain cannot be decided without it; restore it",
                        chain -> {
                            chain.aside = Files.readAllBytes(chain.hourFile(1));
                            Files.delete(chain.hourFile(1));
                            return chain.stale(chain.run[3]);
                        },
                        chain -> {
                            Files.write(chain.hourFile(1), chain.aside);
                            return chain.isViolated(chain.stale(chain.run[3]));
                        }),
                new Advice(
                        "leave out the copy",
                        chain -> {
                            chain.each();
                            Files.copy(chain.hourFile(1), chain.folder.resolve("archive/hour-4.jsonl"));
                            return chain.each();
                        },
                        chain -> {
                            Files.delete(chain.folder.resolve("archive/hour-4.jsonl"));
                            return chain.each();
                        }),
                new Advice("a part is missing: check it first", missing, chain -> {
                    chain.next();
                    return chain.after(chain.hourFile(5).toString());
                }),
                new Advice("or give --after the run of what came directly before", missing, chain -> {
                    Path fourth = run(InProcess.run(
                            "check", "-l", "ser", "-o", chain.other(), "--after", chain.runs(), chain.hour(4)));
                    return chain.check("ser", chain.hour(5), "--after", fourth.toString());
                }),
                new Advice(
                        "leave out --initial-state, which is of the first part",
                        chain -> chain.after(chain.hour(4), "--initial-state", chain.state("x", 3)),
                        ChainAdviceTest::next),
                new Advice("if it precedes the chain, give --initial-state with the first part", open, chain -> {
                    String first = chain.reads("y", 7);
                    assertThat(chain.other(first, "--initial-state", chain.state("y", 7))
                                    .word())
                            .isEqualTo("PASS");
                    return chain.other(chain.hour(1));
                }),
                new Advice(
                        "give --after or --initial-state FILE",
                        chain -> InProcess.run("check", "-l", "ser", chain.hour(4)),
                        ChainAdviceTest::next),
                new Advice(
                        "give --after or --initial-state FILE",
                        chain -> InProcess.run("check", "-l", "ser", chain.reads("y", 7)),
                        chain -> InProcess.run(
                                "check", "-l", "ser", "--initial-state", chain.state("y", 7), chain.reads("y", 7))),
                new Advice(
                        "begin a chain in another folder of runs, with --initial-state",
                        chain -> {
                            chain.lin(chain.other(), chain.timed("l1.jsonl", 1, write("z", 1)));
                            chain.lin(chain.other(), chain.timed("l2.jsonl", 3, read("z", "null")));
                            return chain.lin(chain.other(), chain.timed("l3.jsonl", 5, read("z", 1)), "--start-over");
                        },
                        chain -> chain.lin(
                                chain.folder.resolve("further").toString(),
                                chain.timed("l3.jsonl", 5, read("z", 1)),
                                "--initial-state",
                                chain.state("z", 1))),
                new Advice(
                        "or for lists with a first part that appends their elements",
                        chain -> {
                            chain.other(chain.write("a1.jsonl", line(0, 0, append(1))));
                            chain.other(chain.write("a2.jsonl", line(1, 0, read("L", "[]") + "," + read("L", "[1]"))));
                            return chain.other(chain.write("a3.jsonl", line(2, 0, read("L", "[1]"))), "--start-over");
                        },
                        chain -> {
                            chain.after(chain.write("begin.jsonl", line(9, 0, append(1))));
                            return chain.after(chain.folder.resolve("a3.jsonl").toString());
                        }));
    }

    private static List<Advice> onOptions() {
        return List.of(
                new Advice(
                        "--start-over needs --after and --out, and one PATH",
                        chain -> chain.check("ser", chain.hour(4), "--start-over"),
                        chain -> chain.after(chain.hour(4), "--start-over")),
                new Advice(
                        "give --each, or the same folder to --after and --out",
                        chain -> chain.check("ser", chain.hour(3), "--recheck"),
                        chain -> chain.after(chain.hour(3), "--recheck")),
                new Advice(
                        "give --each, or the same folder",
                        chain -> chain.check("ser", chain.hour(3), "--recheck"),
                        chain -> chain.each("--recheck")),
                new Advice(
                        "--fail-on new is of a chain; give --after or --each",
                        chain -> chain.check("ser", chain.hour(4), "--fail-on", "new"),
                        chain -> chain.after(chain.hour(4), "--fail-on", "new")),
                new Advice(
                        "give --after or --each",
                        chain -> chain.check("ser", chain.hour(4), "--fail-on", "new"),
                        chain -> chain.each("--fail-on", "new")),
                new Advice(
                        "--after needs files: standard input cannot be read again; give a file",
                        chain -> chain.after("-"),
                        ChainAdviceTest::next),
                new Advice(
                        "--each needs --out DIR, where the runs are, and excludes --after",
                        chain -> chain.after(chain.hour(4), "--each"),
                        chain -> chain.each()),
                new Advice(
                        "--chain reads the parts that the run lists; leave out PATH and --proof",
                        chain -> InProcess.run("verify", "--chain", chain.run[3].toString(), chain.hour(3)),
                        chain -> InProcess.run("verify", "--chain", chain.run[3].toString())));
    }

    private static List<Advice> advice() {
        return Stream.of(onRuns(), onParts(), onOptions()).flatMap(List::stream).toList();
    }

    @ParameterizedTest
    @MethodSource("advice")
    void works(Advice advice) throws IOException {
        for (int i = 1; i <= HOURS; i++) {
            run[i] = run(after(hour(i)));
        }
        InProcess message = advice.cause.done(this);
        assertThat(message.err() + message.out()).contains(advice.text);
        InProcess done = advice.remedy.done(this);
        assertThat(done.exitCode()).as(done.toString()).isZero();
        assertThat(done.err()).as(done.toString()).doesNotContain(advice.text);
    }
}
