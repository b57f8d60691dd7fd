package org.polygraph.jobs.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What of single statements is in the history, and that the application does not notice it. */
class RecordingDriverTest extends OneTable {
    @Test
    void readsAreThoseThatWereFetched() throws Exception {
        assertThat(recorded("", true, (connection, statement) -> {
                    try (ResultSet rows = statement.executeQuery("SELECT d, t.* FROM t WHERE id = 1")) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getBigDecimal("d")).isEqualTo("1.50");
                        assertThat(rows.getStatement()).isSameAs(statement);
                    }
                    statement.executeQuery("SELECT n FROM t WHERE id = 9").next();
                }))
                .containsExactly(
                        "c {r,t[1].n,10,SELECT d, t.* FROM t WHERE id = ?},{r,t[1].s,secret},{r,t[1].d,#1.5}",
                        "c {r,t[9],null,SELECT n FROM t WHERE id = ?}");
    }

    @Test
    void aStringThatLooksLikeNullIsAString() throws Exception {
        assertThat(recorded("", true, (connection, statement) -> {
                    try (PreparedStatement query = connection.prepareStatement("SELECT id FROM t WHERE s = ?")) {
                        query.setString(1, "#null");
                        assertThat(query.executeQuery().next()).isFalse();
                    }
                }))
                .singleElement()
                .asString()
                .contains("[##null]");
    }

    @Test
    void anUnrecordedWriteHidesItsKeysOnly() throws Exception {
        assertThat(recorded("", true, (connection, statement) -> {
                    assertThat(statement.executeUpdate("UPDATE t SET n = n + 1, s = 'x' WHERE id = 1"))
                            .isEqualTo(1);
                    statement.executeQuery("SELECT n, s FROM t WHERE id = 1").next();
                    statement.executeQuery("SELECT n FROM t WHERE id = 2").next();
                    try (ResultSet rows = statement.executeQuery("SELECT id, n FROM t WHERE n > 5")) {
                        while (rows.next()) {}
                    }
                    statement.executeUpdate("UPDATE t SET n = n + 1 WHERE id = 2 AND n = 20");
                    statement.executeUpdate("DELETE FROM t WHERE n > 1 OR s = 'y'");
                    statement.executeQuery("SELECT n, s FROM t WHERE id = 1").next();
                }))
                .containsExactly(
                        "c {w,t[1].s,x,{t.s:x},UPDATE t SET n = n + ?, s = ? WHERE id = ?}",
                        "c {r,t[1].s,x,SELECT n, s FROM t WHERE id = ?}",
                        "c {r,t[2].n,20,SELECT n FROM t WHERE id = ?}",
                        "c {r,t[1],1,SELECT id, n FROM t WHERE n > ?},{r,t[2].n,20}",
                        "c {r,t[2].n,20,UPDATE t SET n = n + ? WHERE id = ? AND n = ?},{w,t[2].n,21,{t.n:21}}");
        assertThat(Files.readString(folder.resolve("run.statements.json")))
                .contains("\"a delete by a condition\" : 1", "\"an expression or a default\" : 1");
    }

    @Test
    void readBackShowsWhatASumReadAndWrote() throws Exception {
        assertThat(recorded(";polygraph.read-back=true", false, (connection, statement) -> {
                    statement.executeUpdate("UPDATE t SET n = n - 3 WHERE id = 1 AND s = 'secret'");
                    statement.execute("SAVEPOINT a");
                    statement.executeUpdate("UPDATE t SET n = 0 WHERE id = 2");
                    java.sql.Savepoint inner = connection.setSavepoint();
                    statement.executeUpdate("DELETE FROM t WHERE id = 2");
                    connection.rollback(inner);
                    statement.execute("ROLLBACK TO SAVEPOINT a");
                }))
                .containsExactly("c {r,t[1].s,secret,UPDATE t SET n = n - ? WHERE id = ? AND s = ?},{r,t[1].n,10},"
                        + "{w,t[1].n,7,{t.n:7}}");
    }

    @Test
    void conditionsOfOneColumnAreRecordedWhole() throws Exception {
        assertThat(recorded("", false, (connection, statement) -> {
                    try (ResultSet rows = statement.executeQuery("SELECT id, n, s FROM t WHERE n BETWEEN 15 AND 25")) {
                        while (rows.next()) {}
                    }
                    assertThat(statement.execute("UPDATE t SET s = 'c' WHERE s = 'b'"))
                            .isFalse();
                    assertThat(statement.getUpdateCount()).isEqualTo(1);
                    assertThat(statement.getMoreResults()).isFalse();
                    assertThat(statement.getUpdateCount()).isEqualTo(-1);
                }))
                .containsExactly("c {r,t[2].s,b,SELECT id, n, s FROM t WHERE n BETWEEN ? AND ?},"
                        + "{pr,where:{t.n:[15,25]},[[t[2].n,20]]},"
                        + "{pw,where:{t.s:[b]},c,{t.s:c},count:1,UPDATE t SET s = ? WHERE s = ?}");
    }

    /** The database numbers rows. The application gets the keys for which it asks, and no others. */
    @Test
    void generatedKeysNameRows() throws Exception {
        raw("CREATE TABLE g (id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n INT, m INT DEFAULT 5)");
        String insert = "INSERT INTO g (n) VALUES (7)";
        assertThat(recorded("", true, (connection, statement) -> {
                    statement.executeUpdate(insert, Statement.RETURN_GENERATED_KEYS);
                    ResultSet keys = statement.getGeneratedKeys();
                    assertThat(keys.next()).isTrue();
                    assertThat(keys.getLong("id")).isEqualTo(1);
                    assertThat(keys.next()).isFalse();
                    connection.setAutoCommit(false);
                    statement.executeUpdate(insert);
                    connection.rollback();
                    statement.executeQuery("SELECT m FROM g WHERE id = 1").next();
                    statement.executeUpdate(insert);
                    connection.commit();
                    statement.executeQuery("SELECT m FROM g WHERE id = 1").next();
                    assertThat(statement
                                    .executeQuery("SELECT m FROM g WHERE id = 3")
                                    .next())
                            .isTrue();
                    connection.commit();
                }))
                .containsExactly(
                        "c {i,g[1],1,{g:1},INSERT INTO g (n) VALUES (?)},{i,g[1].n,7,{g.n:7}}",
                        "c {r,g[1],1,SELECT m FROM g WHERE id = ?}",
                        "c {r,g[1],1,SELECT m FROM g WHERE id = ?}");
        raw("DELETE FROM g");
        assertThat(recorded(";polygraph.read-back=true", true, (connection, statement) -> {
                    statement.execute(insert);
                    assertThat(statement.getGeneratedKeys().next()).isFalse();
                    try (PreparedStatement batch =
                            connection.prepareStatement("INSERT INTO g (n) VALUES (?)", new String[] {"ID"})) {
                        for (int i = 0; i < 2; i++) {
                            batch.setInt(1, i);
                            batch.addBatch();
                        }
                        batch.executeBatch();
                        ResultSet keys = batch.getGeneratedKeys();
                        while (keys.next()) {}
                    }
                }))
                .containsExactly(
                        "c {i,g[4],1,{g:1},INSERT INTO g (n) VALUES (?)},{i,g[4].n,7,{g.n:7}},{i,g[4].m,5,{g.m:5}}",
                        "c {i,g[5],1,{g:1},INSERT INTO g (n) VALUES (?)},{i,g[5].n,0,{g.n:0}}",
                        "c {i,g[6],1,{g:1},INSERT INTO g (n) VALUES (?)},{i,g[6].n,1,{g.n:1}}");
    }

    @Test
    void rowsThatMayExist() throws Exception {
        raw("SET MODE PostgreSQL");
        assertThat(recorded("", true, (connection, statement) -> {
                    String insert = "INSERT INTO t (id, n) VALUES (1, 4) ON CONFLICT DO NOTHING";
                    assertThat(statement.executeUpdate(insert)).isZero();
                    assertThat(statement.executeUpdate("DELETE FROM t WHERE id = 1"))
                            .isEqualTo(1);
                    assertThat(statement.executeUpdate(insert)).isEqualTo(1);
                    statement.executeUpdate("MERGE INTO t (id, n) KEY (id) VALUES (1, 5)");
                    statement.executeQuery("SELECT n, s FROM t WHERE id = 1").next();
                    ResultSet rows =
                            statement.executeQuery("SELECT n FROM FINAL TABLE (UPDATE t SET n = n + 1 WHERE id = 1)");
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(6);
                    rows = statement.executeQuery(
                            "SELECT id, s FROM FINAL TABLE (UPDATE t SET n = 9 WHERE n > 6 AND s LIKE 'b%')");
                    while (rows.next()) {}
                }))
                .containsExactly(
                        "c {d,t[1],DELETE FROM t WHERE id = ?},{d,t[1].n},{d,t[1].s},{d,t[1].d}",
                        "c {i,t[1],1,{t:1},INSERT INTO t (id, n) VALUES (?, ...) ON CONFLICT DO NOTHING},"
                                + "{i,t[1].n,4,{t.n:4}},{i,t[1].s,#null,{t.s:#null}},{i,t[1].d,#null,{t.d:#null}}",
                        "c {w,t[1],1,{t:1},MERGE INTO t (id, n) KEY (id) VALUES (?, ...)},{w,t[1].n,5,{t.n:5}}",
                        "c {r,t[1].n,5,SELECT n, s FROM t WHERE id = ?}",
                        "c {r,t[1].n,5,SELECT n FROM FINAL TABLE (UPDATE t SET n = n + ? WHERE id = ?)},{w,t[1].n,6,{t.n:6}}",
                        "c {r,t[2].s,b,SELECT id, s FROM FINAL TABLE (UPDATE t SET n = ? WHERE n > ? AND s LIKE ?)},"
                                + "{w,t[2].n,9,{t.n:9}}");
    }

    @Test
    void triggersAndCascadesChangeOtherTables() throws Exception {
        raw("CREATE TABLE child (id INT PRIMARY KEY, t INT REFERENCES t (id) ON DELETE CASCADE)");
        assertThat(recorded("", true, (connection, statement) -> {
                    statement.executeUpdate("DELETE FROM t WHERE id = 1");
                    statement.executeQuery("SELECT t FROM child WHERE id = 1").next();
                    statement.executeQuery("SELECT n FROM t WHERE id = 1").next();
                }))
                .isEmpty();
    }

    @Test
    void hashesShowNoValueAndFilesAreTheOwnersOnly() throws Exception {
        Properties login = new Properties();
        raw("CREATE USER app PASSWORD 'hunter2' ADMIN");
        login.setProperty("user", "app");
        login.setProperty("password", "hunter2");
        login.setProperty("polygraph.hash-values", "true");
        try (Connection connection = DriverManager.getConnection(
                        url.replace("jdbc:", "jdbc:polygraph:") + ";polygraph.file=" + file, login);
                PreparedStatement query = connection.prepareStatement("SELECT s FROM t WHERE id = ?")) {
            query.setInt(1, 1);
            query.executeQuery().next();
        }
        RecordingDriver.close(file);
        assertThat(Files.readString(file)).contains("SELECT s").doesNotContain("secret", "#1.5", "t[1]", "hunter2");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aCommitThatFailsHasAnUnknownOutcome() throws Exception {
        DataSource failing = source(connection -> (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, method, given) -> {
                    if (method.getName().equals("commit")) {
                        throw new SQLException("lost", "08006");
                    }
                    try {
                        return method.invoke(connection, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
        try (RecordingDataSource source = RecordingDataSource.toFile(failing, file, RecordingOptions.DEFAULT);
                Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("INSERT INTO t (id, n) VALUES (3, 5)");
            assertThatThrownBy(connection::commit).hasMessage("lost");
            statement.executeUpdate("DELETE FROM t WHERE id = 3");
            connection.rollback();
        }
        assertThat(recorded().stream().map(line -> line.substring(0, 6))).containsExactly("i {i,t", "a {d,t");
    }

    private DataSource source(java.util.function.UnaryOperator<Connection> wrap) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, given) -> wrap.apply(DriverManager.getConnection(url)));
    }

    @Test
    void parametersOfTheDriverAreNotPassedOn() throws Exception {
        assertThat(RecordingDriver.delegate("jdbc:polygraph:x://h/d?polygraph.file=a&user=u&polygraph.read-back=true"))
                .isEqualTo("jdbc:x://h/d?user=u");
        assertThat(RecordingDriver.delegate("jdbc:polygraph:x://h/d?user=u&polygraph.file=a&b=c"))
                .isEqualTo("jdbc:x://h/d?user=u&b=c");
        assertThat(RecordingDriver.delegate("jdbc:polygraph:h2:mem:a;polygraph.file=a;b=c"))
                .isEqualTo("jdbc:h2:mem:a;b=c");
        assertThatThrownBy(() -> connect(";polygraph.read-back=maybe")).hasMessageContaining("true or false");
    }

    @Test
    void definitionsAndUnwrappedConnectionsHideTables() throws Exception {
        assertThat(recorded("", true, (connection, statement) -> {
                    statement.execute("CREATE TABLE u (id INT PRIMARY KEY, n INT)");
                    statement.execute("ALTER TABLE u ADD COLUMN m INT");
                    statement.executeUpdate("INSERT INTO u VALUES (1, 2, 3)");
                    statement.executeQuery("SELECT m FROM u WHERE id = 1").next();
                    statement.execute("TRUNCATE TABLE u");
                    statement.executeQuery("SELECT m FROM u WHERE id = 1").next();
                    statement.executeQuery("SELECT n FROM t WHERE id = 2").next();
                    connection.unwrap(Connection.class);
                    statement.executeQuery("SELECT n FROM t WHERE id = 2").next();
                    assertThatThrownBy(() -> connection.unwrap(Comparable.class))
                            .isInstanceOf(SQLException.class);
                    statement.executeQuery("SELECT n FROM t WHERE id = 2").next();
                }))
                .containsExactly(
                        "c {i,u[1],1,{u:1},INSERT INTO u VALUES (?, ...)},{i,u[1].n,2,{u.n:2}},{i,u[1].m,3,{u.m:3}}",
                        "c {r,u[1].m,3,SELECT m FROM u WHERE id = ?}",
                        "c {r,t[2].n,20,SELECT n FROM t WHERE id = ?}",
                        "c {r,t[2].n,20,SELECT n FROM t WHERE id = ?}");
    }
}
