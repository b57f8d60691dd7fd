/**
 * Checks of histories in files: the choice of an engine, the verdict on each level of each path, the run directory
 * and its checkpoints. Every failure is a verdict too.
 *
 * <p>Guarantee: prints nothing and ends no process. May import: the packages above it in the README of the module; no
 * Spark, no picocli.
 */
@NullMarked
package org.polygraph.jobs.application;

import org.jspecify.annotations.NullMarked;
