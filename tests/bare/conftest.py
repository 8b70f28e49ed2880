"""Tests of the preset `bare`: PARLEY_BIN is a build without console, runner and PostgreSQL engine."""

from fixtures import *  # noqa: F403
