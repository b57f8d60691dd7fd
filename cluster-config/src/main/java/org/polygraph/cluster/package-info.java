/**
 * How the jobs are run on Spark: named profiles of settings.
 *
 * <p>Promise: every setting says its unit and its reason, and is valid. No Spark. May import: the JDK.
 */
@NullMarked
package org.polygraph.cluster;

import org.jspecify.annotations.NullMarked;
