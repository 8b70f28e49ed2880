"""Deadlines and conditions: nothing in the tests sleeps for a guessed time."""

import os
import time

# Seconds that anything may take before a test gives up; larger for sanitizer builds.
DEADLINE = float(os.environ.get("PARLEY_TEST_DEADLINE", "15"))


def wait_until(condition, what, deadline=DEADLINE):
    """Asks condition() until it is true and returns its value."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"not within {deadline} s: {what}"
        time.sleep(0.01)  # between two looks at a condition, not a guess at how long it takes


def soonest(measure, limit, tries=5):
    """The limit holds for the best of a few tries: a busy machine may be late, the program not."""
    took = []
    while len(took) < tries:
        took.append(measure())
        if took[-1] < limit:
            return
    raise AssertionError(f"never within {limit} s: {took}")
