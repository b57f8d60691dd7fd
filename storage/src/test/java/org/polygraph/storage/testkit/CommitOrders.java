package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides RC, RA and CC of histories with lists by the definition: tries every order of the commits of each set of
 * transactions that may have committed. The order gives the versions of each list, in which the appends of a transaction
 * stand beside each other. It has to
 *
 * <ul>
 *   <li>extend session order and reads-from: a transaction reads from those that appended the elements of its lists;
 *   <li>explain each list: the appends of the first few transactions of the order, without its own ones, or all before
 *       its own transaction and then its own ones so far;
 *   <li>have no transaction that a reader sees and that appended to the key between the list that was read and the
 *       reader's version of it.
 * </ul>
 */
final class CommitOrders {
    private final Definitions history;
    private final Definitions.Level level;
    private final int n;
    private final boolean[] counted;
    private final List<Integer> order = new ArrayList<>();

    CommitOrders(Definitions history, Definitions.Level level, int counted) {
        this.history = history;
        this.level = level;
        n = history.n;
        this.counted = new boolean[n];
        for (int t = 0; t < n; t++) {
            this.counted[t] = (counted >> t & 1) == 1;
        }
    }

    /** Whether some order is one of the level. */
    boolean exist() {
        history.step();
        boolean isWhole = true;
        for (int t = 0; t < n; t++) {
            boolean isNext = counted[t] && !order.contains(t);
            isWhole &= !isNext;
            for (int u = 0; u < n && isNext; u++) {
                isNext = !counted[u]
                        || order.contains(u)
                        || !(history.soBefore(u, t) || readsFrom(t, u, Integer.MAX_VALUE));
            }
            if (isNext) {
                order.add(t);
                if (explains(t) && exist()) {
                    return true;
                }
                order.remove(order.size() - 1);
            }
        }
        return isWhole && holds();
    }

    /** Whether the lists that a transaction read are states of the order so far; those of others are in it then. */
    private boolean explains(int t) {
        for (int o = 0; o < history.ops[t].length; o++) {
            Definitions.Op op = history.ops[t][o];
            boolean isRead = op.kind() == Definitions.Kind.READ_LIST || op.kind() == Definitions.Kind.READ;
            if (isRead && before(t, o) < 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * The number of transactions whose appends, with own ones, are the list that an operation read: the first few of the
     * order, or the place of its own transaction if there are own ones; -1 if there is no such number.
     */
    private int before(int t, int o) {
        Definitions.Op read = history.ops[t][o];
        if (read.kind() == Definitions.Kind.READ) {
            return beforeValue(t, o);
        }
        List<Long> own = appends(t, read.key(), o);
        int place = order.indexOf(t);
        List<Long> list = new ArrayList<>();
        for (int count = 0; count <= place; count++) {
            List<Long> state = new ArrayList<>(list);
            state.addAll(own);
            if ((own.isEmpty() || count == place) && state.equals(read.list())) {
                return count;
            }
            list.addAll(appends(order.get(count), read.key(), Integer.MAX_VALUE));
        }
        return -1;
    }

    /**
     * The number of transactions up to the one whose value an operation read, 0 if it is the initial value; the place of its own transaction
     * if it wrote the value itself; -1 if there is none. Each value of a key is written once.
     */
    private int beforeValue(int t, int o) {
        Definitions.Op read = history.ops[t][o];
        Long own = written(t, read.key(), o);
        if (own != null) {
            return own == read.value() ? order.indexOf(t) : -1;
        }
        for (int place = 0; place < order.indexOf(t); place++) {
            Long left = written(order.get(place), read.key(), Integer.MAX_VALUE);
            if (left != null && left == read.value()) {
                return place + 1;
            }
        }
        return read.value() == Interpreter.value(history.initial(read.key())) ? 0 : -1;
    }

    /** The single value that a transaction had last written before an operation; null if there is none. */
    private @Nullable Long written(int t, int key, int end) {
        Long last = null;
        for (int o = 0; o < Math.min(end, history.ops[t].length); o++) {
            Definitions.Op op = history.ops[t][o];
            last = op.kind() == Definitions.Kind.WRITE && op.key() == key ? (Long) op.value() : last;
        }
        return last;
    }

    private List<Long> appends(int t, int key, int end) {
        List<Long> elements = new ArrayList<>();
        for (int o = 0; o < Math.min(end, history.ops[t].length); o++) {
            Definitions.Op op = history.ops[t][o];
            if (op.kind() == Definitions.Kind.APPEND && op.key() == key) {
                elements.add(op.value());
            }
        }
        return elements;
    }

    /** Whether a read of t before an operation returned an element that u appended. */
    private boolean readsFrom(int t, int u, int end) {
        for (int o = 0; o < Math.min(end, history.ops[t].length) && t != u; o++) {
            Definitions.Op op = history.ops[t][o];
            if (op.kind() == Definitions.Kind.READ_LIST
                    && appends(u, op.key(), Integer.MAX_VALUE).stream().anyMatch(op.list()::contains)) {
                return true;
            }
            Long left = op.kind() == Definitions.Kind.READ && written(t, op.key(), o) == null
                    ? written(u, op.key(), Integer.MAX_VALUE)
                    : null;
            if (left != null && left == op.value()) {
                return true;
            }
        }
        return false;
    }

    private boolean holds() {
        for (int t : order) {
            for (int o = 0; o < history.ops[t].length; o++) {
                Definitions.Op op = history.ops[t][o];
                boolean isRead = op.kind() == Definitions.Kind.READ_LIST || op.kind() == Definitions.Kind.READ;
                if (!isRead || !appends(t, op.key(), o).isEmpty() || written(t, op.key(), o) != null) {
                    continue;
                }
                for (int later = before(t, o); later < order.size(); later++) {
                    int u = order.get(later);
                    // The state is the same after transactions that did not append to the key.
                    boolean isWriter = !appends(u, op.key(), Integer.MAX_VALUE).isEmpty()
                            || written(u, op.key(), Integer.MAX_VALUE) != null;
                    if (u != t && isWriter && sees(t, o, u)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private boolean sees(int t, int o, int u) {
        return switch (level) {
            case RC -> readsFrom(t, u, o + 1);
            case RA -> isDirect(u, t);
            default -> reaches(u, t);
        };
    }

    private boolean isDirect(int u, int t) {
        return counted[u] && counted[t] && (history.soBefore(u, t) || readsFrom(t, u, Integer.MAX_VALUE));
    }

    private boolean reaches(int u, int t) {
        if (isDirect(u, t)) {
            return true;
        }
        for (int via = 0; via < n; via++) {
            // The order extends these steps, so there is no cycle of them.
            if (isDirect(u, via) && reaches(via, t)) {
                return true;
            }
        }
        return false;
    }
}
