package org.polygraph.jobs.spark;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.PairFlatMapFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankReader;
import org.polygraph.jobs.certificate.replay.DealPlan;
import org.polygraph.jobs.certificate.replay.PieceDealer;
import org.polygraph.jobs.certificate.replay.PlaceReplay;
import org.polygraph.jobs.certificate.replay.RangeReplay;
import org.polygraph.jobs.certificate.replay.SliceReplay;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import scala.Tuple2;

/** The tasks of {@link PieceReplay}. Between them rows travel as arrays of bytes. */
final class ReplayTasks {
    /** Instead of the number of a piece in a block: a {@link PieceDealer.Piece} follows. */
    private static final int PIECE = -1;

    /** The most ranges of places into which the rows of a slice are sorted; more would make blocks too small. */
    private static final int SORTED_RANGES = 32;

    private ReplayTasks() {}

    static byte[] bytes(Serializable object) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        } catch (IOException e) {
            throw new IllegalStateException("an object that cannot be written", e);
        }
        return bytes.toByteArray();
    }

    static Serializable object(byte[] bytes) {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (Serializable) in.readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException("an object that cannot be read", e);
        }
    }

    /** Sends a key to the partition of its number, or of its upper half. */
    static final class Numbered extends Partitioner {
        private static final long serialVersionUID = 1L;

        private final int partitions;

        Numbered(int partitions) {
            this.partitions = partitions;
        }

        @Override
        public int numPartitions() {
            return partitions;
        }

        @Override
        public int getPartition(Object key) {
            return key instanceof Long both ? (int) (both >> Integer.SIZE) : (Integer) key;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Numbered numbered && numbered.partitions == partitions;
        }

        @Override
        public int hashCode() {
            return partitions;
        }
    }

    /** Reads parts of the certificate. Output: some of its places, ascending; or why the part is refused. */
    static final class Sample implements FlatMapFunction<Iterator<Integer>, byte[]> {
        private static final long serialVersionUID = 1L;

        private static final int PER_PART = 64;

        private final String run;
        private final RankHeader header;

        Sample(String run, RankHeader header) {
            this.run = run;
            this.header = header;
        }

        @Override
        public Iterator<byte[]> call(Iterator<Integer> parts) throws IOException {
            List<byte[]> samples = new ArrayList<>();
            while (parts.hasNext()) {
                int part = parts.next();
                long[] places = new long[PER_PART];
                long rows = header.parts().isEmpty()
                        ? header.counted()
                        : header.parts().get(part).rows();
                long every = Math.max(1, rows / PER_PART);
                long[] seen = {0, 0};
                try {
                    BooleanSupplier stop = TaskContext.get()::isInterrupted;
                    RankReader.part(Location.of(run), header, part, stop, (session, index, snapshot, commit) -> {
                        if (seen[0]++ % every == 0 && seen[1] < PER_PART) {
                            places[(int) seen[1]++] = commit;
                        }
                    });
                    samples.add(bytes(Arrays.copyOf(places, (int) seen[1])));
                } catch (HistoryException e) {
                    samples.add(bytes(e));
                }
            }
            return samples.iterator();
        }
    }

    /** Reads pieces of the input and deals their transactions to ranges. */
    static final class DealPieces implements PairFlatMapFunction<Iterator<Integer>, Integer, byte[]> {
        private static final long serialVersionUID = 1L;

        private static final int COPIES = 6;

        private final ArrayList<Piece> pieces;
        private final DealPlan plan;

        DealPieces(List<Piece> pieces, DealPlan plan) {
            this.pieces = new ArrayList<>(pieces);
            this.plan = plan;
        }

        @Override
        public Iterator<Tuple2<Integer, byte[]>> call(Iterator<Integer> numbers) {
            return new Steps<>() {
                @Override
                boolean step() {
                    if (!numbers.hasNext()) {
                        return false;
                    }
                    int number = numbers.next();
                    byte[] piece = bytes(deal(number, this));
                    ready.add(new Tuple2<>(
                            0,
                            ByteBuffer.allocate(Integer.BYTES + piece.length)
                                    .putInt(PIECE)
                                    .put(piece)
                                    .array()));
                    return true;
                }
            };
        }

        private PieceDealer.Piece deal(int number, Steps<Tuple2<Integer, byte[]>> to) {
            try {
                return PieceDealer.deal(
                        pieces.get(number).read(TaskContext.get()::isInterrupted, TaskHeap.half() / COPIES),
                        number,
                        plan,
                        (range, block) -> to.ready.add(new Tuple2<>(range, block)));
            } catch (HistoryException | IOException | BudgetException e) {
                // Then the driver reads the whole input. It finds the first error, and has more memory.
                return PieceDealer.Piece.refused(number);
            }
        }
    }

    /** Replays ranges of (session, index), and deals operations and events. */
    static final class ReplayRange implements PairFlatMapFunction<Iterator<Tuple2<Integer, byte[]>>, Long, byte[]> {
        private static final long serialVersionUID = 1L;

        private static final int ROWS_AT_ONCE = 4096;

        private final String run;
        private final RankHeader header;
        private final DealPlan plan;
        private final byte[] initialValue;
        private final boolean mayHaveLoaders;

        ReplayRange(String run, RankHeader header, DealPlan plan, byte[] initialValue, boolean mayHaveLoaders) {
            this.run = run;
            this.header = header;
            this.plan = plan;
            this.initialValue = initialValue;
            this.mayHaveLoaders = mayHaveLoaders;
        }

        @Override
        public Iterator<Tuple2<Long, byte[]>> call(Iterator<Tuple2<Integer, byte[]>> dealt) throws IOException {
            int range = TaskContext.getPartitionId();
            List<byte[]> blocks = new ArrayList<>();
            List<byte[]> pieces = new ArrayList<>();
            while (dealt.hasNext()) {
                byte[] block = dealt.next()._2();
                if (ByteBuffer.wrap(block).getInt() == PIECE) {
                    pieces.add(Arrays.copyOfRange(block, Integer.BYTES, block.length));
                } else {
                    blocks.add(block);
                }
            }
            // Four numbers for each row.
            LongArrayList rows = new LongArrayList();
            try {
                BooleanSupplier stop = TaskContext.get()::isInterrupted;
                RankReader.part(Location.of(run), header, range, stop, (session, index, snapshot, commit) -> {
                    rows.add(session);
                    rows.add(index);
                    rows.add(snapshot);
                    rows.add(commit);
                });
            } catch (HistoryException e) {
                throw new IllegalStateException("a part of the certificate has changed: " + e.getMessage(), e);
            }
            return new Steps<>() {
                private final RangeReplay replay =
                        new RangeReplay(plan, range, blocks, initialValue, mayHaveLoaders, new RangeReplay.Sink() {
                            @Override
                            public void operations(int slice, int placeRange, byte[] out) {
                                int sorted = placeRange / ((plan.placeRanges() - 1) / SORTED_RANGES + 1);
                                ready.add(new Tuple2<>((long) slice << Integer.SIZE | sorted, out));
                            }

                            @Override
                            public void events(int placeRange, byte[] out) {
                                ready.add(new Tuple2<>((long) (plan.slices() + placeRange) << Integer.SIZE, out));
                            }
                        });
                private int next;
                private boolean ended;

                @Override
                boolean step() {
                    for (int i = 0; i < ROWS_AT_ONCE && next < rows.size(); i++, next += 4) {
                        replay.row(
                                rows.getLong(next),
                                rows.getLong(next + 1),
                                rows.getLong(next + 2),
                                rows.getLong(next + 3));
                    }
                    if (next == rows.size() && !ended) {
                        ended = true;
                        long last = (long) (plan.slices() + plan.placeRanges()) << Integer.SIZE;
                        ready.add(new Tuple2<>(last, bytes(replay.end())));
                        pieces.forEach(piece -> ready.add(new Tuple2<>(last, piece)));
                        return true;
                    }
                    return !ended;
                }
            };
        }
    }

    /**
     * Replays slices of keys and ranges of places. Output: the finding of each of them, and the findings of
     * {@link ReplayRange}, which one partition passes on.
     */
    static final class ReplayDealt implements FlatMapFunction<Iterator<Tuple2<Long, byte[]>>, byte[]> {
        private static final long serialVersionUID = 1L;

        private final DealPlan plan;
        private final byte[] initialValue;
        private final ArrayList<Serializable> carried;

        ReplayDealt(DealPlan plan, byte[] initialValue, List<Serializable> carried) {
            this.plan = plan;
            this.initialValue = initialValue;
            this.carried = new ArrayList<>(carried);
        }

        @Override
        public Iterator<byte[]> call(Iterator<Tuple2<Long, byte[]>> dealt) {
            int partition = TaskContext.getPartitionId();
            List<byte[]> blocks = new ArrayList<>();
            if (partition < plan.slices()) {
                SliceReplay replay = new SliceReplay(plan, partition, initialValue);
                long range = 0;
                while (dealt.hasNext()) {
                    Tuple2<Long, byte[]> next = dealt.next();
                    if (next._1() != range) {
                        replay.range(blocks);
                        blocks.clear();
                        range = next._1();
                    }
                    blocks.add(next._2());
                }
                replay.range(blocks);
                return List.of(bytes(replay.end())).iterator();
            }
            dealt.forEachRemaining(each -> blocks.add(each._2()));
            int range = partition - plan.slices();
            if (range == plan.placeRanges()) {
                return blocks.iterator();
            }
            Serializable before = carried.isEmpty() ? null : carried.get(range);
            return List.of(bytes(PlaceReplay.of(plan, range, blocks, before))).iterator();
        }
    }
}
