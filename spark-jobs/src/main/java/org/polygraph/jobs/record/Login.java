package org.polygraph.jobs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** User and password, which appear in no output. */
public final class Login {
    private static final Pattern IN_URL = Pattern.compile(
            "(?i)([a-z_]*(?:pass|pwd|secret|token|key|credential)[a-z_]*\\s*=)(?:\\{[^}]*\\}|[^&;)\\s]*)");
    private static final Pattern BEFORE_HOST = Pattern.compile("//\\S*@");

    private final Properties properties;

    private Login(Properties properties) {
        this.properties = properties;
    }

    /** Reads {@code POLYGRAPH_USER} and {@code POLYGRAPH_PASSWORD}. A file takes precedence. */
    public static Login of(Map<String, String> environment, @Nullable Path file) throws IOException {
        Properties properties = new Properties();
        if (file != null) {
            for (String line : Files.readAllLines(file)) {
                int at = line.indexOf('=');
                if (at > 0) {
                    // A password may have backslashes, which Properties.load takes as escapes.
                    properties.put(
                            line.substring(0, at).strip(),
                            line.substring(at + 1).stripLeading());
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    throw new IOException("not lines such as user=NAME and password=WORD");
                }
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

    /** Returns the beginning of a URL of any form, {@code jdbc:name:...}, which cannot contain a password. */
    public static String scheme(String url) {
        int first = url.indexOf(':');
        int second = first < 0 || !url.startsWith("jdbc:") ? first : url.indexOf(':', first + 1);
        return second < 0 ? "..." : url.substring(0, second + 1) + "...";
    }

    /** Returns a URL or a message without passwords. */
    static String hidden(String text) {
        return BEFORE_HOST.matcher(IN_URL.matcher(text).replaceAll("$1***")).replaceAll("//***@");
    }
}
