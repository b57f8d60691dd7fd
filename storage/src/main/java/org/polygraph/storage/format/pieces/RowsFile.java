package org.polygraph.storage.format.pieces;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListReads;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.Transactions;

/**
 * {@link HistoryRows} as bytes, for a piece that is read in one process and put together in another: an {@link ArrayFile} of
 * its arrays; strings by their lengths and characters of two bytes, which unlike UTF-8 can hold half of a surrogate pair.
 */
public final class RowsFile {
    private static final long MOST_BYTES = Integer.MAX_VALUE - (1 << 16);

    private RowsFile() {}

    /** The bytes. @throws BudgetException if that is more than an array holds */
    public static byte[] toBytes(HistoryRows rows) {
        ArrayFile file = new ArrayFile()
                .put("sessionLabels", rows.sessionLabels())
                .put("sessionOf", rows.sessionOf())
                .put("indexes", rows.transactions().indexes())
                .put("positions", rows.transactions().sources())
                .put("outcomes", rows.transactions().statuses())
                .put("operationStarts", rows.operations().starts())
                .put("operationKeys", rows.operations().keys())
                .put("operationValues", rows.operations().values())
                .put("keys", rows.keys().labels())
                .put("keyStringBits", rows.keys().stringBits())
                .put("opaque", rows.values().opaque())
                .put("integers", rows.values().integers())
                .put("versions", rows.values().versions())
                .put("others", rows.values().others())
                .put("initialValue", rows.initialValue() == null ? new long[0] : new long[] {rows.initialValue()})
                .put("lines", new long[] {rows.lines()});
        byte[] kinds = rows.operations().kinds();
        if (kinds != null) {
            file.put("operationKinds", kinds);
        }
        long[] starts = rows.transactions().starts();
        long[] ends = rows.transactions().ends();
        if (starts != null && ends != null) {
            file.put("starts", starts).put("ends", ends);
        }
        if (rows.lists() != null) {
            file.put("listElements", rows.lists().elements())
                    .put("listsBefore", rows.lists().before());
        }
        List<String> header = new ArrayList<>();
        rows.metadata().forEach((name, json) -> {
            header.add(name);
            header.add(json);
        });
        long bytes = rows.bytes()
                + put(file, "keyStrings", rows.keys().strings())
                + put(file, "valueStrings", rows.values().strings())
                + put(file, "metadata", header);
        if (bytes > MOST_BYTES) {
            throw new BudgetException("a piece of " + rows.operations().size() + " operations takes " + bytes
                    + " bytes, more than an array holds; write it as smaller files");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream((int) bytes);
        try {
            file.writeTo(out);
        } catch (IOException e) {
            throw new IllegalStateException("an array that cannot be written", e);
        }
        return out.toByteArray();
    }

    /** The inverse. @throws ArrayFile.DamagedException if the bytes are something else */
    public static HistoryRows ofBytes(byte[] bytes) throws ArrayFile.DamagedException {
        ArrayFile file = ArrayFile.of(bytes);
        long[] initial = file.longs("initialValue");
        List<String> header = strings(file, "metadata");
        Map<String, String> metadata = new LinkedHashMap<>();
        for (int i = 0; i < header.size(); i += 2) {
            metadata.put(header.get(i), header.get(i + 1));
        }
        boolean timed = file.has("starts");
        return new HistoryRows(
                file.longs("sessionLabels"),
                file.ints("sessionOf"),
                new Transactions(
                        file.bytes("outcomes"),
                        file.longs("indexes"),
                        file.longs("positions"),
                        timed ? file.longs("starts") : null,
                        timed ? file.longs("ends") : null),
                new Operations(
                        file.ints("operationStarts"),
                        file.ints("operationKeys"),
                        file.longs("operationValues"),
                        file.has("operationKinds") ? file.bytes("operationKinds") : null),
                new KeyDictionary.Labels(file.longs("keys"), file.longs("keyStringBits"), strings(file, "keyStrings")),
                new ValueDictionary.Labels(
                        strings(file, "valueStrings"),
                        file.bytes("opaque"),
                        file.longs("integers"),
                        file.longs("versions"),
                        file.longs("others")),
                initial.length > 0 ? initial[0] : null,
                metadata,
                file.has("listElements") ? new ListReads(file.longs("listElements"), file.ints("listsBefore")) : null,
                file.longs("lines")[0]);
    }

    /** @return bytes of the strings */
    private static long put(ArrayFile file, String name, List<String> strings) {
        int[] lengths = new int[strings.size()];
        long sum = 0;
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = strings.get(i).length();
            sum += 2L * lengths[i];
        }
        byte[] characters = new byte[(int) Math.min(sum, MOST_BYTES)];
        int at = 0;
        for (int i = 0; i < lengths.length && sum <= MOST_BYTES; i++) {
            for (int c = 0; c < lengths[i]; c++) {
                char next = strings.get(i).charAt(c);
                characters[at++] = (byte) (next >>> 8);
                characters[at++] = (byte) next;
            }
        }
        file.put(name + "Lengths", lengths).put(name, characters);
        return sum + 4L * lengths.length;
    }

    private static List<String> strings(ArrayFile file, String name) throws ArrayFile.DamagedException {
        int[] lengths = file.ints(name + "Lengths");
        byte[] characters = file.bytes(name);
        List<String> strings = new ArrayList<>(lengths.length);
        int at = 0;
        for (int length : lengths) {
            char[] text = new char[length];
            for (int c = 0; c < length; c++, at += 2) {
                text[c] = (char) (characters[at] << 8 | (characters[at + 1] & 0xFF));
            }
            strings.add(new String(text));
        }
        return strings;
    }
}
