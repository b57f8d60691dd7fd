package org.polygraph.jobs.windows;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.storage.artifact.Location;

/** Runs tasks on threads of this process, with scratch files in a temporary folder that {@link #close} deletes. */
public final class LocalWorkers implements Workers {
    private final Location folder;
    private final ExecutorService threads;
    private final int cores;
    private final Budget budget;
    private final Progress progress;

    /** Makes the folder where temporary files go. */
    public LocalWorkers(int cores, Budget budget, Progress progress) throws IOException {
        this.folder =
                Location.of(Files.createTempDirectory("polygraph-windows-").toString());
        this.cores = cores;
        this.budget = budget;
        this.progress = progress;
        this.threads = Executors.newFixedThreadPool(cores, work -> {
            Thread thread = new Thread(work, "window");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public String folder() {
        return folder.name();
    }

    @Override
    public List<byte[]> run(String what, List<? extends Task> tasks) throws IOException {
        progress.job(what);
        List<Future<byte[]>> futures = new ArrayList<>();
        List<byte[]> results = new ArrayList<>();
        try {
            for (Task task : tasks) {
                futures.add(threads.submit(() -> {
                    budget.require();
                    return task.run(budget.share(cores));
                }));
            }
            for (Future<byte[]> future : futures) {
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

    private static byte[] result(Future<byte[]> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Budget.ended();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
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
    public void close() {
        threads.shutdown();
        try {
            folder.delete();
        } catch (IOException e) {
            // Temporary files that remain do not change a verdict.
        }
    }
}
