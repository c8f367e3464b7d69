"""Drives a server with the published Python SDK: definitions, decorated workers, the workflow builder, controls and queries.

Usage: sdk_check.py http://127.0.0.1:PORT [KEY SECRET]    Prints "ok NAME" per check and exits with 1 at the first that fails.
"""

import os
import sys
import time
import traceback

os.environ["CONDUCTOR_WORKER_ISOLATION"] = "thread"

from conductor.client.automator.task_handler import TaskHandler
from conductor.client.configuration.configuration import Configuration
from conductor.client.configuration.settings.authentication_settings import AuthenticationSettings
from conductor.client.http.models import StartWorkflowRequest, TaskDef, TaskResult, WorkflowDef, WorkflowTask
from conductor.client.http.models.task_result_status import TaskResultStatus
from conductor.client.orkes_clients import OrkesClients
from conductor.client.worker.worker_task import worker_task
from conductor.client.workflow.conductor_workflow import ConductorWorkflow
from conductor.client.workflow.task.simple_task import SimpleTask

UNTIL_SECONDS = 20

key = AuthenticationSettings(key_id=sys.argv[2], key_secret=sys.argv[3]) if len(sys.argv) > 3 else None
configuration = Configuration(base_url=sys.argv[1], authentication_settings=key)
clients = OrkesClients(configuration)
workflows = clients.get_workflow_client()
tasks = clients.get_task_client()
metadata = clients.get_metadata_client()
executor = clients.get_workflow_executor()


@worker_task(task_definition_name="py_greet", poll_interval_millis=10)
def greet(name: str) -> dict:
    return {"text": f"hello {name}"}


@worker_task(task_definition_name="py_shout", poll_interval_millis=10)
def shout(text: str) -> dict:
    return {"text": text.upper()}


def check(name, condition, seen=None):
    if not condition:
        sys.exit(f"failed: {name}; seen: {seen}")
    print(f"ok {name}")


def until(what, look):
    deadline = time.monotonic() + UNTIL_SECONDS
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"failed: waited {UNTIL_SECONDS} s for {what}")


def register_task(name, retry_count=0):
    definition = TaskDef(name=name, retry_count=retry_count, retry_delay_seconds=0, response_timeout_seconds=60)
    definition.timeout_seconds = 0
    definition.owner_email = "sdk@downbeat.test"
    metadata.register_task_def(definition)


def register_workflow(name, *steps):
    definition = WorkflowDef(name=name, version=1, tasks=list(steps), owner_email="sdk@downbeat.test")
    definition.schema_version = 2
    definition.timeout_seconds = 0
    metadata.register_workflow_def(definition, overwrite=True)


def simple(name, ref, **inputs):
    return WorkflowTask(name=name, task_reference_name=ref, type="SIMPLE", input_parameters=inputs)


def start(name, **inputs):
    return workflows.start_workflow(StartWorkflowRequest(name=name, version=1, input=inputs))


def status(workflow_id):
    return workflows.get_workflow(workflow_id, include_tasks=False).status


def check_definitions():
    register_task("py_defined", retry_count=2)
    check("task definition", metadata.get_task_def("py_defined").retry_count == 2)
    register_workflow("py_defined_flow", simple("py_defined", "a", x=1))
    read = metadata.get_workflow_def("py_defined_flow", 1)
    check("workflow definition", read.tasks[0].input_parameters == {"x": 1}, read)
    metadata.unregister_workflow_def("py_defined_flow", 1)
    metadata.unregister_task_def("py_defined")


def check_workers():
    for name in ("py_greet", "py_shout"):
        register_task(name)
    flow = ConductorWorkflow(executor=executor, name="py_greetings", version=1)
    first = SimpleTask("py_greet", "greet").input_parameter("name", "${workflow.input.name}")
    second = SimpleTask("py_shout", "shout").input_parameter("text", "${greet.output.text}")
    flow.add([first, second])
    flow.output_parameters({"result": "${shout.output.text}"})
    flow.register(overwrite=True)
    with TaskHandler(configuration=configuration, scan_for_annotated_workers=True) as handler:
        handler.start_processes()
        run = flow.execute(workflow_input={"name": "you"}, wait_for_seconds=UNTIL_SECONDS)
        check("workers", run.status == "COMPLETED" and run.output == {"result": "HELLO YOU"}, run)
        handler.stop_processes()


def check_polls():
    register_task("py_polled", retry_count=1)
    register_workflow("py_polls", simple("py_polled", "a", k="${workflow.input.k}"))
    workflow_id = start("py_polls", k=5)
    until("the queue size", lambda: tasks.get_queue_size_for_task("py_polled") == 1)
    task = until("a task", lambda: tasks.poll_task("py_polled", worker_id="py"))
    check("poll", task.input_data == {"k": 5} and task.workflow_instance_id == workflow_id, task)
    tasks.add_task_log(task.task_id, "a line")
    logs = until("the log", lambda: tasks.get_task_logs(task.task_id))
    check("logs", "a line" in logs[0].log, logs)
    failed = TaskResult(workflow_id, task.task_id, worker_id="py", status=TaskResultStatus.FAILED)
    failed.reason_for_incompletion = "first"
    tasks.update_task(failed)
    batch = until("its second attempt", lambda: tasks.batch_poll_tasks("py_polled", "py", 5, 500))
    check("retry", batch[0].retry_count == 1 and batch[0].task_id != task.task_id, batch)
    done = TaskResult(workflow_id, batch[0].task_id, worker_id="py", status=TaskResultStatus.COMPLETED)
    done.output_data = {"answer": 42}
    tasks.update_task(done)
    ended = until("the end", lambda: status(workflow_id) == "COMPLETED" and workflows.get_workflow(workflow_id))
    check("updates", [task.status for task in ended.tasks] == ["FAILED", "COMPLETED"], ended)
    check("output", ended.output == {"answer": 42}, ended.output)


def check_controls():
    register_task("py_control")
    register_workflow("py_controls", simple("py_control", "a"), simple("py_control", "b"))
    workflow_id = start("py_controls")
    workflows.pause_workflow(workflow_id)
    check("pause", status(workflow_id) == "PAUSED")
    workflows.resume_workflow(workflow_id)
    tasks.update_task_by_ref_name(workflow_id, "a", "COMPLETED", {"one": 1})
    workflows.terminate_workflow(workflow_id, reason="enough")
    check("terminate", status(workflow_id) == "TERMINATED")
    workflows.restart_workflow(workflow_id)
    check("restart", status(workflow_id) == "RUNNING")
    tasks.update_task_by_ref_name(workflow_id, "a", "FAILED", {})
    check("failure", status(workflow_id) == "FAILED")
    workflows.retry_workflow(workflow_id)
    tasks.update_task_by_ref_name(workflow_id, "a", "COMPLETED", {})
    ended = tasks.update_task_sync(workflow_id, "b", "COMPLETED", {})
    check("retry of a workflow", ended.status == "COMPLETED", ended)


def check_search():
    register_workflow("py_found", WorkflowTask(name="wait", task_reference_name="w", type="WAIT"))
    workflow_id = start("py_found")
    query = "workflowType='py_found' AND status='RUNNING'"
    found = until("the search", lambda: workflows.search(query=query).results)
    check("search", [entry.workflow_id for entry in found] == [workflow_id], found)
    workflows.terminate_workflow(workflow_id)
    workflows.delete_workflow(workflow_id)


def main():
    for part in (check_definitions, check_workers, check_polls, check_controls, check_search):
        part()
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
