package org.polygraph.jobs.certificate.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.Verification.Answer;
import org.polygraph.jobs.certificate.replay.NaiveReplay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.Workloads;

/** Certificates on disk: every PASS has one that verifies, and no certificate that was changed verifies. */
class CertificateTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.SER, IsolationLevel.SI);
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private static Witness witness(HistoryTable table, IsolationLevel level) {
        Verdict verdict = new EmbeddedChecker().check(table, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
        return verdict.witness();
    }

    private Location run(String name) throws IOException {
        return Location.of(folder.resolve(name).toString());
    }

    static Claim claim(Terms terms) {
        return new Claim(
                "PASS",
                terms.guarantee().events() == 1 ? "ser" : "si",
                Optional.of(terms),
                InitialChoice.IMPLICIT,
                true,
                true,
                true,
                "history",
                new Claim.Certificate("order", false, ""),
                Optional.empty(),
                Set.of(),
                false);
    }

    private static Verification.Report verify(Location run, Terms terms, HistoryTable table)
            throws IOException, HistoryException {
        return Verification.of(run, claim(terms), table, "other bytes", () -> false);
    }

    /** @return its folder */
    private Location written(String name, Witness witness) throws IOException {
        Location run = run(name);
        RankFile.write(
                run, witness, new Fingerprint("bytes", Fingerprint.ofContent(witness.table())), "test", () -> false);
        return run;
    }

    /** The rows of a certificate as they are in the file, and its header. */
    private static final class Raw implements NumberTable.Sink {
        private String text = "";
        private List<String> columns = List.of();
        private final List<long[]> rows = new ArrayList<>();

        @Override
        public void header(String header, List<String> names, long count) {
            text = header;
            columns = names;
        }

        @Override
        public void row(long[] row) {
            rows.add(row.clone());
        }

        static Raw of(Location run) throws IOException, HistoryException {
            Raw raw = new Raw();
            NumberTable.read(RankFile.in(run), "certificate", () -> false, raw);
            return raw;
        }

        void write(Location run) throws IOException {
            int[] next = {0};
            RankFile.in(run)
                    .write(out -> NumberTable.write(out, "certificate", text, columns, row -> {
                        if (next[0] == rows.size()) {
                            return false;
                        }
                        System.arraycopy(rows.get(next[0]++), 0, row, 0, row.length);
                        return true;
                    }));
        }
    }

    /**
     * Changes one thing in the certificate or in the history. If the result still verifies, it must be true: this test
     * reads the order from the file, and {@link #explains} replays it over the changed history.
     */
    @Test
    void singleCorruptionsAreRejectedOrTrue() throws Exception {
        long seed = 0xc0de;
        Random random = new Random(seed);
        int rejected = 0;
        int malformed = 0;
        int stillTrue = 0;
        int byReplayAlone = 0;
        int rounds = SuiteScale.of(400, 200);
        for (int i = 0; i < rounds; i++) {
            IsolationLevel level = LEVELS.get(i % 2);
            HistoryTable table = new Workload()
                    .seed(seed + i)
                    .timed(i % 4 >= 2)
                    .sessions(3)
                    .transactions(12)
                    .operations(1, 4)
                    .keys(4)
                    .aborted(0.1)
                    .indeterminate(0.1)
                    .values(4)
                    .repeats(i % 3 == 0 ? 1 : 0)
                    .level(level == IsolationLevel.SER ? Workload.Level.SER : Workload.Level.SI)
                    .table();
            Witness witness = witness(table, level);
            Location run = written("run", witness);
            Terms terms = witness.terms();
            HistoryTable history = table;
            boolean inCertificate = random.nextBoolean();
            try {
                if (inCertificate) {
                    terms = corrupt(run, terms, random);
                } else {
                    history = corrupt(table, random);
                }
                boolean verified;
                boolean holds;
                if (inCertificate) {
                    verified = verify(run, terms, history).answer() == Answer.VERIFIED;
                    holds = explains(Raw.of(run), history, terms);
                } else {
                    verified = verify(run, terms, history).answer() == Answer.VERIFIED;
                    // The certificate gets the fingerprint of the changed history, so only the replay can notice the
                    // change.
                    Raw raw = Raw.of(run);
                    raw.text = raw.text
                            .replace(Fingerprint.ofContent(table), Fingerprint.ofContent(history))
                            .replaceFirst(
                                    "\"initial\":\"[^\"]*\"",
                                    "\"initial\":\"" + history.values().label(history.initialValue()) + "\"");
                    raw.write(run);
                    boolean replayed = verify(run, terms, history).answer() == Answer.VERIFIED;
                    assertThat(replayed)
                            .as("seed %d round %d, replay alone: %s", seed, i, HistoryDsl.print(history))
                            .isEqualTo(explains(raw, history, terms));
                    byReplayAlone += replayed ? 0 : 1;
                    holds = verified && replayed;
                }
                assertThat(verified)
                        .as("seed %d round %d: %s %s", seed, i, terms, HistoryDsl.print(history))
                        .isEqualTo(holds);
                rejected += verified ? 0 : 1;
                stillTrue += verified ? 1 : 0;
            } catch (HistoryException e) {
                malformed++;
            }
        }
        System.out.println(rounds + " corruptions: " + rejected + " rejected, " + byReplayAlone
                + " of them by the replay alone, " + malformed + " malformed, " + stillTrue + " true all the same");
        assertThat(rejected + malformed).isGreaterThan(rounds * 3 / 4);
        assertThat(byReplayAlone).isGreaterThan(rounds / 5);
        assertThat(stillTrue).isPositive();
    }

    /** @return the claim of the changed verdict */
    private static Terms corrupt(Location run, Terms terms, Random random) throws IOException, HistoryException {
        Raw raw = Raw.of(run);
        int row = random.nextInt(raw.rows.size());
        int other = random.nextInt(raw.rows.size());
        int column = 2 + random.nextInt(raw.columns.size() - 2);
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                // Two ranks are exchanged.
                long rank = raw.rows.get(row)[column];
                raw.rows.get(row)[column] = raw.rows.get(other)[column];
                raw.rows.get(other)[column] = rank;
                if (row == other) {
                    raw.rows.get(row)[column] += 1;
                }
            }
            case 2 -> raw.rows.get(row)[column] += 1 + random.nextInt(3);
            case 3 -> raw.rows.get(row)[column] = random.nextLong();
            case 4 -> raw.rows.get(row)[0] += 1 + random.nextInt(2);
            case 5 -> raw.rows.get(row)[1] += 1 + random.nextInt(2);
            case 6 -> {
                raw.rows.remove(row);
                raw.text = raw.text.replaceFirst("\"counted\":\\d+", "\"counted\":" + raw.rows.size());
            }
            default -> {
                // The guarantee is changed in the header and in the verdict.
                Guarantee claimed =
                        switch (terms.guarantee()) {
                            case SER -> Guarantee.SSER;
                            case SI -> random.nextBoolean() ? Guarantee.SER : Guarantee.SSI;
                            default -> terms.guarantee();
                        };
                raw.text = raw.text.replaceFirst("\"promise\":\"[a-z]+\"", "\"promise\":\"" + claimed.label() + "\"");
                raw.write(run);
                return Terms.of(claimed);
            }
        }
        raw.write(run);
        return terms;
    }

    /** The history with one field of a transaction or of an operation changed. */
    private HistoryTable corrupt(HistoryTable table, Random random) throws IOException, HistoryException {
        Path file = folder.resolve("changed.jsonl");
        HistoryWriter.write(table, file.toString(), HistoryFormat.JSONL);
        List<String> lines = Files.readAllLines(file);
        int line = 1 + random.nextInt(table.transactions());
        ObjectNode transaction = (ObjectNode) JSON.readTree(lines.get(line));
        JsonNode operations = transaction.get("ops");
        ObjectNode operation = (ObjectNode) operations.get(random.nextInt(operations.size()));
        List<String> statuses = List.of("committed", "aborted", "indeterminate", "committed");
        switch (random.nextInt(6)) {
            case 0 -> operation.put("value", operation.get("value").asLong() + 1);
            case 1 -> operation.put("key", (operation.get("key").asInt() + 1) % 4);
            case 2 -> operation.put("op", operation.get("op").asText().equals("r") ? "w" : "r");
            case 3 -> transaction.put("session", transaction.get("session").asInt() + 1);
            case 4 -> transaction.put("index", transaction.get("index").asInt() + 3);
            default ->
                transaction.put(
                        "status",
                        statuses.get(statuses.indexOf(transaction.get("status").asText()) + 1));
        }
        lines.set(line, transaction.toString());
        Files.write(file, lines);
        return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
    }

    /** Whether the rows of a file explain a history, by definition, in quadratic time, without any class under test. */
    private static boolean explains(Raw raw, HistoryTable table, Terms terms) {
        // Without times no order shows that real time holds.
        if (terms.guarantee().realTime() && (table.starts() == null || table.ends() == null)) {
            return false;
        }
        int n = table.transactions();
        long[] begin = new long[n];
        long[] commit = new long[n];
        boolean[] counted = new boolean[n];
        long[] ranks = new long[0];
        for (long[] row : raw.rows) {
            int found = -1;
            for (int t = 0; t < n; t++) {
                if (table.sessionLabel(table.sessionOf(t)) == row[0] && table.index(t) == row[1]) {
                    found = t;
                }
            }
            if (found < 0 || counted[found]) {
                return false;
            }
            counted[found] = true;
            begin[found] = row[2];
            commit[found] = row[row.length - 1];
            for (int c = 2; c < row.length; c++) {
                ranks = Arrays.copyOf(ranks, ranks.length + 1);
                ranks[ranks.length - 1] = row[c];
            }
        }
        if (Arrays.stream(ranks).distinct().count() != ranks.length
                || Arrays.stream(ranks).anyMatch(r -> r < 0)) {
            return false;
        }
        return NaiveReplay.explains(table, terms.guarantee(), counted, begin, commit);
    }

    /** Strings that UTF-8 cannot encode differ from each other and from the replacement character of Java. */
    @Test
    void contentDistinguishesHalvesOfSurrogatePairs() {
        List<String> contents = new ArrayList<>();
        for (String key :
                List.of("?", "\\ufffd", "\\ud800", "\\udbff", "\\udc00", "\\ud83d\\ude00", "\\ude00\\ud83d")) {
            contents.add(Fingerprint.ofContent(HistoryDsl.parse("s0: w(\"" + key + "\",1)")));
        }
        assertThat(contents).doesNotHaveDuplicates();
    }

    @Test
    void namesWhatIsWrong() throws Exception {
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1) w(y,1); s2: !w(x,9)");
        Witness witness = witness(table, IsolationLevel.SER);
        Location run = written("run", witness);
        assertThat(verify(run, witness.terms(), table).checked())
                .anyMatch(line -> line.startsWith("history      other bytes with the same content"));
        assertThat(verify(run, Terms.of(Guarantee.SI), table).reason())
                .isEqualTo("the verdict is for si, the certificate for ser");
        assertThat(verify(run, new Terms(Guarantee.SER, 7, IndeterminateMode.MAYBE), table)
                        .reason())
                .isEqualTo("the verdict is for a clock skew of 7 ns, the certificate for 0 ns");
        assertThat(verify(run, new Terms(Guarantee.SER, 0, IndeterminateMode.ABORT), table)
                        .reason())
                .isEqualTo("the verdict treats indeterminate transactions as abort, the certificate as maybe");
        HistoryTable changed = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,2) w(y,1); s2: !w(x,9)");
        assertThat(verify(run, witness.terms(), changed).reason())
                .startsWith("the history is not the one that was checked: its content is sha256 ")
                .endsWith("; first difference: transaction (session 1, index 0) at dsl:3 read key \"x\" = 2, but the"
                        + " last value committed before it is 1");
        HistoryTable longer = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1) w(y,1) | r(y,1); s2: !w(x,9)");
        assertThat(verify(run, witness.terms(), longer).reason()).contains("committed but is not counted");
        HistoryTable shorter = HistoryDsl.parse("init 0; s0: w(x,1); s2: !w(x,9)");
        assertThat(verify(run, witness.terms(), shorter).reason())
                .contains("the certificate orders transaction (session 1, index 0), which the history does not have");
        HistoryTable same = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1) w(y,5); s2: !w(x,9)");
        assertThat(verify(run, witness.terms(), same).reason()).endsWith(", whose order also explains this one");
        Raw raw = Raw.of(run);
        raw.rows.get(0)[2] = -7;
        raw.write(run);
        assertThat(verify(run, witness.terms(), table).reason())
                .isEqualTo("the order does not explain the history: transaction (session 0, index 0) at dsl:2 has place"
                        + " -7; places are 0 or more");
        // Places need not be ranks.
        raw.rows.get(0)[2] = 1L << 40;
        raw.rows.get(1)[2] = Long.MAX_VALUE;
        raw.write(run);
        assertThat(verify(run, witness.terms(), table).answer()).isEqualTo(Answer.VERIFIED);
        raw.rows.get(0)[2] = raw.rows.get(1)[2];
        raw.write(run);
        assertThat(verify(run, witness.terms(), table).reason()).contains("have the same place");
    }

    /** The contents that earlier versions hashed do not identify what was recorded. */
    @Test
    void refusesCertificatesOfEarlierVersions() throws Exception {
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1) w(\"y\",\"a\"); s2: !w(x,9)");
        Witness witness = witness(table, IsolationLevel.SER);
        Location run = written("run", witness);
        Raw raw = Raw.of(run);
        assertThat(raw.text).contains("\"version\":3");
        for (int version = 1; version < 3; version++) {
            Raw older = Raw.of(run);
            older.text = raw.text.replace("\"version\":3", "\"version\":" + version);
            older.write(run);
            assertThatThrownBy(() -> verify(run, witness.terms(), table))
                    .isInstanceOf(HistoryException.class)
                    .hasMessageContaining("a certificate of version " + version)
                    .hasMessageContaining("check the history again with --overwrite");
            raw.write(run);
        }
        Witness weak = witness(table, IsolationLevel.RC);
        Location ofWeak = written("weak", weak);
        Raw without = Raw.of(ofWeak);
        without.text = without.text.replace("\"sources\":0,", "");
        without.write(ofWeak);
        assertThatThrownBy(() -> verify(ofWeak, weak.terms(), table))
                .isInstanceOf(HistoryException.class)
                .hasMessageContaining("a certificate of rc that does not state what reads read from")
                .hasMessageContaining("check the history again with --overwrite");
    }

    /** A certificate takes about a byte for each event at every level. */
    @Test
    void isSmall() throws Exception {
        HistoryTable table = Workloads.of(5, "timed false sessions 50 transactions 50000 operations 2 keys 50000")
                .table();
        for (IsolationLevel level : LEVELS) {
            written("run", witness(table, level));
            double bytes = Files.size(folder.resolve("run/certificate/ranks.parquet"));
            assertThat(bytes / 50_000 / level.eventsPerTransaction())
                    .as(String.format(Locale.ROOT, "%s: %.2f bytes an event", level, bytes / 50_000))
                    .isLessThan(2);
        }
    }
}
