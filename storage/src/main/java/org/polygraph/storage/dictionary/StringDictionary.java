package org.polygraph.storage.dictionary;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/**
 * Numbers 0, 1, 2... for strings in order of first appearance, and the strings by number. Strings are in the heap up to
 * its share ({@link StringTable}), the others in files ({@link PersistedStrings}), each of which has room for {@value
 * #GROWTH} times all strings before it. If files cannot be created, all strings are in the heap.
 *
 * <p>Time: a lookup asks one store after another. Few dictionaries have more than one or two files.
 */
public final class StringDictionary {
    /**
     * The heap's share is the memory divided by this, but at least {@link #LEAST}, because opening files takes about 50
     * MB.
     */
    private static final int SHARE_DIVISOR = 16;

    private static final long LEAST = 1 << 26;
    private static final int GROWTH = 2;
    private static final int FEWEST = 1 << 20;
    private static final int MOST = 1 << 27;
    private static final int MOST_STRINGS = 1 << 29;

    private final String folder;
    private final int fewest;
    private final StringTable first;
    private final List<StringStore> others = new ArrayList<>(0);
    /** By store in {@link #others}: the number of its first string. */
    private final IntArrayList starts = new IntArrayList(0);

    private @Nullable String whyNoFiles;

    public StringDictionary() {
        this(System.getProperty("java.io.tmpdir"), share(Runtime.getRuntime().maxMemory()), FEWEST);
    }

    /**
     * @param room approximate bytes of heap
     * @param fewest the least number of strings that files have room for
     */
    StringDictionary(String folder, long room, int fewest) {
        this.folder = folder;
        this.fewest = fewest;
        this.first = new StringTable(room);
    }

    private static long share(long memory) {
        return Math.max(LEAST, memory / SHARE_DIVISOR);
    }

    /** Sets the memory of which the heap's share is computed, before the first string. */
    public void memory(long bytes) {
        first.room(share(bytes));
    }

    int size() {
        int last = others.size() - 1;
        return last < 0 ? first.size() : starts.getInt(last) + others.get(last).size();
    }

    /**
     * The number of a string, which is added if it is new.
     *
     * @param marked a marked string differs from the same string unmarked
     */
    int id(String string, boolean marked) {
        long hash = StringTable.hash(string, marked);
        int id = first.id(hash, string, marked);
        return id != StringStore.NO_ROOM ? id : elsewhere(hash, string, marked);
    }

    private int elsewhere(long hash, String string, boolean marked) {
        for (int i = 0; ; i++) {
            if (i == others.size()) {
                int size = size();
                others.add(another(size));
                starts.add(size);
            }
            int id = others.get(i).id(hash, string, marked);
            if (id != StringStore.NO_ROOM) {
                return starts.getInt(i) + id;
            }
        }
    }

    private StringStore another(int size) {
        if (size >= MOST_STRINGS) {
            throw new BudgetException("more than " + MOST_STRINGS + " different strings do not fit one table");
        }
        if (!others.isEmpty()
                && others.get(others.size() - 1) instanceof PersistedStrings last
                && !last.whyNoMore().isEmpty()) {
            // A quota or a limit on file sizes: further files would have no room either.
            whyNoFiles = folder + ": " + last.whyNoMore();
        }
        if (whyNoFiles == null) {
            try {
                return PersistedStrings.open(
                        Path.of(folder), Math.min(MOST, Math.max(fewest, GROWTH * Math.min(size, MOST))));
            } catch (IOException e) {
                whyNoFiles = folder + ": " + e.getMessage();
            }
        }
        return new StringTable(Long.MAX_VALUE);
    }

    /** Why strings are in the heap beyond its share; empty if they are not. */
    public String whyNoFiles() {
        return whyNoFiles == null ? "" : "strings are kept in memory, as they could not be in files in " + whyNoFiles;
    }

    String string(int id) {
        int store = storeOf(id);
        return store < 0 ? first.string(id) : others.get(store).string(id - starts.getInt(store));
    }

    boolean isMarked(int id) {
        int store = storeOf(id);
        return store < 0 ? first.isMarked(id) : others.get(store).isMarked(id - starts.getInt(store));
    }

    /** The store of a string; -1 for the first one. */
    private int storeOf(int id) {
        int store = starts.size() - 1;
        while (store >= 0 && starts.getInt(store) > id) {
            store--;
        }
        return store;
    }

    List<String> strings() {
        int size = size();
        List<String> strings = new ArrayList<>(size);
        for (int id = 0; id < size; id++) {
            strings.add(string(id));
        }
        return strings;
    }

    /** Bytes of heap held. */
    long bytes() {
        long bytes = first.bytes();
        for (StringStore store : others) {
            bytes += store.bytes();
        }
        return bytes;
    }
}
