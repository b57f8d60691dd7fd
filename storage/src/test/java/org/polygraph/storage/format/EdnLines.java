package org.polygraph.storage.format;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random EDN histories with a map in each line: long overlapping calls of a few processes, with transactions and
 * registers, all outcomes or none, results or reasons.
 */
public final class EdnLines {
    private final Random random;
    private final StringBuilder text = new StringBuilder();
    private final boolean isIndexed;
    private final boolean isTimed;
    private final boolean isOfLists;
    private final String tag;
    private final boolean isOfCompletions;
    private final boolean isKeyed;
    private final Map<Integer, String[]> open = new HashMap<>();
    private int element;
    private int calls;

    private EdnLines(Random random) {
        this.random = random;
        isIndexed = random.nextBoolean();
        isTimed = random.nextBoolean();
        isOfLists = random.nextBoolean();
        tag = random.nextInt(3) > 0 ? "" : one("#jepsen.history.Op", "#knossos.op.Op");
        isOfCompletions = random.nextInt(6) == 0;
        isKeyed = random.nextBoolean();
    }

    public static String of(Random random, int calls) {
        EdnLines lines = new EdnLines(random);
        lines.text
                .append(random.nextInt(5) == 0 ? "\uFEFF" : "")
                .append(random.nextInt(5) == 0 ? lines.one("; recorded\n\n", "\n\n", ",\n , ") : "");
        int processes = 1 + random.nextInt(8);
        for (int i = 0; i < calls; i++) {
            if (random.nextInt(12) == 0) {
                lines.line(":info", ":nemesis", ":kill", "[\"n1\" {:a #{1 2}}]");
            } else {
                lines.call(random.nextInt(processes));
            }
        }
        String text = lines.text.toString();
        return random.nextBoolean() ? text.stripTrailing() : text;
    }

    private void call(int process) {
        String[] invoked = open.remove(process);
        if (invoked != null) {
            String type = one(":ok", ":ok", ":ok", ":fail", ":info");
            String reason = one(invoked[1], invoked[2], ":timeout", "nil", "\"no " + random.nextInt(9) + "\"");
            line(type, Integer.toString(process), invoked[0], type.equals(":ok") ? invoked[2] : reason);
            return;
        }
        String function = random.nextInt(3) > 0 ? ":txn" : one(":read", ":r", ":write", ":w", ":cas");
        String[] values = function.equals(":txn") ? transaction() : register(function);
        // The value of a transaction shows that it is one.
        function = function.equals(":txn") && random.nextInt(10) == 0 ? one("", "nil") : function;
        if (isOfCompletions) {
            // The invocation of a failed register operation has its argument; a pass over the whole file shows if there
            // is none.
            boolean isRegister = function.startsWith(":") && !function.equals(":txn");
            String type = !isRegister ? one(":ok", ":ok", ":fail", ":info") : ":ok";
            line(type, Integer.toString(process), function, values[1]);
        } else {
            line(":invoke", Integer.toString(process), function, values[0]);
            open.put(process, new String[] {function, values[0], values[1]});
        }
    }

    /** The value of the invocation, and of a success. */
    private String[] transaction() {
        List<String> asked = new ArrayList<>();
        List<String> done = new ArrayList<>();
        for (int o = random.nextInt(4); o >= 0; o--) {
            String key = one(
                    "1",
                    "2",
                    "3",
                    ":k",
                    "\"k\"",
                    "900000000000",
                    "-7",
                    "\"k" + random.nextInt(99) + "\"",
                    "\":k\"",
                    "017");
            if (random.nextBoolean()) {
                asked.add("[:r " + key + " nil]");
                done.add("[:r " + key + (random.nextInt(15) == 0 ? "" : " " + (isOfLists ? list() : value())) + "]");
            } else {
                String write =
                        isOfLists ? "[:append " + key + " " + newElement() + "]" : "[:w " + key + " " + value() + "]";
                asked.add(write);
                done.add(write);
            }
        }
        // An invocation need not contain the operations if its completion does.
        String invoked = random.nextInt(60) == 0 ? one("nil", ":soon", "[[:r \"odd\" nil] [:x]]") : vector(asked);
        return new String[] {invoked, vector(done)};
    }

    private String[] register(String function) {
        String key = one("101", "102", ":r", "\"r" + random.nextInt(9) + "\"");
        String asked =
                switch (function) {
                    case ":cas" -> "[" + value() + " " + value() + "]";
                    case ":read", ":r" -> "nil";
                    default -> value();
                };
        String done = asked.equals("nil") ? value() : asked;
        return new String[] {
            isKeyed ? "[" + key + " " + asked + "]" : asked, isKeyed ? "[" + key + " " + done + "]" : done
        };
    }

    private String value() {
        return one("nil", "0", "7", "\"v" + random.nextInt(30) + "\"", ":v", "9223372036854775807", "-5");
    }

    private String newElement() {
        element++;
        return random.nextInt(3) == 0 ? "\"e" + element + "\"" : Integer.toString(element);
    }

    private String list() {
        List<String> elements = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            int each = 1 + random.nextInt(element + 5);
            elements.add(random.nextInt(3) == 0 ? "\"e" + each + "\"" : Integer.toString(each));
        }
        return random.nextInt(5) == 0 ? "nil" : vector(elements);
    }

    private static String vector(List<String> of) {
        return "[" + String.join(" ", of) + "]";
    }

    private void line(String type, String process, String function, String value) {
        text.append(tag)
                .append(random.nextInt(9) == 0 ? "{, " : "{")
                .append(":type ")
                .append(type)
                .append(", :process ")
                .append(process)
                .append(function.isEmpty() ? "" : ", :f " + function)
                .append(value.equals("nil") && random.nextBoolean() ? "" : ", :value " + value)
                .append(isIndexed ? ", :index " + calls : "")
                .append(isTimed ? ", :time " + (calls * 10 + random.nextInt(9)) : "")
                .append('}')
                .append(one("\n", "\n", "\n", " ; done }\n", "\r\n", "\n\n", " #_{:a 1}\n"));
        calls++;
    }

    private String one(String... of) {
        return of[random.nextInt(of.length)];
    }
}
