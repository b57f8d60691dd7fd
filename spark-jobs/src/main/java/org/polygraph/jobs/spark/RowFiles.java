package org.polygraph.jobs.spark;

import java.io.IOException;
import java.io.Serializable;
import org.polygraph.partitioner.sliced.SlicedClosure;

/** The location of the rows of one generation of a closure, as sent to tasks. */
interface RowFiles extends Serializable {
    /** Maps them, once a process. They last as long as the task that opens them. */
    SlicedClosure open() throws IOException;

    /**
     * Whether a file is of no use to who reads the rows of a generation.
     *
     * @param name a kind, then a dash and the generation
     * @param plan the kind of those that a generation is made from
     */
    static boolean isBehind(String name, String plan, int generation) {
        int from = 0;
        while (!Character.isDigit(name.charAt(from))) {
            from++;
        }
        int to = from;
        while (to < name.length() && Character.isDigit(name.charAt(to))) {
            to++;
        }
        int of = Integer.parseInt(name, from, to, 10);
        return of < generation || of == generation && name.startsWith(plan);
    }
}
