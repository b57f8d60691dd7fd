package org.polygraph.storage.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.util.ByteArrayReadableSeekableByteChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrayFileTest {
    private static final long SEED = 0xa11a;

    @TempDir
    Path folder;

    private Location file() throws IOException {
        return Location.of(folder.resolve("stage").toString());
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        Random random = new Random(SEED);
        int[] ints = random.ints(40_000).toArray();
        long[] longs = random.longs(9_001).toArray();
        byte[] bytes = new byte[100_003];
        random.nextBytes(bytes);
        file().write(new ArrayFile()
                .put("ints", ints)
                .put("none", new int[0])
                .put("bytes", bytes)
                .put("longs", longs)::writeTo);
        ArrayFile read = ArrayFile.read(file());
        assertThat(read.ints("ints")).isEqualTo(ints);
        assertThat(read.ints("none")).isEmpty();
        assertThat(read.bytes("bytes")).isEqualTo(bytes);
        assertThat(read.longs("longs")).isEqualTo(longs);
        assertThat(read.has("other")).isFalse();
        assertThatThrownBy(() -> read.longs("ints")).isInstanceOf(ArrayFile.DamagedException.class);
    }

    @Test
    void damageIsFoundWhereverItIs() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArrayFile()
                .put("a", new int[] {1, 2, 3})
                .put("b", new byte[] {4})
                .put("c", new long[] {5})
                .writeTo(out);
        byte[] whole = out.toByteArray();
        assertThat(ArrayFile.of(whole).ints("a")).containsExactly(1, 2, 3);
        for (int length = 0; length < whole.length; length++) {
            damaged(Arrays.copyOf(whole, length), length + " bytes");
        }
        damaged(Arrays.copyOf(whole, whole.length + 1), "one byte more");
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] changed = whole.clone();
            changed[bit >> 3] ^= (byte) (1 << (bit & 7));
            damaged(changed, "bit " + bit);
        }
        Random random = new Random(SEED);
        for (int round = 0; round < 20_000; round++) {
            byte[] changed = whole.clone();
            for (int i = random.nextInt(8); i >= 0; i--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            if (!Arrays.equals(changed, whole)) {
                damaged(changed, "round " + round + " of seed " + SEED);
            }
        }
    }

    private static void damaged(byte[] bytes, String what) {
        assertThatThrownBy(() -> ArrayFile.of(bytes)).as(what).isInstanceOf(ArrayFile.DamagedException.class);
    }

    /** Reads the file with the library of the format, which shares with ours only the classes of its messages. */
    @Test
    void arrowReadsIt() throws IOException {
        Random random = new Random(SEED);
        for (int round = 0; round < 20; round++) {
            int[] ints = random.ints(random.nextInt(1 << random.nextInt(17))).toArray();
            long[] longs = random.longs(random.nextInt(1 << random.nextInt(16))).toArray();
            byte[] bytes = new byte[random.nextInt(1 << random.nextInt(18))];
            random.nextBytes(bytes);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new ArrayFile()
                    .put("bytes", bytes)
                    .put("ints", ints)
                    .put("none", new long[0])
                    .put("longs", longs)
                    .writeTo(out);
            byte[] file = out.toByteArray();
            try (BufferAllocator memory = new RootAllocator();
                    ArrowFileReader reader =
                            new ArrowFileReader(new ByteArrayReadableSeekableByteChannel(file), memory)) {
                assertThat(reader.loadNextBatch()).isTrue();
                VectorSchemaRoot root = reader.getVectorSchemaRoot();
                assertThat(root.getRowCount()).isEqualTo(1);
                assertThat(root.getVector("bytes").getObject(0)).isEqualTo(bytes);
                assertThat((List<?>) root.getVector("ints").getObject(0))
                        .isEqualTo(Arrays.stream(ints).boxed().toList());
                assertThat((List<?>) root.getVector("longs").getObject(0))
                        .isEqualTo(Arrays.stream(longs).boxed().toList());
                assertThat((List<?>) root.getVector("none").getObject(0)).isEmpty();
                assertThat(reader.loadNextBatch()).isFalse();
                CRC32C sum = new CRC32C();
                int footer = ByteBuffer.wrap(file)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getInt(file.length - "ARROW1".length() - Integer.BYTES);
                sum.update(file, 0, file.length - "ARROW1".length() - Integer.BYTES - footer);
                assertThat(reader.getMetaData())
                        .containsEntry("rows", "1")
                        .containsEntry("crc32c", Long.toHexString(sum.getValue()));
            }
        }
    }
}
