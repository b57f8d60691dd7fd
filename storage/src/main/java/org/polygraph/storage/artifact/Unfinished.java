package org.polygraph.storage.artifact;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files and folders that have a temporary name and are neither complete nor removed. The end of the JVM, including
 * by a signal, removes them.
 */
final class Unfinished {
    /** The most times that a folder is removed: another worker that writes into it may create it again. */
    private static final int TRIES = 20;

    private static final Set<Step> FILES = ConcurrentHashMap.newKeySet();
    private static final Set<Step> FOLDERS = ConcurrentHashMap.newKeySet();
    private static volatile boolean isEnding;

    static {
        Thread end = new Thread(Unfinished::discardAll, "unfinished-files");
        try {
            Runtime.getRuntime().addShutdownHook(end);
        } catch (IllegalStateException ends) {
            // The JVM is ending, so a new file would not be removed.
        }
    }

    private Unfinished() {}

    /** A step with a file. A step that is added removes a file or folder; {@link #remove} needs the same object. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    /** @return false if the JVM is ending, so that nothing should be begun */
    static boolean addFile(Step file) {
        FILES.add(file);
        return !isEnding;
    }

    static void addFolder(Step folder) {
        FOLDERS.add(folder);
    }

    /** Forgets a file or folder that is complete or was removed. */
    static void remove(Step output) {
        FILES.remove(output);
        FOLDERS.remove(output);
    }

    private static void discardAll() {
        isEnding = true;
        discard(FILES, 1);
        discard(FOLDERS, TRIES);
    }

    private static void discard(Set<Step> outputs, int tries) {
        for (int i = 0; i < tries && !outputs.isEmpty(); i++) {
            for (Step output : outputs) {
                try {
                    output.run();
                } catch (IOException e) {
                    // There is no caller to report to. The file keeps its temporary name.
                    continue;
                }
            }
        }
    }
}
