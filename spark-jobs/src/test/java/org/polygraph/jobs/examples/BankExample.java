package org.polygraph.jobs.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Makes {@code examples/bank-serializable.jsonl}: transfers between accounts and audits of all of them, run one after
 * another at a point between their start and their end, so that the result is serializable. Balances repeat.
 */
final class BankExample {
    private static final long SEED = 20260101;
    private static final int SESSIONS = 5;
    private static final int TRANSACTIONS = 200;
    private static final int ACCOUNTS = 8;
    private static final int OPENING_BALANCE = 100;

    private final Random random = new Random(SEED);
    private final int[] balances = new int[ACCOUNTS];
    private final int[] nextIndex = new int[SESSIONS];
    private final long[] freeAt = new long[SESSIONS];

    /** Writes the file that the argument names. */
    public static void main(String[] args) throws IOException {
        Files.writeString(Path.of(args[0]), String.join("\n", new BankExample().lines()) + "\n");
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":" + OPENING_BALANCE
                + "},\"clock\":\"ns\",\"about\":\"Transfers and audits of " + ACCOUNTS + " accounts by " + SESSIONS
                + " clients; seed " + SEED + ".\"}");
        java.util.Arrays.fill(balances, OPENING_BALANCE);
        for (int t = 0; t < TRANSACTIONS; t++) {
            lines.add(transaction(1_000_000L * (t + 1)));
        }
        return lines;
    }

    /** @param point ns at which the database runs it, all at once */
    private String transaction(long point) {
        int session = random.nextInt(SESSIONS);
        long start = Math.max(freeAt[session], point - 1 - random.nextInt(3_000_000));
        long end = point + 1 + random.nextInt(900_000);
        freeAt[session] = end + 1;
        int kind = random.nextInt(10);
        List<String> operations = new ArrayList<>();
        String status = "committed";
        if (kind == 0) {
            for (int account = 0; account < ACCOUNTS; account++) {
                operations.add(operation("r", account, balances[account]));
            }
        } else {
            int from = random.nextInt(ACCOUNTS);
            int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            int amount = 1 + random.nextInt(30);
            operations.add(operation("r", from, balances[from]));
            operations.add(operation("r", to, balances[to]));
            operations.add(operation("w", from, balances[from] - amount));
            operations.add(operation("w", to, balances[to] + amount));
            if (kind == 1) {
                status = "aborted";
            } else {
                balances[from] -= amount;
                balances[to] += amount;
            }
        }
        return "{\"session\":" + session + ",\"index\":" + nextIndex[session]++ + ",\"start\":" + start + ",\"end\":"
                + end + ",\"status\":\"" + status + "\",\"ops\":[" + String.join(",", operations) + "]}";
    }

    private static String operation(String kind, int account, int value) {
        return "{\"op\":\"" + kind + "\",\"key\":\"account-" + account + "\",\"value\":" + value + "}";
    }
}
