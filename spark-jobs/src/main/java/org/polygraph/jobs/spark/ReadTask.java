package org.polygraph.jobs.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.format.pieces.RowsFile;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/** For each piece of the input: its rows, {@link RowsFile#toBytes}; no bytes if the piece has an error. */
final class ReadTask implements FlatMapFunction<Iterator<Integer>, byte[]> {
    private static final long serialVersionUID = 1L;

    /**
     * The number of copies that a task has of the rows of a piece: as a builder, as arrays, as bytes that grow and as
     * bytes.
     */
    private static final int COPIES = 4;

    private final ArrayList<Piece> pieces;

    ReadTask(List<Piece> pieces) {
        this.pieces = new ArrayList<>(pieces);
    }

    @Override
    public Iterator<byte[]> call(Iterator<Integer> numbers) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return numbers.hasNext();
            }

            @Override
            public byte[] next() {
                return rows(pieces.get(numbers.next()));
            }
        };
    }

    private static byte[] rows(Piece piece) {
        try {
            return RowsFile.toBytes(piece.read(TaskContext.get()::isInterrupted, TaskHeap.half() / COPIES));
        } catch (HistoryException | IOException | BudgetException e) {
            // The driver's pass over the whole input finds the first error and has all memory. So this needs neither a
            // retry nor a message.
            return new byte[0];
        }
    }

    /** The number of bytes of the rows of each task; negative if a piece has an error. */
    static final class Bytes implements FlatMapFunction<Iterator<byte[]>, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public Iterator<Long> call(Iterator<byte[]> rows) {
            long sum = 0;
            boolean isWhole = true;
            while (rows.hasNext()) {
                int bytes = rows.next().length;
                sum += bytes;
                isWhole &= bytes > 0;
            }
            return List.of(isWhole ? sum : -1).iterator();
        }
    }
}
