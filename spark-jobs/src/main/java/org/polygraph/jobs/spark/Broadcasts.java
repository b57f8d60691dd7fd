package org.polygraph.jobs.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * What a few jobs send to all executors, given back together. A resource of a try statement, so that where the context is gone
 * by then, which nothing can be given back to, why is told and not that.
 */
final class Broadcasts implements AutoCloseable {
    private final JavaSparkContext context;
    private final List<Broadcast<?>> sent = new ArrayList<>();

    /** None yet. */
    Broadcasts(JavaSparkContext context) {
        this.context = context;
    }

    /** Sends an array; nobody writes to it. */
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
