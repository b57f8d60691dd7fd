package org.polygraph.storage.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextTableTest {
    private static final long SEED = 0x7e87;

    @Test
    void numbersAreThoseOfAMap() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            TextTable table = new TextTable();
            Map<String, Integer> expected = new HashMap<>();
            List<String> texts = new ArrayList<>();
            int alphabet = 1 + random.nextInt(4);
            int lengths = 1 + random.nextInt(round % 10 == 0 ? 3000 : 12);
            for (int i = random.nextInt(2000); i >= 0; i--) {
                boolean marked = random.nextInt(4) == 0;
                String text = text(random, random.nextInt(lengths), alphabet);
                String identity = marked + text;
                Integer known = expected.get(identity);
                int id = table.id(text, marked);
                if (known == null) {
                    expected.put(identity, id);
                    texts.add(text);
                    assertThat(id).isEqualTo(table.size() - 1).isEqualTo(texts.size() - 1);
                } else {
                    assertThat(id).isEqualTo(known);
                }
                assertThat(table.isMarked(id)).isEqualTo(marked);
            }
            assertThat(table.texts()).as("seed %d, round %d", SEED, round).isEqualTo(texts);
        }
    }

    /** Of one byte or two, halves of pairs among them. */
    private static String text(Random random, int length, int alphabet) {
        char[] first = {'a', 0, 0xff, 0x100, 0xd800, 0xdc00, 0xffff};
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) (first[random.nextInt(alphabet == 1 ? 3 : first.length)] + random.nextInt(alphabet)));
        }
        return text.toString();
    }

    /** All of them have the same {@link String#hashCode}: a map by it takes the square of their number. */
    @Test
    void noTextsCollideByDesign() {
        TextTable table = new TextTable();
        int bits = 17;
        for (int i = 0; i < 1 << bits; i++) {
            StringBuilder text = new StringBuilder();
            for (int bit = 0; bit < bits; bit++) {
                text.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            assertThat(table.id(text.toString(), false)).isEqualTo(i);
        }
    }

    @Test
    void bytesAreWhatTheCommentSays() {
        TextTable table = new TextTable();
        int n = 300_000;
        for (int i = 0; i < n; i++) {
            table.id(String.format("%036d", i * 7919L), false);
        }
        assertThat(table.bytes() / (double) n).isBetween(50.0, 80.0);
    }
}
