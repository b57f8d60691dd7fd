package org.polygraph.jobs.jdbc;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Rows that a write has changed: those of its result, or its generated keys. */
final class Shown implements Fetched {
    private final Session session;
    private final Session.Execution execution;
    private final Table table;
    private final int[] columns;

    /** @param columns as of a query */
    Shown(Session session, Session.Execution execution, Table table, int[] columns) {
        this.session = session;
        this.execution = execution;
        this.table = table;
        this.columns = columns;
    }

    /** The columns of generated keys. Some databases return only the number that they gave, by a name of its own. */
    static int[] columns(Plan.Write write, ResultSetMetaData keys) throws SQLException {
        Table table = write.table();
        int[] columns = new int[keys.getColumnCount()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = table.column(keys.getColumnLabel(i + 1));
        }
        // Of several rows, the others are numbers that the database's driver guesses.
        if (columns.length == 1
                && columns[0] < 0
                && write instanceof Plan.Insert insert
                && insert.conflict() == null
                && insert.rows().size() == 1) {
            for (int i = 0; columns[0] < 0 && i < table.columns.size(); i++) {
                columns[0] = table.columns.get(i).isCounted() && insert.rows().get(0)[i] == null ? i : -1;
            }
        }
        return columns;
    }

    @Override
    public void add(ResultSet rows) throws SQLException {
        boolean[] isShown = new boolean[table.columns.size()];
        execution.show(Rows.row(table, columns, session.history.values, rows, isShown));
        session.endIfShown(execution);
    }

    @Override
    public void end() {
        execution.end();
        session.endIfShown(execution);
    }

    @Override
    public void skip() {
        execution.giveUp();
        session.endIfShown(execution);
    }

    @Override
    public @Nullable RecordedTransaction transaction() {
        return null;
    }
}
