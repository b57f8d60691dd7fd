package org.polygraph.jobs.watch;

import java.io.Closeable;
import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** A topic of Kafka, such as {@code kafka://host:9092/history}. Each of its partitions is a source. */
final class WatchedTopic implements Closeable {
    static final String SCHEME = "kafka://";
    /** Partitions that are added later are found within this time. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final String TIMEOUT_MILLIS = "15000";

    private final String source;
    private final String topic;
    private final Properties properties = new Properties();
    private final Admin admin;
    private @Nullable KafkaFuture<TopicDescription> looking;
    private String identity = "";
    private int partitions;
    private long lookedNanos;

    /**
     * Connects to a broker at its first use.
     *
     * @param client a file of the client's properties, such as those of TLS; null for none
     */
    WatchedTopic(String source, @Nullable Path client) throws IOException {
        int slash = source.lastIndexOf('/');
        this.source = source;
        this.topic = source.substring(slash + 1);
        if (slash < SCHEME.length() + 1 || topic.isEmpty()) {
            throw new IOException("a topic is written " + SCHEME + "HOST:PORT[,HOST:PORT...]/TOPIC");
        }
        properties.put(ConsumerConfig.CLIENT_ID_CONFIG, "polygraph-watch");
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
        properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
        if (client != null) {
            try (Reader in = Files.newBufferedReader(client)) {
                properties.load(in);
            }
        }
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, source.substring(SCHEME.length(), slash));
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        try {
            admin = Admin.create(properties);
        } catch (KafkaException e) {
            throw failed(e);
        }
    }

    /** Kafka's exceptions often have their reason in their cause. */
    private IOException failed(Throwable thrown) {
        Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
        return new IOException(source + ": " + cause.getMessage(), thrown);
    }

    /**
     * Opens partitions that are not open.
     *
     * @param places where an earlier watch ended, by the name of a source
     * @param notice gets what people should know
     */
    List<Source> added(Map<String, Place> places, Consumer<String> notice) throws IOException {
        List<Source> added = new ArrayList<>();
        long now = System.nanoTime();
        if (looking == null && (partitions == 0 || now - lookedNanos >= LOOK_NANOS)) {
            lookedNanos = now;
            looking = admin.describeTopics(List.of(topic)).topicNameValues().get(topic);
        }
        KafkaFuture<TopicDescription> looked = looking;
        if (looked == null || (partitions > 0 && !looked.isDone())) {
            return added;
        }
        looking = null;
        try {
            TopicDescription found = looked.get();
            String current = found.topicId().toString();
            if (partitions > 0 && !current.equals(identity)) {
                throw new IOException(source + ": the topic was deleted and made anew; start the watch again");
            }
            identity = current;
            for (; partitions < found.partitions().size(); partitions++) {
                added.add(partition(partitions, places, notice));
            }
        } catch (ExecutionException | KafkaException e) {
            // Brokers may be away for a while.
            if (partitions == 0 || !(e.getCause() instanceof RetriableException)) {
                throw failed(e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return added;
    }

    private Source partition(int number, Map<String, Place> places, Consumer<String> notice) {
        String name = SCHEME + topic + "/" + number;
        Place behind = places.get(name);
        if (behind != null && !behind.file().equals(identity)) {
            notice.accept(name + ": the topic was made anew since the last watch ended; it is read from its beginning");
            behind = null;
        }
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        TopicPartition partition = new TopicPartition(topic, number);
        consumer.assign(List.of(partition));
        if (behind != null) {
            consumer.seek(partition, behind.offset());
        } else {
            consumer.seekToBeginning(List.of(partition));
        }
        return new Partition(name, behind == null ? Place.startOf(identity) : behind, consumer, notice);
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }

    /** Each record is a line, whose number is the offset of the record. */
    private final class Partition extends Source {
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final Consumer<String> notice;
        private Iterator<ConsumerRecord<byte[], byte[]>> records = Collections.emptyIterator();
        private @Nullable ConsumerRecord<byte[], byte[]> record;
        /** Bytes of the record that were given. */
        private int given;

        private long offset;

        Partition(String name, Place begin, KafkaConsumer<byte[], byte[]> consumer, Consumer<String> notice) {
            super(name, begin);
            this.consumer = consumer;
            this.notice = notice;
        }

        private @Nullable ConsumerRecord<byte[], byte[]> record() throws IOException {
            if (record == null && !records.hasNext()) {
                try {
                    records = consumer.poll(Duration.ZERO).iterator();
                } catch (OffsetOutOfRangeException e) {
                    notice.accept(name() + ": records that follow offset " + offset
                            + " were deleted before they were read; the first one that is left is read now");
                    consumer.seekToBeginning(consumer.assignment());
                } catch (KafkaException e) {
                    throw failed(e);
                }
            }
            if (record == null && records.hasNext()) {
                record = records.next();
                offset = record.offset();
                given = 0;
            }
            return record;
        }

        @Override
        int bytes(ByteBuffer into) throws IOException {
            ConsumerRecord<byte[], byte[]> from = record();
            if (from == null) {
                return 0;
            }
            int length = from.value() == null ? 0 : from.value().length;
            while (given < length && into.hasRemaining()) {
                byte next = from.value()[given++];
                // A record is one line, also if it is written in several.
                into.put(next == '\n' ? (byte) ' ' : next);
            }
            if (given == length && into.hasRemaining()) {
                into.put((byte) '\n');
                record = null;
            }
            return into.position();
        }

        @Override
        Place behind(Place read, int bytes) {
            return new Place(read.file(), offset + 1, offset);
        }

        @Override
        long arrivedMillis() throws IOException {
            ConsumerRecord<byte[], byte[]> next = record();
            long now = System.currentTimeMillis();
            return next == null ? now : Math.min(now, next.timestamp());
        }

        @Override
        public void close() {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }
}
