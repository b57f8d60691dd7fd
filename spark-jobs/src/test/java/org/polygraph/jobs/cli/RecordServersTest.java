package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.jdbc.Applications;
import org.polygraph.jobs.record.Drivers;

/** {@code record} with servers that the test starts, where their programs are installed. */
@Tag("process")
class RecordServersTest {
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    private Path folder;

    @Test
    void postgresqlKeepsWhatItsManualPromises() throws Exception {
        Path initdb = program("initdb");
        Path postgres = program("postgres");
        // PostgreSQL refuses to run as root.
        List<String> user = withoutRights();
        run(user, initdb.toString(), "-D", data().toString(), "-A", "trust", "-U", "polygraph", "-N");
        int port = freePort();
        try (Server server = new Server(
                user,
                postgres.toString(),
                "-D",
                data().toString(),
                "-p",
                Integer.toString(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "fsync=off")) {
            String url = "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=polygraph";
            server.awaitRecording(url);
            kept(url, "mini", "read-committed", "rc");
            kept(url, "append", "repeatable-read", "si");
            kept(url, "rows", "repeatable-read", "si");
            kept(url, "registers", "serializable", "ser");
            kept(url, "rows", "serializable", "ser");
            applicationsAreRecorded(url);
        }
    }

    @Test
    void mariadbKeepsWhatItsManualPromises() throws Exception {
        Path install = program("mariadb-install-db");
        Path mariadbd = program("mariadbd");
        Path setup = folder.resolve("setup.sql");
        Files.writeString(
                setup,
                "CREATE DATABASE IF NOT EXISTS polygraph;\n"
                        + "CREATE USER IF NOT EXISTS polygraph@'127.0.0.1' IDENTIFIED BY 'polygraph';\n"
                        + "GRANT ALL ON polygraph.* TO polygraph@'127.0.0.1';\n");
        List<String> user = withoutRights();
        run(
                user,
                install.toString(),
                "--no-defaults",
                "--datadir=" + data(),
                "--auth-root-authentication-method=normal");
        int port = freePort();
        try (Server server = new Server(
                user,
                mariadbd.toString(),
                "--no-defaults",
                "--datadir=" + data(),
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + data().resolve("socket"),
                "--pid-file=" + data().resolve("pid"),
                "--init-file=" + setup,
                "--innodb-use-native-aio=0",
                "--skip-name-resolve")) {
            String url = "jdbc:mariadb://127.0.0.1:" + port + "/polygraph?user=polygraph&password=polygraph";
            server.awaitRecording(url);
            kept(url, "mini", "read-committed", "rc");
            kept(url, "registers", "repeatable-read", "cc");
            kept(url, "append", "serializable", "ser");
            kept(url, "rows", "serializable", "ser");
        }
    }

    private void applicationsAreRecorded(String url) throws Exception {
        Driver driver = new Drivers(List.of(), message -> {}).of(url);
        Applications.checkAll(Applications.of(() -> driver.connect(url, new Properties())), folder);
    }

    private Path data() {
        return folder.resolve("data");
    }

    private void kept(String url, String workload, String isolation, String level) {
        InProcess run = recorded(url, workload, isolation);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("300 txns", "0 unknown", "PASS  " + level + "  ");
    }

    private InProcess recorded(String url, String workload, String isolation) {
        return InProcess.of("record --url " + url + " -w " + workload + " --isolation " + isolation
                + " --transactions 300 --sessions 6 --keys 30 --pause 1ms --check --overwrite -o "
                + folder.resolve("run.jsonl"));
    }

    /** A program on the path, or in the folders of Debian's servers. */
    private static Path program(String name) throws IOException {
        List<Path> folders = new ArrayList<>();
        for (String each : String.valueOf(System.getenv("PATH")).split(File.pathSeparator)) {
            folders.add(Path.of(each));
        }
        folders.add(Path.of("/usr/sbin"));
        Path versions = Path.of("/usr/lib/postgresql");
        if (Files.isDirectory(versions)) {
            try (Stream<Path> all = Files.list(versions)) {
                all.map(version -> version.resolve("bin")).forEach(folders::add);
            }
        }
        @Nullable Path found = null;
        for (Path each : folders) {
            if (Files.isExecutable(each.resolve(name))) {
                found = each.resolve(name);
            }
        }
        if (found == null) {
            System.err.println("SKIPPED: " + name + " is not installed, so record was not tested with its server");
        }
        Assumptions.assumeTrue(found != null, name + " is not installed");
        return java.util.Objects.requireNonNull(found);
    }

    /**
     * The words before a command that runs it as a user without rights, if this process is root; that user owns the
     * folder.
     */
    private List<String> withoutRights() throws Exception {
        if (!"root".equals(System.getProperty("user.name"))) {
            return List.of();
        }
        Path setpriv = program("setpriv");
        run(List.of(), "chown", "-R", "nobody", folder.toString());
        return List.of(setpriv.toString(), "--reuid=nobody", "--regid=nogroup", "--clear-groups");
    }

    private void run(List<String> before, String... words) throws Exception {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(words));
        Path log = Files.createTempFile("polygraph-server", ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            assertThat(process.waitFor()).as(Files.readString(log)).isZero();
        } finally {
            Files.delete(log);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private final class Server implements AutoCloseable {
        private final Process process;

        Server(List<String> before, String... words) throws IOException {
            List<String> command = new ArrayList<>(before);
            command.addAll(List.of(words));
            process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }

        /** Waits until the server accepts connections. */
        void awaitRecording(String url) throws InterruptedException {
            long until = System.nanoTime() + START_NANOS;
            while (recorded(url, "mini", "serializable").exitCode() != 0) {
                assertThat(process.isAlive() && System.nanoTime() < until)
                        .as("the server starts")
                        .isTrue();
                Thread.sleep(200);
            }
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}
