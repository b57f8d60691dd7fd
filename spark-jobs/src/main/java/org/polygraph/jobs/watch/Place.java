package org.polygraph.jobs.watch;

/**
 * A place between two lines of a file.
 *
 * @param file what identifies the file when it is renamed; empty if nothing does
 * @param offset in bytes
 * @param lines before it
 */
record Place(String file, long offset, long lines) {
    static Place startOf(String file) {
        return new Place(file, 0, 0);
    }

    Place behind(int bytes) {
        return new Place(file, offset + bytes, lines + 1);
    }
}
