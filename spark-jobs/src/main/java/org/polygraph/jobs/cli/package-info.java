/**
 * The command line: options, exit codes, progress, messages.
 *
 * <p>Guarantee: stdout carries results, stderr all else; every way to fail has its own located message and the exit
 * code of the contract. No Spark class is loaded unless the Spark engine is asked for. May import: the packages above
 * it in the README of the module, picocli.
 */
@NullMarked
package org.polygraph.jobs.cli;

import org.jspecify.annotations.NullMarked;
