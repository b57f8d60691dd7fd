package org.polygraph.storage.table;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.testkit.SplitMix;

/** The array answers as a hash map does that has no entries with the common code. */
class InitialCodesTest {
    private static final long SEED = 0xc0de;

    @Test
    void equalsAHashMap() {
        for (int i = 0; i < 200; i++) {
            SplitMix random = new SplitMix(SEED + i);
            int keys = random.between(1, 12);
            long common = random.between(0, 3);
            InitialCodes codes = new InitialCodes(keys, common);
            Int2LongMap expected = new Int2LongOpenHashMap();
            for (int n = random.between(0, 20); n > 0; n--) {
                int key = random.between(0, keys - 1);
                long code = random.between(0, 3);
                codes.put(key, code);
                expected.put(key, code);
                if (code == common) {
                    expected.remove(key);
                }
            }
            String name = "seed " + (SEED + i);
            assertThat(codes).as(name).isEqualTo(expected).hasSameSizeAs(expected);
            assertThat(codes.isEmpty()).as(name).isEqualTo(expected.isEmpty());
            assertThat(codes.keySet()).as(name).isEqualTo(expected.keySet());
            for (int key = -1; key <= keys; key++) {
                assertThat(codes.containsKey(key)).as(name).isEqualTo(expected.containsKey(key));
                assertThat(codes.get(key)).as(name).isEqualTo(expected.get(key));
                assertThat(codes.getOrDefault(key, -7)).as(name).isEqualTo(expected.getOrDefault(key, -7));
            }
        }
    }
}
