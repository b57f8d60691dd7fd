package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import org.polygraph.benchmarks.data.GeneratorSpec;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;

/**
 * A history in memory.
 *
 * @param readNanos CPU time of the whole process while it was read or generated
 */
record Source(String name, HistoryTable table, long readNanos) {
    /** @param source a path, or a spec as GeneratorSpec has it */
    static Source read(String source) throws IOException, HistoryException {
        long start = Run.processCpu();
        HistoryTable table = GeneratorSpec.isSpec(source)
                ? GeneratorSpec.parse(source).generate()
                : HistoryReader.read(source, HistoryFormat.AUTO);
        return new Source(source, table, Run.processCpu() - start);
    }
}
