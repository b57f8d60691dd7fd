/**
 * The Spark engine: a class a task, and the sole imports of Spark.
 *
 * <p>Guarantee: moves data and decides nothing; every answer is that of the kernels and of {@code decision}. Between tasks
 * travel rows of primitive arrays as bytes, never objects. Nothing stays behind a check: no cached data, no broadcast, no
 * file. May import: Spark, Hadoop, Parquet, storage, partitioner, cluster-config, {@code certificate}, {@code verdict},
 * {@code decision}; what replays a certificate reaches no partitioner.
 */
@NullMarked
package org.polygraph.jobs.spark;

import org.jspecify.annotations.NullMarked;
