package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TaskHeapTest {
    @Test
    void tasksThatRunAtOnceShareTheHeap() {
        assertThat(TaskHeap.half(8000, 4, 1)).isEqualTo(1000);
        assertThat(TaskHeap.half(8000, 4, 2)).isEqualTo(2000);
        assertThat(TaskHeap.half(8000, 1, 1)).isEqualTo(4000);
        assertThat(TaskHeap.half(8000, 3, 2)).isEqualTo(4000);
        // Spark would refuse this setting.
        assertThat(TaskHeap.half(8000, 1, 2)).isEqualTo(4000);
    }
}
