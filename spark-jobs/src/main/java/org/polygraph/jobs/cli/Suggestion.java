package org.polygraph.jobs.cli;

import java.util.Locale;

/** The word that someone probably meant. */
final class Suggestion {
    private Suggestion() {}

    /** {@code "; did you mean X?"} for the closest candidate within two edits, else empty. */
    static String forWord(String word, Iterable<String> candidates) {
        String best = null;
        int least = Math.min(3, word.length());
        for (String candidate : candidates) {
            int distance = edits(word.toLowerCase(Locale.ROOT), candidate);
            if (distance < least) {
                least = distance;
                best = candidate;
            }
        }
        return best == null ? "" : "; did you mean " + best + "?";
    }

    /** Levenshtein distance, one row at a time. */
    private static int edits(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
