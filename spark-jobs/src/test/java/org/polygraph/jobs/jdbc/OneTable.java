package org.polygraph.jobs.jdbc;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** A table of H2 with two rows, and what the driver records of statements about it. */
abstract class OneTable {
    @TempDir
    Path folder;

    Path file;
    String url;
    private Connection keeping;

    @BeforeEach
    void create(TestInfo test) throws SQLException {
        file = folder.resolve("run.jsonl");
        url = "jdbc:h2:mem:" + test.getTestMethod().orElseThrow().getName();
        keeping = DriverManager.getConnection(url + ";DB_CLOSE_DELAY=-1");
        raw("CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(20), d DECIMAL(10,2), at TIMESTAMP)");
        raw("INSERT INTO t VALUES (1, 10, 'secret', 1.50, CURRENT_TIMESTAMP), (2, 20, 'b', 2, NULL)");
    }

    @AfterEach
    void drop() throws SQLException {
        RecordingDriver.close(file);
        raw("SHUTDOWN");
    }

    final void raw(String sql) throws SQLException {
        try (Statement statement = keeping.createStatement()) {
            statement.execute(sql);
        }
    }

    final Connection connect(String options) throws SQLException {
        return DriverManager.getConnection(
                url.replace("jdbc:", "jdbc:polygraph:") + ";polygraph.file=" + file + options);
    }

    /** The operations of the last transactions, without the rows that were there. */
    final List<String> recorded() throws Exception {
        RecordingDriver.close(file);
        return Files.readAllLines(file).stream()
                .skip(2)
                .map(line -> line.replaceAll(".*\"status\":\"(.)[a-z]*\",\"ops\":\\[(.*)\\]\\}", "$1 $2"))
                .map(line ->
                        line.replaceAll("\"(key|value|op|row|rows|sql)\":", "").replace("\"", ""))
                .toList();
    }

    interface Work {
        void run(Connection connection, Statement statement) throws Exception;
    }

    final List<String> recorded(String options, boolean autoCommit, Work work) throws Exception {
        try (Connection connection = connect(options);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(autoCommit);
            work.run(connection, statement);
            if (!autoCommit) {
                connection.commit();
            }
        }
        return recorded();
    }
}
