package org.polygraph.jobs.record;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** User and password, which appear in no output. */
public final class Login {
    private static final Pattern IN_URL = Pattern.compile("(?i)((?:password|pwd|passwd|secret|token)\\s*=)[^&;,)\\s]*");
    private static final Pattern BEFORE_HOST = Pattern.compile("//[^/@\\s]*@");

    private final Properties properties;

    private Login(Properties properties) {
        this.properties = properties;
    }

    /** Reads {@code POLYGRAPH_USER} and {@code POLYGRAPH_PASSWORD}. A file takes precedence. */
    public static Login of(Map<String, String> environment, @Nullable Path file) throws IOException {
        Properties properties = new Properties();
        if (file != null) {
            try (Reader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ": not lines such as user=NAME and password=WORD", e);
            }
        }
        for (String name : new String[] {"user", "password"}) {
            String value = environment.get("POLYGRAPH_" + name.toUpperCase(java.util.Locale.ROOT));
            if (value != null) {
                properties.putIfAbsent(name, value);
            }
        }
        return new Login(properties);
    }

    Properties properties() {
        return (Properties) properties.clone();
    }

    /** Returns a message of a driver without the password, which may be part of the URL in it. */
    String without(String message) {
        String password = properties.getProperty("password", "");
        return hidden(password.isEmpty() ? message : message.replace(password, "***"));
    }

    /** Returns a URL or a message without passwords. */
    static String hidden(String text) {
        return BEFORE_HOST.matcher(IN_URL.matcher(text).replaceAll("$1***")).replaceAll("//***@");
    }
}
