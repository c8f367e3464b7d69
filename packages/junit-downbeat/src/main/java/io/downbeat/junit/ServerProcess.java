package io.downbeat.junit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The process of a test server. It prints its address once it serves. */
final class ServerProcess {
    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 10;
    private static final int LINES_KEPT = 20;

    private final Process process;
    private final String url;

    private ServerProcess(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    static ServerProcess start(List<String> words) {
        String given = System.getenv().getOrDefault("TEST_DOWNBEAT_COMMAND", "downbeat");
        List<String> command = new ArrayList<>(List.of(given.trim().split("\\s+")));
        command.addAll(words);
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException error) {
            throw new IllegalStateException(
                    "The command " + given + " cannot be started: install downbeat, or set"
                            + " TEST_DOWNBEAT_COMMAND",
                    error);
        }
        CompletableFuture<String> address = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(process, address), "downbeat-output");
        reader.setDaemon(true);
        reader.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        try {
            return new ServerProcess(process, address.get(START_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException error) {
            process.destroyForcibly();
            throw new IllegalStateException("The test server does not serve", error);
        } catch (InterruptedException error) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The start was interrupted", error);
        }
    }

    /** Reads to the end, so that the server never waits for somebody to read. */
    private static void read(Process process, CompletableFuture<String> address) {
        List<String> said = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.matches("https?://\\S+")) address.complete(line);
                said.add(line);
                if (said.size() > LINES_KEPT) said.remove(0);
            }
        } catch (IOException error) {
            address.completeExceptionally(error);
        }
        address.completeExceptionally(new IllegalStateException(String.join("\n", said)));
    }

    String url() {
        return url;
    }

    void stop() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException error) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
