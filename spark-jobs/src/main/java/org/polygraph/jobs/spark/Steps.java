package org.polygraph.jobs.spark;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;

/** An iterator that computes some elements at a time. */
abstract class Steps<T> implements Iterator<T> {
    final Queue<T> ready = new ArrayDeque<>();

    /** Adds elements, perhaps none. @return false if this was the last step */
    abstract boolean step();

    @Override
    public boolean hasNext() {
        while (ready.isEmpty()) {
            if (!step()) {
                return !ready.isEmpty();
            }
        }
        return true;
    }

    @Override
    public T next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.remove();
    }
}
