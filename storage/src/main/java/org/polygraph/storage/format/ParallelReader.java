package org.polygraph.storage.format;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryRows;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/**
 * Reads the pieces of a plan on several threads and puts them together on this one. Pieces that wait: one more than there are
 * threads.
 */
final class ParallelReader {
    /** Bytes of a piece, read or being read, over its bytes of text. */
    private static final int SLACK = 2;

    private ParallelReader() {}

    /**
     * Reads.
     *
     * @return null if something is wrong with a piece, or memory is short: only reading the whole in one pass tells
     * @throws HistoryException if two transactions share (session, index)
     * @throws BudgetException if the context says to stop
     */
    static @Nullable HistoryTable read(ReadPlan plan, ReadContext context, int threads) throws HistoryException {
        long waiting = SLACK * plan.pieceBytes() * (threads + 2);
        if (context.memoryBytes() < 4 * waiting) {
            return null;
        }
        AtomicBoolean abandoned = new AtomicBoolean();
        ExecutorService workers = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "read");
            thread.setDaemon(true);
            return thread;
        });
        try {
            PieceMerge merge = plan.merge(context.memoryBytes() - waiting);
            Queue<Future<HistoryRows>> ahead = new ArrayDeque<>();
            Iterator<Piece> pieces = plan.pieces().iterator();
            while (pieces.hasNext() || !ahead.isEmpty()) {
                while (pieces.hasNext() && ahead.size() <= threads) {
                    Piece piece = pieces.next();
                    ahead.add(workers.submit(() ->
                            piece.read(() -> abandoned.get() || context.stop().getAsBoolean(), context.memoryBytes())));
                }
                if (!merge.add(ahead.remove().get())) {
                    return null;
                }
            }
            return merge.table();
        } catch (ExecutionException | BudgetException | OutOfMemoryError e) {
            // A pass over the whole holds less, and says what it is that is wrong.
            context.check(plan.files().get(0));
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BudgetException(plan.files().get(0) + ": reading stopped: the run was cancelled");
        } finally {
            abandoned.set(true);
            workers.shutdownNow();
        }
    }
}
