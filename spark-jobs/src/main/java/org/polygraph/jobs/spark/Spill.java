package org.polygraph.jobs.spark;

import org.apache.spark.SparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.polygraph.jobs.decision.Progress;

/** Adds up what tasks spill to disk while a history is generated. */
final class Spill extends SparkListener {
    private final SparkContext context;
    private final Progress progress;
    private long bytes;

    Spill(SparkContext context, Progress progress) {
        this.context = context;
        this.progress = progress;
        progress.spilled(0);
        context.addSparkListener(this);
    }

    /** Called by the thread of the listeners, for one task at a time. */
    @Override
    public void onTaskEnd(SparkListenerTaskEnd task) {
        // The metrics are null if the task was lost with its executor.
        TaskMetrics metrics = task.taskMetrics();
        if (metrics != null && metrics.diskBytesSpilled() > 0) {
            bytes += metrics.diskBytesSpilled();
            progress.spilled(bytes);
        }
    }

    void end() {
        context.removeSparkListener(this);
    }
}
