"""What a real provider would refuse of what Parley sends, in which tests, and why nobody has mended it yet.

A breach that is named here fails no test, and the scripted provider answers as if it had not seen it.  One that no
longer happens fails its test, and has to leave the list.  Reasons are the numbers of the faults' list, where they
have one.
"""

import fnmatch
from pathlib import Path

# (tests, as patterns of their ids; rules and paths, as patterns): why.  Each of a test's has to match something.
# What breaks in tests/wild/test_{members,items,comply}.py is in their own tables.
EXPECTED = {}


def of(nodeid):
    """What a test is known to break: {pattern: why}."""
    return {pattern: why for (tests, patterns), why in EXPECTED.items() for pattern in patterns.split("; ")
            if any(fnmatch.fnmatchcase(nodeid, t.replace("[", "[[]")) for t in tests.split("; "))}


def lost():
    """Patterns whose test is gone."""
    folder = Path(__file__).resolve().parents[2]
    found = []
    for test in {t for tests, _ in EXPECTED for t in tests.split("; ")}:
        path, name = test.split("[")[0].split("::")
        if not (folder / path).exists() or f"def {name}(" not in (folder / path).read_text():
            found.append(test)
    return found
