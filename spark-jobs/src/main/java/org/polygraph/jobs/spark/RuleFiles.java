package org.polygraph.jobs.spark;

import java.io.IOException;
import java.io.Serializable;
import java.nio.IntBuffer;
import java.util.Arrays;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.polygraph.partitioner.sliced.GroupedRows;

/**
 * The location of the files of a closure and its column groups. A generation is the closure after one round of rules.
 *
 * @param folder seen by driver and executors
 * @param chainStarts the first event of each chain, and the number of events
 * @param groups the first chain of each column group, and the number of chains
 */
@SuppressWarnings("ArrayRecordComponent") // never compared or changed
record RuleFiles(String folder, int[] chainStarts, int[] groups) implements Serializable {
    static final String PLAN = "plan-";
    static final String ROWS = "rows-";
    static final String RANKS = "ranks-";

    /**
     * The fewest columns in a group, unless there are fewer in all: each group reads a cache line for every merged
     * edge.
     */
    private static final int LEAST_COLUMNS = 8;

    /** Makes groups whose files have about the given number of bytes. */
    static int[] groups(int[] chainStarts, long groupBytes, int mostColumns) {
        int chains = chainStarts.length - 1;
        long column = Math.max(1, (long) Integer.BYTES * chainStarts[chains]);
        int width = (int) Math.min(mostColumns, Math.max(LEAST_COLUMNS, groupBytes / column));
        int count = Math.max(1, (chains + width - 1) / width);
        int[] groups = new int[count + 1];
        for (int g = 0; g <= count; g++) {
            groups[g] = (int) ((long) chains * g / count);
        }
        return groups;
    }

    int events() {
        return chainStarts[chainStarts.length - 1];
    }

    int count() {
        return groups.length - 1;
    }

    IntFiles open() throws IOException {
        return new IntFiles(new Path(folder), SparkHadoopUtil.get().conf());
    }

    static String rows(int generation, int group) {
        return ROWS + generation + "-" + group;
    }

    static String ranks(int generation, int group) {
        return RANKS + generation + "-" + group;
    }

    static String plan(int generation) {
        return PLAN + generation;
    }

    /** The number of ints of each chain in a file of rows. */
    long[] rowLengths(int group) {
        long[] lengths = new long[chainStarts.length - 1];
        long width = (long) groups[group + 1] - groups[group];
        Arrays.setAll(lengths, s -> width * (chainStarts[s + 1] - chainStarts[s]));
        return lengths;
    }

    /** Opens all rows of a complete generation. Outdates older generations, and plans up to its own. */
    GroupedRows rows(IntFiles files, int generation) throws IOException {
        files.outdate(name -> RowFiles.isBehind(name, PLAN, generation));
        IntBuffer[][] rows = new IntBuffer[count()][];
        for (int g = 0; g < rows.length; g++) {
            rows[g] = files.read(rows(generation, g), rowLengths(g));
        }
        return new GroupedRows(chainStarts, groups, rows);
    }
}
