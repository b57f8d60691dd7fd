package org.polygraph.jobs.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * The broadcasts of a few jobs, destroyed together. It is a resource of a try statement, so that an exception of a job
 * is kept if destroying fails because the context has stopped.
 */
final class Broadcasts implements AutoCloseable {
    private final JavaSparkContext context;
    private final List<Broadcast<?>> sent = new ArrayList<>();

    /** Creates the object without broadcasts. */
    Broadcasts(JavaSparkContext context) {
        this.context = context;
    }

    /** Broadcasts an array, which must not change afterwards. */
    <T> Broadcast<T> of(T array) {
        Broadcast<T> made = context.broadcast(array);
        sent.add(made);
        return made;
    }

    @Override
    public void close() {
        sent.forEach(Broadcast::destroy);
    }
}
