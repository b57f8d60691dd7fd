package org.polygraph.benchmarks.experiment;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.explode;

import java.io.IOException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Spark's sort, with which the cost of a check is compared. Spark reads the same Parquet history, makes a row of every
 * operation and sorts all by (key, transaction), with its own defaults; the rows are dropped. This is the only work of
 * its JVM.
 */
final class RowSort {
    /** A session and an index below 2^32 are combined to one number, which Spark handles faster than two columns. */
    private static final long SESSION = 1L << 32;

    private RowSort() {}

    /** Arguments: history, Spark master, folder for temporary files.  */
    public static void main(String[] args) throws IOException {
        SparkSession.Builder builder = SparkSession.builder()
                .master(args[1])
                .config("spark.ui.enabled", false)
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.local.dir", args[2]);
        try (SparkSession spark = builder.getOrCreate()) {
            Dataset<Row> rows = spark.read()
                    .parquet(args[0])
                    .select(
                            col("session").multiply(SESSION).plus(col("index")).as("transaction"),
                            explode(col("ops")).as("op"))
                    .select(
                            col("op.key").as("key"),
                            col("transaction"),
                            col("op.op").equalTo("w").as("write"),
                            col("op.value").as("value"));
            rows.sort("key", "transaction")
                    .write()
                    .format("noop")
                    .mode("overwrite")
                    .save();
        }
    }
}
