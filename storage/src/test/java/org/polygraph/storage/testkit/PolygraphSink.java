package org.polygraph.storage.testkit;

/** Where the parts of a polygraph go: transactions and keys count from 0, value 0 is the initial one. */
public interface PolygraphSink {
    /** The one commits before the other takes its snapshot. */
    void edge(int before, int after);

    /** A visible write; once a key and transaction. */
    void write(int key, int transaction, int value);

    /** An external read; once a key and transaction. */
    void read(int key, int transaction, int value);
}
