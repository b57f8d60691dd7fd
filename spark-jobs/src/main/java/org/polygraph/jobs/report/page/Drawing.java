package org.polygraph.jobs.report.page;

import java.util.List;

/**
 * A picture of boxes and arrows in pixels, for the templates.
 *
 * @param prefix prefix of element ids, which keeps several pictures on a page apart
 * @param title description for screen readers
 */
record Drawing(
        String prefix, String title, int width, int height, List<Label> labels, List<Box> boxes, List<Arrow> arrows) {
    /** Text at a position. */
    record Label(int x, int y, String text) {}

    /**
     * A transaction.
     *
     * @param title its full name and place, shown on hover
     * @param dashed whether it did not commit
     */
    record Box(int x, int y, int width, int height, Label name, String title, boolean dashed, List<Line> lines) {}

    /** An operation, shortened; the full text is shown on hover. */
    record Line(int x, int y, String text, String full, boolean strong) {}

    /**
     * A dependency. The facts behind it are shown on hover and focus.
     *
     * @param step number of the step in the list beside it, from 0
     */
    record Arrow(int step, Edge edge, String path, String head, Label label) {}

    /** A triangle that ends in a point. */
    static String head(int x, int y, int dx, int dy) {
        int backX = x - 9 * dx;
        int backY = y - 9 * dy;
        return "M" + x + " " + y + "L" + (backX + 4 * dy) + " " + (backY + 4 * dx) + "L" + (backX - 4 * dy) + " "
                + (backY - 4 * dx) + "Z";
    }
}
