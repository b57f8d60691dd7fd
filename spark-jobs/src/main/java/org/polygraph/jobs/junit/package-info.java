/**
 * A JUnit 5 extension that records the transactions of a test and checks their history.
 *
 * <p>Guarantee: no Spark, no command line. May import: application, jdbc, record and watch. JUnit's jars are those of the test.
 */
@NullMarked
package org.polygraph.jobs.junit;

import org.jspecify.annotations.NullMarked;
