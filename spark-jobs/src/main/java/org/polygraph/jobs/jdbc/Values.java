package org.polygraph.jobs.jdbc;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.sql.Types;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The values of columns in a history: integers and strings. What a statement writes and what a query returns have to be
 * the same value, so a column whose database may change a value, such as a timestamp, is not recorded.
 */
final class Values {
    static final String NULL = "#null";
    private static final int LONGEST = 4096;

    /** What a column has: an integer, a decimal number, a truth value, a string, a UUID, or what is not recorded. */
    enum Kind {
        INTEGER,
        DECIMAL,
        BOOLEAN,
        STRING,
        UUID,
        OTHER
    }

    /**
     * @param size of a string, the most characters; of a decimal number, 0 if any is kept as it is
     * @param quoted as statements name it
     * @param isNullIfOmitted whether an insert that does not name it writes null
     * @param isFolded whether the database takes different strings for one
     * @param isCounted whether the database numbers the rows, and returns the number as a generated key
     */
    record Column(
            String name,
            String quoted,
            Kind kind,
            int size,
            int scale,
            boolean isNullIfOmitted,
            boolean isCounted,
            boolean isFolded) {}

    private final @Nullable Mac hash;

    Values(boolean areHashed) {
        try {
            hash = areHashed ? Mac.getInstance("HmacSHA256") : null;
            if (hash != null) {
                hash.init(new SecretKeySpec(new SecureRandom().generateSeed(32), "HmacSHA256"));
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    boolean areHashed() {
        return hash != null;
    }

    static Kind kind(int type, String name, int size) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.equals("uuid")) {
            return Kind.UUID;
        }
        return switch (type) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> Kind.INTEGER;
            case Types.NUMERIC, Types.DECIMAL -> Kind.DECIMAL;
            case Types.BOOLEAN -> Kind.BOOLEAN;
            case Types.BIT -> size <= 1 ? Kind.BOOLEAN : Kind.OTHER;
            // Enumerations and other types of PostgreSQL are strings for JDBC, and are written with a cast.
            case Types.VARCHAR, Types.NVARCHAR, Types.LONGVARCHAR ->
                lower.contains("char") || lower.contains("text") ? Kind.STRING : Kind.OTHER;
            default -> Kind.OTHER;
        };
    }

    /** The value in the history, or null if it is not certain which value the column has then. */
    @Nullable
    Object of(Column column, @Nullable Object value) {
        Object plain = value == null ? NULL : plain(column, value);
        return plain == null || hash == null ? plain : hashed(plain);
    }

    private String hashed(Object plain) {
        byte[] bytes = plain.toString().getBytes(StandardCharsets.UTF_8);
        synchronized (this) {
            return "h" + HexFormat.of().formatHex(Objects.requireNonNull(hash).doFinal(bytes), 0, 8);
        }
    }

    private static @Nullable Object plain(Column column, Object value) {
        switch (column.kind) {
            case INTEGER:
                BigDecimal integer = number(value);
                return integer == null ? null : integer(integer);
            case DECIMAL:
                BigDecimal number = number(value);
                if (number == null || (column.size > 0 && number.scale() > column.scale)) {
                    return null;
                }
                Object whole = integer(number);
                return whole != null ? whole : "#" + number.toPlainString();
            case BOOLEAN:
                if (value instanceof Boolean bool) {
                    return bool ? 1L : 0L;
                }
                BigDecimal bit = number(value);
                return bit != null && (bit.signum() == 0 || bit.equals(BigDecimal.ONE))
                        ? (Object) bit.longValue()
                        : null;
            case STRING:
                return value instanceof String text && text.length() <= Math.min(column.size, LONGEST)
                        ? text.startsWith("#") ? "#" + text : text
                        : null;
            case UUID:
                try {
                    return value instanceof UUID || value instanceof String
                            ? UUID.fromString(value.toString()).toString()
                            : null;
                } catch (IllegalArgumentException e) {
                    return null;
                }
            default:
                return null;
        }
    }

    /** An exact number without zeros at the end of its fraction. */
    static @Nullable BigDecimal number(@Nullable Object value) {
        BigDecimal number;
        if (value instanceof BigDecimal decimal) {
            number = decimal;
        } else if (value instanceof BigInteger integer) {
            number = new BigDecimal(integer);
        } else if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            number = BigDecimal.valueOf(((Number) value).longValue());
        } else {
            return null;
        }
        BigDecimal stripped = number.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    private static @Nullable Long integer(BigDecimal number) {
        return number.scale() <= 0 && number.unscaledValue().bitLength() < 64 ? (Long) number.longValueExact() : null;
    }
}
