/**
 * The Spark engine: it runs the tasks of {@code windows}, of {@code certificate.replay} and of a generator on executors.
 * Only this package imports Spark.
 *
 * <p>Guarantee: this package moves data; every answer is that of {@code windows}, {@code decision} and {@code
 * certificate.replay}. Tasks exchange bytes and scratch files. A check leaves no cached data and no broadcast, and
 * scratch files only for a process that continues it. May import: Spark, Hadoop, storage, cluster-config, {@code
 * certificate}, {@code verdict}, {@code decision}, {@code generate}, {@code windows}, {@code application}. The classes
 * that replay a certificate do not reach the partitioner.
 */
@NullMarked
package org.polygraph.jobs.spark;

import org.jspecify.annotations.NullMarked;
