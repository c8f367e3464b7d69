package io.downbeat.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.netflix.conductor.client.automator.TaskRunnerConfigurer;
import com.netflix.conductor.client.http.ConductorClient;
import com.netflix.conductor.client.http.TaskClient;
import com.netflix.conductor.client.worker.Worker;
import com.netflix.conductor.common.metadata.tasks.Task;
import com.netflix.conductor.common.metadata.tasks.TaskResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** With the Java SDK's workers beside mocks: their task is carried out, then the clock goes on. */
@ExtendWith(DownbeatExtension.class)
class WithWorkersTest {
    private static final String GREETING =
            """
            {"name": "greeting", "version": 1, "ownerEmail": "team@example.com",
             "outputParameters": {"said": "${greet.output.greeting}"},
             "tasks": [
               {"name": "pause", "taskReferenceName": "pause", "type": "WAIT",
                "inputParameters": {"duration": "30 days"}},
               {"name": "greet", "taskReferenceName": "greet", "type": "SIMPLE",
                "inputParameters": {"name": "${workflow.input.name}"}}]}
            """;

    /** Says hello. */
    private static final class Greeter implements Worker {
        @Override
        public String getTaskDefName() {
            return "greet";
        }

        @Override
        public TaskResult execute(Task task) {
            TaskResult result = new TaskResult(task);
            result.setStatus(TaskResult.Status.COMPLETED);
            result.addOutputData("greeting", "Hello " + task.getInputData().get("name"));
            return result;
        }
    }

    @Test
    void aWorkerOfTheSdkBesideAWaitOfThirtyDays(DownbeatServer server) {
        server.register(GREETING);
        TaskClient client = new TaskClient(new ConductorClient(server.apiUrl()));
        TaskRunnerConfigurer workers =
                new TaskRunnerConfigurer.Builder(client, List.of(new Greeter()))
                        .withThreadCount(1)
                        .build();
        workers.init();
        try {
            String id = server.start("greeting", Map.of("name", "Ann"));
            JsonNode execution = server.ended(id, Duration.ofSeconds(30));
            server.completed(id);
            assertEquals("Hello Ann", execution.get("output").get("said").asText());
            long took = execution.get("endTime").asLong() - execution.get("startTime").asLong();
            assertTrue(took >= Duration.ofDays(30).toMillis(), "took " + took);
        } finally {
            workers.shutdown();
        }
    }

    @Test
    void aMockInPlaceOfTheWorker(DownbeatServer server) {
        server.register(GREETING);
        Map<String, ?> hoarse = Map.of("status", "FAILED", "reasonForIncompletion", "hoarse");
        server.mock(Map.of("taskName", "greet", "attempts", List.of(hoarse, Map.of())));
        String id = server.run("greeting", Map.of("name", "Bob")).get("workflowId").asText();
        server.completed(id);
        server.tookPath(id, "pause", "greet", "greet");
        server.gotInput(id, "greet", "name", "Bob");
    }

    @Test
    void aFailureSaysWhy(DownbeatServer server) {
        server.register(GREETING);
        assertEquals(0, server.mocks().size(), "mocks of other tests");
        server.mock(
                Map.of(
                        "taskName", "greet",
                        "status", "FAILED_WITH_TERMINAL_ERROR",
                        "reasonForIncompletion", "hoarse"));
        String id = server.run("greeting", Map.of("name", "Bob")).get("workflowId").asText();
        String said = assertThrows(AssertionError.class, () -> server.completed(id)).getMessage();
        assertTrue(said.contains("is FAILED, not COMPLETED"), said);
        assertTrue(said.contains("Why: ") && said.contains("hoarse"), said);
        RequestRefused refused =
                assertThrows(RequestRefused.class, () -> server.mock(Map.of("outputs", 1)));
        assertEquals(400, refused.status());
        assertTrue(refused.getMessage().contains("'outputs' is no field of a mock"));
    }

    @Test
    void aRunWithASeedRepeats() {
        assertEquals(firstId(), firstId());
    }

    private static String firstId() {
        try (DownbeatServer server = DownbeatServer.options().seed(7).start()) {
            server.register(GREETING);
            return server.start("greeting", Map.of());
        }
    }
}
