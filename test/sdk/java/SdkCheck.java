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
import com.netflix.conductor.common.metadata.workflow.StartWorkflowRequest;
import com.netflix.conductor.common.metadata.workflow.WorkflowDef;
import com.netflix.conductor.common.metadata.workflow.WorkflowTask;
import com.netflix.conductor.common.run.Workflow;
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
        SdkCheck check = new SdkCheck(new ConductorClient(args[0]));
        check.definitions();
        check.workers();
        check.polls();
        check.controls();
        System.out.println("all ok");
        System.exit(0);
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
}
