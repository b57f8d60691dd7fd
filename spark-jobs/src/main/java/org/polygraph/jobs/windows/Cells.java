package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * The cells of a task, which are neighbours: the first place of each, and the section that has it.
 *
 * @param from the first cell
 * @param firsts by cell: its first place; and the place behind the last
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Cells(int from, long[] firsts, ArrayList<Section> sections) implements Serializable {
    Cells(int from, long[] firsts, List<Section> sections) {
        this(from, firsts, new ArrayList<>(sections));
    }

    int count() {
        return sections.size();
    }

    int to() {
        return from + count();
    }

    /** Reads the events of a cell into an object. */
    void read(int cell, Cell into) throws IOException {
        into.read(sections.get(cell - from).block(cell));
    }

    /** The length of all blocks of these cells. */
    long bytes() throws IOException {
        long bytes = 0;
        for (int c = 0; c < count(); ) {
            Section section = sections.get(c);
            int next = c + 1;
            while (next < count() && sections.get(next).equals(section)) {
                next++;
            }
            bytes += section.bytes(from + c, next - c);
            c = next;
        }
        return bytes;
    }

    /** Returns a reader of the events of a cell. */
    EventReader events(int cell) throws IOException {
        return events(cell, new ValueDictionary());
    }

    /** Returns a reader of the events of a cell. @param values see {@link EventReader} */
    EventReader events(int cell, ValueDictionary values) throws IOException {
        return new EventReader(sections.get(cell - from).block(cell), values);
    }

    Cell read(int cell) throws IOException {
        Cell read = new Cell();
        read(cell, read);
        return read;
    }

    long first(int cell) {
        return firsts[cell - from];
    }
}
