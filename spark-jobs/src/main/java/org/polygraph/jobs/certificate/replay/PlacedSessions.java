package org.polygraph.jobs.certificate.replay;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The conditions on a serial order that do not depend on keys, for transactions in the order of their places: places
 * ascend, every committed transaction counts and no aborted one does, and the transactions of a session that count
 * ascend. Parts of the order are checked one by one and joined. Memory: 64 bytes a session.
 */
public final class PlacedSessions {
    private static final long NO_PLACE = -1;

    /** By session: the indexes of its first and of its last transaction that count. */
    private final Map<Long, long[]> sessions = new TreeMap<>();

    private long firstPlace = NO_PLACE;
    private long place = NO_PLACE;
    private long transactions;
    private @Nullable String discrepancy;

    /** Takes the next transaction. @param status its code */
    public void transaction(Terms terms, long at, long session, long index, byte status, boolean counted) {
        if (at <= place) {
            wrong("place " + at + " comes after place " + place);
        }
        firstPlace = firstPlace == NO_PLACE ? at : firstPlace;
        place = at;
        boolean committed = status == TransactionStatus.COMMITTED.code();
        if (committed ? !counted : counted && !terms.mayCount(status)) {
            wrong(name(session, index)
                    + (committed ? " committed but is not counted" : " is counted but did not commit"));
        }
        if (counted) {
            transactions++;
            ascend(session, index, index);
        }
    }

    /** Adds transactions of a session. @param last the index of the last one */
    private void ascend(long session, long first, long last) {
        long[] known = sessions.get(session);
        if (known == null) {
            sessions.put(session, new long[] {first, last});
            return;
        }
        if (known[1] >= first) {
            wrong(name(session, first) + " is ordered before a transaction that its session ran earlier");
        }
        known[1] = last;
    }

    private static String name(long session, long index) {
        return "s" + session + "#" + index;
    }

    private void wrong(String what) {
        if (discrepancy == null) {
            discrepancy = what;
        }
    }

    /** Adds the part of the order that follows. */
    public void then(PlacedSessions next) {
        if (next.discrepancy != null) {
            wrong(next.discrepancy);
        }
        if (next.firstPlace == NO_PLACE) {
            return;
        }
        if (next.firstPlace <= place) {
            wrong("place " + next.firstPlace + " comes after place " + place);
        }
        firstPlace = firstPlace == NO_PLACE ? next.firstPlace : firstPlace;
        place = next.place;
        transactions += next.transactions;
        next.sessions.forEach((session, indexes) -> ascend(session, indexes[0], indexes[1]));
    }

    /** For {@link #ofBytes} in another process. */
    public byte[] toBytes() {
        byte[] text = (discrepancy == null ? "" : discrepancy).getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(4 * Long.BYTES + text.length + 3 * Long.BYTES * sessions.size());
        out.putLong(firstPlace).putLong(place).putLong(transactions).putLong(text.length);
        out.put(text);
        sessions.forEach(
                (session, indexes) -> out.putLong(session).putLong(indexes[0]).putLong(indexes[1]));
        return out.array();
    }

    /** The inverse of {@link #toBytes}. */
    public static PlacedSessions ofBytes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        PlacedSessions part = new PlacedSessions();
        part.firstPlace = in.getLong();
        part.place = in.getLong();
        part.transactions = in.getLong();
        byte[] text = new byte[(int) in.getLong()];
        in.get(text);
        part.discrepancy = text.length == 0 ? null : new String(text, StandardCharsets.UTF_8);
        while (in.hasRemaining()) {
            part.sessions.put(in.getLong(), new long[] {in.getLong(), in.getLong()});
        }
        return part;
    }

    /** The first condition that fails, one sentence; null if all hold. */
    public @Nullable String discrepancy() {
        return discrepancy;
    }

    /** The number of transactions that count. */
    public long transactions() {
        return transactions;
    }
}
