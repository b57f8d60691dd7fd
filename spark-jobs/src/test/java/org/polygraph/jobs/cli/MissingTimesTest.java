package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Levels with real time need times that can order two transactions, wherever they are decided. */
class MissingTimesTest {
    private static final String[] STATUSES = {"committed", "committed", "committed", "indeterminate", "aborted"};

    @TempDir
    private Path folder;

    /** A transaction with what is recorded of its times. */
    private record Timed(String status, boolean hasStart, boolean hasEnd) {
        boolean precedesSome() {
            return status.equals("committed") && hasEnd;
        }

        boolean followsSome() {
            return !status.equals("aborted") && hasStart;
        }

        String line(int session) {
            return "{\"session\":" + session + ",\"index\":0" + (hasStart ? ",\"start\":" + (10 + session) : "")
                    + (hasEnd ? ",\"end\":" + (20 + session) : "") + ",\"status\":\"" + status
                    + "\",\"ops\":[{\"op\":\"w\",\"key\":\"k" + session + "\",\"value\":1}]}\n";
        }
    }

    private Path write(String name, List<Timed> all) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int s = 0; s < all.size(); s++) {
            lines.append(all.get(s).line(s));
        }
        return Files.writeString(folder.resolve(name), lines);
    }

    /** By the definition: tries all pairs. One transaction alone needs both times. */
    private static boolean mayOrder(List<Timed> all) {
        List<Timed> counted =
                all.stream().filter(each -> !each.status.equals("aborted")).toList();
        for (int a = 0; a < counted.size(); a++) {
            for (int b = 0; b < counted.size(); b++) {
                if ((a != b || counted.size() == 1)
                        && counted.get(a).precedesSome()
                        && counted.get(b).followsSome()) {
                    return true;
                }
            }
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(longs = {5301, 5302, 5303})
    void allPlacesAgreeWithTheDefinition(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < 20; i++) {
            List<Timed> all = new ArrayList<>();
            all.add(new Timed("committed", random.nextInt(3) == 0, random.nextInt(3) == 0));
            int more = random.nextInt(4);
            for (int t = 0; t < more; t++) {
                all.add(new Timed(
                        STATUSES[random.nextInt(STATUSES.length)], random.nextInt(3) == 0, random.nextInt(3) == 0));
            }
            String file = write(seed + "-" + i + ".jsonl", all).toString();
            long unbound = all.stream()
                    .filter(each -> !each.status.equals("aborted") && !each.precedesSome() && !each.followsSome())
                    .count();
            boolean mayOrder = mayOrder(all);
            for (String check : List.of("-l sser", "-l ssi", "-l ser --time strict", "-l sser --window 2")) {
                List<String> words = new ArrayList<>(List.of("check"));
                words.addAll(List.of(check.split(" ")));
                words.add(file);
                InProcess run = InProcess.run(words);
                String what = "seed " + seed + ", history " + i + ", " + check + ": " + run.out() + run.err();
                assertThat(run.exitCode()).as(what).isEqualTo(mayOrder ? 0 : 5);
                assertThat(run.out().contains("neither a start nor an end"))
                        .as(what)
                        .isEqualTo(mayOrder && unbound > 0);
                if (!mayOrder) {
                    assertThat(run.err()).as(what).contains("expected them, for real-time order is part of the level");
                } else if (unbound > 0) {
                    assertThat(run.out())
                            .as(what)
                            .contains(unbound + (unbound == 1 ? " transaction has" : " transactions have"));
                }
            }
            assertThat(InProcess.run("check", "-l", "all", file).out().contains("  sser  "))
                    .as("seed " + seed + ", history " + i)
                    .isEqualTo(mayOrder);
        }
    }
}
