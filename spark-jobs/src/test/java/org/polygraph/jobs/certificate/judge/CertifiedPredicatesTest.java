package org.polygraph.jobs.certificate.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;

/**
 * The verification of an order evaluates predicates, also those that no reads express: an order with a wrong result is
 * refused.
 */
class CertifiedPredicatesTest {
    private static final String[] HISTORY = {
        "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":5}}",
        "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":\"x\",\"value\":50}]}",
        "{\"session\":1,\"index\":0,\"status\":\"committed\",\"ops\":[OPERATION]}",
    };

    @TempDir
    private Path folder;

    @Test
    void refusesAnOrderInWhichAResultLacksARow() throws Exception {
        refusesTheOther("{\"op\":\"pr\",\"lo\":40,\"hi\":60,\"rows\":[]}", false);
    }

    @Test
    void refusesAnOrderInWhichAWrittenRowDoesNotMatch() throws Exception {
        refusesTheOther("{\"op\":\"pw\",\"lo\":40,\"hi\":60,\"value\":60,\"keys\":[\"x\"]}", true);
        refusesTheOther("{\"op\":\"pd\",\"lo\":40,\"hi\":60,\"keys\":[\"x\"]}", true);
    }

    /** @param writesFirst whether the write has to come before the operation */
    private void refusesTheOther(String operation, boolean writesFirst) throws Exception {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, String.join("\n", HISTORY).replace("OPERATION", operation));
        HistoryTable read = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        PredicateReads predicates = read.predicates();
        assertThat(predicates).isNotNull();
        for (Guarantee guarantee : new Guarantee[] {Guarantee.SER, Guarantee.SI}) {
            for (HistoryTable table : new HistoryTable[] {read, predicates.unread(read)}) {
                for (boolean first : new boolean[] {true, false}) {
                    Verification.Report report = verify(table, Terms.of(guarantee), first);
                    String what = operation + " at " + guarantee + ": " + report.reason();
                    assertThat(report.answer())
                            .as(what)
                            .isEqualTo(
                                    first == writesFirst ? Verification.Answer.VERIFIED : Verification.Answer.REJECTED);
                    if (first != writesFirst && table != read) {
                        assertThat(report.reason())
                                .startsWith("the order does not explain the history: transaction (session 1, index 0)")
                                .contains("the result of a condition, between 40 and 60, ", " the row \"x\", which ")
                                .endsWith(" at its place in the order");
                    }
                }
            }
        }
    }

    /** Writes and verifies the certificate of an order of the two transactions. */
    private Verification.Report verify(HistoryTable table, Terms terms, boolean writesFirst)
            throws IOException, HistoryException {
        int events = terms.guarantee().events();
        int[] position = new int[2 * events];
        for (int e = 0; e < events; e++) {
            position[e] = writesFirst ? e : events + e;
            position[events + e] = writesFirst ? events + e : e;
        }
        boolean[] counted = new boolean[2];
        Arrays.fill(counted, true);
        Witness witness = new Witness(table, terms, counted, position);
        Location run = Location.of(folder.resolve("run").toString());
        RankFile.write(run, witness, new Fingerprint("bytes", Fingerprint.ofContent(table)), "test", () -> false);
        Claim claim = CertificateTest.claim(terms);
        return Verification.of(run, claim, table, "bytes", () -> false);
    }
}
