"""Fixtures of the end-to-end tests."""

import pytest

from fixtures import *  # noqa: F403


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
