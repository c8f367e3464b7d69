package io.downbeat.junit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A server for tests of workflows: its clock moves, and mocks stand in for tasks.
 *
 * <p>The programme is the one in the environment variable {@code TEST_DOWNBEAT_COMMAND} (words apart by
 * blanks), else {@code downbeat} on PATH. It ends with this process.
 */
public final class DownbeatServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration WAIT = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newHttpClient();
    private final ServerProcess process;

    private DownbeatServer(ServerProcess process) {
        this.process = process;
    }

    /** How a server is to be started. */
    public static Options options() {
        return new Options();
    }

    /** Starts a server. */
    public static final class Options {
        private final List<String> words = new ArrayList<>(List.of("test-server"));

        /** {@code auto}: it moves by itself; {@code manual}: the test moves it. */
        public Options clock(String clock) {
            return settings("--clock", clock);
        }

        /** A run with the same seed and the same requests repeats. */
        public Options seed(long seed) {
            return settings("--seed", Long.toString(seed));
        }

        /** Words of the command line. */
        public Options settings(String... settings) {
            words.addAll(List.of(settings));
            return this;
        }

        public DownbeatServer start() {
            return new DownbeatServer(ServerProcess.start(words));
        }
    }

    /** Its address. */
    public String url() {
        return process.url();
    }

    /** What clients of the API take. */
    public String apiUrl() {
        return url() + "/api";
    }

    /** The clock, what is due next, and what keeps it from moving by itself. */
    public JsonNode clock() {
        return request("GET", "/api/test/clock", null);
    }

    /** Moves the clock on, through each due time in order. */
    public JsonNode advance(Duration by) {
        return request("POST", "/api/test/clock/advance", Map.of("ms", by.toMillis()));
    }

    /** Lets the clock move by itself from now on, or stops that. */
    public JsonNode autoClock(boolean isOn) {
        return request("PUT", "/api/test/clock", Map.of("auto", isOn));
    }

    /** Makes a mock of tasks; the fields are those of {@code POST /api/test/mocks}. */
    public JsonNode mock(Map<String, ?> fields) {
        return request("POST", "/api/test/mocks", fields);
    }

    /** The mocks, with the number of attempts that each has given an outcome. */
    public JsonNode mocks() {
        return request("GET", "/api/test/mocks", null);
    }

    /** Removes all mocks. */
    public void removeMocks() {
        request("DELETE", "/api/test/mocks", null);
    }

    /** Registers a definition of a workflow, JSON text. */
    public void register(String definition) {
        request("PUT", "/api/metadata/workflow", List.of(parse(definition)));
    }

    /** Starts an execution and returns its id. */
    public String start(String name, Map<String, ?> input) {
        return request("POST", "/api/workflow", Map.of("name", name, "input", input)).asText();
    }

    /** Starts an execution and waits for its end, with the clock running meanwhile. */
    public JsonNode run(String name, Map<String, ?> input) {
        return ended(start(name, input), WAIT);
    }

    /**
     * The execution once it has ended; the clock runs until then. Fails with why when nothing is due
     * that could move it, or a worker keeps it for {@code wait} of real time.
     */
    public JsonNode ended(String workflowId, Duration wait) {
        Map<String, ?> body = Map.of("workflowId", workflowId, "waitMs", wait.toMillis());
        JsonNode ran = request("POST", "/api/test/clock/run", body);
        JsonNode execution = execution(workflowId);
        if (ran.get("end").asText().equals("over")) return execution;
        // Work of another execution may keep the clock.
        String heldBy = request("GET", "/api/test/clock", null).path("heldBy").asText("");
        String kept = heldBy.isEmpty() ? "" : ". The clock stands: " + heldBy.replaceAll("\\.$", "");
        throw failure(execution, "is " + statusOf(execution) + ", it has not ended" + kept);
    }

    /** The execution, as the API shows it. */
    public JsonNode execution(String workflowId) {
        return request("GET", "/api/workflow/" + segment(workflowId), null);
    }

    /** The execution, which must have completed. */
    public JsonNode completed(String workflowId) {
        return hasStatus(workflowId, "COMPLETED");
    }

    /** The execution, which must have this status. */
    public JsonNode hasStatus(String workflowId, String status) {
        JsonNode execution = execution(workflowId);
        if (statusOf(execution).equals(status)) return execution;
        throw failure(execution, "is " + statusOf(execution) + ", not " + status);
    }

    /** The execution, which must have scheduled tasks with these reference names in this order. */
    public JsonNode tookPath(String workflowId, String... path) {
        JsonNode execution = execution(workflowId);
        List<String> taken = new ArrayList<>();
        execution.get("tasks").forEach(task -> taken.add(textOf(task, "referenceTaskName")));
        if (taken.equals(List.of(path))) return execution;
        throw failure(execution, "took the path " + taken + ", not " + List.of(path));
    }

    /** The newest task with this reference name, whose input must have this member. */
    public JsonNode gotInput(String workflowId, String referenceName, String name, Object value) {
        JsonNode execution = execution(workflowId);
        JsonNode newest = null;
        for (JsonNode task : execution.get("tasks")) {
            if (textOf(task, "referenceTaskName").equals(referenceName)) newest = task;
        }
        if (newest == null) throw failure(execution, "has no task '" + referenceName + "'");
        JsonNode given = newest.get("inputData").get(name);
        JsonNode wanted = parse(textOf(value));
        if (wanted.equals(given)) return newest;
        String said = "gave task '%s' %s = %s, not %s";
        throw failure(execution, String.format(said, referenceName, name, given, wanted));
    }

    /** Why the execution does not go on, or how it ended. */
    public String why(String workflowId) {
        JsonNode why = request("GET", "/api/workflow/" + segment(workflowId) + "/why", null);
        Set<String> sentences = new LinkedHashSet<>();
        sentences.add(textOf(why, "reason"));
        why.get("waitsFor").forEach(each -> sentences.add(textOf(each, "reason")));
        return String.join(" ", sentences);
    }

    private AssertionError failure(JsonNode execution, String said) {
        String id = textOf(execution, "workflowId");
        List<String> tasks = new ArrayList<>();
        for (JsonNode task : execution.get("tasks")) {
            JsonNode reason = task.get("reasonForIncompletion");
            String shown = textOf(task, "referenceTaskName") + " " + statusOf(task);
            tasks.add(reason == null ? shown : shown + " (" + reason.asText() + ")");
        }
        return new AssertionError(
                "Execution " + id + " " + said + ".\nWhy: " + why(id)
                        + "\nTasks: " + String.join(", ", tasks));
    }

    /**
     * Any request of the API; an answer that is no JSON is a text.
     *
     * @throws RequestRefused when the server refuses it
     */
    public JsonNode request(String method, String route, Object body) {
        HttpRequest.BodyPublisher sent =
                body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(textOf(body));
        HttpRequest asked =
                HttpRequest.newBuilder(URI.create(url() + route))
                        .header("Content-Type", "application/json")
                        .method(method, sent)
                        .build();
        try {
            HttpResponse<String> answer =
                    client.send(asked, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            String text = answer.body();
            if (answer.statusCode() >= 400) {
                throw new RequestRefused(method, route, answer.statusCode(), text);
            }
            String type = answer.headers().firstValue("content-type").orElse("");
            if (type.contains("json")) return parse(text);
            return text.isEmpty() ? NullNode.getInstance() : JSON.getNodeFactory().textNode(text);
        } catch (IOException error) {
            throw new IllegalStateException(method + " " + route + " has failed", error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(method + " " + route + " was interrupted", error);
        }
    }

    /** Ends the server and removes what it stored. */
    @Override
    public void close() {
        process.stop();
    }

    private static String statusOf(JsonNode node) {
        return textOf(node, "status");
    }

    private static String textOf(JsonNode node, String name) {
        return node.get(name).asText();
    }

    private static String textOf(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(error);
        }
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(error);
        }
    }

    private static String segment(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
