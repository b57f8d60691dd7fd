package org.polygraph.storage.testkit;

import java.util.Arrays;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator.Isolation;

/**
 * One run of the simulated database: a queue of events, one a session, each the next step of its open transaction.
 *
 * <p>Steps of a transaction: start; SERIAL: effect; SNAPSHOT, OPTIMISTIC and PREFIX: snapshot, commit; READ_COMMITTED:
 * every operation, commit; then end. No version but the last is kept: a snapshot reads everything it will need at once,
 * since its operations are known from the start.
 *
 * <p>An anomaly is due when enough transactions have started: its players stop before their next start, and when all
 * are idle its script is played at that moment. All its transactions can then be placed there in any order, next to
 * each other, without contradicting what the database promised to the others.
 */
final class Simulation {
    /** Mean pause between two steps, in ns: scripts take a few ns, so they rarely overlap other transactions. */
    private static final int MEAN_DELAY = 10_000;

    private static final int SESSION_BITS = 16;
    private static final int FLAG_EFFECT = 1;
    private static final int FLAG_WRITES = 2;

    private final HistoryGenerator settings;
    private final TransactionSink sink;
    private final SplitMix random;
    private final KeyDistribution distribution;
    private final Isolation isolation;
    private final int width;

    /** By key: the committed value, and the event that committed it. */
    private final long[] store;

    private final long[] version;
    private long events;
    private long uniqueValues;
    private int started;

    /** By session: the open transaction. */
    private final int[] step;

    /** Start of the open transaction, or when a session that idles or has finished became free. */
    private final long[] start;

    private final long[] snapshot;
    private final long[] indexes;
    private final TransactionStatus[] outcome;
    private final int[] flags;
    private final int[] count;
    /** Operation i of session s at {@code s * width + i}: {@code key << 1 | write}, and its value. */
    private final int[] operations;

    private final long[] values;

    /** Binary heap of {@code instant << SESSION_BITS | session}. */
    private final long[] queue;

    private int queued;

    private final int[] injectionMoments;
    private int injectionsPlayed;
    private boolean gathering;
    private int missing;
    private final boolean[] player;
    private final boolean[] idle;
    private final boolean[] finished;
    private int freshKeys;
    private final long[] clockAhead;

    Simulation(HistoryGenerator settings, TransactionSink sink) {
        this.settings = settings;
        this.sink = sink;
        random = new SplitMix(SplitMix.seedOf(settings.seed, 0));
        distribution = settings.keyDistribution();
        isolation = settings.isolation == Isolation.RANDOM ? Isolation.SERIAL : settings.isolation;
        width = settings.maxOperations;
        int sessions = settings.sessions;
        store = new long[settings.keys];
        boolean versioned = isolation == Isolation.SNAPSHOT || isolation == Isolation.OPTIMISTIC;
        version = new long[versioned ? settings.keys : 0];
        step = new int[sessions];
        start = new long[sessions];
        snapshot = new long[sessions];
        indexes = new long[sessions];
        outcome = new TransactionStatus[sessions];
        flags = new int[sessions];
        count = new int[sessions];
        operations = new int[Math.multiplyExact(sessions, width)];
        values = new long[operations.length];
        queue = new long[sessions];
        player = new boolean[sessions];
        idle = new boolean[sessions];
        finished = new boolean[sessions];
        injectionMoments = settings.injectionMoments(random);
        clockAhead = new long[sessions];
        if (settings.clockSkew > 0) {
            for (int s = 0; s < sessions; s++) {
                clockAhead[s] = (long) (random.nextDouble() * (settings.clockSkew + 1));
            }
        }
    }

    void run() {
        for (int s = 0; s < settings.sessions; s++) {
            push(delay(), s);
        }
        gatherIfDue();
        while (queued > 0 || gathering) {
            long now = queued > 0 ? queue[0] >>> SESSION_BITS : lastInstant();
            if (gathering && missing == 0 && (queued == 0 || now >= playersFreeFrom())) {
                play(now);
                continue;
            }
            int s = (int) (queue[0] & ((1 << SESSION_BITS) - 1));
            events++;
            long next = advance(s, now);
            if (next > 0) {
                queue[0] = next << SESSION_BITS | s;
            } else {
                queue[0] = queue[--queued];
            }
            siftDown();
        }
    }

    /** Runs one step of the session. Returns the time of the next step, or 0 if the session waits or is done. */
    private long advance(int s, long now) {
        int at = step[s]++;
        if (at == 0) {
            return start(s, now);
        }
        switch (isolation) {
            case SERIAL, RANDOM -> {
                if (at == 1) {
                    readAll(s);
                    commit(s);
                    return now + delay();
                }
            }
            case SNAPSHOT, OPTIMISTIC, PREFIX -> {
                if (at == 1) {
                    snapshot[s] = events;
                    readAll(s);
                    return now + delay();
                }
                if (at == 2) {
                    if (isolation != Isolation.PREFIX && conflicts(s)) {
                        flags[s] &= ~FLAG_EFFECT;
                        outcome[s] = outcome[s] == TransactionStatus.INDETERMINATE
                                ? TransactionStatus.INDETERMINATE
                                : TransactionStatus.ABORTED;
                    }
                    commit(s);
                    return now + delay();
                }
            }
            case READ_COMMITTED -> {
                if (at <= count[s]) {
                    read(s, at - 1);
                    return now + delay();
                }
                if (at == count[s] + 1) {
                    commit(s);
                    return now + delay();
                }
            }
        }
        emit(s, now);
        step[s] = 0;
        return now + delay();
    }

    private long start(int s, long now) {
        if (gathering && player[s]) {
            step[s] = 0;
            idle[s] = true;
            start[s] = now;
            missing--;
            return 0;
        }
        if (started == settings.transactions) {
            step[s] = 0;
            finished[s] = true;
            start[s] = now;
            return 0;
        }
        started++;
        start[s] = now;
        double fate = random.nextDouble();
        boolean effect = true;
        outcome[s] = TransactionStatus.COMMITTED;
        if (fate < settings.abortedShare) {
            outcome[s] = TransactionStatus.ABORTED;
            effect = false;
        } else if (fate < settings.abortedShare + settings.indeterminateShare) {
            outcome[s] = TransactionStatus.INDETERMINATE;
            effect = random.chance(0.5);
        }
        flags[s] = effect ? FLAG_EFFECT : 0;
        chooseOperations(s);
        gatherIfDue();
        return now + delay();
    }

    private void chooseOperations(int s) {
        int n = random.between(settings.minOperations, settings.maxOperations);
        int base = s * width;
        count[s] = n;
        for (int i = 0; i < n; i++) {
            int key = distribution.next(random);
            if (i + 1 < n && settings.readModifyWriteShare > 0 && random.chance(settings.readModifyWriteShare)) {
                operations[base + i++] = key << 1;
                write(s, base + i, key);
            } else if (random.chance(settings.readShare)) {
                operations[base + i] = key << 1;
            } else {
                write(s, base + i, key);
            }
        }
    }

    private void write(int s, int position, int key) {
        operations[position] = key << 1 | 1;
        values[position] =
                isRepeating(key) ? settings.lowestValue + (long) random.nextInt(settings.distinctValues) : freshValue();
        flags[s] |= FLAG_WRITES;
    }

    private boolean isRepeating(int key) {
        return settings.repeatingKeyShare > 0
                && (SplitMix.mix(key ^ settings.seed) >>> 11) * 0x1p-53 < settings.repeatingKeyShare;
    }

    /** Above every repeated value, so that keys of both kinds are easy to distinguish. */
    private long freshValue() {
        return settings.distinctValues + ++uniqueValues;
    }

    private void readAll(int s) {
        for (int i = 0; i < count[s]; i++) {
            read(s, i);
        }
    }

    /** Fills in what operation i returns, if it is a read: the latest own write, else what is committed now. */
    private void read(int s, int i) {
        int base = s * width;
        int operation = operations[base + i];
        if ((operation & 1) != 0) {
            return;
        }
        long value = store[operation >> 1];
        for (int j = i - 1; j >= 0; j--) {
            if (operations[base + j] == (operation | 1)) {
                value = values[base + j];
                break;
            }
        }
        values[base + i] = value;
    }

    /**
     * Whether the transaction conflicts. SNAPSHOT: a written key has a newer version. OPTIMISTIC: it writes, and a key
     * that it read has a newer version.
     */
    private boolean conflicts(int s) {
        int kind = isolation == Isolation.SNAPSHOT ? 1 : 0;
        if ((flags[s] & FLAG_WRITES) == 0) {
            return false;
        }
        int base = s * width;
        for (int i = base; i < base + count[s]; i++) {
            if ((operations[i] & 1) == kind && version[operations[i] >> 1] > snapshot[s]) {
                return true;
            }
        }
        return false;
    }

    private void commit(int s) {
        if (flags[s] != (FLAG_EFFECT | FLAG_WRITES)) {
            return;
        }
        int base = s * width;
        for (int i = base; i < base + count[s]; i++) {
            if ((operations[i] & 1) != 0) {
                int key = operations[i] >> 1;
                store[key] = values[i];
                if (version.length > 0) {
                    version[key] = events;
                }
            }
        }
    }

    private void emit(int s, long end) {
        begin(s, outcome[s], start[s], end);
        int base = s * width;
        for (int i = base; i < base + count[s]; i++) {
            sink.operation((operations[i] & 1) != 0, operations[i] >> 1, values[i]);
        }
        sink.end();
    }

    private void begin(int s, TransactionStatus result, long from, long to) {
        sink.begin(s, indexes[s]++, result, from + clockAhead[s], to + clockAhead[s]);
    }

    /** Chooses the players of the next anomaly if its moment has come. */
    private void gatherIfDue() {
        boolean due = !gathering
                && injectionsPlayed < injectionMoments.length
                && started >= injectionMoments[injectionsPlayed];
        if (!due) {
            return;
        }
        gathering = true;
        int players = settings.injections.get(injectionsPlayed).players();
        missing = 0;
        for (int chosen = 0; chosen < players; ) {
            int s = random.nextInt(settings.sessions);
            if (!player[s]) {
                player[s] = true;
                chosen++;
                missing += finished[s] ? 0 : 1;
            }
        }
    }

    /** Plays the script now. Every player is idle. */
    private void play(long now) {
        HistoryTable script = settings.injections.get(injectionsPlayed).script();
        int[] cast = new int[script.sessions()];
        int role = 0;
        for (int s = 0; s < player.length; s++) {
            if (player[s]) {
                cast[role++] = s;
            }
        }
        long last = now;
        int keys = script.keys().size();
        for (role = 0; role < cast.length; role++) {
            for (int t = script.firstTransaction(role); t < script.transactionsEnd(role); t++) {
                last = Math.max(last, playTransaction(script, t, cast[role], now));
            }
        }
        freshKeys += keys;
        uniqueValues += (long) keys * script.operations();
        for (int s : cast) {
            player[s] = false;
            start[s] = last + 1;
            if (idle[s]) {
                idle[s] = false;
                push(last + delay(), s);
            }
        }
        gathering = false;
        injectionsPlayed++;
        gatherIfDue();
    }

    private long playTransaction(HistoryTable script, int t, int session, long now) {
        long[] starts = script.starts();
        long[] ends = script.ends();
        if (starts == null || ends == null) {
            throw new IllegalStateException("a script without times");
        }
        begin(session, script.status(t), now + starts[t], now + ends[t]);
        int from = script.firstOperation(t);
        int to = script.operationsEnd(t);
        // Only transactions that start at once read the store: before later ones start, another may have committed.
        int fill = starts[t] <= 1 ? random.between(settings.minOperations, settings.maxOperations) - (to - from) : 0;
        for (int i = 0; i < fill; i++) {
            int key = distribution.next(random);
            sink.operation(false, key, store[key]);
        }
        for (int o = from; o < to; o++) {
            int local = script.key(o);
            long value = script.value(o);
            // A value of the script is at most the number of its operations, so these are fresh and differ by key.
            long fresh = settings.distinctValues + uniqueValues + (long) local * script.operations() + value;
            sink.operation(script.isWrite(o), settings.keys + freshKeys + local, value == 0 ? 0 : fresh);
        }
        sink.end();
        return now + ends[t];
    }

    /**
     * Returns when all players are free: one that has finished may still take part in the script before, whose
     * transactions end after the time at which it is played.
     */
    private long playersFreeFrom() {
        long free = 0;
        for (int s = 0; s < player.length; s++) {
            if (player[s]) {
                free = Math.max(free, start[s]);
            }
        }
        return free;
    }

    private long lastInstant() {
        return Arrays.stream(start).max().orElse(0);
    }

    /** At least 1, so that a session's transactions and the steps of one never share an instant. */
    private long delay() {
        return 1L + random.nextInt(2 * MEAN_DELAY);
    }

    private void push(long instant, int session) {
        int i = queued++;
        long event = instant << SESSION_BITS | session;
        while (i > 0 && queue[(i - 1) >> 1] > event) {
            queue[i] = queue[(i - 1) >> 1];
            i = (i - 1) >> 1;
        }
        queue[i] = event;
    }

    private void siftDown() {
        if (queued == 0) {
            return;
        }
        long event = queue[0];
        int i = 0;
        while (true) {
            int child = 2 * i + 1;
            if (child >= queued) {
                break;
            }
            if (child + 1 < queued && queue[child + 1] < queue[child]) {
                child++;
            }
            if (queue[child] >= event) {
                break;
            }
            queue[i] = queue[child];
            i = child;
        }
        queue[i] = event;
    }
}
