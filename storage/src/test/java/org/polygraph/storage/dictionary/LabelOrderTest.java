package org.polygraph.storage.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.testkit.SplitMix;

/** Labels with long common beginnings and with characters above 126 have the order of {@link String#compareTo}. */
class LabelOrderTest {
    private static final String CHARACTERS = "\0019az~\u007f\u0080\u00e9\uffff";

    @Test
    void keysHaveTheOrderOfTheirLabels() {
        SplitMix random = new SplitMix(0x1abe1);
        KeyDictionary keys = new KeyDictionary();
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(random.chance(0.5) ? "" : "customer/");
            for (int length = random.nextInt(12); length > 0; length--) {
                int among = random.chance(0.9) ? 4 : CHARACTERS.length();
                text.append(CHARACTERS.charAt(random.nextInt(among)));
            }
            keys.id(text.toString());
            keys.id(random.nextLong() >> random.nextInt(Long.SIZE));
        }
        for (long integer : new long[] {0, 1, 9, 10, 999_999_999, 1_000_000_000, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            keys.id(integer);
        }
        check(keys);
    }

    private static void check(KeyDictionary keys) {
        int[] all = new int[keys.size()];
        Arrays.setAll(all, i -> all.length - 1 - i);
        List<String> labels = new ArrayList<>();
        for (int key : all) {
            labels.add(keys.label(key));
        }
        List<String> sorted = new ArrayList<>();
        for (int key : LabelOrder.sorted(all, keys)) {
            sorted.add(keys.label(key));
        }
        assertThat(sorted)
                .hasSizeGreaterThan(20_000)
                .isEqualTo(labels.stream().sorted().toList());
    }
}
