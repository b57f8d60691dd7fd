/**
 * Checks of histories in files: the choice of an engine, the run directory and its checkpoints, and every failure as a
 * verdict.
 *
 * <p>Guarantee: prints nothing and ends no process. May import: everything to its left; no Spark, no picocli.
 */
@NullMarked
package org.polygraph.jobs.application;

import org.jspecify.annotations.NullMarked;
