"""Fixtures of the end-to-end tests."""

import os
import zlib

import pytest

from fixtures import *  # noqa: F403


def pytest_collection_modifyitems(config, items):
    """PARLEY_TEST_SHARE=1/2: half of the tests, always the same ones, for builds that are slow."""
    share = os.environ.get("PARLEY_TEST_SHARE")
    if not share:
        return
    which, of = map(int, share.split("/"))
    kept = [i for i in items if zlib.crc32(i.nodeid.encode()) % of == which - 1]
    config.hook.pytest_deselected(items=[i for i in items if i not in set(kept)])
    items[:] = kept


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
