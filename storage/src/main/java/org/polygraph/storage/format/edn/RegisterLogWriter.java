package org.polygraph.storage.format.edn;

import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntHeapPriorityQueue;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.format.io.HistoryExport;
import org.polygraph.storage.format.io.PlainOperations;
import org.polygraph.storage.format.io.UnwritableException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes the calls of one register in the order of their times, as the logs of Jepsen's test of etcd have them, which
 * the tests of Porcupine read: {@code INFO  jepsen.util - 0 :invoke :read nil}. The initial value is nil. An invocation
 * without a completion has an unknown outcome; what has no effect and no result is left out. A process is any number
 * without an open call, because only the order of calls counts.
 */
public final class RegisterLogWriter implements HistoryExport {
    private final HistoryTable table;
    private final PlainOperations plain;
    /** By transaction: its invocation and its completion, the latter only if there is one; empty if it is left out. */
    private final List<List<String>> calls = new ArrayList<>();

    public RegisterLogWriter(HistoryTable table) throws IOException {
        this.table = table;
        this.plain = new PlainOperations(table, "porcupine");
    }

    @Override
    public void write(OutputStream stream) throws IOException {
        int[] events = new int[2 * table.transactions()];
        int size = 0;
        for (int t = 0; t < table.transactions(); t++) {
            calls.add(calls(t));
            for (int i = 0; i < calls.get(t).size(); i++) {
                events[size++] = 2 * t + i;
            }
        }
        if (size == 0) {
            throw UnwritableException.empty(table);
        }
        IntArrays.quickSort(events, 0, size, this::compare);
        BufferedOutputStream out = new BufferedOutputStream(stream, 1 << 16);
        int[] processes = new int[table.transactions()];
        IntHeapPriorityQueue free = new IntHeapPriorityQueue();
        int used = 0;
        for (int i = 0; i < size; i++) {
            int t = events[i] >> 1;
            int isEnd = events[i] & 1;
            if (isEnd == 0) {
                processes[t] = free.isEmpty() ? used++ : free.dequeueInt();
            } else {
                free.enqueue(processes[t]);
            }
            String line =
                    "INFO  jepsen.util - " + processes[t] + " " + calls.get(t).get(isEnd) + "\n";
            out.write(line.getBytes(StandardCharsets.US_ASCII));
        }
        out.flush();
    }

    /** Compares beginnings and ends by time; at equal times beginnings come first. */
    private int compare(int a, int b) {
        int byTime = Long.compare(time(a), time(b));
        int byKind = byTime == 0 ? Integer.compare(a & 1, b & 1) : byTime;
        return byKind == 0 ? Integer.compare(a, b) : byKind;
    }

    /** Returns the time of a beginning or an end. One that is not known is before or after all others. */
    private long time(int event) {
        boolean isEnd = (event & 1) != 0;
        long time = CallOrder.time(isEnd ? table.ends() : table.starts(), event >> 1);
        return isEnd && time == HistoryTable.NO_TIME ? Long.MAX_VALUE : time;
    }

    private List<String> calls(int t) throws IOException {
        int first = table.firstOperation(t);
        int count = table.operationsEnd(t) - first;
        if (count == 0 || table.status(t) == TransactionStatus.ABORTED) {
            return List.of();
        }
        boolean isPair = count == 2
                && !table.isWrite(first)
                && table.isWrite(first + 1)
                && table.key(first) == table.key(first + 1);
        if (count > 1 && !isPair) {
            throw plain.refusal(t, "a transaction of several operations", "single reads, writes and compare-and-sets");
        }
        if (table.key(first) != table.key(0)) {
            throw plain.refusal(t, "a second key", "the operations of one register");
        }
        if (time(2 * t + 1) < time(2 * t)) {
            throw plain.refusal(t, "an end before the start", "calls before their completions");
        }
        boolean isOpen = table.status(t) == TransactionStatus.INDETERMINATE;
        boolean isRefused = table.values().isOther(table.value(first));
        if (isOpen && (isRefused || (count == 1 && !table.isWrite(first)))) {
            return List.of();
        }
        if (isRefused) {
            String expected = number(t, table.values().excluded(table.value(first)));
            String cas = ":cas [" + expected + " " + expected + "]";
            return List.of(":invoke " + cas, ":fail " + cas);
        }
        for (int o = first; o < first + count; o++) {
            plain.require(t, o);
        }
        long value = table.value(first);
        if (count == 1 && !table.isWrite(first)) {
            String result = value == table.initialValue() ? "nil" : number(t, value);
            return List.of(":invoke :read nil", ":ok :read " + result);
        }
        String call = isPair
                ? ":cas [" + number(t, value) + " " + number(t, table.value(first + 1)) + "]"
                : ":write " + number(t, value);
        return isOpen ? List.of(":invoke " + call) : List.of(":invoke " + call, ":ok " + call);
    }

    /** Returns a value other than the initial one. */
    private String number(int t, long code) throws UnwritableException {
        if (code == table.initialValue()
                || !table.values().isInteger(code)
                || table.values().integer(code) < 0) {
            String label = code == table.initialValue() ? "the initial value" : "the value " + plain.shown(code);
            throw plain.refusal(
                    t, label + " in a write or an expectation", "integers from 0 other than the initial value");
        }
        return Long.toString(table.values().integer(code));
    }
}
