"""Fixtures of the end-to-end tests."""

from fixtures import *  # noqa: F403
