package org.polygraph.jobs.report;

import org.polygraph.jobs.verdict.Verdict;

/** verdict.json but for what may differ between two runs of the same question: time and memory. */
public final class Untimed {
    private Untimed() {}

    /** Of a verdict. */
    public static String json(Verdict verdict) {
        return json(VerdictJson.of(verdict));
    }

    /** Of its text. */
    public static String json(String verdict) {
        return verdict.replaceAll("\"(ms|cpu_ms|peak_memory_bytes)\":\"?[0-9]+\"?", "\"$1\":0");
    }
}
