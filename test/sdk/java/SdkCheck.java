// Drives a server with the published Java client: definitions, its task runner, polls, controls and queries.
// Usage: java -cp LIBRARIES SdkCheck.java http://127.0.0.1:PORT/api   Prints "ok NAME" per check; exits with 1 at the first that fails.

import com.netflix.conductor.client.automator.TaskRunnerConfigurer;
import com.netflix.conductor.client.http.ConductorClient;
import com.netflix.conductor.client.http.MetadataClient;
import com.netflix.conductor.client.http.TaskClient;
import com.netflix.conductor.client.http.WorkflowClient;
import com.netflix.conductor.client.worker.Worker;
import com.netflix.conductor.common.metadata.tasks.Task;
import com.netflix.conductor.common.metadata.tasks.TaskDef;
import com.netflix.conductor.common.metadata.tasks.TaskResult;
import com.netflix.conductor.common.metadata.workflow.RerunWorkflowRequest;
import com.netflix.conductor.common.metadata.workflow.StartWorkflowRequest;
import com.netflix.conductor.common.metadata.workflow.WorkflowDef;
import com.netflix.conductor.common.metadata.workflow.WorkflowTask;
import com.netflix.conductor.common.run.Workflow;
import com.netflix.conductor.common.run.WorkflowTestRequest;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

public class SdkCheck {
    private static final long UNTIL_MS = 20_000;

    private final MetadataClient metadata;
    private final WorkflowClient workflows;
    private final TaskClient tasks;

    private SdkCheck(ConductorClient client) {
        metadata = new MetadataClient(client);
        workflows = new WorkflowClient(client);
        tasks = new TaskClient(client);
    }

    public static void main(String[] args) throws Exception {
        SdkCheck check = new SdkCheck(clientOf(args));
        check.definitions();
        check.workers();
        check.polls();
        check.controls();
        check.otherDefinitionCalls();
        check.otherWorkflowCalls();
        check.otherTaskCalls();
        System.out.println("all ok");
        System.exit(0);
    }

    /** With the token of an access key where one is given. */
    private static ConductorClient clientOf(String[] args) throws Exception {
        if (args.length < 3) return new ConductorClient(args[0]);
        String body = String.format("{\"keyId\":\"%s\",\"keySecret\":\"%s\"}", args[1], args[2]);
        var request = java.net.http.HttpRequest.newBuilder(java.net.URI.create(args[0] + "/token"))
            .header("Content-Type", "application/json")
            .POST(java.net.http.HttpRequest.BodyPublishers.ofString(body))
            .build();
        String answer = java.net.http.HttpClient.newHttpClient()
            .send(request, java.net.http.HttpResponse.BodyHandlers.ofString())
            .body();
        String token = answer.replaceFirst(".*\"token\":\"([^\"]+)\".*", "$1");
        var header = new com.netflix.conductor.client.http.HeaderSupplier() {
            @Override
            public void init(ConductorClient client) {}

            @Override
            public java.util.Map<String, String> get(String method, String path) {
                return java.util.Map.of("X-Authorization", token);
            }
        };
        var builder = new ConductorClient.Builder<>();
        builder.basePath(args[0]);
        builder.addHeaderSupplier(header);
        return builder.build();
    }

    private static void check(String name, boolean condition, Object seen) {
        if (!condition) {
            System.out.println("failed: " + name + "; seen: " + seen);
            System.exit(1);
        }
        System.out.println("ok " + name);
    }

    private static <T> T until(String what, Supplier<T> look) throws InterruptedException {
        long deadline = System.currentTimeMillis() + UNTIL_MS;
        while (System.currentTimeMillis() < deadline) {
            T found = look.get();
            if (found != null) return found;
            Thread.sleep(50);
        }
        check("waited for " + what, false, null);
        return null;
    }

    private void registerTask(String name, int retryCount) {
        TaskDef def = new TaskDef(name, name, "sdk@downbeat.test", retryCount, 0, 60);
        def.setRetryDelaySeconds(0);
        metadata.registerTaskDefs(List.of(def));
    }

    private static WorkflowTask simple(String name, String ref, Map<String, Object> input) {
        WorkflowTask task = new WorkflowTask();
        task.setName(name);
        task.setTaskReferenceName(ref);
        task.setType("SIMPLE");
        task.setInputParameters(input);
        return task;
    }

    private void registerWorkflow(String name, Map<String, Object> output, WorkflowTask... steps) {
        WorkflowDef def = new WorkflowDef();
        def.setName(name);
        def.setVersion(1);
        def.setOwnerEmail("sdk@downbeat.test");
        def.setTasks(List.of(steps));
        def.setOutputParameters(output);
        metadata.updateWorkflowDefs(List.of(def));
    }

    private String start(String name, Map<String, Object> input) {
        StartWorkflowRequest request = new StartWorkflowRequest();
        request.setName(name);
        request.setVersion(1);
        request.setInput(input);
        return workflows.startWorkflow(request);
    }

    private Workflow untilStatus(String id, Workflow.WorkflowStatus status) throws InterruptedException {
        return until(status + " of " + id, () -> {
            Workflow workflow = workflows.getWorkflow(id, true);
            return workflow.getStatus() == status ? workflow : null;
        });
    }

    private void definitions() {
        registerTask("java_defined", 2);
        check("task definition", metadata.getTaskDef("java_defined").getRetryCount() == 2, null);
        registerWorkflow("java_defined_flow", Map.of(), simple("java_defined", "a", Map.of("x", 1)));
        WorkflowDef read = metadata.getWorkflowDef("java_defined_flow", 1);
        check("workflow definition", read.getTasks().get(0).getInputParameters().equals(Map.of("x", 1)), read);
        metadata.unregisterWorkflowDef("java_defined_flow", 1);
        metadata.unregisterTaskDef("java_defined");
    }

    private void workers() throws Exception {
        registerTask("java_greet", 0);
        registerWorkflow("java_greetings", Map.of("result", "${greet.output.text}"),
            simple("java_greet", "greet", Map.of("name", "${workflow.input.name}")));
        Worker greet = Worker.create("java_greet", task -> {
            TaskResult result = new TaskResult(task);
            result.setStatus(TaskResult.Status.COMPLETED);
            result.getOutputData().put("text", "hello " + task.getInputData().get("name"));
            return result;
        });
        TaskRunnerConfigurer runner =
            new TaskRunnerConfigurer.Builder(tasks, List.of(greet)).withThreadCount(2).build();
        runner.init();
        String id = start("java_greetings", Map.of("name", "you"));
        Workflow ended = untilStatus(id, Workflow.WorkflowStatus.COMPLETED);
        runner.shutdown();
        check("workers", ended.getOutput().equals(Map.of("result", "hello you")), ended.getOutput());
    }

    private void polls() throws Exception {
        registerTask("java_polled", 1);
        registerWorkflow("java_polls", Map.of(), simple("java_polled", "a", Map.of("k", "${workflow.input.k}")));
        String id = start("java_polls", Map.of("k", 5));
        until("the queue size", () -> tasks.getQueueSizeForTask("java_polled") == 1 ? true : null);
        Task first = until("a task", () -> tasks.pollTask("java_polled", "java", null));
        check("poll", first.getInputData().equals(Map.of("k", 5)), first.getInputData());
        tasks.logMessageForTask(first.getTaskId(), "a line");
        check("logs", until("logs", () -> tasks.getTaskLogs(first.getTaskId())).size() == 1, null);
        TaskResult failed = new TaskResult(first);
        failed.setStatus(TaskResult.Status.FAILED);
        failed.setReasonForIncompletion("first");
        tasks.updateTask(failed);
        Task second = until("its second attempt", () -> {
            List<Task> batch = tasks.batchPollTasksByTaskType("java_polled", "java", 5, 500);
            return batch.isEmpty() ? null : batch.get(0);
        });
        check("retry", second.getRetryCount() == 1, second);
        TaskResult done = new TaskResult(second);
        done.setStatus(TaskResult.Status.COMPLETED);
        done.getOutputData().put("answer", 42);
        tasks.updateTask(done);
        Workflow ended = untilStatus(id, Workflow.WorkflowStatus.COMPLETED);
        check("output", ended.getOutput().equals(Map.of("answer", 42)), ended.getOutput());
        check("attempts", ended.getTasks().size() == 2, ended.getTasks());
    }

    private void controls() throws Exception {
        registerTask("java_control", 0);
        registerWorkflow("java_controls", Map.of(), simple("java_control", "a", Map.of()));
        String id = start("java_controls", Map.of());
        workflows.pauseWorkflow(id);
        untilStatus(id, Workflow.WorkflowStatus.PAUSED);
        workflows.resumeWorkflow(id);
        workflows.terminateWorkflow(id, "enough");
        Workflow ended = untilStatus(id, Workflow.WorkflowStatus.TERMINATED);
        check("terminate", "enough".equals(ended.getReasonForIncompletion()), ended.getReasonForIncompletion());
        workflows.restart(id, false);
        untilStatus(id, Workflow.WorkflowStatus.RUNNING);
        check("running", workflows.getRunningWorkflow("java_controls", 1).contains(id), null);
        check("search", until("the search", () -> {
            long hits = workflows.search("workflowType='java_controls' AND status='RUNNING'").getTotalHits();
            return hits == 1 ? hits : null;
        }) == 1, null);
        workflows.terminateWorkflow(id, "done");
        workflows.deleteWorkflow(id, false);
        try {
            workflows.getWorkflow(id, false);
            check("deletion", false, id);
        } catch (com.netflix.conductor.client.exception.ConductorClientException error) {
            check("deletion", error.getStatus() == 404, error);
        }
    }

    private void otherDefinitionCalls() {
        registerTask("java_other", 1);
        TaskDef changed = metadata.getTaskDef("java_other");
        changed.setDescription("changed");
        metadata.updateTaskDef(changed);
        check("update of a task definition", "changed".equals(metadata.getTaskDef("java_other").getDescription()), null);
        check("all task definitions", metadata.getAllTaskDefs().stream().anyMatch(def -> def.getName().equals("java_other")), null);
        WorkflowDef def = new WorkflowDef();
        def.setName("java_other_flow");
        def.setOwnerEmail("sdk@downbeat.test");
        def.setTasks(List.of(simple("java_other", "a", Map.of())));
        metadata.registerWorkflowDef(def);
        try {
            metadata.registerWorkflowDef(def);
            check("refusal of a known definition", false, null);
        } catch (com.netflix.conductor.client.exception.ConductorClientException error) {
            check("refusal of a known definition", error.getStatus() == 409, error);
        }
        check("latest definitions", metadata.getAllWorkflowsWithLatestVersions().stream()
            .anyMatch(each -> each.getName().equals("java_other_flow")), null);
        check("latest version", metadata.getWorkflowDef("java_other_flow", null).getVersion() == 1, null);
    }

    private void otherWorkflowCalls() throws Exception {
        registerTask("java_flow", 0);
        registerWorkflow("java_flows", Map.of("k", "${a.output.k}"), simple("java_flow", "a", Map.of()), simple("java_flow", "b", Map.of()));
        StartWorkflowRequest request = new StartWorkflowRequest();
        request.setName("java_flows");
        request.setVersion(1);
        request.setCorrelationId("java-corr");
        request.setPriority(7);
        String id = workflows.startWorkflow(request);
        check("correlated", workflows.getWorkflows("java_flows", "java-corr", true, true).get(0).getWorkflowId().equals(id), null);
        long now = System.currentTimeMillis();
        check("by time", workflows.getWorkflowsByTimePeriod("java_flows", 1, now - 600_000, now + 600_000).contains(id), null);
        workflows.runDecider(id);
        workflows.resetCallbacksForInProgressTasks(id);
        workflows.skipTaskFromWorkflow(id, "b");
        TaskResult failed = new TaskResult(newest(workflows.getWorkflow(id, true), "a"));
        failed.setStatus(TaskResult.Status.FAILED);
        tasks.updateTask(failed);
        untilStatus(id, Workflow.WorkflowStatus.FAILED);
        workflows.retryLastFailedTask(id);
        Workflow retried = untilStatus(id, Workflow.WorkflowStatus.RUNNING);
        Task attempt = newest(retried, "a");
        TaskResult done = new TaskResult(attempt);
        done.setStatus(TaskResult.Status.COMPLETED);
        done.getOutputData().put("k", List.of(1, 2.5, "x"));
        tasks.updateTask(done);
        Workflow ended = untilStatus(id, Workflow.WorkflowStatus.COMPLETED);
        check("skip", ended.getTasks().stream().anyMatch(task -> task.getStatus() == Task.Status.SKIPPED), ended.getTasks());
        check("output of many types", ended.getOutput().equals(Map.of("k", List.of(1, 2.5, "x"))), ended.getOutput());
        RerunWorkflowRequest rerun = new RerunWorkflowRequest();
        rerun.setReRunFromTaskId(attempt.getTaskId());
        check("rerun", workflows.rerunWorkflow(id, rerun).equals(id), null);
        untilStatus(id, Workflow.WorkflowStatus.RUNNING);
        check("bulk", workflows.terminateWorkflows(List.of(id), "enough").getBulkSuccessfulResults().contains(id), null);
        check("search in full", until("the search", () -> {
            var found = workflows.searchV2(0, 10, "startTime:DESC", "*", "workflowType='java_flows'");
            return found.getTotalHits() == 1 ? found : null;
        }).getResults().get(0).getWorkflowId().equals(id), null);
        WorkflowTestRequest test = new WorkflowTestRequest();
        test.setName("java_flows");
        test.setVersion(1);
        WorkflowTestRequest.TaskMock mock = new WorkflowTestRequest.TaskMock(TaskResult.Status.COMPLETED, Map.of("k", 1));
        test.setTaskRefToMockOutput(Map.of("a", List.of(mock), "b", List.of(mock)));
        check("simulation", workflows.testWorkflow(test).getOutput().equals(Map.of("k", 1)), null);
    }

    private static Task newest(Workflow workflow, String ref) {
        return workflow.getTasks().stream().filter(task -> task.getReferenceTaskName().equals(ref))
            .reduce((first, second) -> second).orElseThrow();
    }

    private void otherTaskCalls() throws Exception {
        registerTask("java_calls", 0);
        registerWorkflow("java_callers", Map.of(), simple("java_calls", "a", Map.of()));
        check("no task", tasks.pollTask("java_calls", "java", null) == null, null);
        check("no tasks", tasks.batchPollTasksByTaskType("java_calls", "java", 5, 10).isEmpty(), null);
        StartWorkflowRequest request = new StartWorkflowRequest();
        request.setName("java_callers");
        request.setTaskToDomain(Map.of("*", "north"));
        String id = workflows.startWorkflow(request);
        check("queue of a domain", tasks.getQueueSizeForTask("java_calls", "north", null, null) == 1, null);
        List<Task> batch = tasks.batchPollTasksInDomain("java_calls", "north", "java", 5, 500);
        check("domain", batch.size() == 1 && "north".equals(batch.get(0).getDomain()), batch);
        Task task = batch.get(0);
        check("details", tasks.getTaskDetails(task.getTaskId()).getWorkerId().equals("java"), null);
        check("poll data", tasks.getPollData("java_calls").size() > 0, null);
        check("all poll data", tasks.getAllPollData().size() > 0, null);
        check("requeue", "0".equals(tasks.requeuePendingTasksByTaskType("java_calls")), null);
        TaskResult beat = new TaskResult(task);
        beat.setStatus(TaskResult.Status.IN_PROGRESS);
        beat.setCallbackAfterSeconds(0);
        beat.log("half");
        tasks.updateTask(beat);
        Task again = until("the callback", () -> tasks.pollTask("java_calls", "java", "north"));
        check("callback", again.getPollCount() == 2, again);
        TaskResult fatal = new TaskResult(again);
        fatal.setStatus(TaskResult.Status.FAILED_WITH_TERMINAL_ERROR);
        fatal.setReasonForIncompletion("for good");
        tasks.updateTask(fatal);
        String reason = untilStatus(id, Workflow.WorkflowStatus.FAILED).getReasonForIncompletion();
        check("terminal error", reason.contains("for good"), reason);
        check("task search", until("the search", () -> {
            var found = tasks.search(0, 10, "startTime:DESC", "*", "taskType='java_calls'");
            return found.getTotalHits() == 1 ? found : null;
        }).getResults().get(0).getWorkflowId().equals(id), null);
    }
}
