"""With the Python SDK's workers beside mocks: their task is carried out, then the clock goes on."""

import pytest
from conductor.client.automator.task_handler import TaskHandler
from conductor.client.configuration.configuration import Configuration
from conductor.client.worker.worker import Worker

from pytest_downbeat import RequestRefused, start_test_server


def greet(task):
    return {"greeting": f"Hello {task.input_data['name']}"}


def definition(name, *tasks):
    return {
        "name": name,
        "version": 1,
        "ownerEmail": "team@example.com",
        "tasks": list(tasks),
        "outputParameters": {"said": "${greet.output.greeting}"},
    }


GREET = {
    "name": "greet",
    "taskReferenceName": "greet",
    "type": "SIMPLE",
    "inputParameters": {"name": "${workflow.input.name}"},
}
PAUSE = {
    "name": "pause",
    "taskReferenceName": "pause",
    "type": "WAIT",
    "inputParameters": {"duration": "30 days"},
}


def test_a_worker_of_the_sdk_beside_a_wait_of_thirty_days(downbeat):
    downbeat.register(definition("greeting", PAUSE, GREET))
    worker = Worker("greet", greet, poll_interval=20)
    handler = TaskHandler(
        workers=[worker],
        configuration=Configuration(server_api_url=downbeat.api_url),
        scan_for_annotated_workers=False,
    )
    handler.start_processes()
    try:
        execution = downbeat.run("greeting", {"name": "Ann"}, wait_seconds=30)
    finally:
        handler.stop_processes()
    downbeat.completed(execution["workflowId"])
    assert execution["output"] == {"said": "Hello Ann"}
    assert execution["tasks"][-1]["workerId"] != "mock"
    assert execution["endTime"] - execution["startTime"] >= 30 * 86_400_000


def test_a_mock_in_place_of_the_worker(downbeat):
    downbeat.register(definition("greeting", PAUSE, GREET))
    attempts = [{"status": "FAILED", "reasonForIncompletion": "hoarse"}, {"output": {}}]
    downbeat.mock(taskName="greet", attempts=attempts)
    execution = downbeat.run("greeting", {"name": "Bob"})
    downbeat.took_path(execution["workflowId"], ["pause", "greet", "greet"])
    downbeat.got_input(execution["workflowId"], "greet", name="Bob")


def test_mocks_of_the_test_before_are_gone(downbeat):
    assert downbeat.mocks() == []


def test_a_failure_says_why(downbeat):
    downbeat.register(definition("greeting", GREET))
    downbeat.mock(
        taskName="greet", status="FAILED_WITH_TERMINAL_ERROR", reasonForIncompletion="hoarse"
    )
    execution = downbeat.run("greeting", {"name": "Bob"})
    with pytest.raises(AssertionError, match=r"(?s)is FAILED, not COMPLETED.*Why: .*hoarse"):
        downbeat.completed(execution["workflowId"])
    with pytest.raises(AssertionError, match="name = 'Bob', not 'Ann'"):
        downbeat.got_input(execution["workflowId"], "greet", name="Ann")
    with pytest.raises(RequestRefused, match="'outputs' is no field of a mock"):
        downbeat.mock(taskName="greet", outputs={})


def test_a_run_with_a_seed_repeats():
    def first_id():
        with start_test_server(seed=7) as server:
            server.register(definition("greeting", GREET))
            return server.start("greeting")

    assert first_id() == first_id()
