package org.polygraph.storage.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.testkit.SuiteScale;

class StringDictionaryTest {
    private static final long SEED = 0x7e87;

    @Test
    void numbersAreThoseOfAMap() {
        Random random = new Random(SEED);
        for (int round = 0; round < SuiteScale.of(200); round++) {
            StringDictionary table = new StringDictionary();
            Map<String, Integer> expected = new HashMap<>();
            List<String> strings = new ArrayList<>();
            int alphabet = 1 + random.nextInt(4);
            int lengths = 1 + random.nextInt(round % 10 == 0 ? 3000 : 12);
            for (int i = random.nextInt(2000); i >= 0; i--) {
                boolean marked = random.nextInt(4) == 0;
                String text = string(random, random.nextInt(lengths), alphabet);
                String identity = marked + text;
                Integer known = expected.get(identity);
                int id = table.id(text, marked);
                if (known == null) {
                    expected.put(identity, id);
                    strings.add(text);
                    assertThat(id).isEqualTo(table.size() - 1).isEqualTo(strings.size() - 1);
                } else {
                    assertThat(id).isEqualTo(known);
                }
                assertThat(table.isMarked(id)).isEqualTo(marked);
            }
            assertThat(table.strings()).as("seed %d, round %d", SEED, round).isEqualTo(strings);
        }
    }

    /** Characters of one byte or two, and halves of surrogate pairs. */
    static String string(Random random, int length, int alphabet) {
        char[] first = {'a', 0, 0xff, 0x100, 0xd800, 0xdc00, 0xffff};
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) (first[random.nextInt(alphabet == 1 ? 3 : first.length)] + random.nextInt(alphabet)));
        }
        return text.toString();
    }

    /** All strings have the same {@link String#hashCode}, so a map by it takes quadratic time. */
    @Test
    void noTextsCollideByDesign() {
        StringDictionary table = new StringDictionary();
        int bits = SuiteScale.isReduced() ? 14 : 17;
        for (int i = 0; i < 1 << bits; i++) {
            StringBuilder text = new StringBuilder();
            for (int bit = 0; bit < bits; bit++) {
                text.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            assertThat(table.id(text.toString(), false)).isEqualTo(i);
        }
    }

    @Test
    void bytesAreAsDocumented() {
        StringDictionary table = new StringDictionary();
        int n = 300_000;
        for (int i = 0; i < n; i++) {
            table.id("0".repeat(20) + (1_000_000_000_000_000L + i * 7919L), false);
        }
        assertThat(table.bytes() / (double) n).isBetween(50.0, 80.0);
    }
}
