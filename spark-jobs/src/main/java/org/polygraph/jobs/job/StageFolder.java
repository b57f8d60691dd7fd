package org.polygraph.jobs.job;

import java.io.Closeable;
import java.io.IOException;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A folder for files on their way from the driver to the tasks. Closing deletes it; so does the end of the process. */
final class StageFolder implements Closeable {
    private final FileSystem fileSystem;
    private final Path folder;

    /** @param parent a folder that the driver and all tasks see; made if it is not there */
    StageFolder(Path parent, Configuration configuration) throws IOException {
        this.fileSystem = parent.getFileSystem(configuration);
        this.folder = fileSystem.makeQualified(new Path(parent, "polygraph-stage-" + UUID.randomUUID()));
        fileSystem.mkdirs(folder);
        fileSystem.deleteOnExit(folder);
    }

    FileSystem fileSystem() {
        return fileSystem;
    }

    Path path() {
        return folder;
    }

    /** Deletes the folder; where that fails, the end of the process tries again. */
    @Override
    public void close() {
        try {
            fileSystem.delete(folder, true);
            fileSystem.cancelDeleteOnExit(folder);
        } catch (IOException e) {
            // The verdict stands whatever becomes of temporary files.
        }
    }
}
