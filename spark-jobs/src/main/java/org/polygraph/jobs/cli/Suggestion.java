package org.polygraph.jobs.cli;

import java.util.Locale;

/** The known word that is closest to a mistyped one. */
final class Suggestion {
    private Suggestion() {}

    /** {@code "; did you mean X?"} for the closest candidate within two edits, else empty. */
    static String forWord(String word, Iterable<String> candidates) {
        String best = null;
        if (word.length() > 40) {
            return "";
        }
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

    /** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
    private static int edits(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            d[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            d[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
