"""Fixtures of the end-to-end tests."""

import gc

import pytest

from fixtures import *  # noqa: F403
from gateway import ENGINE


def pytest_collection_modifyitems(items):
    """Tests marked `sqlite` need its file, or what only its engine does. Those that take longest begin first."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    if ENGINE == "sqlite":
        return
    for item in items:
        if item.get_closest_marker("sqlite"):
            item.add_marker(pytest.mark.skip(reason="needs the SQLite engine"))


@pytest.hookimpl(hookwrapper=True)
def pytest_collection():
    """What thousands of tests are made of stays, and each of Python's collections would walk it again."""
    gc.disable()
    yield
    gc.enable()
    gc.freeze()


class Teller:
    """Tells a failure when it happens: pytest would do so at its end, many minutes later."""

    def __init__(self, terminal):
        self.terminal = terminal

    def pytest_runtest_logreport(self, report):
        if report.failed:
            said = [line for line in report.longreprtext.splitlines() if line.startswith("E ")]
            self.terminal.write_line("\n".join([f"\nFAILED {report.nodeid}", *said[:10]]))


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal:
        config.pluginmanager.register(Teller(terminal))
