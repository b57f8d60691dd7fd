package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.SplitMix;

/**
 * A tiny history in two forms, neither of which is made from the other: as JSON Lines, and as the input of {@link
 * Definitions}.
 */
final class ShapedHistory implements Example {
    /** No time; the value null. */
    static final long NONE = Long.MIN_VALUE;
    /** The unknown value that a refused compare-and-set found. */
    static final long NOT_KNOWN = NONE + 1;

    enum Kind {
        READ,
        WRITE,
        COMPARE_AND_SET,
        /** A compare-and-set that was refused. */
        REFUSED,
        APPEND,
        READ_LIST
    }

    static final class Op {
        final Kind kind;
        final int key;
        /** The value that was read, written or appended, or that a refused compare-and-set found. */
        long value;

        /** The expected value of a compare-and-set. */
        long expected;

        List<Long> list = List.of();
        boolean okIsKnown = true;

        Op(Kind kind, int key, long value) {
            this.kind = kind;
            this.key = key;
            this.value = value;
        }

        boolean isWrite() {
            return kind == Kind.WRITE || kind == Kind.COMPARE_AND_SET;
        }

        /** The same operation on another key. */
        Op of(int other) {
            Op copy = new Op(kind, other, value);
            copy.expected = expected;
            copy.list = list;
            copy.okIsKnown = okIsKnown;
            return copy;
        }
    }

    static final class Txn {
        int session;
        long index;
        char status = Definitions.COMMITTED;
        long start = NONE;
        long end = NONE;
        final List<Op> ops = new ArrayList<>();
        /** Whether others see its writes. */
        boolean effect = true;

        /**
         * Draws its outcome.
         *
         * @param aborted share of those that abort
         * @param unknown share of transactions whose outcome is unknown
         */
        void fate(SplitMix random, double aborted, double unknown) {
            double fate = random.nextDouble();
            if (fate < aborted) {
                status = Definitions.ABORTED;
                effect = false;
            } else if (fate < aborted + unknown) {
                status = Definitions.INDETERMINATE;
                effect = random.chance(0.6);
            }
        }
    }

    final List<Txn> txns = new ArrayList<>();
    long initial;
    boolean hasHeader;
    /**
     * The notation of numbers: as they are, as strings, as either (so that 1 and "1" differ), or at the ends of the
     * range.
     */
    int keyStyle;

    int valueStyle;

    /** Draws the initial value and the notation of keys and values. */
    void drawStyle(SplitMix random) {
        initial = random.chance(0.5) ? 0 : NONE;
        hasHeader = initial == 0 || random.chance(0.3);
        keyStyle = random.chance(0.6) ? 0 : random.nextInt(4);
        valueStyle = random.chance(0.6) ? 0 : random.nextInt(6);
    }

    /** Takes both from another history. */
    void setStyle(ShapedHistory like) {
        initial = like.initial;
        hasHeader = like.hasHeader;
        keyStyle = like.keyStyle;
        valueStyle = like.valueStyle;
    }

    private String key(int key) {
        return switch (keyStyle) {
            case 1 -> "\"k" + key + "\"";
            case 2 -> key % 2 == 0 ? String.valueOf(key / 2) : "\"" + key / 2 + "\"";
            case 3 -> String.valueOf(Long.MAX_VALUE - key * (key % 2 == 0 ? 1 : 1L << 40));
            default -> String.valueOf(key);
        };
    }

    private String value(long v) {
        if (v == NONE) {
            return "null";
        }
        return switch (valueStyle) {
            case 1 -> "\"v" + v + "\"";
            case 2 -> v % 2 == 0 ? String.valueOf(v / 2) : "\"" + v / 2 + "\"";
            case 3 -> String.valueOf(v % 2 == 0 ? Long.MAX_VALUE - v : Long.MIN_VALUE + v);
            case 4 -> v == 1 ? "\"null\"" : v == 2 ? "\"\"" : String.valueOf(-v);
            case 5 -> String.valueOf((1L << 62) - 3 + v);
            default -> String.valueOf(v);
        };
    }

    /** Writes the history as a file. */
    String json() {
        StringBuilder out = new StringBuilder();
        if (hasHeader) {
            out.append("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":")
                    .append(value(initial))
                    .append("}}\n");
        }
        for (Txn t : txns) {
            out.append("{\"session\":").append(t.session).append(",\"index\":").append(t.index);
            if (t.start != NONE) {
                out.append(",\"start\":").append(t.start);
            }
            if (t.end != NONE) {
                out.append(",\"end\":").append(t.end);
            }
            out.append(",\"status\":\"")
                    .append(
                            t.status == Definitions.COMMITTED
                                    ? "committed"
                                    : t.status == Definitions.ABORTED ? "aborted" : "indeterminate")
                    .append("\",\"ops\":[")
                    .append(String.join(
                            ",",
                            t.ops.stream()
                                    .map(op -> json(op, t.status == Definitions.INDETERMINATE))
                                    .toList()))
                    .append("]}\n");
        }
        return out.toString();
    }

    private String json(Op op, boolean maybe) {
        String key = "\",\"key\":" + key(op.key);
        return switch (op.kind) {
            case READ -> "{\"op\":\"r" + key + ",\"value\":" + value(op.value) + "}";
            case WRITE -> "{\"op\":\"w" + key + ",\"value\":" + value(op.value) + "}";
            case COMPARE_AND_SET ->
                "{\"op\":\"cas" + key + ",\"expected\":" + value(op.expected) + ",\"value\":" + value(op.value)
                        + ",\"ok\":" + (maybe && !op.okIsKnown ? "null" : "true") + "}";
            case REFUSED ->
                "{\"op\":\"cas" + key + ",\"expected\":" + value(op.expected) + ",\"value\":" + value(5)
                        + ",\"ok\":false" + (op.value == NOT_KNOWN ? "" : ",\"found\":" + value(op.value)) + "}";
            case APPEND -> "{\"op\":\"append" + key + ",\"value\":" + value(op.value) + "}";
            case READ_LIST ->
                "{\"op\":\"r" + key + ",\"value\":"
                        + op.list.stream().map(this::value).toList() + "}";
        };
    }

    /**
     * Returns the history as the input of the definitions.
     *
     * @param refusals whether what a refused compare-and-set did not find is part of it
     */
    Definitions definitions(boolean refusals) {
        List<Txn> sorted = new ArrayList<>(txns);
        sorted.sort((a, b) -> a.session != b.session ? a.session - b.session : Long.compare(a.index, b.index));
        List<Definitions.Transaction> all = new ArrayList<>();
        for (Txn t : sorted) {
            List<Definitions.Op> ops = new ArrayList<>();
            for (Op op : t.ops) {
                switch (op.kind) {
                    case READ -> ops.add(Definitions.Op.read(op.key, op.value));
                    case WRITE -> ops.add(Definitions.Op.write(op.key, op.value));
                    case COMPARE_AND_SET -> {
                        ops.add(Definitions.Op.read(op.key, op.expected));
                        ops.add(Definitions.Op.write(op.key, op.value));
                    }
                    case REFUSED -> {
                        if (op.value != NOT_KNOWN) {
                            ops.add(Definitions.Op.read(op.key, op.value));
                        } else if (refusals) {
                            ops.add(new Definitions.Op(Definitions.Kind.READ_OTHER, op.key, op.expected, List.of()));
                        }
                    }
                    case APPEND -> ops.add(new Definitions.Op(Definitions.Kind.APPEND, op.key, op.value, List.of()));
                    case READ_LIST -> ops.add(new Definitions.Op(Definitions.Kind.READ_LIST, op.key, 0, op.list));
                }
            }
            all.add(new Definitions.Transaction(t.session, t.status, t.start, t.end, ops));
        }
        return new Definitions(all, initial);
    }

    @Override
    public Definitions definitions(IsolationLevel level) {
        return definitions(level == IsolationLevel.LIN);
    }

    @Override
    public HistoryTable table() throws HistoryException {
        return Example.read(json());
    }

    @Override
    public String text() {
        return json();
    }

    @Override
    public List<Example> smaller() {
        List<Example> all = new ArrayList<>();
        for (int t = 0; t < txns.size(); t++) {
            all.add(without(t, -1));
            for (int o = 0; o < txns.get(t).ops.size(); o++) {
                all.add(without(t, o));
            }
        }
        return all;
    }

    /** Without a transaction, or one operation of it. */
    private ShapedHistory without(int t, int o) {
        ShapedHistory part = new ShapedHistory();
        part.setStyle(this);
        part.txns.addAll(txns);
        Txn whole = part.txns.remove(t);
        if (o >= 0) {
            Txn left = new Txn();
            left.session = whole.session;
            left.index = whole.index;
            left.status = whole.status;
            left.start = whole.start;
            left.end = whole.end;
            left.ops.addAll(whole.ops);
            left.ops.remove(o);
            part.txns.add(t, left);
        }
        return part;
    }
}
