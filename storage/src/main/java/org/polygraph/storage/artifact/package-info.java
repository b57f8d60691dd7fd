/**
 * Files and folders: local files, standard input, and whatever Hadoop's FileSystem reaches; output that is whole or
 * absent.
 *
 * <p>Guarantee: a plain local path touches no Hadoop class, only {@code HadoopLocation} does; a file that is written
 * appears under its name when it is complete and not before. May import: the JDK, in {@code HadoopLocation} Hadoop's
 * FileSystem.
 */
@NullMarked
package org.polygraph.storage.artifact;

import org.jspecify.annotations.NullMarked;
