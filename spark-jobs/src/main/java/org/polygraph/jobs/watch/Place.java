package org.polygraph.jobs.watch;

/**
 * A place between two lines of a file, or two records of a partition of a topic.
 *
 * @param file what identifies the file when it is renamed, or the topic; empty if nothing does
 * @param offset in bytes, or of the next record
 * @param lines before it; of a partition the offset of the record before it
 */
record Place(String file, long offset, long lines) {
    static Place startOf(String file) {
        return new Place(file, 0, 0);
    }

    Place behind(int bytes) {
        return new Place(file, offset + bytes, lines + 1);
    }
}
