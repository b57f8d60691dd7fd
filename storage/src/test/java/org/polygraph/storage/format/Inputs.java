package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** Files in a temporary folder that are read back. Messages lack the folder's name. */
public final class Inputs {
    private final Path folder;

    public Inputs(Path folder) {
        this.folder = folder;
    }

    public Path path(String name) {
        return folder.resolve(name);
    }

    public String write(String name, byte[] content) throws IOException {
        Path path = path(name);
        Files.createDirectories(path.getParent());
        Files.write(path, content);
        return path.toString();
    }

    public String write(String name, String content) throws IOException {
        return write(name, TestFiles.utf8(content));
    }

    public HistoryTable read(String name, byte[] content, HistoryFormat format) throws IOException, HistoryException {
        return HistoryReader.read(write(name, content), format);
    }

    public HistoryTable read(String name, String content) throws IOException, HistoryException {
        return read(name, TestFiles.utf8(content), HistoryFormat.AUTO);
    }

    /** The rows of a table, without the header row. */
    public List<String> rows(String name, String content) throws IOException, HistoryException {
        List<String> rows = TableText.rows(read(name, content));
        return rows.subList(1, rows.size());
    }

    /** The type and message of the exception for a path. */
    public String refusal(String name, HistoryFormat format) {
        String path = name.equals("-") ? name : path(name).toString();
        Throwable thrown = catchThrowable(() -> HistoryReader.read(path, format));
        if (thrown == null) {
            return "nothing";
        }
        String type =
                thrown instanceof HistoryException ? "" : thrown.getClass().getSimpleName() + " ";
        return type + String.valueOf(thrown.getMessage()).replace(folder + "/", "");
    }

    public String refusal(String name, byte[] content, HistoryFormat format) throws IOException {
        write(name, content);
        return refusal(name, format);
    }

    public String refusal(String name, String content) throws IOException {
        return refusal(name, TestFiles.utf8(content), HistoryFormat.AUTO);
    }
}
