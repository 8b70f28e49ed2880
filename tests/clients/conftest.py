"""Fixtures of the client tests."""

from fixtures import *  # noqa: F403

# Programs of these clients take minutes before their first answer; the others are tested meanwhile.
SLOW_TO_BEGIN = "langchain-js"


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: SLOW_TO_BEGIN not in item.nodeid)
