package org.polygraph.storage.table;

import java.util.Arrays;

/** A list of bytes that grows, for statuses: fastutil's is in the large one of its two jars. */
final class ByteList {
    private static final int LEAST = 16;

    private byte[] elements;
    private int size;

    ByteList() {
        this(LEAST);
    }

    ByteList(int capacity) {
        elements = new byte[Math.max(capacity, LEAST)];
    }

    int size() {
        return size;
    }

    void add(byte element) {
        if (size == elements.length) {
            elements = Arrays.copyOf(elements, (int) Math.min(Integer.MAX_VALUE - 8L, 1L + size + (size >> 1)));
        }
        elements[size++] = element;
    }

    /** Makes room, so that adding does not copy. */
    void ensureCapacity(int capacity) {
        if (capacity > elements.length) {
            elements = Arrays.copyOf(elements, capacity);
        }
    }

    /** Returns the array of the list, which is longer than the list. */
    byte[] elements() {
        return elements;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(elements, size);
    }
}
