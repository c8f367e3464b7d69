// Drives the published Java client's offloading of large payloads: a start and a worker of its task runner put what is over a
// threshold into the server's store and send its path; the next worker and the output of the workflow have what stands there.
// Usage: java -cp LIBRARIES PayloadCheck.java http://127.0.0.1:PORT/api KEY SECRET   Prints "all ok", or what is wrong and exits with 1.

import com.netflix.conductor.client.automator.TaskRunnerConfigurer;
import com.netflix.conductor.client.config.DefaultConductorClientConfiguration;
import com.netflix.conductor.client.http.ConductorClient;
import com.netflix.conductor.client.http.HeaderSupplier;
import com.netflix.conductor.client.http.MetadataClient;
import com.netflix.conductor.client.http.TaskClient;
import com.netflix.conductor.client.http.WorkflowClient;
import com.netflix.conductor.client.worker.Worker;
import com.netflix.conductor.common.metadata.tasks.Task;
import com.netflix.conductor.common.metadata.tasks.TaskDef;
import com.netflix.conductor.common.metadata.tasks.TaskResult;
import com.netflix.conductor.common.metadata.workflow.StartWorkflowRequest;
import com.netflix.conductor.common.metadata.workflow.WorkflowDef;
import com.netflix.conductor.common.metadata.workflow.WorkflowTask;
import com.netflix.conductor.common.run.Workflow;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

public class PayloadCheck {
    private static final long UNTIL_MS = 30_000;
    /** Over the thresholds below. */
    private static final String LARGE = "large-".repeat(1000);

    /** Everything of more than 1 KB goes to the store. */
    private static class Offloading extends DefaultConductorClientConfiguration {
        @Override
        public int getWorkflowInputPayloadThresholdKB() {
            return 1;
        }

        @Override
        public int getTaskOutputPayloadThresholdKB() {
            return 1;
        }

        @Override
        public boolean isExternalPayloadStorageEnabled() {
            return true;
        }

        @Override
        public boolean isEnforceThresholds() {
            return true;
        }
    }

    /** Gives back its input, and remembers it. */
    private static class Echo implements Worker {
        private final String name;
        private final Map<String, Object> seen;

        Echo(String name, Map<String, Object> seen) {
            this.name = name;
            this.seen = seen;
        }

        @Override
        public String getTaskDefName() {
            return name;
        }

        @Override
        public TaskResult execute(Task task) {
            seen.put(name, task.getInputData().get("text"));
            TaskResult result = new TaskResult(task);
            result.getOutputData().put("text", task.getInputData().get("text"));
            result.setStatus(TaskResult.Status.COMPLETED);
            return result;
        }
    }

    public static void main(String[] args) {
        try {
            check(args);
            System.out.println("all ok");
            System.exit(0);
        } catch (Exception error) {
            // The runner's threads would keep the programme alive.
            error.printStackTrace();
            System.exit(1);
        }
    }

    private static void check(String[] args) throws Exception {
        ConductorClient client = clientOf(args);
        WorkflowClient workflows = new WorkflowClient(client, new Offloading());
        TaskClient tasks = new TaskClient(client, new Offloading());
        register(new MetadataClient(client));
        Map<String, Object> seen = new ConcurrentHashMap<>();
        List<Worker> workers = List.of(new Echo("java_large_a", seen), new Echo("java_large_b", seen));
        TaskRunnerConfigurer runner = new TaskRunnerConfigurer.Builder(tasks, workers).withThreadCount(2).build();
        runner.init();
        StartWorkflowRequest request = new StartWorkflowRequest();
        request.setName("java_large");
        request.setVersion(1);
        request.setInput(Map.of("text", LARGE));
        String id = workflows.startWorkflow(request);
        long deadline = System.currentTimeMillis() + UNTIL_MS;
        Workflow workflow = workflows.getWorkflow(id, true);
        while (workflow.getStatus() == Workflow.WorkflowStatus.RUNNING && System.currentTimeMillis() < deadline) {
            Thread.sleep(50);
            workflow = workflows.getWorkflow(id, true);
        }
        equal("the status", Workflow.WorkflowStatus.COMPLETED, workflow.getStatus());
        equal("the start sent a path", true, isPath(workflow.getExternalInputPayloadStoragePath()));
        Task first = workflow.getTasks().get(0);
        equal("the worker sent a path", true, isPath(first.getExternalOutputPayloadStoragePath()));
        equal("an offloaded output is shown empty", Map.of(), first.getOutputData());
        equal("the first worker had the input", LARGE, seen.get("java_large_a"));
        equal("the second worker had the first one's output", LARGE, seen.get("java_large_b"));
        equal("the output of the workflow", LARGE, workflow.getOutput().get("text"));
        runner.shutdown();
    }

    private static void register(MetadataClient metadata) {
        WorkflowDef def = new WorkflowDef();
        def.setName("java_large");
        def.setVersion(1);
        def.setOwnerEmail("sdk@downbeat.test");
        def.setTasks(List.of(step("java_large_a", "${workflow.input.text}"), step("java_large_b", "${java_large_a.output.text}")));
        def.setOutputParameters(Map.of("text", "${java_large_b.output.text}"));
        for (WorkflowTask task : def.getTasks()) {
            metadata.registerTaskDefs(List.of(new TaskDef(task.getName(), "", "sdk@downbeat.test", 0, 0, 60)));
        }
        metadata.updateWorkflowDefs(List.of(def));
    }

    private static WorkflowTask step(String name, String text) {
        WorkflowTask task = new WorkflowTask();
        task.setName(name);
        task.setTaskReferenceName(name);
        task.setType("SIMPLE");
        task.setInputParameters(Map.of("text", text));
        return task;
    }

    private static boolean isPath(String path) {
        return path != null && path.endsWith(".json");
    }

    private static void equal(String name, Object expected, Object seen) {
        if (Objects.equals(expected, seen)) return;
        System.out.println("failed: " + name + "; expected: " + expected + "; seen: " + seen);
        System.exit(1);
    }

    private static ConductorClient clientOf(String[] args) throws Exception {
        String key = String.format("{\"keyId\":\"%s\",\"keySecret\":\"%s\"}", args[1], args[2]);
        HttpRequest request = HttpRequest.newBuilder(URI.create(args[0] + "/token"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(key))
            .build();
        String answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
        String token = answer.replaceFirst(".*\"token\":\"([^\"]+)\".*", "$1");
        var builder = new ConductorClient.Builder<>();
        builder.basePath(args[0]);
        builder.addHeaderSupplier(new HeaderSupplier() {
            @Override
            public void init(ConductorClient client) {}

            @Override
            public Map<String, String> get(String method, String path) {
                return Map.of("X-Authorization", token);
            }
        });
        return builder.build();
    }
}
