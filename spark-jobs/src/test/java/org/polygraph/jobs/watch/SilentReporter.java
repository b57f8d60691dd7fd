package org.polygraph.jobs.watch;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.application.Answer;

/** Keeps what a watch says. */
final class SilentReporter implements Watch.Reporter {
    final List<String> messages = new ArrayList<>();

    @Override
    public void closed(long part, List<Answer> answers) {}

    @Override
    public void remark(String text) {
        messages.add(text);
    }

    @Override
    public void progress(Watch.Progress now) {}

    @Override
    public String currentPhase() {
        return "";
    }

    @Override
    public void message(String text) {
        messages.add(text);
    }

    @Override
    public void bug(String text, Throwable e) {
        throw new AssertionError(text, e);
    }

    @Override
    public void phase(String name) {}
}
