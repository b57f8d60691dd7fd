/**
 * The output of a verdict for people and programs: the result line, the explanation of a violation, JSON, the run
 * directory.
 *
 * <p>Guarantee: the formats of the command's output, which users parse; a run directory is whole or absent. May import:
 * storage, partitioner, certificate, verdict, report.wording, report.page, Jackson, fastutil.
 */
@NullMarked
package org.polygraph.jobs.report;

import org.jspecify.annotations.NullMarked;
