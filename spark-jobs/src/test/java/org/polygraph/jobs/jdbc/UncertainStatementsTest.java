package org.polygraph.jobs.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.record.HistoryRecorder;

/** Statements that seem to show what they write, and do not: the history must not state it. */
class UncertainStatementsTest extends OneTable {
    private static final String MAKES_7 = "INSERT INTO t (id, n) SELECT id + 6, 5 FROM t WHERE id = 1";
    private static final String READS_7 = "SELECT n FROM t WHERE id = 7";

    @Test
    void anInsertThatDoesNothingReturnsNothing() throws Exception {
        raw("SET MODE PostgreSQL");
        assertThat(recorded("", true, (connection, statement) -> {
                    ResultSet rows = statement.executeQuery("SELECT id FROM FINAL TABLE"
                            + " (INSERT INTO t (id, n) VALUES (1, 4) ON CONFLICT DO NOTHING)");
                    assertThat(rows.next()).isFalse();
                    statement.executeQuery("SELECT n FROM t WHERE id = 1").next();
                }))
                .containsExactly("c {r,t[1].n,10,SELECT n FROM t WHERE id = ?}");
    }

    /** Another statement, which does not name its row, inserts the row that was named before. */
    @Test
    void aRowWhoseInsertIsUndoneHasNoName() throws Exception {
        assertThat(recorded("", false, (connection, statement) -> {
                    statement.executeUpdate("INSERT INTO t (id, n) VALUES (7, 1)");
                    connection.rollback();
                    java.sql.Savepoint savepoint = connection.setSavepoint();
                    statement.executeUpdate("INSERT INTO t (id, n) VALUES (7, 2)");
                    connection.rollback(savepoint);
                    connection.commit();
                    statement.executeUpdate(MAKES_7);
                    connection.commit();
                    assertThat(statement.executeQuery(READS_7).next()).isTrue();
                    statement.executeUpdate("UPDATE t SET n = 3 WHERE id = 2");
                    statement.executeQuery("SELECT n FROM t WHERE id = 2").next();
                }))
                .last()
                .isEqualTo("c {w,t[2].n,3,{t.n:3},UPDATE t SET n = ? WHERE id = ?},"
                        + "{r,t[2].n,3,SELECT n FROM t WHERE id = ?}");
    }

    @Test
    void aResultWithALimitDoesNotShowAllRows() throws Exception {
        assertThat(recorded("", true, (connection, statement) -> {
                    statement.setMaxRows(1);
                    ResultSet rows =
                            statement.executeQuery("SELECT * FROM FINAL TABLE (UPDATE t SET n = 9 WHERE n > 1)");
                    while (rows.next()) {}
                    statement.executeQuery("SELECT n FROM t WHERE id = 1").next();
                    statement.executeQuery("SELECT n FROM t WHERE id = 2").next();
                }))
                .allMatch(line -> line.startsWith("c {r,t[") && line.contains(",1,SELECT"));
    }

    @Test
    void aResultThatIsComputedShowsNoRows() throws Exception {
        assertThat(recorded("", true, (connection, statement) -> {
                    statement
                            .executeQuery("SELECT COUNT(*) FROM FINAL TABLE (UPDATE t SET n = 9 WHERE id = 3)")
                            .next();
                    try (PreparedStatement query = connection.prepareStatement(
                            "SELECT ?, n FROM FINAL TABLE (UPDATE t SET n = 8 WHERE id = ?)")) {
                        query.setInt(1, 1);
                        query.setInt(2, 2);
                        assertThat(query.executeQuery().next()).isTrue();
                    }
                }))
                .isEmpty();
    }

    @Test
    void aMergeByAnotherKeyMayChangeThePrimaryKey() throws Exception {
        assertThat(recorded(";polygraph.read-back=true", true, (connection, statement) -> {
                    statement.executeUpdate("MERGE INTO t (id, s, n) KEY (s) VALUES (5, 'b', 6)");
                    assertThat(statement
                                    .executeQuery("SELECT n FROM t WHERE id = 2")
                                    .next())
                            .isFalse();
                }))
                .isEmpty();
    }

    @Test
    void anUpsertMayCascade() throws Exception {
        raw("ALTER TABLE t ALTER COLUMN n SET NOT NULL");
        raw("ALTER TABLE t ADD CONSTRAINT u UNIQUE (n)");
        raw("CREATE TABLE child (id INT PRIMARY KEY, n INT REFERENCES t (n) ON UPDATE CASCADE)");
        raw("INSERT INTO child VALUES (1, 10)");
        assertThat(recorded("", true, (connection, statement) -> {
                    statement.executeUpdate("MERGE INTO t (id, n) VALUES (1, 11)");
                    statement.executeQuery("SELECT n FROM child WHERE id = 1").next();
                }))
                .noneMatch(line -> line.contains("SELECT"));
    }

    @Test
    void columnsWhoseNamesDifferInCaseAreNotOne() throws Exception {
        raw("CREATE TABLE v (id INT PRIMARY KEY, n INT, \"n\" INT)");
        assertThat(recorded("", true, (connection, statement) -> {
                    statement.executeUpdate("INSERT INTO v VALUES (1, 2, 3)");
                    statement.executeQuery("SELECT \"n\" FROM v WHERE id = 1").next();
                }))
                .isEmpty();
    }

    @Test
    void anotherSchemaHasOtherTables() throws Exception {
        raw("CREATE SCHEMA other");
        raw("CREATE TABLE other.t (id INT PRIMARY KEY, n INT)");
        raw("INSERT INTO other.t VALUES (1, 77)");
        try (Connection first = connect("")) {
            assertThat(recorded(";INIT=SET SCHEMA other", true, (connection, statement) -> {
                        assertThat(statement
                                        .executeQuery("SELECT n FROM t WHERE id = 1")
                                        .next())
                                .isTrue();
                    }))
                    .isEmpty();
            assertThat(first.isClosed()).isFalse();
        }
    }

    /** The value that was read is that of a transaction that the history does not have. */
    @Test
    void uncommittedRowsThatAreGone() throws Exception {
        assertThat(recorded("", false, (connection, statement) -> {
                    try (Connection reader = connect("");
                            Statement query = reader.createStatement()) {
                        reader.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
                        statement.executeUpdate(MAKES_7);
                        ResultSet rows = query.executeQuery(READS_7);
                        connection.rollback();
                        assertThat(rows.next()).isTrue();
                    }
                }))
                .isEmpty();
    }

    /** The first elements of a batch are executed, and then the connection is lost. */
    @Test
    void aBatchThatIsLostMayHaveBeenExecuted() throws Exception {
        Connection plain = DriverManager.getConnection(url);
        Connection losing = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, method, given) -> {
                    Object result = method.invoke(plain, given);
                    return !method.getName().equals("prepareStatement")
                            ? result
                            : Proxy.newProxyInstance(
                                    getClass().getClassLoader(),
                                    new Class<?>[] {PreparedStatement.class},
                                    (of, called, values) -> {
                                        Object counts = called.invoke(result, values);
                                        if (called.getName().equals("executeBatch")) {
                                            throw new BatchUpdateException("lost", "08006", new int[] {1});
                                        }
                                        return counts;
                                    });
                });
        try (RecordingDataSource source =
                        RecordingDataSource.toFile(Applications.of(() -> losing), file, RecordingOptions.DEFAULT);
                Connection connection = source.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE t SET n = ? WHERE id = 1")) {
            for (int i = 0; i < 2; i++) {
                update.setInt(1, i);
                update.addBatch();
            }
            assertThatThrownBy(update::executeBatch).hasMessage("lost");
        }
        assertThat(recorded())
                .containsExactlyInAnyOrder(
                        "c {w,t[1].n,0,{t.n:0},UPDATE t SET n = ? WHERE id = ?}",
                        "i {w,t[1].n,1,{t.n:1},UPDATE t SET n = ? WHERE id = ?}");
    }

    /** PostgreSQL keeps an older savepoint of the same name. */
    @Test
    void aSavepointThatIsReleasedIsNotTheOneOfTheRollback() {
        Table table = new Table("t", "t", List.of(), new int[] {0}, false);
        HistoryRecorder recorder = HistoryRecorder.inMemory();
        RecordedTransaction transaction = new RecordedTransaction(recorder.connection());
        Step[] steps = new Step[2];
        for (int i = 0; i < 2; i++) {
            transaction.savepoint("a");
            steps[i] = new Step("");
            steps[i].operations.add(Step.Operation.write("w", table, "1", Table.EXISTENCE, 1L));
            transaction.add(steps[i]);
        }
        transaction.release("a");
        assertThat(transaction.rollbackTo("a")).isTrue();
        assertThat(steps[0].operations).isEmpty();
        transaction.abort();
    }

    /** Derby returns the number of an earlier insert for {@code INSERT ... SELECT}. */
    @Test
    void aNumberWithoutANameIsThatOfOneRowWithoutAKey() throws Exception {
        Values.Column id = new Values.Column("id", "ID", Values.Kind.INTEGER, 0, 0, false, true, false);
        Table table = new Table("t", "t", List.of(id), new int[] {0}, false);
        ResultSetMetaData keys = (ResultSetMetaData) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ResultSetMetaData.class},
                (self, method, given) -> method.getName().equals("getColumnCount") ? (Object) 1 : "1");
        List<Plan.Operand[]> one = List.<Plan.Operand[]>of(new Plan.Operand[1]);
        assertThat(Shown.columns(new Plan.Insert(table, one, null), keys)).containsExactly(0);
        assertThat(Shown.columns(new Plan.Insert(table, List.of(), null), keys)).containsExactly(-1);
        one.get(0)[0] = new Plan.Expression();
        assertThat(Shown.columns(new Plan.Insert(table, one, null), keys)).containsExactly(-1);
    }
}
