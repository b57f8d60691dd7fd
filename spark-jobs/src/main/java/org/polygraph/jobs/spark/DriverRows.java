package org.polygraph.jobs.spark;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.sliced.SlicedClosure;

/**
 * The rows of a generation for reads by the driver. They are mapped at the first read and stay mapped until they are
 * released. Thread-safe, except for the release.
 */
final class DriverRows {
    private final Path folder;
    private final Opening opening;
    private volatile @Nullable SlicedClosure rows;
    private @Nullable IntFiles reading;

    /**
     * Maps nothing yet.
     *
     * @param folder the folder of the files of rows
     * @param opening maps the rows of the generation that is current at the first read
     */
    DriverRows(String folder, Opening opening) {
        this.folder = new Path(folder);
        this.opening = opening;
    }

    /** Maps rows. */
    @FunctionalInterface
    interface Opening {
        /** @param files the files, which keep the rows mapped */
        SlicedClosure open(IntFiles files) throws IOException;
    }

    /** Whether event a strictly reaches event b. */
    boolean reaches(int a, int b) throws IOException {
        SlicedClosure open = rows;
        return (open == null ? opened() : open).reaches(a, b);
    }

    private synchronized SlicedClosure opened() throws IOException {
        SlicedClosure open = rows;
        if (open == null) {
            IntFiles files = reading;
            if (files == null) {
                files = new IntFiles(folder, SparkHadoopUtil.get().conf());
                reading = files;
            }
            open = opening.open(files);
            rows = open;
        }
        return open;
    }

    /** Releases the rows; there must be no more reads. */
    synchronized void release() {
        rows = null;
        if (reading != null) {
            reading.close();
            reading = null;
        }
    }
}
