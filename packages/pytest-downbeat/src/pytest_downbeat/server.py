"""Starts a test server and calls its API. Needs nothing but the standard library.

The programme is the one in the environment variable ``TEST_DOWNBEAT_COMMAND`` (words as in a shell), else
``downbeat`` on PATH. It ends with this process.
"""

import json
import os
import queue
import re
import shlex
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, List, Optional, Sequence

_START_SECONDS = 60.0
_STOP_SECONDS = 10.0
_REQUEST_SECONDS = 660.0
_LINES_KEPT = 20


class RequestRefused(Exception):
    """The server has refused a request; ``status`` is the status of its answer."""

    def __init__(self, method: str, route: str, status: int, text: str) -> None:
        super().__init__(f"{method} {route} was answered {status}: {text}")
        self.status = status


class DownbeatServer:
    """A test server. ``url`` is its address; clients of the API take ``api_url``."""

    def __init__(self, url: str, process: "subprocess.Popen[str]") -> None:
        self.url = url
        self.api_url = f"{url}/api"
        self._process = process

    # The clock

    def clock(self) -> Dict[str, Any]:
        """The clock, what is due next, and what keeps it from moving by itself."""
        return self.request("GET", "/api/test/clock")

    def advance(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> Dict[str, Any]:
        """Moves the clock on, through each due time in order."""
        ms = round(((days * 24 + hours) * 3600 + seconds) * 1000)
        return self.request("POST", "/api/test/clock/advance", {"ms": ms})

    def auto_clock(self, is_on: bool = True) -> Dict[str, Any]:
        """Lets the clock move by itself from now on, or stops that."""
        return self.request("PUT", "/api/test/clock", {"auto": is_on})

    # Mocks

    def mock(self, **fields: Any) -> Dict[str, Any]:
        """Makes a mock of tasks; the fields are those of ``POST /api/test/mocks``."""
        return self.request("POST", "/api/test/mocks", fields)

    def mocks(self) -> List[Dict[str, Any]]:
        """The mocks, with the number of attempts that each has given an outcome."""
        return self.request("GET", "/api/test/mocks")

    def remove_mocks(self) -> None:
        """Removes all mocks."""
        self.request("DELETE", "/api/test/mocks")

    # Executions

    def register(self, *definitions: Dict[str, Any]) -> None:
        """Registers definitions of workflows."""
        self.request("PUT", "/api/metadata/workflow", list(definitions))

    def start(self, name: str, input: Optional[Dict[str, Any]] = None) -> str:
        """Starts an execution and returns its id."""
        return self.request("POST", "/api/workflow", {"name": name, "input": input or {}})

    def run(
        self, name: str, input: Optional[Dict[str, Any]] = None, wait_seconds: float = 10
    ) -> Dict[str, Any]:
        """Starts an execution and waits for its end, with the clock running meanwhile."""
        return self.ended(self.start(name, input), wait_seconds)

    def ended(self, workflow_id: str, wait_seconds: float = 10) -> Dict[str, Any]:
        """The execution once it has ended; the clock runs until then.

        Fails with why when nothing is due that could move it, or a worker keeps it for
        ``wait_seconds`` of real time.
        """
        body = {"workflowId": workflow_id, "waitMs": round(wait_seconds * 1000)}
        ran = self.request("POST", "/api/test/clock/run", body)
        execution = self.execution(workflow_id)
        if ran["end"] != "over":
            # Work of another execution may keep the clock.
            held_by = self.request("GET", "/api/test/clock").get("heldBy", "").rstrip(".")
            kept = f". The clock stands: {held_by}" if held_by else ""
            self._fail(execution, f"is {execution['status']}, it has not ended{kept}")
        return execution

    def execution(self, workflow_id: str) -> Dict[str, Any]:
        """The execution, as the API shows it."""
        return self.request("GET", f"/api/workflow/{_segment(workflow_id)}")

    def completed(self, workflow_id: str) -> Dict[str, Any]:
        """The execution, which must have completed."""
        return self.has_status(workflow_id, "COMPLETED")

    def has_status(self, workflow_id: str, status: str) -> Dict[str, Any]:
        """The execution, which must have this status."""
        execution = self.execution(workflow_id)
        if execution["status"] != status:
            self._fail(execution, f"is {execution['status']}, not {status}")
        return execution

    def path(self, workflow_id: str) -> List[str]:
        """Reference names of its tasks, in the order in which they were scheduled."""
        return _path_of(self.execution(workflow_id))

    def took_path(self, workflow_id: str, path: Sequence[str]) -> Dict[str, Any]:
        """The execution, which must have taken this path."""
        execution = self.execution(workflow_id)
        taken = _path_of(execution)
        if taken != list(path):
            self._fail(execution, f"took the path {taken}, not {list(path)}")
        return execution

    def got_input(self, workflow_id: str, reference_name: str, **members: Any) -> Dict[str, Any]:
        """The newest task with this reference name, whose input must have these members."""
        execution = self.execution(workflow_id)
        tasks = [t for t in execution["tasks"] if t["referenceTaskName"] == reference_name]
        if not tasks:
            self._fail(execution, f"has no task '{reference_name}'")
        given = tasks[-1]["inputData"]
        for name, value in members.items():
            if name not in given or given[name] != value:
                shown = repr(given.get(name))
                said = f"gave task '{reference_name}' {name} = {shown}, not {value!r}"
                self._fail(execution, said)
        return tasks[-1]

    def why(self, workflow_id: str) -> str:
        """Why the execution does not go on, or how it ended."""
        why = self.request("GET", f"/api/workflow/{_segment(workflow_id)}/why")
        sentences = [why["reason"], *(each["reason"] for each in why["waitsFor"])]
        return " ".join(dict.fromkeys(sentences))

    def _fail(self, execution: Dict[str, Any], said: str) -> None:
        workflow_id = execution["workflowId"]
        tasks = ", ".join(_shown_task(task) for task in execution["tasks"])
        raise AssertionError(
            f"Execution {workflow_id} {said}.\nWhy: {self.why(workflow_id)}\nTasks: {tasks}"
        )

    # The rest

    def request(self, method: str, route: str, body: Any = None) -> Any:
        """Any request of the API. Raises RequestRefused when the server refuses it."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        asked = urllib.request.Request(self.url + route, data, headers, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=_REQUEST_SECONDS) as answer:
                text = answer.read().decode()
                is_json = "json" in (answer.headers.get("Content-Type") or "")
        except urllib.error.HTTPError as refused:
            text = refused.read().decode(errors="replace")
            raise RequestRefused(method, route, refused.code, text) from None
        return json.loads(text) if is_json else text

    def stop(self) -> None:
        """Ends the server and removes what it stored."""
        if self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "DownbeatServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


def start_test_server(
    *,
    clock: str = "manual",
    seed: Optional[int] = None,
    settings: Sequence[str] = (),
    start_seconds: float = _START_SECONDS,
) -> DownbeatServer:
    """Starts a test server. ``settings`` are words of the command line."""
    command = shlex.split(os.environ.get("TEST_DOWNBEAT_COMMAND", "downbeat"))
    words = [*command, "test-server", "--clock", clock]
    if seed is not None:
        words += ["--seed", str(seed)]
    process = subprocess.Popen(
        [*words, *settings],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines: "queue.Queue[Optional[str]]" = queue.Queue()
    threading.Thread(target=_read, args=(process, lines), daemon=True).start()
    try:
        return DownbeatServer(_address_in(lines, start_seconds), process)
    except BaseException:
        process.kill()
        process.wait()
        raise


def _read(process: "subprocess.Popen[str]", lines: "queue.Queue[Optional[str]]") -> None:
    """Reads to the end, so that the server never waits for somebody to read."""
    is_served = False
    for line in process.stdout or ():
        if not is_served:
            lines.put(line.rstrip("\n"))
        is_served = is_served or _is_address(line)
    lines.put(None)


def _address_in(lines: "queue.Queue[Optional[str]]", start_seconds: float) -> str:
    said: List[str] = []
    while True:
        try:
            line = lines.get(timeout=start_seconds)
        except queue.Empty:
            line = None
        if line is None:
            kept = "\n".join(said[-_LINES_KEPT:])
            raise RuntimeError(f"The test server does not serve. It said:\n{kept}")
        said.append(line)
        if _is_address(line):
            return line.strip()


def _is_address(line: str) -> bool:
    return re.fullmatch(r"https?://\S+", line.strip()) is not None


def _path_of(execution: Dict[str, Any]) -> List[str]:
    return [task["referenceTaskName"] for task in execution["tasks"]]


def _shown_task(task: Dict[str, Any]) -> str:
    reason = task.get("reasonForIncompletion")
    shown = f"{task['referenceTaskName']} {task['status']}"
    return shown if reason is None else f"{shown} ({reason})"


def _segment(text: str) -> str:
    return urllib.parse.quote(text, safe="")
