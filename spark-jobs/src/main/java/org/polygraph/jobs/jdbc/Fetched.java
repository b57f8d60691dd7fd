package org.polygraph.jobs.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What takes the rows of a result that the application fetches. */
interface Fetched {
    /** Takes the current row. */
    void add(ResultSet rows) throws SQLException;

    /** The application has fetched all rows. */
    void end() throws SQLException;

    /** The application fetches rows in another way than one after another. */
    void skip();

    /** The transaction that ends with the result at autocommit; null if another ends it. */
    @Nullable
    RecordedTransaction transaction();
}
