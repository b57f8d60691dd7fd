package org.polygraph.jobs.verdict;

/**
 * The file with the values that keys had before the first transaction.
 *
 * @param path a name that does not depend on the working directory
 * @param input SHA-256 of its bytes
 */
public record InitialFile(String path, String input) {}
