package org.polygraph.jobs.record;

import java.io.IOException;
import java.sql.Driver;

/** Provides JDBC drivers. */
@FunctionalInterface
public interface DriverSource {
    /** @throws IOException with a message for people if there is no driver */
    Driver of(String url) throws IOException;
}
