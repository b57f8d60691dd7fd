package org.polygraph.storage.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.arrow.ArrowHistoryReader;
import org.polygraph.storage.format.binary.DbcopReader;
import org.polygraph.storage.format.edn.EdnReader;
import org.polygraph.storage.format.io.ByteInput;
import org.polygraph.storage.format.io.CorruptStreamException;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.format.parquet.ParquetHistoryReader;
import org.polygraph.storage.format.plume.PlumeReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/** The files of one history, which all have one format. Each is opened once, as it may be a pipe. */
public final class HistoryFiles {
    private static final String JEPSEN_LOG_TO_EDN =
            "sed -nE 's/.*[^0-9]([0-9]+)\\s+:(invoke|ok|fail|info)\\s+:([a-z]+)\\s+(.*)/"
                    + "{:process \\1, :type :\\2, :f :\\3, :value \\4}/p'";

    private final ReadContext context;
    private final List<Location> files;
    private final HistoryFormat asked;

    /** The format of the first file that was opened. */
    private @Nullable HistoryFormat found;

    /** The name of that file. */
    private String foundIn = "";

    private @Nullable PartReader reader;

    /** Reads a file of one format into the builder. */
    private interface PartReader {
        void read(Location file, ReadContext.Opened opened) throws IOException, HistoryException;
    }

    /** @param files the files, at least one */
    public HistoryFiles(ReadContext context, List<Location> files, HistoryFormat asked) {
        this.context = context;
        this.files = files;
        this.asked = asked;
    }

    HistoryTable read() throws HistoryException, IOException {
        HistoryTableBuilder builder = null;
        for (Location file : files) {
            ReadContext.Opened opened = context.open(file);
            try (InputStream content = opened.content()) {
                Sniff sniff = Sniff.of(opened.start());
                if (sniff.blank()) {
                    requireBlank(file.name(), content);
                    continue;
                }
                HistoryFormat format = format(file, sniff);
                if (builder == null || reader == null) {
                    builder = builder(file, format);
                    reader = reader(format, builder);
                }
                builder.file(file.name());
                reader.read(file, opened);
            } catch (CorruptStreamException e) {
                throw e.in(file.name());
            }
        }
        if (builder == null) {
            throw empty();
        }
        return builder.build();
    }

    /** Returns the format of the first file that is not blank. */
    public HistoryFormat detect() throws HistoryException, IOException {
        HistoryFormat format = firstFormat();
        if (format == null) {
            throw empty();
        }
        return format;
    }

    /** Whether no file has content. */
    boolean isBlank() throws HistoryException, IOException {
        return firstFormat() == null;
    }

    private @Nullable HistoryFormat firstFormat() throws HistoryException, IOException {
        for (Location file : files) {
            ReadContext.Opened opened = context.open(file);
            try (InputStream content = opened.content()) {
                Sniff sniff = Sniff.of(opened.start());
                if (!sniff.blank()) {
                    return format(file, sniff);
                }
                requireBlank(file.name(), content);
            } catch (CorruptStreamException e) {
                throw e.in(file.name());
            }
        }
        return null;
    }

    private HistoryException empty() {
        return new HistoryException(files.get(0).name(), "an empty file", "a history", "check how it was written");
    }

    private HistoryTableBuilder builder(Location file, HistoryFormat format) throws HistoryException {
        if (files.size() > 1 && format != HistoryFormat.JSONL && format != HistoryFormat.PARQUET) {
            throw new HistoryException(
                    file.name(),
                    format.content() + " beside " + (files.size() - 1) + " other file" + (files.size() > 2 ? "s" : ""),
                    "one file, or parts in jsonl or parquet",
                    "give each file as its own path; parts of a chain have to be converted");
        }
        return context.builder(format.positions());
    }

    /**
     * Opens a file of a known format. Refuses a file whose content is clearly in another format. A file that has only
     * white space is read to its end.
     */
    public static ReadContext.Opened open(ReadContext context, Location file, HistoryFormat format)
            throws IOException, HistoryException {
        ReadContext.Opened opened = context.open(file);
        boolean right = false;
        try {
            Sniff sniff = Sniff.of(opened.start());
            if (sniff.blank()) {
                requireBlank(file.name(), opened.content());
            } else {
                new HistoryFiles(context, List.of(file), format).format(file, sniff);
            }
            right = true;
            return opened;
        } finally {
            if (!right) {
                opened.content().close();
            }
        }
    }

    private PartReader reader(HistoryFormat format, HistoryTableBuilder builder) {
        return switch (format) {
            case JSONL -> {
                JsonlReader jsonl = new JsonlReader(builder);
                yield (file, opened) -> jsonl.read(file.name(), opened.content());
            }
            case PARQUET -> {
                ParquetHistoryReader parquet = new ParquetHistoryReader(context, builder);
                yield (file, opened) -> parquet.read(file);
            }
            case ARROW -> {
                ArrowHistoryReader arrow = new ArrowHistoryReader(context, builder);
                yield (file, opened) -> arrow.read(file.name(), opened);
            }
            case DBCOP ->
                (file, opened) ->
                        new DbcopReader(new ByteInput(file.name(), opened.content(), opened.size()), builder).read();
            case PLUME -> (file, opened) -> new PlumeReader(file.name(), opened.content(), builder).read();
            case EDN -> (file, opened) -> EdnReader.read(file.name(), opened.content(), builder);
            case ELLE_JSON -> (file, opened) -> EdnReader.readJson(file.name(), opened.content(), builder);
            case AUTO, COBRA, PORCUPINE -> throw new IllegalArgumentException(format + " is not read file by file");
        };
    }

    /**
     * Returns the format that the user asked for, or the detected one if the user asked for none. Refuses content that
     * is clearly in another format.
     */
    private HistoryFormat format(Location file, Sniff sniff) throws HistoryException {
        HistoryFormat seen = sniff.format();
        if (found != null) {
            if (seen != null && seen != found) {
                throw new HistoryException(
                        file.name(),
                        seen.content(),
                        found.content() + " as in " + foundIn,
                        "the files of a folder are parts of one history");
            }
            return found;
        }
        HistoryFormat format = asked == HistoryFormat.AUTO ? detected(file.name(), sniff) : asked;
        if (seen != null && seen != format) {
            throw new HistoryException(
                    file.name(),
                    seen.content(),
                    format.content() + " (-f " + format.label() + ")",
                    "give -f " + seen.label() + " or -f auto");
        }
        found = format;
        foundIn = file.name();
        return format;
    }

    private static HistoryFormat detected(String name, Sniff sniff) throws HistoryException {
        HistoryFormat format = sniff.format();
        if (format != null) {
            return format;
        }
        throw switch (sniff.look()) {
            case COBRA_LOG ->
                new HistoryException(
                        name, "a single Cobra log", "the folder that holds the logs of all clients", "give the folder");
            case WIDE_TEXT -> JsonlReader.otherUnicode(name);
            case JSON_LIST ->
                new HistoryException(
                        name + ":1:1",
                        "a JSON list of objects",
                        "JSON Lines, which has each object in a line of its own and no list around them",
                        "convert it, for example with jq -c '.[]'");
            case JEPSEN_TEXT ->
                new HistoryException(
                        name + ":1:1",
                        "the lines of Jepsen's history.txt",
                        "EDN",
                        "give history.edn, which Jepsen writes beside it");
            case JEPSEN_LOG ->
                new HistoryException(
                        name + ":1:1",
                        "a log of a Jepsen test or of etcd clients",
                        "a history in EDN",
                        "give the history.edn of the test; without one, this command makes it of lines such as"
                                + " '0 :ok :read 3': " + JEPSEN_LOG_TO_EDN);
            case JEPSEN_STORE ->
                new HistoryException(
                        name,
                        "Jepsen's binary file of a test",
                        "EDN",
                        "give history.edn, which Jepsen writes beside it");
            case PORCUPINE ->
                new HistoryException(
                        name + ":1:1",
                        "operations of Porcupine in JSON",
                        "JSON Lines, with what each operation read and wrote",
                        "write each as {\"session\":ClientId,\"index\":N,\"start\":Call,\"end\":Return,"
                                + "\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":\"k\",\"value\":1}]}, and as"
                                + " \"indeterminate\" without \"end\" where the client got no answer");
            case OTHER ->
                new HistoryException(
                        name,
                        "content of no format known",
                        HistoryFormat.ofFiles() + ", or a folder of Cobra logs",
                        "name the format with -f to see what is wrong with it");
        };
    }

    /**
     * Reads a file that began with white space to its end, and refuses any other content. This also finds damaged
     * compression.
     */
    private static void requireBlank(String name, InputStream content) throws IOException, HistoryException {
        for (int b; (b = content.read()) >= 0; ) {
            if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
                throw new HistoryException(
                        name, "text after a page of white space", "a history from the first line", "remove the space");
            }
        }
    }
}
