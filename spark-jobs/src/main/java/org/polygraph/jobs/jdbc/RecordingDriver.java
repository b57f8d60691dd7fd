package org.polygraph.jobs.jdbc;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Records an application that is not changed: {@code
 * jdbc:polygraph:postgresql://localhost/shop?polygraph.file=run.jsonl} connects to {@code
 * jdbc:postgresql://localhost/shop}. A system property is taken where the URL has none.
 */
public final class RecordingDriver implements Driver {
    private static final String PREFIX = "jdbc:polygraph:";
    private static final Pattern PARAMETER = Pattern.compile("([?&;])polygraph\\.([a-z-]+)=([^&;]*)");

    /** By file. Each is closed at the end of the process. */
    private static final Map<Path, JdbcHistory> HISTORIES = new HashMap<>();

    private static final Map<Path, String> DATABASES = new HashMap<>();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> List.copyOf(HISTORIES.keySet()).forEach(RecordingDriver::close), "polygraph"));
        try {
            DriverManager.registerDriver(new RecordingDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public @Nullable Connection connect(String url, Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        Map<String, String> given = new HashMap<>();
        info.stringPropertyNames().stream()
                .filter(each -> each.startsWith("polygraph."))
                .forEach(each -> given.put(each.substring("polygraph.".length()), info.getProperty(each)));
        Matcher matcher = PARAMETER.matcher(url);
        while (matcher.find()) {
            given.put(matcher.group(2), matcher.group(3));
        }
        String delegate = delegate(url);
        JdbcHistory history = history(delegate, given);
        Properties rest = new Properties();
        info.stringPropertyNames().stream()
                .filter(each -> !each.startsWith("polygraph."))
                .forEach(each -> rest.setProperty(each, info.getProperty(each)));
        return history.wrap(DriverManager.getConnection(delegate, rest));
    }

    /** The URL of the database's own driver, without the parameters of this one. */
    static String delegate(String url) {
        String rest = PARAMETER.matcher(url).replaceAll(match -> match.group(1).equals("?") ? "?" : "");
        return "jdbc:" + rest.replace("?&", "?").replaceFirst("\\?$", "").substring(PREFIX.length());
    }

    private static JdbcHistory history(String delegate, Map<String, String> given) throws SQLException {
        Path file = Path.of(option(given, "file", "polygraph.jsonl"))
                .toAbsolutePath()
                .normalize();
        String database = delegate.replaceFirst("[?;].*", "");
        synchronized (HISTORIES) {
            if (!DATABASES.getOrDefault(file, database).equals(database)) {
                throw new SQLException(file + " is the history of another database of this process; give each its own"
                        + " polygraph.file");
            }
            try {
                JdbcHistory known = HISTORIES.get(file);
                if (known == null) {
                    known = JdbcHistory.toFile(
                            file,
                            new RecordingOptions(
                                    isOn(given, "read-back"),
                                    isOn(given, "hash-values"),
                                    Integer.parseInt(
                                            option(given, "max-rows", RecordingOptions.DEFAULT.maxRows() + ""))));
                    HISTORIES.put(file, known);
                    DATABASES.put(file, database);
                }
                return known;
            } catch (IOException | NumberFormatException e) {
                throw new SQLException("polygraph.file " + file + " cannot be written: " + e, e);
            }
        }
    }

    /** Ends the history of a file before the process ends. Connections that are open are no longer recorded. */
    public static void close(Path file) {
        JdbcHistory history;
        synchronized (HISTORIES) {
            history = HISTORIES.remove(file.toAbsolutePath().normalize());
            DATABASES.remove(file.toAbsolutePath().normalize());
        }
        if (history != null) {
            history.close();
        }
    }

    private static boolean isOn(Map<String, String> given, String name) throws SQLException {
        String value = option(given, name, "false").toLowerCase(Locale.ROOT);
        if (!value.equals("true") && !value.equals("false")) {
            throw new SQLException("polygraph." + name + " is " + value + "; it is true or false");
        }
        return value.equals("true");
    }

    private static String option(Map<String, String> given, String name, String otherwise) {
        String value = given.get(name);
        return value != null ? value : System.getProperty("polygraph." + name, otherwise);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("it logs by System.Logger");
    }
}
