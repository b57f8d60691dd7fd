package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.storage.artifact.FolderLock;
import org.polygraph.storage.artifact.Location;

/** Runs tasks on threads of this process. */
public final class LocalWorkers implements Workers {
    private static final int PATIENCE_SECONDS = 10;

    private final Location folder;
    /** The lock of a folder that may outlive this process; null for a temporary folder. */
    private final @Nullable FolderLock lock;

    private final ExecutorService threads;
    private final int cores;
    private final Budget budget;
    private final Progress progress;
    /** Deletes a temporary folder if a signal ends the process. */
    private final Thread atExit = new Thread(this::clear, "windows-exit");

    private boolean isKept;

    private LocalWorkers(Location folder, @Nullable FolderLock lock, int cores, Budget budget, Progress progress) {
        this.folder = folder;
        this.lock = lock;
        this.cores = cores;
        this.budget = budget;
        this.progress = progress;
        this.threads = Executors.newFixedThreadPool(cores, work -> {
            Thread thread = new Thread(work, "window");
            thread.setDaemon(true);
            return thread;
        });
        if (lock == null) {
            Runtime.getRuntime().addShutdownHook(atExit);
        }
    }

    /** Makes workers with a temporary folder. */
    public LocalWorkers(int cores, Budget budget, Progress progress) throws IOException {
        this(Location.of(Files.createTempDirectory("polygraph-windows-").toString()), null, cores, budget, progress);
    }

    /**
     * Makes a worker for each processor.
     *
     * @param scratch the folder; if it is null, on another machine or used by another process, a temporary one is made
     */
    public static LocalWorkers of(@Nullable Location scratch, Budget budget, Progress progress) throws IOException {
        int cores = Runtime.getRuntime().availableProcessors();
        FolderLock lock = scratch == null || !scratch.isLocal() ? null : locked(Path.of(scratch.absolute()));
        return scratch == null || lock == null
                ? new LocalWorkers(cores, budget, progress)
                : new LocalWorkers(scratch, lock, cores, budget, progress);
    }

    private static @Nullable FolderLock locked(Path folder) throws IOException {
        FolderLock lock = FolderLock.take(Files.createDirectories(folder));
        if (lock == null || lock.isLocked()) {
            return lock;
        }
        lock.close();
        return null;
    }

    @Override
    public String folder() {
        return folder.name();
    }

    @Override
    public <R extends Serializable> List<R> run(String what, List<? extends Task<R>> tasks) throws IOException {
        progress.job(what);
        List<Future<R>> futures = new ArrayList<>();
        List<R> results = new ArrayList<>();
        try {
            for (Task<R> task : tasks) {
                futures.add(threads.submit(() -> {
                    budget.require();
                    return task.run(budget.perWorker(cores));
                }));
            }
            for (Future<R> future : futures) {
                results.add(result(future));
                synchronized (progress) {
                    progress.items(results.size(), tasks.size());
                }
            }
            return results;
        } finally {
            futures.forEach(future -> future.cancel(false));
            progress.job("");
        }
    }

    private <R> R result(Future<R> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Budget.ended();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (Workers.showsDamage(cause)) {
                keep(false);
            }
            if (cause instanceof IOException io) {
                throw io;
            }
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(cause);
        }
    }

    @Override
    public boolean mayKeep() {
        return lock != null;
    }

    @Override
    public void keep(boolean forLater) {
        isKept = forLater && mayKeep();
    }

    private void clear() {
        try {
            folder.delete();
        } catch (IOException e) {
            // Scratch files that remain do not change a verdict.
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            // A task that still writes would make the folder again.
            if (!threads.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                progress.note("a task has not ended: scratch files may stay in " + folder.name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (lock == null) {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException e) {
                // The process is ending, and the hook deletes the files.
            }
        }
        if (!isKept) {
            clear();
        }
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            // The folder is not used any more, so its lock does not matter.
        }
    }
}
