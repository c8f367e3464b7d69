"""The fixtures: ``downbeat`` is a server without mocks of the tests before, one for the session."""

from typing import Iterator

import pytest

from .server import DownbeatServer, start_test_server


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("downbeat")
    group.addoption(
        "--downbeat-clock",
        choices=("auto", "manual"),
        default="manual",
        help="whether the clock of the test server moves by itself (default: manual)",
    )
    group.addoption(
        "--downbeat-seed",
        type=int,
        default=None,
        help="a run with the same seed and the same requests repeats",
    )


@pytest.fixture(scope="session")
def downbeat_server(request: pytest.FixtureRequest) -> Iterator[DownbeatServer]:
    """One test server for all tests of the session."""
    option = request.config.getoption
    with start_test_server(
        clock=option("--downbeat-clock"), seed=option("--downbeat-seed")
    ) as server:
        yield server


@pytest.fixture
def downbeat(downbeat_server: DownbeatServer) -> Iterator[DownbeatServer]:
    """The server of the session; mocks of this test go with it."""
    yield downbeat_server
    downbeat_server.remove_mocks()
