package org.polygraph.benchmarks.data;

import java.io.IOException;
import java.nio.file.Path;

/** Writes a generated history as plume text, for measurements of the whole process. */
public final class WritePlume {
    private WritePlume() {}

    /** Arguments: a {@link GeneratorSpec} and the file to write. */
    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            throw new IllegalArgumentException("expected: gen:... FILE");
        }
        GeneratorSpec.parse(args[0]).writePlume(Path.of(args[1]));
    }
}
