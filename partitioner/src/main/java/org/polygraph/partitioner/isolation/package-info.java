/**
 * What is promised and how it is broken: isolation levels, kinds of dependency, anomalies, and the evidence of one.
 *
 * <p>Promise: definitions only, each with its source. May import: the JDK.
 */
@NullMarked
package org.polygraph.partitioner.isolation;

import org.jspecify.annotations.NullMarked;
