package org.polygraph.jobs.job;

import java.io.IOException;
import java.io.Serializable;
import org.polygraph.partitioner.closure.SlicedClosure;

/** Where the rows of one generation of a closure are: what tasks are told. */
interface RowFiles extends Serializable {
    /** Maps them, once a process. */
    SlicedClosure open() throws IOException;
}
