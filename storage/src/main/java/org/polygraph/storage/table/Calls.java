package org.polygraph.storage.table;

/**
 * What a piece of a history of invocations and completions says of its rows, where the other half of a transaction may be in
 * another piece.
 *
 * @param parts by transaction: what of it is in the piece, as the format's reader writes it
 * @param operations how many invocations and completions the piece has, of whatever process
 * @param isInvoking whether any is an invocation
 * @param numbering whether they are numbered: 0 if nothing tells, 1 if they are, -1 if they are not, and indexes are their places
 *     in the piece
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Calls(byte[] parts, long operations, boolean isInvoking, int numbering) {}
