package org.polygraph.jobs.spark;

import java.io.IOException;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.polygraph.partitioner.sliced.ColumnGroup;

/** For each column group: writes what it adds to the ranks, an int for each event, to a file. Output: the group. */
final class ClockRankTask implements MapPartitionsFunction<Long, Integer> {
    private static final long serialVersionUID = 1L;

    private final RuleFiles files;
    private final int generation;

    ClockRankTask(RuleFiles files, int generation) {
        this.files = files;
        this.generation = generation;
    }

    @Override
    public Iterator<Integer> call(Iterator<Long> groups) throws IOException {
        List<Integer> done = new ArrayList<>();
        IntFiles own = files.open();
        while (groups.hasNext()) {
            int group = Math.toIntExact(groups.next());
            IntBuffer[] rows = own.read(RuleFiles.rows(generation, group), files.rowLengths(group));
            int[] ranks =
                    ColumnGroup.ranks(files.chainStarts(), files.groups()[group], files.groups()[group + 1], rows);
            own.write(RuleFiles.ranks(generation, group), sink -> sink.put(ranks));
            done.add(group);
        }
        return done.iterator();
    }
}
