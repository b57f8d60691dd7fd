/**
 * A JDBC driver and a data source that record what an application does, as a history.
 *
 * <p>Guarantee: the application gets what its driver returns, and an operation that is recorded was executed. May
 * import: record. JSqlParser, which is loaded at the first statement, is a jar of the application's tests.
 */
@NullMarked
package org.polygraph.jobs.jdbc;

import org.jspecify.annotations.NullMarked;
