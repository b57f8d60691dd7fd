/**
 * Named profiles of Spark settings.
 *
 * <p>Guarantee: every setting is valid and has its unit and its reason. No Spark. May import: the JDK.
 */
@NullMarked
package org.polygraph.cluster;

import org.jspecify.annotations.NullMarked;
