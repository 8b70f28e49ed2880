#!/usr/bin/env python3
"""Checks that includes go one way, and that each third-party header stays in its place.

The rules are in includes.allow: which room (folder) may include which. Units (x.c with x.h) must not
include each other in a circle either. A breach is printed and makes the exit status 1.
"""

import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Debian installs json-c's headers in a folder that its pkg-config file puts on the path.
OPEN_THIRD_PARTY = re.compile(r"^(microhttpd|sqlite3|libpq-fe|yaml|json|json_\w+|curl/.*|json-c/.*|zlib|"
                              r"openssl/.*|gnutls/.*|seccomp)(\.h)?$")


def read_rules():
    """({folder: allowed folders}, [(header pattern, places)])"""
    folders, headers = {}, []
    text = (ROOT / "tests/lint/includes.allow").read_text(encoding="utf-8")
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if "@" in line:
            pattern, places = line.split("@")
            headers.append((pattern.strip(), places.split()))
        elif line:
            folder, others = line.split(":")
            folders[folder.strip()] = others.split()
    return folders, headers


def folder_of(path):
    """The room of a file, e.g. store/sqlite/search, routes/kit, main."""
    parent = path.parent.as_posix()
    if parent == "src":
        return "main"
    return parent.removeprefix("src/")


def includes(path):
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1) == '"', found.group(2)


def resolve(path, name):
    """The project's file behind an include, or None."""
    for base in (pathlib.Path("src"), pathlib.Path(), path.parent):
        if (ROOT / base / name).is_file():
            return base / name
    return None


def check_ours(path, name, folders):
    target = resolve(path, name)
    if target is None:
        return f'"{name}" is no header of the project'
    if target.suffix == ".def":
        return None  # a table of words includes nothing, so whoever reads it depends on nothing more
    here, there = folder_of(path), folder_of(target)
    if here not in folders:
        return f"folder {here} has no line in includes.allow"
    if there != here and there not in folders[here]:
        return f"{here} may not include {there} ({name})"
    return None


def check_theirs(path, name, headers):
    for pattern, places in headers:
        if fnmatch.fnmatch(name, pattern):
            if any(path.as_posix() == p or (p.endswith("/") and path.as_posix().startswith(p))
                   for p in places):
                return None
            return f"<{name}> belongs only in {' '.join(places)}"
    if OPEN_THIRD_PARTY.match(name):
        return f"<{name}> has no line in includes.allow"
    return None


def circles(folders):
    """A folder that may, through others, include itself."""
    for start in folders:
        seen, todo = set(), list(folders[start])
        while todo:
            folder = todo.pop()
            if folder not in folders:
                return f"{folder} has no line of its own"
            if folder == start:
                return f"{start} may include itself through others"
            if folder not in seen:
                seen.add(folder)
                todo += folders[folder]
    return None


def units():
    """{unit: the units it includes}; a unit is x.c with x.h, without the ending."""
    graph = {}
    for top in ("src", "routes", "schema"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            path = path.relative_to(ROOT)
            here = graph.setdefault(path.with_suffix(""), set())
            for _, ours, name in includes(path):
                target = resolve(path, name) if ours else None
                if target and target.suffix != ".def":
                    here.add(target.with_suffix(""))
    return graph


def reach(graph, start):
    """What start includes, through others too."""
    seen, todo = set(), list(graph[start])
    while todo:
        unit = todo.pop()
        if unit not in seen:
            seen.add(unit)
            todo += graph.get(unit, ())
    return seen


def unit_circles():
    """Units that include each other, through others too.

    internal.h is no unit: it lays open what the files of its room share.
    """
    graph = {unit: {t for t in targets if t != unit and t.name != "internal"}
             for unit, targets in units().items() if unit.name != "internal"}
    reached = {unit: reach(graph, unit) for unit in graph}
    found = {frozenset(o for o in reached[u] if u in reached.get(o, ())) | {u}
             for u in graph if u in reached[u]}
    for circle in sorted(sorted(u.as_posix() for u in circle) for circle in found):
        yield "units include each other: " + " ".join(circle)


def main():
    folders, headers = read_rules()
    problems = list(unit_circles())
    circle = circles(folders)
    if circle:
        problems.append(f"tests/lint/includes.allow: {circle}")
    for top in ("src", "routes", "schema"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            path = path.relative_to(ROOT)
            for number, ours, name in includes(path):
                what = (check_ours(path, name, folders) if ours
                        else check_theirs(path, name, headers))
                if what:
                    problems.append(f"{path}:{number}: {what}")
    print("\n".join(problems) if problems else "includes: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
