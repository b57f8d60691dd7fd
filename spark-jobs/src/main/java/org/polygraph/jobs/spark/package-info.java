/**
 * The Spark engine: a class for each task. Only this package imports Spark.
 *
 * <p>Guarantee: this package moves data; every answer is that of the kernels and of {@code decision}. Tasks exchange
 * rows of primitive arrays as bytes, never objects. A check leaves no cached data, no broadcast and no file. May
 * import: Spark, Hadoop, Parquet, storage, partitioner, cluster-config, {@code certificate}, {@code verdict}, {@code
 * decision}. The classes that replay a certificate do not reach the partitioner.
 */
@NullMarked
package org.polygraph.jobs.spark;

import org.jspecify.annotations.NullMarked;
