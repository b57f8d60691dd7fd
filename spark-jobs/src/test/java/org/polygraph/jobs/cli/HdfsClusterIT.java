package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.cli.Faults.Question;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.spark.FaultPlugin;
import org.polygraph.jobs.spark.FaultPlugin.Fault;

/** Two workers in processes of their own. The input, which tasks read, scratch files and the run are on HDFS. */
@Tag("cluster")
class HdfsClusterIT {
    @TempDir
    private Path folder;

    @Test
    @Timeout(300)
    void allOnHdfs() throws IOException, InterruptedException {
        all(List.of());
    }

    @Test
    @Tag("full")
    @Timeout(600)
    void allOnHdfsWithWorkersKilled() throws IOException, InterruptedException {
        all(List.of("read the input", "repair windows", "write the certificate"));
    }

    /** @param jobs in which a worker is killed; if there are none, one check runs without a fault */
    private void all(List<String> jobs) throws IOException, InterruptedException {
        Configuration configuration = new Configuration();
        configuration.set(
                MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
        configuration.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
        MiniDFSCluster hdfs =
                new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
        try (FileSystem files = hdfs.getFileSystem()) {
            Faults faults = new Faults(folder, List.of(Question.SER));
            String root = files.getUri().toString();
            faults.set("spark.polygraph.stage.dir", root + "/stages");
            String input = root + "/in/history.parquet";
            files.copyFromLocalFile(
                    new org.apache.hadoop.fs.Path(faults.history(Question.SER).toUri()),
                    new org.apache.hadoop.fs.Path(input));
            try (StandaloneCluster cluster = new StandaloneCluster(folder, faults)) {
                faults.begin();
                String expected = verdict(files, check(root + "/whole", input, "embedded"));
                for (String job : jobs.isEmpty() ? List.of("") : jobs) {
                    if (!job.isEmpty()) {
                        FaultPlugin.order(faults.orders, Fault.KILL, job, folder);
                    }
                    String out =
                            check(root + "/out-" + job.replace(' ', '-'), input, "spark --master " + cluster.master);
                    assertThat(verdict(files, out)).as(job).isEqualTo(expected);
                    assertThat(FaultPlugin.isDone(faults.orders)).isEqualTo(!job.isEmpty());
                }
                assertThat(files.listStatus(new org.apache.hadoop.fs.Path("/stages")))
                        .isEmpty();
                assertThat(names(files)).noneMatch(name -> name.endsWith(".tmp") || name.endsWith(".checkpoint"));
            }
        } finally {
            hdfs.shutdown();
        }
    }

    private static String check(String out, String input, String engine) {
        InProcess check = InProcess.of(
                "check -q -l ser --time none --window 500 --resume -o " + out + " " + input + " --engine " + engine);
        assertThat(check.exitCode()).as(check.err()).isZero();
        return out;
    }

    private static String verdict(FileSystem files, String out) throws IOException {
        var runs = files.globStatus(new org.apache.hadoop.fs.Path(out + "/run=*/verdict.json"));
        try (InputStream in = files.open(runs[0].getPath())) {
            return Untimed.json(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static List<String> names(FileSystem files) throws IOException {
        List<String> names = new ArrayList<>();
        RemoteIterator<LocatedFileStatus> each = files.listFiles(new org.apache.hadoop.fs.Path("/"), true);
        while (each.hasNext()) {
            names.add(each.next().getPath().getName());
        }
        return names;
    }
}
