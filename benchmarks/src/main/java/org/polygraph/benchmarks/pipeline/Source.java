package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import org.polygraph.benchmarks.data.FormulaSpec;
import org.polygraph.benchmarks.data.GeneratorSpec;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * A history in memory.
 *
 * @param readNanos CPU time of the whole process while it was read or generated
 */
record Source(String name, HistoryTable table, long readNanos) {
    /**
     * Reads or generates a history.
     *
     * @param source a path, or a spec of GeneratorSpec or FormulaSpec
     */
    static Source read(String source) throws IOException, HistoryException {
        long start = Run.processCpu();
        HistoryTable table;
        if (GeneratorSpec.isSpec(source)) {
            table = GeneratorSpec.parse(source).table();
        } else if (FormulaSpec.isSpec(source)) {
            table = FormulaSpec.generate(source);
        } else {
            table = HistoryReader.read(source, HistoryFormat.AUTO);
        }
        return new Source(source, table, Run.processCpu() - start);
    }
}
