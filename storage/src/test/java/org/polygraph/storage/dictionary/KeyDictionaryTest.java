package org.polygraph.storage.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyDictionaryTest {
    private static final long SEED = 0x6e15;

    /** Only strings, only integers, or both in either order. */
    @Test
    void idsAreThoseOfAList() {
        Random random = new Random(SEED);
        for (int round = 0; round < 300; round++) {
            KeyDictionary keys = new KeyDictionary();
            List<Object> expected = new ArrayList<>();
            int firstInteger = random.nextInt(200);
            int firstString = random.nextInt(200);
            for (int i = 0; i < 150; i++) {
                int number = random.nextInt(60);
                if (i >= firstString && (i < firstInteger || random.nextBoolean())) {
                    check(keys, expected, Integer.toString(number));
                } else if (i >= firstInteger) {
                    check(keys, expected, random.nextBoolean() ? (long) number : number * Long.MIN_VALUE / 64);
                }
            }
            all(keys, expected, round);
            KeyDictionary other = new KeyDictionary();
            if (random.nextBoolean()) {
                other.id("before");
            }
            int[] ids = other.addAll(keys);
            assertThat(ids).hasSize(expected.size());
            for (int id = 0; id < ids.length; id++) {
                assertThat(other.label(ids[id])).isEqualTo(keys.label(id));
            }
        }
    }

    private static void check(KeyDictionary keys, List<Object> expected, Object key) {
        int known = expected.indexOf(key);
        if (known < 0) {
            known = expected.size();
            expected.add(key);
        }
        int id = key instanceof Long integer ? keys.id((long) integer) : keys.id((String) key);
        assertThat(id).isEqualTo(known);
    }

    private static void all(KeyDictionary keys, List<Object> expected, int round) {
        assertThat(keys.size()).as("seed %d, round %d", SEED, round).isEqualTo(expected.size());
        for (int id = 0; id < expected.size(); id++) {
            assertThat(keys.isString(id))
                    .as("seed %d, round %d", SEED, round)
                    .isEqualTo(expected.get(id) instanceof String);
            if (expected.get(id) instanceof String string) {
                assertThat(keys.string(id)).isEqualTo(string);
            } else {
                assertThat(keys.integer(id)).isEqualTo(expected.get(id));
            }
        }
    }
}
