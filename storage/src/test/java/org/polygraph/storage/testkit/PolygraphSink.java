package org.polygraph.storage.testkit;

/** Receives a polygraph: transactions and keys count from 0, value 0 is the initial one. */
public interface PolygraphSink {
    /** Adds an edge: one transaction commits before the other takes its snapshot. */
    void edge(int before, int after);

    /** Adds a visible write, once for each key and transaction. */
    void write(int key, int transaction, int value);

    /** Adds an external read, once for each key and transaction. */
    void read(int key, int transaction, int value);
}
