package org.polygraph.jobs.report.page;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.polygraph.jobs.report.wording.Legible;

/** The templates beside this class. All that they insert is escaped, but for what has three braces: markup of our own. */
final class Templates {
    private static final Mustache.Compiler COMPILER = Mustache.compiler()
            .emptyStringIsFalse(true)
            .zeroIsFalse(true)
            .withEscaper(Templates::escaped)
            .withLoader(Templates::open);

    private Templates() {}

    /** Compiles {@code name.mustache}; those that it includes are compiled when they are first reached. */
    static Template named(String name) {
        return COMPILER.compile(open(name));
    }

    private static Reader open(String name) {
        return new StringReader(text(name + ".mustache"));
    }

    /** A resource as it is. */
    static String text(String name) {
        try (InputStream in = resource(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream resource(String name) {
        InputStream in = Templates.class.getResourceAsStream(name);
        if (in == null) {
            throw new IllegalStateException(name + " is not beside " + Templates.class.getName());
        }
        return in;
    }

    /**
     * For text and quoted attributes, of HTML and of XML alike. Of the characters that are not shown line breaks stay, the
     * others become {@code \}{@code uXXXX}, which inside JSON means the same character.
     */
    static String escaped(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        int i = 0;
        while (i < text.length()) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
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
        }
        return safe.toString();
    }
}
