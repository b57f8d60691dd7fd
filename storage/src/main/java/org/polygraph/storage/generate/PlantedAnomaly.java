package org.polygraph.storage.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An anomaly that a {@link Workload} plants at a stated transaction. It takes a few transactions with consecutive
 * numbers, so they are in different sessions. Their first operations access keys that only the anomaly has, and
 * return what the script states. Their other operations read ordinary keys, all as of the same instant, so that they
 * add no other anomaly.
 *
 * <p>A script has a transaction for each player: {@code r(k,v)} and {@code w(k,v)} with the anomaly's own keys from 0.
 * Value 0 is the initial value; another value is the write of that value in the script; a value that the script does
 * not write is out of thin air. A leading {@code !} makes the transaction aborted.
 */
public enum PlantedAnomaly {
    /** Two transactions read both keys and write one each. SI allows it. */
    WRITE_SKEW("r(0,0) r(1,0) w(0,1); r(0,0) r(1,0) w(1,2)"),
    LOST_UPDATE("r(0,0) w(0,1); r(0,0) w(0,2)"),
    LONG_FORK("w(0,1); w(1,2); r(0,1) r(1,0); r(1,2) r(0,0)"),
    READ_SKEW("w(0,1) w(1,2); r(0,0) r(1,2)"),
    /** The second transaction starts after the first has ended and does not see it. Only real time forbids it. */
    STALE_READ("w(0,1); r(0,0)"),
    THIN_AIR_READ("r(0,1)"),
    ABORTED_READ("!w(0,1); r(0,1)"),
    INTERMEDIATE_READ("w(0,1) w(0,2); r(0,1)"),
    FUTURE_READ("r(0,1) w(0,1)"),
    NON_REPEATABLE_READ("w(0,1); r(0,0) r(0,1)"),
    CIRCULAR_INFORMATION("w(0,1) r(1,2); w(1,2) r(0,1)"),
    CAUSALITY_VIOLATION("w(0,1); r(0,1) w(1,2); r(1,2) r(0,0)");

    /** The most keys that an anomaly may have. */
    static final int MOST_KEYS = 2;

    /** One operation of a script. */
    record Step(boolean write, int key, int value) {}

    /** One transaction of a script. */
    record Player(boolean aborted, List<Step> steps) {}

    private final List<Player> players = new ArrayList<>();

    PlantedAnomaly(String script) {
        for (String transaction : script.split("; ", -1)) {
            boolean aborted = transaction.startsWith("!");
            List<Step> steps = new ArrayList<>();
            for (String step : transaction.substring(aborted ? 1 : 0).split(" ", -1)) {
                steps.add(new Step(step.charAt(0) == 'w', step.charAt(2) - '0', step.charAt(4) - '0'));
            }
            players.add(new Player(aborted, List.copyOf(steps)));
        }
    }

    /** Returns the name that {@code --anomaly} takes: {@code write-skew}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the number of transactions that take part: those of numbers at, at + 1, ... */
    public int players() {
        return players.size();
    }

    /** Returns the number of operations that a transaction must have at least. */
    public int operations() {
        int most = 0;
        for (Player player : players) {
            most = Math.max(most, player.steps.size());
        }
        return most;
    }

    Player player(int number) {
        return players.get(number);
    }

    /**
     * Returns the place where a value is written, {@code (player << 8) | step}, or -1 if there is none.
     */
    int writerOf(int key, int value) {
        for (int p = 0; p < players.size(); p++) {
            List<Step> steps = players.get(p).steps;
            for (int s = 0; s < steps.size(); s++) {
                Step step = steps.get(s);
                if (step.write && step.key == key && step.value == value) {
                    return p << 8 | s;
                }
            }
        }
        return -1;
    }
}
