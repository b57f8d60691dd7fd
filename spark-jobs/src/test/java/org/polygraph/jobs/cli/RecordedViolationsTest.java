package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The smallest histories of violations that databases showed in recordings, at every level. */
class RecordedViolationsTest {
    private static final List<String> LEVELS = List.of("sser", "ser", "ssi", "si", "cc", "ra", "rc");

    /**
     * @param kept the levels that hold; {@code -} if cc, ra and rc, which do not define predicates, are refused
     * @param level a level that is broken
     * @param name of the violation there
     */
    @ParameterizedTest
    @CsvSource({
        "FracturedRead-mariadb-read-committed, rc, ra, FracturedRead",
        "InsertAfterDelete-postgresql-repeatable-read, ssi si cc ra rc, ser, LostUpdate",
        "LostRows-mariadb-repeatable-read, cc ra rc, ser, LostUpdate",
        "LostUpdate-mariadb-repeatable-read, cc ra rc, si, LostUpdate",
        "LostUpdate-postgresql-read-committed, cc ra rc, si, LostUpdate",
        "NonRepeatableRead-postgresql-read-committed, rc, ra, NonRepeatableRead",
        "ReadOnlyAnomaly-h2-serializable, ssi si cc ra rc, ser, ReadOnlyAnomaly",
        "Realtime-postgresql-repeatable-read, ser ssi si cc ra rc, sser, G-realtime",
        "RepeatedValues-h2-snapshot, cc ra rc, si, NoValidOrder",
        "UpdateBesideDelete-duckdb-repeatable-read, cc ra rc, ser, LostUpdate",
        "UpdateReturning-duckdb-repeatable-read, cc ra rc, si, G-single",
        "WriteSkew-postgresql-repeatable-read, ssi si cc ra rc, ser, WriteSkew"
    })
    void verdicts(String name, String kept, String level, String violation) throws Exception {
        String file = Path.of(RecordedViolationsTest.class
                        .getResource("/recorded/" + name + ".jsonl")
                        .toURI())
                .toString();
        for (String each : LEVELS) {
            InProcess run = InProcess.run("check", "-l", each, file);
            boolean isKept = Arrays.asList(kept.split(" ")).contains(each);
            assertThat(run.exitCode()).as(each + ": " + run.out() + run.err()).isEqualTo(isKept ? 0 : 3);
            if (each.equals(level)) {
                assertThat(run.out()).contains("  " + violation + "\n");
            }
        }
    }
}
