package org.polygraph.partitioner.sliced;

import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;

/**
 * Numbers some transactions of a history densely, in their order in the history, so that they form a history of their
 * own. Memory: a bit for each transaction of the whole history and 4 bytes for 64 of them; 4 bytes for each member.
 */
final class Renumbering {
    private final int shift;
    private final int[] sessionStarts;
    private final long[] members;
    /** By word of the members: the number of members in the words before it. */
    private final int[] ranks;

    private int count;
    private int[] transactions = new int[0];
    private int[] starts = new int[0];

    /**
     * Starts without members.
     *
     * @param whole the number of transactions of the whole history
     */
    Renumbering(int perTransaction, int[] sessionStarts, int whole) {
        this.shift = perTransaction - 1;
        this.sessionStarts = sessionStarts;
        members = new long[(whole >> 6) + 1];
        ranks = new int[members.length];
    }

    void clear() {
        Arrays.fill(members, 0);
        count = 0;
    }

    /** Adds a transaction, unless it is a member already. */
    void add(int transaction) {
        long before = members[transaction >> 6];
        long after = before | 1L << transaction;
        members[transaction >> 6] = after;
        count += before == after ? 0 : 1;
    }

    int count() {
        return count;
    }

    /** Numbers the members and returns their events. The methods below use these numbers. */
    Events number() {
        transactions = new int[count];
        int next = 0;
        for (int word = 0; word < members.length; word++) {
            ranks[word] = next;
            for (long left = members[word]; left != 0; left &= left - 1) {
                transactions[next++] = word << 6 | Long.numberOfTrailingZeros(left);
            }
        }
        int sessions = sessionStarts.length - 1;
        starts = new int[sessions + 1];
        int[] sessionOf = new int[count];
        for (int s = 0; s <= sessions; s++) {
            starts[s] = numberOf(sessionStarts[s]);
            if (s > 0) {
                Arrays.fill(sessionOf, starts[s - 1], starts[s], s - 1);
            }
        }
        return new Events(shift + 1, starts, sessionOf);
    }

    /** The new number of a transaction: how many members come before it. */
    int numberOf(int transaction) {
        int word = transaction >> 6;
        return ranks[word] + Long.bitCount(members[word] & ((1L << transaction) - 1));
    }

    /** The transaction of the whole history that has a new number. */
    int transaction(int number) {
        return transactions[number];
    }

    /** The event of the whole history that has a new number. */
    int whole(int event) {
        return transactions[event >> shift] << shift | (event & shift);
    }

    /** The place of a renumbered event in its session of the whole history. */
    int place(int session, int event) {
        return whole(event) - (sessionStarts[session] << shift);
    }

    /** How many of the first {@code events} events of a session of the whole history belong to members. */
    int among(int session, int events) {
        if (events == 0) {
            return 0;
        }
        int t = sessionStarts[session] + (events >> shift);
        int before = (numberOf(t) - starts[session]) << shift;
        return (events & shift) != 0 && (members[t >> 6] & (1L << t)) != 0 ? before + 1 : before;
    }
}
