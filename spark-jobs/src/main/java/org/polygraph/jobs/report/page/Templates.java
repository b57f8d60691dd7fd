package org.polygraph.jobs.report.page;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.polygraph.jobs.report.wording.Legible;

/** The templates beside this class. Every value is escaped, except in triple braces, which insert our own markup. */
public final class Templates {
    private static final Mustache.Compiler COMPILER = Mustache.compiler()
            .emptyStringIsFalse(true)
            .zeroIsFalse(true)
            .withEscaper(Templates::escaped)
            .withLoader(Templates::open);

    private static final Map<String, Template> COMPILED = new ConcurrentHashMap<>();

    private Templates() {}

    /** Returns {@code name.mustache}. It is compiled once, and included templates when they are first used. */
    static Template named(String name) {
        return COMPILED.computeIfAbsent(name, missing -> COMPILER.compile(open(missing)));
    }

    /** The text of {@code name.mustache} with the components of a record. */
    public static String filled(String name, Object context) {
        return named(name).execute(context);
    }

    private static Reader open(String name) {
        return new StringReader(text(name + ".mustache"));
    }

    /** The text of a resource. */
    static String text(String name) {
        try (InputStream in = Templates.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not beside " + Templates.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Escapes text and quoted attributes of HTML and XML. Line breaks stay; other characters that are not shown become
     * {@code \}{@code uXXXX}, which is the same character in JSON.
     */
    public static String escaped(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                case '`' -> safe.append("&#96;");
                case '\n' -> safe.append('\n');
                default -> Legible.append(safe, c);
            }
        });
        return safe.toString();
    }
}
