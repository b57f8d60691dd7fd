package org.polygraph.jobs.spark;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.polygraph.jobs.generate.GenerationTarget;
import org.polygraph.storage.generate.GeneratedRows;
import org.polygraph.storage.generate.TransactionPlan;

/**
 * For each output file: writes it from the values that its reads return, which come in any order. Output: the number of
 * rows of each file. Memory: 8 bytes for each operation of the file, and a row group.
 */
final class AssembleTask implements MapPartitionsFunction<Row, Long> {
    private static final long serialVersionUID = 1L;

    private final TransactionPlan plan;
    private final GenerationTarget target;

    AssembleTask(TransactionPlan plan, GenerationTarget target) {
        this.plan = plan;
        this.target = target;
    }

    @Override
    public Iterator<Long> call(Iterator<Row> blocks) throws IOException {
        Int2ObjectOpenHashMap<GeneratedRows> parts = new Int2ObjectOpenHashMap<>();
        while (blocks.hasNext()) {
            Row block = blocks.next();
            int part = block.getInt(0);
            GeneratedRows rows = parts.get(part);
            if (rows == null) {
                rows = new GeneratedRows(plan, target.from(part), target.to(part));
                parts.put(part, rows);
            }
            ByteBuffer reads = ByteBuffer.wrap(block.getAs(1));
            while (reads.hasRemaining()) {
                int place = reads.getInt();
                rows.read(place, reads.getLong());
            }
        }
        List<Long> written = new ArrayList<>();
        for (Int2ObjectMap.Entry<GeneratedRows> part : parts.int2ObjectEntrySet()) {
            target.write(part.getIntKey(), part.getValue());
            written.add(target.to(part.getIntKey()) - target.from(part.getIntKey()));
        }
        return written.iterator();
    }
}
