package org.polygraph.jobs.spark;

import java.io.IOException;
import java.io.Serializable;
import org.polygraph.partitioner.sliced.SlicedClosure;

/** The location of the rows of one generation of a closure, as sent to tasks. */
interface RowFiles extends Serializable {
    /** Maps the rows, once in each process. They stay mapped as long as the task that opens them runs. */
    SlicedClosure open() throws IOException;

    /**
     * Whether a file is not needed by readers of the rows of a generation.
     *
     * @param name the kind of the file, a dash, and its generation
     * @param plan the kind of the files from which a generation is made
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
