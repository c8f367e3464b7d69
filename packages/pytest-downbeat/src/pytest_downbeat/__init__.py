"""A Downbeat server for tests of workflows: its clock moves, and mocks stand in for tasks."""

from .server import DownbeatServer, RequestRefused, start_test_server

__all__ = ["DownbeatServer", "RequestRefused", "start_test_server"]
