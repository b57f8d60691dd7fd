package org.polygraph.jobs.record;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the JDBC driver of a URL: in jars that are given, on the class path, or in the pinned jars of its {@link
 * Dialect}. Those are downloaded by Maven at their first use.
 */
public final class Drivers implements DriverSource {
    private static final String PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";

    private static final String CENTRAL = "https://repo1.maven.org/maven2/";

    private final List<Path> given;
    private final Consumer<String> messages;
    /** A database in this process is shared by all connections of one class loader. */
    private final Map<List<Path>, ClassLoader> loaders = new HashMap<>();

    /** @param given jars of a driver that has no dialect, or of another version */
    public Drivers(List<Path> given, Consumer<String> messages) {
        this.given = given;
        this.messages = messages;
    }

    @Override
    public Driver of(String url) throws IOException {
        Dialect dialect = Dialect.of(url);
        dialect.prepare();
        List<Path> jars = new ArrayList<>(given);
        Driver found = jars.isEmpty() ? accepting(url, ServiceLoader.load(Driver.class)) : null;
        if (found == null) {
            if (jars.isEmpty()) {
                for (String driver : dialect.drivers()) {
                    jars.add(jar(driver, dialect));
                }
            }
            found = accepting(url, ServiceLoader.load(Driver.class, loader(jars)));
        }
        if (found == null) {
            throw new IOException("no driver accepts the URL (" + Login.scheme(url) + "); "
                    + (url.startsWith("jdbc:") ? "give its jar with --driver JAR" : "a URL of JDBC begins with jdbc:"));
        }
        return found;
    }

    private ClassLoader loader(List<Path> jars) throws IOException {
        ClassLoader known = loaders.get(jars);
        if (known != null) {
            return known;
        }
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            if (!Files.isReadable(jar)) {
                throw new IOException(jar + ": no such jar; check --driver");
            }
            try {
                urls.add(jar.toUri().toURL());
            } catch (MalformedURLException e) {
                throw new IOException(jar + ": no path of a jar", e);
            }
        }
        // The loader is never closed: the driver lives as long as the process. Its parent has no driver, so these jars
        // are used.
        ClassLoader made = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        loaders.put(jars, made);
        return made;
    }

    private static @Nullable Driver accepting(String url, ServiceLoader<Driver> drivers) {
        for (Driver driver : drivers) {
            try {
                if (driver.acceptsURL(url)) {
                    return driver;
                }
            } catch (SQLException e) {
                // The driver does not accept the URL.
            }
        }
        return null;
    }

    /** The jar of {@code group:artifact:version}, downloaded if necessary. */
    private Path jar(String coordinates, Dialect dialect) throws IOException {
        String path = path(coordinates);
        String name = path.substring(path.lastIndexOf('/') + 1);
        String home = System.getProperty("user.home", "");
        Path repository = Path.of(home, ".m2", "repository").resolve(path);
        if (Files.isReadable(repository)) {
            return repository;
        }
        Path folder = Path.of(home, ".cache", "polygraph", "drivers");
        Path jar = folder.resolve(name);
        if (!Files.isReadable(jar)) {
            Files.createDirectories(folder);
            messages.accept("Maven downloads the driver " + coordinates + " (once)");
            download(coordinates, folder, dialect);
        }
        return jar;
    }

    /** Returns the path of the jar of {@code group:artifact:version} in a repository. */
    private static String path(String coordinates) {
        String[] words = coordinates.split(":", -1);
        return words[0].replace('.', '/') + "/" + words[1] + "/" + words[2] + "/" + words[1] + "-" + words[2] + ".jar";
    }

    private static void download(String coordinates, Path folder, Dialect dialect) throws IOException {
        List<String> urls = new ArrayList<>();
        for (String driver : dialect.drivers()) {
            urls.add(CENTRAL + path(driver));
        }
        String remedy = "; download " + String.join(" and ", urls)
                + (urls.size() > 1 ? ", and give each" : ", and give it") + " with --driver JAR";
        try {
            Process maven = new ProcessBuilder(
                            "mvn", "-B", "-q", PLUGIN, "-Dartifact=" + coordinates, "-DoutputDirectory=" + folder)
                    .redirectErrorStream(true)
                    .start();
            maven.getOutputStream().close();
            String output = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (maven.waitFor() != 0) {
                throw new IOException("Maven cannot download the driver" + remedy + "\n" + output.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Maven downloads the driver", e);
        } catch (IOException e) {
            throw e.getMessage() != null && e.getMessage().startsWith("Maven ")
                    ? e
                    : new IOException("no mvn found" + remedy, e);
        }
    }
}
