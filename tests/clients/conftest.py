"""Fixtures of the client tests."""

from fixtures import *  # noqa: F403

# Whose programs take minutes before the first answer; the others are done meanwhile.
SLOW_TO_BEGIN = "langchain-js"


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: SLOW_TO_BEGIN not in item.nodeid)
