package org.polygraph.jobs.report.wording;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * JSON that people read: characters that {@link Legible} hides, and all surrogates, are escaped. A parser reads the
 * same text.
 */
public final class LegibleJson {
    public static final JsonFactory FACTORY =
            new JsonFactoryBuilder().characterEscapes(new Escapes()).build();

    private LegibleJson() {}

    private static final class Escapes extends CharacterEscapes {
        private static final long serialVersionUID = 1L;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            codes[0x7f] = ESCAPE_STANDARD;
            return codes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int unit) {
            return Legible.isShown(unit) ? null : new SerializedString(String.format("\\u%04x", unit));
        }
    }
}
