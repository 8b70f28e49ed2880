"""Tests of parts that only a build with PARLEY_SCRATCH has; PARLEY_BIN is its program, parley_scratch."""

import pytest

from fixtures import *  # noqa: F403


@pytest.fixture(autouse=True)
def answers_follow_the_contract():
    """The parts are not in openapi.yaml."""
