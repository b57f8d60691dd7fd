package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.application.Engines;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.BudgetException;

/** Several levels whose engine fails, contradicts itself or ends; several-levels.case has the other answers. */
class SeveralLevelsTest {
    private static final Path EXAMPLES = Command.ROOT.resolve("spark-jobs/examples");
    private static final String BANK = example("bank-serializable");
    private static final String SKEW = example("write-skew");
    private static final String LOST = example("lost-update");

    private final Function<Check, Finding> embedded = new EmbeddedChecker();

    @TempDir
    private Path folder;

    private final List<IsolationLevel> checked = new ArrayList<>();
    private Function<Check, Finding> engine = embedded;
    private final Engines engines = new OnlyEmbedded(check -> {
        checked.add(check.request().level());
        return engine.apply(check);
    });
    private String out = "";
    private String err = "";

    private static String example(String name) {
        return EXAMPLES.resolve(name + ".jsonl").toString();
    }

    private int run(String... words) {
        InProcess run = InProcess.run(engines, words);
        out = run.out();
        err = run.err();
        return run.exitCode();
    }

    /** Status and level of each result line. */
    private List<String> results() {
        return out.lines()
                .filter(line -> !line.startsWith(" "))
                .map(line -> line.replaceFirst("^(\\w+)  ([\\w,]+)  .*", "$1 $2"))
                .toList();
    }

    private String lastLine() {
        List<String> lines = out.lines().toList();
        return lines.get(lines.size() - 1);
    }

    @Test
    void theStrongestComesFirstAndIsCheckedOnce() {
        assertThat(run("check", "-l", "rc,si,ser,cc,ra", BANK)).isZero();
        assertThat(results()).containsExactly("PASS ser", "PASS si", "PASS cc", "PASS ra", "PASS rc");
        assertThat(lastLine()).isEqualTo("  strongest of ser, si, cc, ra, rc that holds: ser");
        assertThat(checked).containsExactly(IsolationLevel.SER);
        assertThat(err).isEmpty();
    }

    @Test
    void aWeakerViolationDecidesWhatWasLeftOpen() {
        engine = check -> {
            if (check.request().level() != IsolationLevel.SI) {
                throw new BudgetException("tired");
            }
            return embedded.apply(check);
        };
        assertThat(run("check", "-l", "ser,si,cc", LOST)).isEqualTo(3);
        assertThat(results()).containsExactly("VIOLATION ser", "VIOLATION si", "UNKNOWN cc");
        assertThat(out).contains("LostUpdate");
        assertThat(lastLine()).endsWith("holds: not known");
        assertThat(run("check", "-l", "ser,si", SKEW)).isEqualTo(4);
        assertThat(results()).containsExactly("UNKNOWN ser", "PASS si");
        assertThat(lastLine()).endsWith("holds: not known");
    }

    @Test
    void verdictsThatContradictEachOtherAreABug() throws IOException {
        engine = check ->
                check.request().level() == IsolationLevel.SER ? FakeChecker.pass(check) : embedded.apply(check);
        String runs = folder.resolve("runs").toString();
        assertThat(run("check", "-l", "ser", "-o", runs, LOST)).isZero();
        checked.clear();
        assertThat(run("check", "-l", "ser,si", "-o", runs, LOST)).isEqualTo(1);
        assertThat(checked).containsExactly(IsolationLevel.SI);
        assertThat(out).startsWith("ERROR  ser  " + LOST + "  ").contains("\nERROR  si  " + LOST + "  ");
        assertThat(err)
                .isEqualTo("polygraph: " + LOST + ": internal error: ser passes and si, which it implies, does not\n");
        assertThat(lastLine()).endsWith("holds: not known");
    }

    @Test
    void budgetsAreForAllLevelsTogether() {
        engine = check -> {
            while (!check.budget().exhausted()) {
                Thread.onSpinWait();
            }
            throw Budget.ended();
        };
        assertThat(run("check", "-l", "ser,si,rc", "--timeout", "500ms", BANK)).isEqualTo(4);
        assertThat(results()).containsExactly("UNKNOWN ser", "UNKNOWN si", "UNKNOWN rc");
        assertThat(out).contains("timeout of 500 ms ran out");
        assertThat(checked).containsExactly(IsolationLevel.SER);
    }
}
