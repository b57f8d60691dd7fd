package org.polygraph.jobs.report.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A headless Chromium with one page, controlled by the DevTools protocol, with the few functions that tests need. */
final class Browser implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SECONDS = 60;

    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<JsonNode> events = new CopyOnWriteArrayList<>();
    private String session = "";

    private Browser(Process process, String address) throws Exception {
        this.process = process;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(address), new Listener())
                .get(SECONDS, TimeUnit.SECONDS);
        JsonNode target = call("Target.createTarget", JSON.createObjectNode().put("url", "about:blank"));
        ObjectNode attach = JSON.createObjectNode();
        attach.put("targetId", target.get("targetId").textValue()).put("flatten", true);
        session = call("Target.attachToTarget", attach).get("sessionId").textValue();
        for (String domain : List.of("Page", "Network", "Runtime", "Log")) {
            call(domain + ".enable", JSON.createObjectNode());
        }
    }

    /** The browser of this machine, if there is one. */
    static Optional<Path> installed() {
        for (String folder : System.getenv().getOrDefault("PATH", "/usr/bin").split(File.pathSeparator, -1)) {
            for (String name : List.of("chromium", "chromium-browser", "google-chrome")) {
                Path file = Path.of(folder, name);
                if (Files.isExecutable(file)) {
                    return Optional.of(file);
                }
            }
        }
        return Optional.empty();
    }

    /** @param profile an empty folder */
    static Browser start(Path program, Path profile) throws Exception {
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("output.txt").toFile())
                .start();
        try {
            Path port = profile.resolve("DevToolsActivePort");
            for (int i = 0; i < SECONDS * 10; i++) {
                if (Files.exists(port) && Files.readAllLines(port).size() >= 2) {
                    List<String> lines = Files.readAllLines(port);
                    return new Browser(process, "ws://127.0.0.1:" + lines.get(0) + lines.get(1));
                }
                if (!process.isAlive()) {
                    break;
                }
                Thread.sleep(100);
            }
            throw new IOException("no browser: " + Files.readString(profile.resolve("output.txt")));
        } catch (Exception e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public void onOpen(WebSocket opened) {
            opened.request(Long.MAX_VALUE);
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                try {
                    JsonNode message = JSON.readTree(text.toString());
                    text.setLength(0);
                    CompletableFuture<JsonNode> answer =
                            answers.remove(message.path("id").asInt(-1));
                    if (answer != null) {
                        answer.complete(message);
                    } else {
                        events.add(message);
                    }
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
            return CompletableFuture.completedStage(null);
        }
    }

    private JsonNode call(String method, ObjectNode parameters) throws Exception {
        int id = ids.incrementAndGet();
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", parameters);
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        socket.sendText(message.toString(), true).get(SECONDS, TimeUnit.SECONDS);
        JsonNode result = answer.get(SECONDS, TimeUnit.SECONDS);
        if (result.has("error")) {
            throw new IOException(method + ": " + result.get("error"));
        }
        return result.get("result");
    }

    /** Opens a page and waits until it has loaded. */
    void open(URI page) throws Exception {
        events.clear();
        call("Page.navigate", JSON.createObjectNode().put("url", page.toString()));
        for (int i = 0; i < SECONDS * 20; i++) {
            if (!of("Page.loadEventFired").isEmpty()) {
                return;
            }
            Thread.sleep(50);
        }
        throw new IOException(page + " does not load");
    }

    /** The parameters of the events of a kind since the page was opened. */
    List<JsonNode> of(String method) {
        return events.stream()
                .filter(event -> event.path("method").asText().equals(method))
                .map(event -> event.get("params"))
                .toList();
    }

    /** The value of a script expression. */
    JsonNode value(String expression) throws Exception {
        ObjectNode parameters = JSON.createObjectNode().put("expression", expression);
        JsonNode result =
                call("Runtime.evaluate", parameters.put("returnByValue", true).put("userGesture", true));
        if (result.has("exceptionDetails")) {
            throw new IOException(result.get("exceptionDetails").toString());
        }
        return result.get("result").path("value");
    }

    /** Presses a key. */
    void press(String key) throws Exception {
        ObjectNode down =
                JSON.createObjectNode().put("type", "keyDown").put("key", key).put("code", key);
        if (key.equals("Enter")) {
            down.put("text", "\r").put("windowsVirtualKeyCode", 13);
        } else if (key.equals("Tab")) {
            down.put("windowsVirtualKeyCode", 9);
        }
        call("Input.dispatchKeyEvent", down);
        ObjectNode up = down.deepCopy();
        up.remove("text");
        call("Input.dispatchKeyEvent", up.put("type", "keyUp"));
    }

    /** Sets the size in CSS pixels and the colour scheme. */
    void show(int width, int height, String scheme) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                JSON.createObjectNode()
                        .put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        ObjectNode media = JSON.createObjectNode();
        media.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", scheme);
        call("Emulation.setEmulatedMedia", media);
    }

    /** Returns a picture of the page as PNG. */
    byte[] screenshot() throws Exception {
        return call("Page.captureScreenshot", JSON.createObjectNode().put("captureBeyondViewport", true))
                .get("data")
                .binaryValue();
    }

    @Override
    public void close() {
        session = "";
        try {
            call("Browser.close", JSON.createObjectNode());
        } catch (Exception e) {
            process.destroy();
        }
        try {
            process.onExit().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
