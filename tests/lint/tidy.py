#!/usr/bin/env python3
"""Runs clang-tidy over the project's own C files: tidy.py BUILD [NODES]; BUILD is a configured build folder.

The analyzer, which takes nearly all of the time, follows the paths through a function until it has seen
NODES states, by default as many as clang itself sets.  A third of them takes half of the time.

A file is left out that was clean when it last read the same: what the compiler sees of it and its
headers, how it is compiled, the checks and the tool's version, with as many nodes or more.  That is kept
as a stamp a file in BUILD/tidy.  Stamps take 7 % of a run's time, so a run with NODES writes them only where
there are some: after the long run on a fresh machine nobody reads them.  A finding is printed when it is found
and makes the exit status 1.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIDY = ["clang-tidy", "--quiet", "--warnings-as-errors=*"]
NODES = 225_000


def own_files():
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard", "src/*.c",
                             "routes/*.c", "schema/*.c"], cwd=ROOT, capture_output=True, check=True)
    paths = {ROOT / name for name in listed.stdout.decode().split("\0") if name}
    return {path for path in paths if path.is_file()}


def common():
    """What the stamps of all files hold."""
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    return version + (ROOT / ".clang-tidy").read_bytes()


def stamp_of(entry, same):
    """A hash of all that clang-tidy goes by; comments count, for they hold its NOLINTs."""
    command = shlex.split(entry["command"])
    options = command[1:command.index("-o")] if "-o" in command else command[1:]
    text = subprocess.run(["clang", *options, "-E", "-C", entry["file"]], cwd=entry["directory"],
                          capture_output=True)
    # what can't be read is for clang-tidy to tell
    if text.returncode:
        return None
    return hashlib.sha256(same + entry["command"].encode() + text.stdout).hexdigest()


def clean_before(stamp, now, nodes):
    if not now or not stamp.is_file():
        return False
    was, _, seen = stamp.read_text(encoding="ascii").partition(" ")
    return was == now and int(seen or 0) >= nodes


def check(build, entry, same, nodes, stamps):
    """Whether the file was looked at, and what was found; None: nothing."""
    path = pathlib.Path(entry["file"])
    stamp = build / "tidy" / path.relative_to(ROOT).with_suffix(".stamp")
    now = stamp_of(entry, same) if stamps else None
    if clean_before(stamp, now, nodes):
        return False, None
    bound = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={nodes}")]
    done = subprocess.run([*TIDY, *bound, "-p", build, path], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        return True, done.stdout + done.stderr
    if now:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(f"{now} {nodes}", encoding="ascii")
    return True, None


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    nodes = int(sys.argv[2]) if len(sys.argv) > 2 else NODES
    mine, same = own_files(), common()
    stamps = len(sys.argv) == 2 or (build / "tidy").is_dir()
    entries = [e for e in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
               if pathlib.Path(e["file"]) in mine]
    # the longest first, so that no processor waits for another at the end
    entries.sort(key=lambda e: -os.path.getsize(e["file"]))
    looked = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for here, found in pool.map(lambda e: check(build, e, same, nodes, stamps), entries):
            looked += here
            if found:
                failed += 1
                print(found, flush=True)
    if len(entries) < len(mine):
        print(f"{len(mine) - len(entries)} files are not in {build.name}'s compile_commands.json")
        failed += 1
    print(f"clang-tidy: {looked} of {len(entries)} files looked at, {failed} not clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
