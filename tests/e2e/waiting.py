"""Deadlines and conditions: nothing in the tests sleeps for a guessed time."""

import contextlib
import functools
import inspect
import os
import threading
import time
from pathlib import Path

# Seconds that anything may take before a test gives up; larger for sanitizer builds, and where four or
# more want each processor, for then everything takes as many times as long.
DEADLINE = (float(os.environ.get("PARLEY_TEST_DEADLINE", "15"))
            * max(1, os.getloadavg()[0] // (4 * os.cpu_count())))


def wait_until(condition, what, deadline=DEADLINE):
    """Asks condition() until it is true and returns its value."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"not within {deadline} s: {what}"
        time.sleep(0.01)  # between two looks at a condition, not a guess at how long it takes


def kept(pids):
    """Seconds that each thread wanted a processor and had none, as the kernel counts them."""
    waited = {}
    for task in [task for pid in pids for task in Path(f"/proc/{pid}/task").iterdir()]:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            waited[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
    return waited


class Watch:
    """How long a gateway takes, from now on: without what a busy machine kept from it and from the test,
    and without the test's own work."""

    def __init__(self, gateway):
        self.pids = os.getpid(), gateway.process.pid
        self.took = None
        self.kept, self.own = kept(self.pids), time.process_time()
        self.began = time.monotonic()

    def seconds(self):
        """Until now, or until what it watches happened."""
        if self.took is None:
            took = time.monotonic() - self.began - (time.process_time() - self.own)
            self.took = took - sum(waited - self.kept.get(thread, 0)
                                   for thread, waited in kept(self.pids).items())
        return self.took


class Moment(threading.Event):
    """An event whose moment counts: it stops its watch, if a test has given it one."""
    watch = None

    def set(self):
        if self.watch:
            self.watch.seconds()
        super().set()


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
    except Exception:  # also what a test's own reader raises at an answer that came too early or late
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
