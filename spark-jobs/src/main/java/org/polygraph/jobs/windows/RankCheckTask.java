package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import org.polygraph.jobs.certificate.format.ContentTree;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankReader;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/**
 * Compares the rows of a part of a certificate with the events that were placed by it, and hashes the transactions of its range.
 * Result: {@link Result}. Memory: that of {@link RankRows}.
 *
 * @param sections what {@link RankDealTask}s dealt to the range
 * @param part of the certificate; its range has the same number
 * @param run the folder of the run, which all workers see
 */
record RankCheckTask(ArrayList<Section> sections, int part, String run, RankHeader header)
        implements Task<RankCheckTask.Result> {
    /**
     * The result.
     *
     * @param fault the first row that is not that of a transaction; empty if there is none
     * @param content the hashes of the transactions
     */
    record Result(String fault, ContentTree content) implements Serializable {}

    @Override
    public Result run(Budget budget) throws IOException {
        Comparison comparison = new Comparison(new RankRows(sections, part, budget));
        try {
            RankReader.part(Location.of(run), header, part, budget::exhausted, comparison);
        } catch (HistoryException e) {
            throw new IllegalStateException("a part of the certificate has changed: " + e.getMessage(), e);
        }
        comparison.end();
        return new Result(comparison.fault, comparison.content);
    }

    private static final class Comparison implements RankReader.Sink {
        private final RankRows rows;
        private final ContentTree content = new ContentTree();
        private boolean hasNext;
        private String fault = "";

        Comparison(RankRows rows) {
            this.rows = rows;
            this.hasNext = rows.next();
        }

        @Override
        public void row(long session, long index, long snapshot, long commit) {
            while (hasNext && isBefore(session, index)) {
                pass(false);
            }
            if (!hasNext || rows.session() != session || rows.index() != index) {
                wrong("the certificate orders " + Names.transaction(session, index)
                        + ", which the history does not have");
                return;
            }
            if (snapshot < 0 || commit < 0) {
                wrong(Names.transaction(session, index) + " has place " + Math.min(snapshot, commit)
                        + "; places are 0 or more");
            } else if (rows.commit() != commit || rows.snapshot() != snapshot) {
                wrong(Names.transaction(session, index) + " was not replayed at its places " + snapshot + " and "
                        + commit);
            }
            pass(true);
        }

        private boolean isBefore(long session, long index) {
            return rows.session() < session || (rows.session() == session && rows.index() < index);
        }

        /** Passes over a transaction. @param hasRow whether the certificate has a row of it */
        private void pass(boolean hasRow) {
            if (rows.isCounted() != hasRow) {
                wrong(Names.transaction(rows.session(), rows.index())
                        + " was not replayed as the certificate counts it");
            }
            content.add(rows.hashes(), rows.hashAt());
            hasNext = rows.next();
        }

        private void wrong(String what) {
            fault = fault.isEmpty() ? what : fault;
        }

        void end() {
            while (hasNext) {
                pass(false);
            }
        }
    }
}
