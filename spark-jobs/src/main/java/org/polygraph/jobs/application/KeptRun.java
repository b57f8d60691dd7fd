package org.polygraph.jobs.application;

import org.polygraph.jobs.report.RunDirectory;

/**
 * A run that keeps the evidence of a verdict.
 *
 * @param input fingerprint of the bytes of the history
 */
public record KeptRun(RunDirectory folder, String input) {}
