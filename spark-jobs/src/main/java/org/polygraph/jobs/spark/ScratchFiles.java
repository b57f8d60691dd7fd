package org.polygraph.jobs.spark;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.ParquetRuntimeException;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.storage.format.parquet.ParquetFailure;
import org.polygraph.storage.format.parquet.WrittenRows;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The scratch files through which tasks get a history from the driver: Parquet files of {@link ScratchTransaction} rows
 * in a folder of their own, a file for each window of transactions. Closing deletes them.
 *
 * <p>About 6 bytes for each operation on disk, and 8 MiB of heap while a file is written.
 */
final class ScratchFiles implements Closeable {
    private static final long ROW_GROUP_BYTES = 8L << 20;
    private static final int CHECK_EVERY = 1 << 10;

    private final Configuration configuration;
    private final ScratchFolder folder;
    private int files;

    /** @param parent a folder that the driver and all tasks see; it is made if it does not exist */
    ScratchFiles(Path parent, Configuration configuration) throws IOException {
        this.configuration = configuration;
        this.folder = new ScratchFolder(parent, configuration);
    }

    /**
     * The rows, in any order. The checksums of pages are verified, because the file system may have none.
     *
     * @throws IOException if there are fewer files than were written
     */
    Dataset<Row> rows(SparkSession spark) throws IOException {
        DataFrameReader reader = spark.read()
                .format("parquet")
                .schema(ScratchTransaction.SCHEMA)
                .option("parquet.page.verify-checksum.enabled", true)
                .option("ignoreMissingFiles", false)
                .option("ignoreCorruptFiles", false);
        Dataset<Row> rows = ScratchFolder.load(reader, folder.path());
        int found = rows.inputFiles().length;
        if (found != files) {
            throw new IOException(folder.path() + ": found " + found + " files, expected the " + files
                    + " that were written; something else removes files there");
        }
        return rows;
    }

    /**
     * Writes all transactions that are not dropped.
     *
     * @param perFile transactions in a file, dropped ones included: file f has those from f * perFile on
     * @throws StoppedException if the budget ends
     */
    void write(HistoryTable table, CommitStatus commitStatus, int perFile, BooleanSupplier stop) throws IOException {
        for (long from = 0; from < table.transactions(); from += perFile) {
            int to = (int) Math.min(table.transactions(), from + perFile);
            Path file = new Path(folder.path(), String.format("part-%05d.parquet", from / perFile));
            try (OutputStream out = file.getFileSystem(configuration).create(file, false);
                    ParquetWriter<Integer> writer = new Rows(table)
                            .to(out)
                            .withRowGroupSize(ROW_GROUP_BYTES)
                            .withValidation(false)
                            .withPageWriteChecksumEnabled(true)
                            .build()) {
                files++;
                for (int t = (int) from; t < to; t++) {
                    if (commitStatus.of(t) != CommitStatus.DROPPED) {
                        writer.write(t);
                    }
                    if ((t & (CHECK_EVERY - 1)) == 0) {
                        StoppedException.check(stop);
                    }
                }
            } catch (ParquetRuntimeException e) {
                throw ParquetFailure.of(e);
            } catch (FSError e) {
                throw ScratchFolder.io(e);
            }
        }
    }

    @Override
    public void close() {
        folder.close();
    }

    /** Writes transaction t of the table as a row. */
    private static final class Rows extends WrittenRows<Integer> {
        private final HistoryTable table;

        Rows(HistoryTable table) {
            super(ScratchTransaction.PARQUET, Map.of());
            this.table = table;
        }

        @Override
        public void write(Integer transaction) {
            int t = transaction;
            int from = table.firstOperation(t);
            int to = table.operationsEnd(t);
            out.startMessage();
            out.startField(ScratchTransaction.TRANSACTION, 0);
            out.addInteger(t);
            out.endField(ScratchTransaction.TRANSACTION, 0);
            list(ScratchTransaction.KEYS, 1, from, to);
            list(ScratchTransaction.VALUES, 2, from, to);
            out.endMessage();
        }

        private void list(String name, int field, int from, int to) {
            out.startField(name, field);
            out.startGroup();
            if (from < to) {
                out.startField("list", 0);
                for (int o = from; o < to; o++) {
                    out.startGroup();
                    out.startField("element", 0);
                    if (field == 1) {
                        out.addInteger(table.operationKeys()[o]);
                    } else {
                        out.addLong(table.value(o));
                    }
                    out.endField("element", 0);
                    out.endGroup();
                }
                out.endField("list", 0);
            }
            out.endGroup();
            out.endField(name, field);
        }
    }
}
