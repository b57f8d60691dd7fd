package org.polygraph.storage.artifact;

import java.io.IOException;
import java.util.List;

/** The standard input of the process. It can be read once, in order. */
final class StandardInput implements Location {
    @Override
    public String name() {
        return "-";
    }

    @Override
    public boolean isFolder() {
        return false;
    }

    @Override
    public boolean exists() {
        return true;
    }

    @Override
    public List<Location> children() throws IOException {
        throw new IOException("standard input is no folder");
    }

    @Override
    public Location child(String childName) {
        throw new IllegalArgumentException("standard input is no folder");
    }

    @Override
    public long length() {
        return -1;
    }

    @Override
    public SeekableInput open() {
        return new SeekableInput(System.in, null);
    }

    @Override
    public void delete() throws IOException {
        throw new IOException("-: standard input cannot be removed");
    }

    @Override
    public AtomicFile create() throws IOException {
        throw new IOException("-: standard input cannot be written; give a file name");
    }

    @Override
    public AtomicFolder createFolder() throws IOException {
        throw new IOException("-: standard input cannot be written; give a folder's name");
    }
}
