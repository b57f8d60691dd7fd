package org.polygraph.jobs.application;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Exceptions as messages for people; those of the JDK often contain only a path. */
public final class Failures {
    /** Where the classes of the optional libraries are, and the artifacts that have them. */
    private static final Map<String, String> OPTIONAL = Map.of(
            "org/apache/parquet/", "org.apache.parquet:parquet-hadoop",
            "org/apache/arrow/", "org.apache.arrow:arrow-vector",
            "org/apache/hadoop/", "org.apache.hadoop:hadoop-client-runtime",
            "com/github/luben/", "com.github.luben:zstd-jni");

    private Failures() {}

    /**
     * Describes which optional library is not on the class path of the program that checks; null if it is another
     * failure, which is a bug.
     */
    public static @Nullable String missingLibrary(Throwable e) {
        for (Throwable each = e; each != null; each = each.getCause()) {
            String message = text(each).replace('.', '/');
            for (Map.Entry<String, String> library : OPTIONAL.entrySet()) {
                if (each instanceof NoClassDefFoundError && message.contains(library.getKey())) {
                    return library.getValue() + " is not on the class path; add this dependency";
                }
            }
        }
        return null;
    }

    /** Describes a failed access to a PATH, with the path. */
    public static String ofPath(String path, IOException e) {
        if (e instanceof NoSuchFileException missing
                && missing.getFile() != null
                && !missing.getFile().equals(path)
                && missing.getFile().startsWith(path.endsWith("/") ? path : path + "/")) {
            return missing.getFile() + ": no such file, though its folder lists it; check whether it is a link to "
                    + "something that is gone, and remove it";
        }
        if (e instanceof NoSuchFileException || e instanceof FileNotFoundException) {
            return path + ": no such file or folder; check the path";
        }
        if (e instanceof AccessDeniedException) {
            return path + ": permission denied; check who may read it";
        }
        String message = text(e);
        return message.startsWith(path) ? message : path + ": " + message;
    }

    /** Describes why a file cannot be written, without Java's class names. */
    public static String cause(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such folder: " + text(e);
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied: " + text(e);
        }
        return text(e);
    }

    /** Returns the message, or the class of an exception without one. */
    public static String text(Throwable e) {
        String message = e.getMessage();
        return message == null || message.isEmpty() ? e.getClass().getSimpleName() : message;
    }
}
