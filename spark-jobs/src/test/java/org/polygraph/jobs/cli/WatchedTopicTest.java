package org.polygraph.jobs.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A topic of a broker that runs as a process. */
@Tag("process")
class WatchedTopicTest {
    private static final String HEADER = "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}";

    @TempDir
    private Path folder;

    private String broker = "";

    @Test
    void aTopicIsASource() throws Exception {
        Process process = startBroker();
        try (Admin admin = Admin.create(properties("none"));
                KafkaProducer<byte[], byte[]> plain = producer("none");
                KafkaProducer<byte[], byte[]> undone = producer("undone")) {
            admin.createTopics(List.of(new NewTopic("h", 2, (short) 1))).all().get(60, TimeUnit.SECONDS);
            send(plain, 0, HEADER);
            send(
                    plain,
                    0,
                    transaction(
                            0,
                            1,
                            "{\"op\":\"r\",\"key\":\"x\",\"value\":0},\n{\"op\":\"w\",\"key\":\"x\",\"value\":1}"));
            plain.send(new ProducerRecord<>("h", 1, null, null)).get();
            send(plain, 1, transaction(1, 3, "{\"op\":\"r\",\"key\":\"x\",\"value\":1}"));
            undone.initTransactions();
            undone.beginTransaction();
            send(undone, 1, transaction(9, 4, "{\"op\":\"r\",\"key\":\"x\",\"value\":7}"));
            undone.abortTransaction();
            assertThat(watch().out()).startsWith("PASS  ser  ").contains("  2 txns  3 ops  ");

            admin.createPartitions(Map.of("h", NewPartitions.increaseTo(3)))
                    .all()
                    .get();
            send(plain, 2, transaction(2, 5, "{\"op\":\"w\",\"key\":\"y\",\"value\":1}"));
            assertThat(watch().out()).startsWith("PASS  ser  ").contains("  3 txns  4 ops  ");

            send(plain, 1, "{\"session\":");
            InProcess wrong = watch();
            assertThat(wrong.exitCode()).as(wrong.toString()).isEqualTo(5);
            // Two records and the end of the transaction that was undone are before it.
            assertThat(wrong.err()).contains("kafka://h/1:4:");
            admin.deleteRecords(Map.of(new TopicPartition("h", 1), RecordsToDelete.beforeOffset(5)))
                    .all()
                    .get();
            send(
                    plain,
                    1,
                    transaction(
                            3, 7, "{\"op\":\"r\",\"key\":\"x\",\"value\":0},{\"op\":\"w\",\"key\":\"x\",\"value\":2}"));
            InProcess found = watch();
            assertThat(found.out()).startsWith("VIOLATION  ser  ").contains("  LostUpdate");
            assertThat(found.err()).contains("kafka://h/1: records that follow offset ");

            InProcess none = InProcess.run("watch", "-q", "-l", "ser", "kafka://" + broker + "/none");
            assertThat(none.exitCode()).as(none.toString()).isEqualTo(6);
            assertThat(none.err()).contains("/none: ").doesNotContain("Exception");
        } finally {
            process.destroyForcibly();
        }
    }

    private InProcess watch() {
        String out = folder.resolve("runs").toString();
        return InProcess.run("watch", "-l", "ser", "-o", out, "--idle", "2s", "kafka://" + broker + "/h");
    }

    private static String transaction(int session, int time, String operations) {
        return "{\"session\":" + session + ",\"index\":0,\"start\":" + time + ",\"end\":" + (time + 1)
                + ",\"status\":\"committed\",\"ops\":[" + operations + "]}";
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, int partition, String value) throws Exception {
        producer.send(new ProducerRecord<>("h", partition, null, value.getBytes(UTF_8)))
                .get(60, TimeUnit.SECONDS);
    }

    private Properties properties(String transactions) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", broker);
        if (!transactions.equals("none")) {
            properties.put("transactional.id", transactions);
        }
        return properties;
    }

    private KafkaProducer<byte[], byte[]> producer(String transactions) {
        return new KafkaProducer<>(properties(transactions), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private Process startBroker() throws IOException {
        int client = freePort();
        int controller = freePort();
        broker = "127.0.0.1:" + client;
        Path logs = Files.createDirectories(folder.resolve("logs"));
        Files.writeString(
                logs.resolve("meta.properties"),
                "version=1\ncluster.id=AAAAAAAAAAAAAAAAAAAAAQ\nnode.id=1\ndirectory.id=q1r2ZkT0Rn6m3uV4wX5yzA\n");
        Path settings = folder.resolve("broker.properties");
        Files.write(
                settings,
                List.of(
                        "process.roles=broker,controller",
                        "node.id=1",
                        "controller.quorum.voters=1@127.0.0.1:" + controller,
                        "listeners=PLAINTEXT://127.0.0.1:" + client + ",CONTROLLER://127.0.0.1:" + controller,
                        "controller.listener.names=CONTROLLER",
                        "log.dirs=" + logs,
                        "offsets.topic.replication.factor=1",
                        "transaction.state.log.replication.factor=1",
                        "transaction.state.log.min.isr=1",
                        "transaction.state.log.num.partitions=1",
                        "auto.create.topics.enable=false"));
        List<String> words = Command.java(List.of("-Xmx400m", "-XX:TieredStopAtLevel=1"));
        words.addAll(List.of("kafka.Kafka", settings.toString()));
        return Command.start(folder, Map.of(), folder.resolve("out"), folder.resolve("err"), words);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
