package org.polygraph.jobs.spark;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.storage.artifact.Location;

/**
 * The parent of the folders for scratch files, and whether executors can see it. If nothing is configured and the
 * default file system is a local one, it is this machine's temporary folder, which executors on other machines cannot
 * see.
 */
final class ScratchParent {
    /** Every remedy ends with this text. */
    static final String AGAIN = ", then run the command again: a check with --out continues from its checkpoints";

    private ScratchParent() {}

    /** The configured folder; else the user's home in the default file system, or this machine's temporary folder. */
    static Location of(SparkContext context) throws IOException {
        Path configured = configured(context.getConf());
        Configuration hadoop = context.hadoopConfiguration();
        return configured != null
                ? location(configured)
                : isLocal(hadoop)
                        ? Location.of(System.getProperty("java.io.tmpdir"))
                        : location(FileSystem.get(hadoop).getHomeDirectory());
    }

    /** A local path is read and written without Hadoop, whose local file system has a second file with checksums for each file. */
    private static Location location(Path path) throws IOException {
        URI uri = path.toUri();
        return Location.of("file".equals(uri.getScheme()) ? uri.getPath() : uri.toString());
    }

    /**
     * The folder for scratch files of a run that a later process can continue: in the configured folder, or else where
     * the run is.
     *
     * @param scratch a folder within the run
     * @return null if the run is on this machine only, and the default file system is not
     */
    static @Nullable Location ofKept(SparkContext context, Location scratch) throws IOException {
        Path configured = configured(context.getConf());
        if (configured == null) {
            return scratch.isLocal() && !isLocal(context.hadoopConfiguration()) ? null : scratch;
        }
        String[] folders = scratch.absolute().split("/");
        return location(configured)
                .child("polygraph-" + folders[folders.length - 3].replace('=', '-') + "-"
                        + Integer.toHexString(scratch.absolute().hashCode()));
    }

    /** The message when scratch files cannot be written or read. */
    static EngineException failed(IOException e) {
        return new EngineException(
                "scratch files: found " + Jobs.firstLine(e)
                        + "; expected a folder with room that driver and executors can write; make room or give another "
                        + LazySession.SCRATCH_FOLDER + AGAIN,
                e);
    }

    /** @throws ConfigurationException if the configured value is not a path */
    private static @Nullable Path configured(SparkConf conf) {
        String configured = conf.get(LazySession.SCRATCH_FOLDER, "");
        try {
            return configured.isEmpty() ? null : new Path(configured);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException("found " + LazySession.SCRATCH_FOLDER + " = '" + configured + "' ("
                    + e.getMessage() + "); expected a path such as hdfs://HOST/scratch");
        }
    }

    private static boolean isLocal(Configuration hadoop) {
        return "file".equals(FileSystem.getDefaultUri(hadoop).getScheme());
    }

    /**
     * Whether scratch files go to this machine and executors may be on other machines. Starts no session.
     *
     * @param scratch where scratch files go that a later process may need; null if none does
     */
    static boolean isInDoubt(SparkConf conf, @Nullable Location scratch) {
        return !conf.get("spark.master").startsWith("local")
                && (scratch == null || scratch.isLocal())
                && conf.get(LazySession.SCRATCH_FOLDER, "").isEmpty()
                && isLocal(SparkHadoopUtil.get().newConfiguration(conf));
    }

    /**
     * Checks what can be known without a session.
     *
     * @throws ConfigurationException if the configured value is not a path, or executors are in pods, which cannot see
     *     a folder of this machine
     */
    static void validate(SparkConf conf, @Nullable Location scratch) {
        configured(conf);
        if (conf.get("spark.master").startsWith("k8s://") && isInDoubt(conf, scratch)) {
            throw unseen("pods");
        }
    }

    static ConfigurationException unseen(String who) {
        return new ConfigurationException("scratch files would go to " + System.getProperty("java.io.tmpdir")
                + " of this machine; found " + who
                + ", which cannot see it; expected a folder that driver and executors see;"
                + " give JAVA_OPTS=-D" + LazySession.SCRATCH_FOLDER + "=hdfs://... or spark-submit --conf "
                + LazySession.SCRATCH_FOLDER + "=hdfs://...");
    }
}
