package org.polygraph.storage.lists;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatList;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ListTreeTest {
    private static LongArrayList list(ListTree tree, int number) {
        LongArrayList list = new LongArrayList();
        for (int each = number; each != ListTree.EMPTY; each = tree.withoutLast(each)) {
            list.add(0, tree.last(each));
        }
        return list;
    }

    /** A prefix of the key's list, perhaps with other elements at its end or within it. */
    private static LongArrayList some(Random random, LongArrayList of) {
        LongArrayList list = new LongArrayList(of.subList(0, random.nextInt(of.size() + 1)));
        for (int i = random.nextInt(4) == 0 ? random.nextInt(5) : 0; i > 0; i--) {
            list.add(random.nextInt(list.size() + 1), random.nextInt(9));
        }
        return list;
    }

    @Test
    void listsAreWhatWasAddedWhereverTheyDiffer() {
        for (long seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            List<LongArrayList> truth = List.of(new LongArrayList(), new LongArrayList(), new LongArrayList());
            ListTree tree = new ListTree();
            List<LongArrayList> added = new ArrayList<>();
            List<Integer> numbers = new ArrayList<>();
            for (int i = random.nextInt(100); i > 0; i--) {
                int key = random.nextInt(3);
                truth.get(key).add(truth.get(key).size() + 10);
                added.add(some(random, truth.get(key)));
                numbers.add(tree.of(key, added.get(added.size() - 1)));
            }
            for (int i = 0; i < added.size(); i++) {
                assertThatList(list(tree, numbers.get(i))).as("seed " + seed).isEqualTo(added.get(i));
            }
        }
    }

    /** A list grows, and after each append the list and its prefixes are read. */
    @Test
    void aListThatGrowsTakesItsLastLength() {
        ListTree tree = new ListTree();
        LongArrayList list = new LongArrayList();
        int n = 3000;
        for (int i = 0; i < n; i++) {
            list.add(i);
            tree.of(7, list);
            tree.of(7, new LongArrayList(list.subList(0, i / 2)));
        }
        assertThat(tree.size()).isEqualTo(1 + n);
        assertThat(tree.bytes()).isLessThan(48L * n + 1000);
    }

    /** A read value that is no list of this key must not separate the other lists. */
    @Test
    void anOddListBeforeThemDoesNotKeepListsApart() {
        ListTree tree = new ListTree();
        tree.of(0, LongArrayList.of(99, 98));
        LongArrayList list = new LongArrayList();
        for (int i = 0; i < 1000; i++) {
            list.add(i);
            tree.of(0, list);
        }
        assertThat(tree.size()).isLessThan(1 + 2 + 1000 + 10);
    }
}
