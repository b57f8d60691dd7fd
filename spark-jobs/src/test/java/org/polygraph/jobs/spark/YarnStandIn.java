package org.polygraph.jobs.spark;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkUserAppException;
import org.apache.spark.scheduler.ExternalClusterManager;
import org.apache.spark.scheduler.SchedulerBackend;
import org.apache.spark.scheduler.TaskScheduler;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.local.LocalSchedulerBackend;
import org.apache.spark.sql.SparkSession;

/**
 * Replaces YARN, whose Spark module is not on the class path of the tests: the executor is in this process, and {@link
 * #main} does to an application's main what Spark's ApplicationMaster does, and returns what it would report.
 */
public final class YarnStandIn implements ExternalClusterManager {
    private static volatile boolean registered;

    /**
     * Runs command lines one after the other, each an application, in one process.
     *
     * @param args main class, then words; {@code ;} ends a command line
     */
    public static void main(String[] args) throws Exception {
        Method user = Class.forName(args[0]).getMethod("main", String[].class);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println("process ends")));
        String words = String.join("\n", args).substring(args[0].length() + 1);
        for (String line : words.split("\n;\n?")) {
            System.setProperty("spark.master", "yarn");
            System.setProperty("spark.submit.deployMode", "cluster");
            System.setProperty("spark.yarn.app.id", "application_1_1");
            registered = false;
            String[] status = {"FAILED 16"};
            Thread thread = new Thread(() -> {
                try {
                    user.invoke(null, (Object) line.split("\n"));
                    status[0] = registered ? "SUCCEEDED 0" : "FAILED 13";
                } catch (InvocationTargetException e) {
                    status[0] = "FAILED "
                            + (!registered
                                    ? 13
                                    : e.getCause() instanceof SparkUserAppException user1 ? user1.exitCode() : 15);
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.start();
            thread.join();
            System.err.println("application " + status[0]
                    + (SparkSession.getDefaultSession().isEmpty() ? "" : " running"));
        }
    }

    @Override
    public boolean canCreate(String master) {
        return master.equals("yarn");
    }

    @Override
    public TaskScheduler createTaskScheduler(SparkContext context, String master) {
        try {
            // The resource manager does not answer.
            Thread.sleep(Integer.getInteger("polygraph.test.silence", 0));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return new TaskSchedulerImpl(context);
    }

    @Override
    public SchedulerBackend createSchedulerBackend(SparkContext context, String master, TaskScheduler scheduler) {
        return new LocalSchedulerBackend(context.getConf(), (TaskSchedulerImpl) scheduler, 2);
    }

    @Override
    public void initialize(TaskScheduler scheduler, SchedulerBackend backend) {
        ((TaskSchedulerImpl) scheduler).initialize(backend);
        registered = true;
    }
}
