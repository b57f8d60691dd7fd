package org.polygraph.storage.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.testkit.SplitMix;

/** Labels with long common beginnings and with characters above 126 have the order of {@link String#compareTo}. */
class LabelOrderTest {
    private static final String CHARACTERS = "\0019az~\u007f\u0080\u00e9\uffff";

    @Test
    void keysHaveTheOrderOfTheirLabels() {
        SplitMix random = new SplitMix(0x1abe1);
        Set<String> different = new LinkedHashSet<>();
        for (int i = 0; i < 20_000; i++) {
            StringBuilder label = new StringBuilder(random.chance(0.5) ? "" : "customer/");
            for (int length = random.nextInt(12); length > 0; length--) {
                int among = random.chance(0.9) ? 4 : CHARACTERS.length();
                label.append(CHARACTERS.charAt(random.nextInt(among)));
            }
            different.add(label.toString());
        }
        List<String> labels = new ArrayList<>(different);
        int[] keys = new int[labels.size()];
        Arrays.setAll(keys, i -> keys.length - 1 - i);
        List<String> sorted = new ArrayList<>();
        for (int key : LabelOrder.sorted(keys, labels::get)) {
            sorted.add(labels.get(key));
        }
        assertThat(sorted)
                .hasSizeGreaterThan(10_000)
                .isEqualTo(labels.stream().sorted().toList());
    }
}
