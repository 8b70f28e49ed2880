"""Fixtures of the client tests."""

from fixtures import *  # noqa: F403
