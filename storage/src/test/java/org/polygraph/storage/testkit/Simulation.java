package org.polygraph.storage.testkit;

import it.unimi.dsi.fastutil.longs.LongHeapPriorityQueue;
import java.util.Arrays;
import java.util.List;
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

    private final HistoryGenerator settings;
    private final TransactionSink sink;
    private final SplitMix random;
    private final KeyDistribution distribution;
    private final Isolation isolation;

    /** By key: the committed value, and the event that committed it. */
    private final long[] store;

    private final long[] version;
    private long events;
    private long uniqueValues;
    private int started;

    private final Session[] sessions;
    /** The next step of each session, as {@code instant << SESSION_BITS | session}. */
    private final LongHeapPriorityQueue queue = new LongHeapPriorityQueue();

    private final int[] injectionMoments;
    private int injectionsPlayed;
    private boolean gathering;
    private int missing;
    private int freshKeys;

    /** A session and its open transaction. */
    private final class Session {
        final int number;
        int step;
        /** Start of the open transaction, or when a session that idles or has finished became free. */
        long start;

        long snapshot;
        long index;
        long clockAhead;
        TransactionStatus outcome = TransactionStatus.COMMITTED;
        boolean hasEffect;
        boolean writes;
        int count;
        /** {@code key << 1 | write}, and the value. */
        final int[] operations = new int[settings.maxOperations];

        final long[] values = new long[settings.maxOperations];
        boolean isPlayer;
        boolean isIdle;
        boolean hasFinished;

        Session(int number) {
            this.number = number;
        }
    }

    Simulation(HistoryGenerator settings, TransactionSink sink) {
        this.settings = settings;
        this.sink = sink;
        random = new SplitMix(SplitMix.seedOf(settings.seed, 0));
        distribution = settings.keyDistribution();
        isolation = settings.isolation == Isolation.RANDOM ? Isolation.SERIAL : settings.isolation;
        store = new long[settings.keys];
        boolean versioned = isolation == Isolation.SNAPSHOT || isolation == Isolation.OPTIMISTIC;
        version = new long[versioned ? settings.keys : 0];
        sessions = new Session[settings.sessions];
        Arrays.setAll(sessions, Session::new);
        injectionMoments = settings.injectionMoments(random);
        for (Session s : sessions) {
            s.clockAhead = settings.clockSkew > 0 ? (long) (random.nextDouble() * (settings.clockSkew + 1)) : 0;
        }
    }

    void run() {
        for (Session s : sessions) {
            push(delay(), s);
        }
        gatherIfDue();
        while (!queue.isEmpty() || gathering) {
            long now = queue.isEmpty() ? freeFrom(false) : queue.firstLong() >>> SESSION_BITS;
            if (gathering && missing == 0 && (queue.isEmpty() || now >= freeFrom(true))) {
                play(now);
                continue;
            }
            Session s = sessions[(int) (queue.dequeueLong() & ((1 << SESSION_BITS) - 1))];
            events++;
            long next = advance(s, now);
            if (next > 0) {
                push(next, s);
            }
        }
    }

    /** Runs one step of the session. Returns the time of the next step, or 0 if the session waits or is done. */
    private long advance(Session s, long now) {
        int at = s.step++;
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
                    s.snapshot = events;
                    readAll(s);
                    return now + delay();
                }
                if (at == 2) {
                    if (isolation != Isolation.PREFIX && conflicts(s)) {
                        s.hasEffect = false;
                        s.outcome = s.outcome == TransactionStatus.COMMITTED ? TransactionStatus.ABORTED : s.outcome;
                    }
                    commit(s);
                    return now + delay();
                }
            }
            case READ_COMMITTED -> {
                if (at <= s.count) {
                    read(s, at - 1);
                    return now + delay();
                }
                if (at == s.count + 1) {
                    commit(s);
                    return now + delay();
                }
            }
        }
        emit(s, now);
        s.step = 0;
        return now + delay();
    }

    private long start(Session s, long now) {
        if (gathering && s.isPlayer) {
            s.step = 0;
            s.isIdle = true;
            s.start = now;
            missing--;
            return 0;
        }
        if (started == settings.transactions) {
            s.step = 0;
            s.hasFinished = true;
            s.start = now;
            return 0;
        }
        started++;
        s.start = now;
        double fate = random.nextDouble();
        s.hasEffect = true;
        s.writes = false;
        s.outcome = TransactionStatus.COMMITTED;
        if (fate < settings.abortedShare) {
            s.outcome = TransactionStatus.ABORTED;
            s.hasEffect = false;
        } else if (fate < settings.abortedShare + settings.indeterminateShare) {
            s.outcome = TransactionStatus.INDETERMINATE;
            s.hasEffect = random.chance(0.5);
        }
        chooseOperations(s);
        gatherIfDue();
        return now + delay();
    }

    private void chooseOperations(Session s) {
        int n = random.between(settings.minOperations, settings.maxOperations);
        s.count = n;
        for (int i = 0; i < n; i++) {
            int key = distribution.next(random);
            if (i + 1 < n && settings.readModifyWriteShare > 0 && random.chance(settings.readModifyWriteShare)) {
                s.operations[i++] = key << 1;
                write(s, i, key);
            } else if (random.chance(settings.readShare)) {
                s.operations[i] = key << 1;
            } else {
                write(s, i, key);
            }
        }
    }

    private void write(Session s, int position, int key) {
        s.operations[position] = key << 1 | 1;
        s.values[position] =
                isRepeating(key) ? settings.lowestValue + (long) random.nextInt(settings.distinctValues) : freshValue();
        s.writes = true;
    }

    private boolean isRepeating(int key) {
        return settings.repeatingKeyShare > 0
                && (SplitMix.mix(key ^ settings.seed) >>> 11) * 0x1p-53 < settings.repeatingKeyShare;
    }

    /** Above every repeated value, so that keys of both kinds are easy to distinguish. */
    private long freshValue() {
        return settings.distinctValues + ++uniqueValues;
    }

    private void readAll(Session s) {
        for (int i = 0; i < s.count; i++) {
            read(s, i);
        }
    }

    /** Fills in what operation i returns, if it is a read: the latest own write, else what is committed now. */
    private void read(Session s, int i) {
        int operation = s.operations[i];
        if ((operation & 1) != 0) {
            return;
        }
        long value = store[operation >> 1];
        for (int j = i - 1; j >= 0; j--) {
            if (s.operations[j] == (operation | 1)) {
                value = s.values[j];
                break;
            }
        }
        s.values[i] = value;
    }

    /**
     * Whether the transaction conflicts. SNAPSHOT: a written key has a newer version. OPTIMISTIC: it writes, and a key
     * that it read has a newer version.
     */
    private boolean conflicts(Session s) {
        int kind = isolation == Isolation.SNAPSHOT ? 1 : 0;
        if (!s.writes) {
            return false;
        }
        for (int i = 0; i < s.count; i++) {
            if ((s.operations[i] & 1) == kind && version[s.operations[i] >> 1] > s.snapshot) {
                return true;
            }
        }
        return false;
    }

    private void commit(Session s) {
        if (!s.hasEffect || !s.writes) {
            return;
        }
        for (int i = 0; i < s.count; i++) {
            if ((s.operations[i] & 1) != 0) {
                int key = s.operations[i] >> 1;
                store[key] = s.values[i];
                if (version.length > 0) {
                    version[key] = events;
                }
            }
        }
    }

    private void emit(Session s, long end) {
        begin(s, s.outcome, s.start, end);
        for (int i = 0; i < s.count; i++) {
            sink.operation((s.operations[i] & 1) != 0, s.operations[i] >> 1, s.values[i]);
        }
        sink.end();
    }

    private void begin(Session s, TransactionStatus result, long from, long to) {
        sink.begin(s.number, s.index++, result, from + s.clockAhead, to + s.clockAhead);
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
            Session s = sessions[random.nextInt(sessions.length)];
            if (!s.isPlayer) {
                s.isPlayer = true;
                chosen++;
                missing += s.hasFinished ? 0 : 1;
            }
        }
    }

    /** Plays the script now. Every player is idle. */
    private void play(long now) {
        HistoryTable script = settings.injections.get(injectionsPlayed).script();
        List<Session> cast = Arrays.stream(sessions).filter(s -> s.isPlayer).toList();
        long last = now;
        int keys = script.keys().size();
        for (int role = 0; role < cast.size(); role++) {
            for (int t = script.firstTransaction(role); t < script.transactionsEnd(role); t++) {
                last = Math.max(last, playTransaction(script, t, cast.get(role), now));
            }
        }
        freshKeys += keys;
        uniqueValues += (long) keys * script.operations();
        for (Session s : cast) {
            s.isPlayer = false;
            s.start = last + 1;
            if (s.isIdle) {
                s.isIdle = false;
                push(last + delay(), s);
            }
        }
        gathering = false;
        injectionsPlayed++;
        gatherIfDue();
    }

    private long playTransaction(HistoryTable script, int t, Session session, long now) {
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
     * Returns when all players, or all sessions, are free: one that has finished may still take part in the script
     * before, whose transactions end after the time at which it is played.
     */
    private long freeFrom(boolean players) {
        return Arrays.stream(sessions)
                .filter(s -> s.isPlayer || !players)
                .mapToLong(s -> s.start)
                .max()
                .orElse(0);
    }

    /** At least 1, so that a session's transactions and the steps of one never share an instant. */
    private long delay() {
        return 1L + random.nextInt(2 * MEAN_DELAY);
    }

    private void push(long instant, Session session) {
        queue.enqueue(instant << SESSION_BITS | session.number);
    }
}
