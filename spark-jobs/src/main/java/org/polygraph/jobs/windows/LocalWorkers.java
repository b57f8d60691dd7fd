package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
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
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.ScratchFolder;

/** Runs tasks on threads of this process. */
public final class LocalWorkers implements Workers {
    private static final int PATIENCE_SECONDS = 10;

    private final ScratchFolder folder;
    private final ExecutorService threads;
    private final int cores;
    private final Budget budget;
    private final Progress progress;

    private LocalWorkers(ScratchFolder folder, int cores, Budget budget, Progress progress) {
        this.folder = folder;
        this.cores = cores;
        this.budget = budget;
        this.progress = progress;
        this.threads = Executors.newFixedThreadPool(cores, work -> {
            Thread thread = new Thread(work, "window");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Makes workers with a temporary folder. */
    public LocalWorkers(int cores, Budget budget, Progress progress) throws IOException {
        this(
                ScratchFolder.temporary(Location.of(
                        Files.createTempDirectory("polygraph-windows-").toString())),
                cores,
                budget,
                progress);
    }

    /**
     * Makes a worker for each processor.
     *
     * @param scratch the folder; if it is null, on another machine or used by another process, a temporary one is made
     */
    public static LocalWorkers of(@Nullable Location scratch, Budget budget, Progress progress) throws IOException {
        int cores = Runtime.getRuntime().availableProcessors();
        ScratchFolder kept =
                scratch == null || !scratch.isLocal() ? null : ScratchFolder.kept(scratch, budget::exhausted);
        return kept == null
                ? new LocalWorkers(cores, budget, progress)
                : new LocalWorkers(kept, cores, budget, progress);
    }

    @Override
    public String folder() {
        return folder.location().name();
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
        return folder.mayKeep();
    }

    @Override
    public void keep(boolean forLater) {
        folder.keep(forLater);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            // A task that still writes would make the folder again.
            if (!threads.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                progress.note("a task has not ended: scratch files may stay in " + folder());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        folder.close();
    }
}
