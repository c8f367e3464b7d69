"""Calls what the published Python SDK offers for the routes of this server beside sdk_check.py: every client method, the generated
resource classes, builders of task types, async workers, domains and workers that register their own definitions.

Usage: sdk_surface.py http://127.0.0.1:PORT KEY_ID KEY_SECRET    Prints "ok NAME" per part and exits with 1 at the first that fails.
"""

import os
import sys
import time
import traceback

os.environ["CONDUCTOR_WORKER_ISOLATION"] = "thread"

from conductor.client.automator.task_handler import TaskHandler
from conductor.client.configuration.configuration import Configuration
from conductor.client.configuration.settings.authentication_settings import AuthenticationSettings
from conductor.client.http.api.metadata_resource_api import MetadataResourceApi
from conductor.client.http.api.task_resource_api import TaskResourceApi
from conductor.client.http.api.workflow_bulk_resource_api import WorkflowBulkResourceApi
from conductor.client.http.api.workflow_resource_api import WorkflowResourceApi
from conductor.client.http.api_client import ApiClient
from conductor.client.http.models import (
    RerunWorkflowRequest,
    SkipTaskRequest,
    StartWorkflowRequest,
    TaskDef,
    TaskResult,
    WorkflowDef,
    WorkflowTask,
)
from conductor.client.http.models.correlation_ids_search_request import CorrelationIdsSearchRequest
from conductor.client.http.models.task_result_status import TaskResultStatus
from conductor.client.http.models.workflow_state_update import WorkflowStateUpdate
from conductor.client.http.models.workflow_test_request import WorkflowTestRequest
from conductor.client.http.rest import ApiException
from conductor.client.orkes_clients import OrkesClients
from conductor.client.worker.worker_task import worker_task
from conductor.client.workflow.conductor_workflow import ConductorWorkflow
from conductor.client.workflow.task.do_while_task import LoopTask
from conductor.client.workflow.task.http_task import HttpTask
from conductor.client.workflow.task.inline import InlineTask
from conductor.client.workflow.task.javascript_task import JavascriptTask
from conductor.client.workflow.task.json_jq_task import JsonJQTask
from conductor.client.workflow.task.set_variable_task import SetVariableTask
from conductor.client.workflow.task.sub_workflow_task import SubWorkflowTask
from conductor.client.workflow.task.switch_task import SwitchTask
from conductor.client.workflow.task.terminate_task import TerminateTask, WorkflowStatus
from conductor.client.workflow.task.wait_task import WaitForDurationTask

UNTIL_SECONDS = 20

settings = AuthenticationSettings(key_id=sys.argv[2], key_secret=sys.argv[3])
configuration = Configuration(base_url=sys.argv[1], authentication_settings=settings)
clients = OrkesClients(configuration)
workflows = clients.get_workflow_client()
tasks = clients.get_task_client()
metadata = clients.get_metadata_client()
executor = clients.get_workflow_executor()
api = ApiClient(configuration)
workflow_api = WorkflowResourceApi(api)
task_api = TaskResourceApi(api)
bulk_api = WorkflowBulkResourceApi(api)
metadata_api = MetadataResourceApi(api)


@worker_task(task_definition_name="pyx_async", poll_interval_millis=10, thread_count=5)
async def double(n: int) -> dict:
    return {"n": n * 2}


@worker_task(task_definition_name="pyx_registered", poll_interval_millis=10, register_task_def=True)
def registered(n: int) -> dict:
    return {"n": n + 1}


@worker_task(task_definition_name="pyx_domain", poll_interval_millis=10, domain="west")
def in_domain() -> dict:
    return {"domain": "west"}


@worker_task(task_definition_name="pyx_raises", poll_interval_millis=10)
def raises() -> dict:
    raise ValueError("on purpose")


def check(name, condition, seen=None):
    if not condition:
        sys.exit(f"failed: {name}; seen: {seen}")


def until(what, look):
    deadline = time.monotonic() + UNTIL_SECONDS
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"failed: waited {UNTIL_SECONDS} s for {what}")


def refused(call):
    try:
        call()
    except ApiException as error:
        return error.status
    return None


def simple(name, ref, **inputs):
    return WorkflowTask(name=name, task_reference_name=ref, type="SIMPLE", input_parameters=inputs)


def wait(ref="wait"):
    return WorkflowTask(name="wait", task_reference_name=ref, type="WAIT")


def register_task(name, **fields):
    definition = TaskDef(name=name, retry_count=0, response_timeout_seconds=60, **fields)
    definition.timeout_seconds = 0
    definition.owner_email = "sdk@downbeat.test"
    metadata.register_task_def(definition)


def register(name, *steps, version=1, **fields):
    definition = WorkflowDef(name=name, version=version, tasks=list(steps), owner_email="sdk@downbeat.test", **fields)
    definition.timeout_seconds = 0
    metadata.register_workflow_def(definition, overwrite=True)
    return definition


def start(name, **inputs):
    return workflows.start_workflow(StartWorkflowRequest(name=name, version=1, input=inputs))


def until_status(workflow_id, status):
    def look():
        workflow = workflows.get_workflow(workflow_id)
        return workflow if workflow.status == status else None

    return until(f"{status} of {workflow_id}", look)


def metadata_calls():
    register_task("pyx_meta")
    definition = metadata.get_task_def("pyx_meta")
    check("task definition is read", definition["name"] == "pyx_meta" if isinstance(definition, dict) else definition.name == "pyx_meta")
    changed = TaskDef(name="pyx_meta", retry_count=5)
    changed.owner_email = "sdk@downbeat.test"
    metadata.update_task_def(changed)
    check("task definitions", any(each.name == "pyx_meta" for each in metadata.get_all_task_defs()))
    workflow = register("pyx_meta_flow", wait(), output_parameters={"k": "${workflow.input.k}"})
    register("pyx_meta_flow", wait(), version=2)
    workflow.description = "changed"
    metadata.update_workflow_def(workflow)
    check("version", metadata.get_workflow_def("pyx_meta_flow", version=1).description == "changed")
    check("latest", metadata.get_workflow_def("pyx_meta_flow").version == 2)
    check("definitions", any(each.name == "pyx_meta_flow" for each in metadata.get_all_workflow_defs()))
    metadata_api.register_task_def([TaskDef(name="pyx_meta2", owner_email="sdk@downbeat.test")])
    check("listed", any(each.name == "pyx_meta2" for each in metadata_api.get_task_defs()))
    check("by resource", metadata_api.get("pyx_meta_flow", version=1).version == 1)
    check("conflict", refused(lambda: metadata_api.create(workflow)) == 409)
    for version in (1, 2):
        metadata.unregister_workflow_def("pyx_meta_flow", version)
    check("gone", refused(lambda: metadata.get_workflow_def("pyx_meta_flow")) == 404)
    for name in ("pyx_meta", "pyx_meta2"):
        metadata.unregister_task_def(name)
    check("task gone", refused(lambda: metadata.get_task_def("pyx_meta")) == 404)


def start_calls():
    register("pyx_start", wait())
    by_name = workflows.start_workflow_by_name("pyx_start", {"k": 1}, version=1, correlationId="pyx", priority=3)
    check("by name", workflows.get_workflow(by_name).priority == 3)
    others = executor.start_workflows(*[StartWorkflowRequest(name="pyx_start", correlation_id="pyx") for _ in range(2)])
    check("several", len(set(others)) == 2)
    request = StartWorkflowRequest(name="pyx_start", idempotency_key="pyx-key", idempotency_strategy="RETURN_EXISTING")
    first = workflows.start_workflow(request)
    check("idempotency", workflows.start_workflow(request) == first)
    running = workflow_api.get_running_workflow("pyx_start", version=1)
    check("running", sorted(running) == sorted([by_name, *others, first]), running)
    found = workflows.get_by_correlation_ids("pyx_start", ["pyx"], include_completed=True, include_tasks=True)
    check("correlated", len(found["pyx"]) == 3, found)
    batch = CorrelationIdsSearchRequest(correlation_ids=["pyx"], workflow_names=["pyx_start"])
    check("batch", len(workflows.get_by_correlation_ids_in_batch(batch, include_completed=True)["pyx"]) == 3)
    check("correlated one", len(workflow_api.get_workflows2("pyx_start", "pyx", include_closed=True)) == 3)
    ended = bulk_api.terminate([by_name, *others, first], reason="enough")
    check("bulk terminate", len(ended.bulk_successful_results) == 4, ended)
    check("unknown", refused(lambda: start("pyx_nosuch")) == 404)
    inline = WorkflowDef(name="pyx_inline", version=1, tasks=[wait()])
    dynamic = workflows.start_workflow(StartWorkflowRequest(name="pyx_inline", workflow_def=inline))
    check("own definition", workflows.get_workflow_status(dynamic, True, True).status == "RUNNING")
    workflows.terminate_workflow(dynamic, reason="seen", trigger_failure_workflow=False)


def execute_calls():
    register("pyx_exec", wait(), wait("second"), output_parameters={"x": 1})
    request = StartWorkflowRequest(name="pyx_exec", version=1, input={})
    run = workflows.execute_workflow(request, request_id="r1", wait_until_task_ref="wait", wait_for_seconds=5)
    check("execute", run.status == "RUNNING" and len(run.tasks) == 1, run)
    again = executor.execute_workflow(request, wait_until_task_ref="wait", wait_for_seconds=1, request_id="r2")
    check("executor", again.status == "RUNNING", again)
    for strategy in ("TARGET_WORKFLOW", "BLOCKING_WORKFLOW", "BLOCKING_TASK", "BLOCKING_TASK_INPUT"):
        answer = workflows.execute_workflow_with_return_strategy(request, wait_for_seconds=1, return_strategy=strategy)
        check(strategy, answer.response_type == strategy, answer)
        workflow_id = answer.target_workflow_id
        next_one = executor.signal(workflow_id, "COMPLETED", {"a": 1}, return_strategy=strategy)
        check(f"signal {strategy}", next_one.response_type == strategy, next_one)
        executor.signal_async(workflow_id, "COMPLETED", {"b": 2})
        check("end", until_status(workflow_id, "COMPLETED").output == {"x": 1})


def control_calls():
    register_task("pyx_ctl")
    register("pyx_ctl", simple("pyx_ctl", "a", i="${workflow.input.i}"), simple("pyx_ctl", "b"), wait())
    workflow_id = start("pyx_ctl", i=1)
    for call in (executor.pause, executor.resume, workflow_api.decide, workflow_api.reset_workflow):
        call(workflow_id)
    workflow_api.pause_workflow1(workflow_id)
    workflow_api.resume_workflow1(workflow_id)
    workflows.update_variables(workflow_id, {"color": "red"})
    check("variables", workflows.get_workflow(workflow_id).variables == {"color": "red"})
    task = workflows.get_workflow(workflow_id).tasks[0]
    result = TaskResult(workflow_id, task.task_id, status=TaskResultStatus.COMPLETED)
    update = WorkflowStateUpdate(task_reference_name="a", task_result=result, variables={"color": "blue"})
    run = workflows.update_state(workflow_id, update, wait_until_task_ref_names=["a"], wait_for_seconds=1)
    check("state", run.variables == {"color": "blue"}, run)
    workflows.skip_task_from_workflow(start("pyx_ctl", i=2), "b", SkipTaskRequest(task_output={"s": 1}))
    executor.update_task_by_ref_name({"n": 1}, workflow_id, "b", "FAILED")
    until_status(workflow_id, "FAILED")
    executor.retry(workflow_id, resume_subworkflow_tasks=False)
    executor.update_task_by_ref_name_sync({"n": 2}, workflow_id, "b", "COMPLETED")
    workflow_api.jump_to_task({"j": 1}, workflow_id, task_reference_name="wait")
    tasks.update_task_by_ref_name(workflow_id, "wait", "COMPLETED", {"w": 1})
    until_status(workflow_id, "COMPLETED")
    executor.rerun(RerunWorkflowRequest(re_run_from_task_id=task.task_id, task_input={"i": "again"}), workflow_id)
    until_status(workflow_id, "RUNNING")
    executor.terminate(workflow_id, "over")
    executor.restart(workflow_id, use_latest_definitions=True)
    workflows.pause_workflow(workflow_id)
    workflows.resume_workflow(workflow_id)
    register("pyx_ctl", wait(), version=2)
    executor.terminate(workflow_id, "over again")
    executor.remove_workflow(workflow_id, archive_workflow=False)
    check("removed", refused(lambda: workflows.get_workflow(workflow_id)) == 404)
    ids = [start("pyx_ctl", i=n) for n in range(3)]
    for call in (bulk_api.pause_workflow, bulk_api.resume_workflow, bulk_api.terminate, bulk_api.restart, bulk_api.terminate, bulk_api.retry):
        answer = call(ids)
        check("bulk", sorted(answer.bulk_successful_results) == sorted(ids), answer)


def task_calls():
    register_task("pyx_task")
    register("pyx_task", simple("pyx_task", "a"), simple("pyx_task", "b"))
    check("no task", not tasks.poll_task("pyx_task").task_id)
    check("no tasks", tasks.batch_poll_tasks("pyx_task", timeout_in_millisecond=10) == [])
    workflow_id = start("pyx_task")
    check("queue size", tasks.get_queue_size_for_task("pyx_task") == 1)
    check("all queues", task_api.all()["pyx_task"] == 1)
    check("verbose", "pyx_task" in task_api.all_verbose())
    task = tasks.poll_task("pyx_task", worker_id="me")
    tasks.add_task_log(task.task_id, "a line\nof two")
    until("the log", lambda: tasks.get_task_logs(task.task_id))
    check("task", tasks.get_task(task.task_id).worker_id == "me")
    result = TaskResult(workflow_id, task.task_id, worker_id="me", status=TaskResultStatus.COMPLETED)
    result.output_data = {"deep": {"list": [1, 2.5, None, True, "ü"]}}
    result.log("kept with the result")
    chained = task_api.update_task_v2(result)
    check("the next task", chained.reference_task_name == "b", chained)
    check("output", tasks.get_task(task.task_id).output_data == result.output_data)
    check("requeue", int(task_api.requeue_pending_task("pyx_task")) == 0)
    ended = tasks.update_task_sync(workflow_id, "b", "COMPLETED", {"k": 1})
    check("sync", ended.status == "COMPLETED" and ended.output == {"k": 1}, ended)
    check("poll data", tasks.get_task_poll_data("pyx_task")[0].queue_name == "pyx_task")
    check("all poll data", len(task_api.get_all_poll_data()) > 0)
    check("unknown", refused(lambda: tasks.get_task("nosuch")) == 404)


def search_calls():
    register_task("pyx_search")
    register("pyx_search", simple("pyx_search", "a"))
    workflow_id = start("pyx_search")
    query = "workflowType = 'pyx_search' AND status IN (RUNNING,PAUSED)"
    found = until("the search", lambda: workflows.search(start=0, size=5, query=query).results)
    check("found", found[0].workflow_id == workflow_id, found)
    by_executor = executor.search(start=0, size=5, query=query, free_text="*")
    check("by executor", len(by_executor.results) == 1, by_executor)
    by_task = until("tasks", lambda: task_api.search1(query="taskType='pyx_search'", start=0, size=5).results)
    check("task", by_task[0].workflow_id == workflow_id, by_task)
    check("in full", task_api.search_v21(query="taskType='pyx_search'").total_hits == 1)
    workflows.terminate_workflow(workflow_id)


def simulated():
    definition = register("pyx_sim", simple("pyx_sim", "a"), output_parameters={"k": "${a.output.k}"})
    request = WorkflowTestRequest(name="pyx_sim", version=1, workflow_def=definition)
    request.task_ref_to_mock_output = {"a": [{"status": "COMPLETED", "output": {"k": 7}}]}
    check("output", workflows.test_workflow(request).output == {"k": 7})


def hosted_workers():
    for name in ("pyx_async", "pyx_domain", "pyx_raises"):
        register_task(name)
    register("pyx_hosted", simple("pyx_async", "a", n="${workflow.input.n}"), simple("pyx_registered", "r", n="${a.output.n}"), simple("pyx_domain", "d"))
    register("pyx_raising", simple("pyx_raises", "x"))
    with TaskHandler(configuration=configuration, scan_for_annotated_workers=True) as handler:
        handler.start_processes()
        request = StartWorkflowRequest(name="pyx_hosted", version=1, input={"n": 5}, task_to_domain={"pyx_domain": "west"})
        ids = [workflows.start_workflow(request) for _ in range(10)]
        for workflow_id in ids:
            ended = until_status(workflow_id, "COMPLETED")
        check("chain", ended.tasks[1].output_data == {"n": 11}, ended.tasks)
        check("domain", ended.output == {"domain": "west"}, ended)
        failed = until_status(start("pyx_raising"), "FAILED")
        check("reason", "on purpose" in failed.reason_for_incompletion, failed.reason_for_incompletion)
        check("its own definition", metadata.get_task_def("pyx_registered") is not None)
        handler.stop_processes()


def built_workflow():
    child = ConductorWorkflow(executor=executor, name="pyx_child", version=1)
    child >> InlineTask("c", "(function () { return 5; })()")
    child.register(overwrite=True)
    flow = ConductorWorkflow(executor=executor, name="pyx_built", version=1)
    flow >> SetVariableTask("set").input_parameter("total", 1)
    flow >> JavascriptTask("script", "(function () { return $.a + 1; })()", {"a": 2})
    flow >> JsonJQTask("jq", ".list | add").input_parameter("list", [1, 2, 3])
    switch = SwitchTask("switch", "${workflow.input.kind}").switch_case("x", [InlineTask("case", "7")])
    switch.default_case([TerminateTask("stop", WorkflowStatus.FAILED, "wrong case")])
    flow >> switch
    flow >> [[InlineTask("left", "1")], [InlineTask("right", "2")]]
    flow >> LoopTask("loop", 3, [InlineTask("in_loop", "1")])
    flow >> SubWorkflowTask("sub", "pyx_child", 1)
    flow >> HttpTask("http", {"uri": f"{sys.argv[1]}/api/version", "method": "GET"})
    flow >> WaitForDurationTask("pause", 1)
    flow.output_parameters({"jq": "${jq.output.result}", "sub": "${sub.output.result}", "script": "${script.output.result}"})
    flow.register(overwrite=True)
    run = flow.execute(workflow_input={"kind": "x"}, wait_for_seconds=UNTIL_SECONDS)
    check("run", run.status == "COMPLETED" and run.output == {"jq": 6, "sub": 5, "script": 3}, run)


def main():
    parts = (metadata_calls, start_calls, execute_calls, control_calls, task_calls, search_calls, simulated, hosted_workers, built_workflow)
    for part in parts:
        part()
        print(f"ok {part.__name__}", flush=True)
    print("all ok")


# The SDK's worker threads outlive their handler; the process must not wait for them.
exit_code = 1
try:
    main()
    exit_code = 0
except SystemExit as failure:
    print(failure.code)
except Exception:
    traceback.print_exc(file=sys.stdout)
finally:
    sys.stdout.flush()
    os._exit(exit_code)
