"""Deadlines and conditions: nothing in the tests sleeps for a guessed time."""

import contextlib
import functools
import inspect
import os
import time
from pathlib import Path

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


def kept(pid):
    """Seconds that the threads of a process wanted a processor and had none, as the kernel counts."""
    waited = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            waited += int((task / "schedstat").read_text().split()[1])
    return waited / 1e9


class Watch:
    """How long a gateway takes, from now on: without what a busy machine kept from it and from the test,
    and without the test's own work."""

    def __init__(self, gateway):
        self.pids = os.getpid(), gateway.process.pid
        self.not_counted = self._not_counted()
        self.began = time.monotonic()

    def _not_counted(self):
        return sum(map(kept, self.pids)) + time.process_time()

    def seconds(self):
        took = time.monotonic() - self.began
        return took - (self._not_counted() - self.not_counted)


def soonest(measure, limit, tries=5):
    """The limit holds for the best of a few tries: a busy machine may be late, the program not."""
    took = []
    while len(took) < tries:
        took.append(measure())
        if took[-1] < limit:
            return
    raise AssertionError(f"never within {limit} s: {took}")


class TooSlow(Exception):
    """A test was so slow that what it saw says nothing about the program."""


@contextlib.contextmanager
def within(seconds):
    """What the block looks at holds for so long and no longer: a block that takes longer says nothing."""
    end = time.monotonic() + seconds
    try:
        yield
    except AssertionError:
        if time.monotonic() < end:
            raise
    if time.monotonic() >= end:
        raise TooSlow(f"not within {seconds} s")


def paced(*units):
    """A test of what lasts a time that it configures: unit, in seconds.  It is tried with each of them,
    until the machine was quick enough to see (`within`) what it had to see by then."""
    def decorate(test):
        @functools.wraps(test)
        def run(**fixtures):
            for unit in units[:-1]:
                with contextlib.suppress(TooSlow):
                    return test(unit=unit, **fixtures)
            return test(unit=units[-1], **fixtures)
        signature = inspect.signature(test)
        run.__signature__ = signature.replace(
            parameters=[p for p in signature.parameters.values() if p.name != "unit"])
        return run
    return decorate
